"""Indexes that find the nearest rows, all of them exactly, and which one is chosen."""

__all__: list[str] = []
