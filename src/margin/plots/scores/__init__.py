"""Pictures of how good models are: their mistakes, their curves, and models held against each other."""

__all__: list[str] = []
