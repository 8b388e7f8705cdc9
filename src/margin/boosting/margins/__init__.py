"""Weighted votes that answer for margins: the largest soft margin, or a given error by a given time."""

__all__: list[str] = []
