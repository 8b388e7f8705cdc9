"""Hulls of classes and the widest gap between them."""

__all__: list[str] = []
