"""How a class makes the cells of a column: one distribution for each kind."""

__all__: list[str] = []
