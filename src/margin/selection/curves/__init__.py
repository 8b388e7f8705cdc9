"""Scores along the number of rows and along a setting."""

__all__: list[str] = []
