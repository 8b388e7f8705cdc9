"""Leaks and traps in rows and splits."""

__all__: list[str] = []
