"""What columns are worth to any model: how much worse it answers held-out rows without them."""

__all__: list[str] = []
