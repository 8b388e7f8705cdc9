"""Trees cut back: by held-out rows, by cost and complexity, by pessimistic errors."""

__all__: list[str] = []
