"""Multi-layer perceptrons on tables, trained in the core."""

__all__: list[str] = []
