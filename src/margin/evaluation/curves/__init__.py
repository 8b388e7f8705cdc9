"""Curves over thresholds, of calibration and of coverage, and where a curve bends."""

__all__: list[str] = []
