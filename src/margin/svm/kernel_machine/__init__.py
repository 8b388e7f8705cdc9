"""Support vector machines by their dual: solved, certified, several classes."""

__all__: list[str] = []
