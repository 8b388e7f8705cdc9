"""Error as bias and variance."""

__all__: list[str] = []
