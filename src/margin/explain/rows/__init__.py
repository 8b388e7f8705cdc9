"""Rows made up out of the cells of given ones, and what any model says of them."""

__all__: list[str] = []
