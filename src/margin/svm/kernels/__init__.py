"""Kernels: functions of two rows, matrices, shared substrings, and sums of them."""

__all__: list[str] = []
