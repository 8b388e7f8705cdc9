"""Gradient boosting: trees grown on the derivatives of a loss."""

__all__: list[str] = []
