"""What written cells say: dates in whatever way files have them, and the words of free text."""

__all__: list[str] = []
