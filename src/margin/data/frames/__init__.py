"""Data in memory: frames of any make, lists and arrays of Python objects, read as tables."""

__all__: list[str] = []
