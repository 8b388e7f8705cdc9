"""Bags: one model learnt over and over, each time from other rows or columns."""

__all__: list[str] = []
