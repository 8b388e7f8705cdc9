"""Forests: trees grown side by side from drawn rows and drawn columns."""

__all__: list[str] = []
