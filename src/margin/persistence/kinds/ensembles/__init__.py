"""Models made of many: committees and forests."""

__all__: list[str] = []
