"""Scores with their intervals: over cases, over folds, over bootstrap samples."""

__all__: list[str] = []
