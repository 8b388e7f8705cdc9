"""Intervals of shares, areas and everything else, and the resamples they may need."""

__all__: list[str] = []
