"""What columns do to the answers of a model: two at once, and one among rows that are like it."""

__all__: list[str] = []
