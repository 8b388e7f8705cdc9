"""Searches over settings: grids, random draws, halving, doubling."""

__all__: list[str] = []
