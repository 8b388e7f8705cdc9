"""Linear support vector machines: primal and dual solvers and their certificates."""

__all__: list[str] = []
