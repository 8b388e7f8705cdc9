"""Where objects may be, whatever they are: masks that are proposed, and told apart by a classifier."""

__all__: list[str] = []
