"""How rows are split into those to learn from and those to be asked about."""

__all__: list[str] = []
