"""Thresholds between doubles for questions that scikit-learn asks of float32.

scikit-learn rounds a cell to float32 and compares it with a double; before that scalers may have changed it. Every such
way from a cell to left or right keeps the order: what is below a cell that goes left goes left. So there is a largest
double that goes left, and it is found exactly by halving the range of all doubles, 64 times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["last_that", "rounded"]

_MOST = np.float64(np.finfo(np.float64).max).view(np.int64)


def rounded(x: np.ndarray) -> np.ndarray:
    """Doubles as scikit-learn's trees see them, rounded to float32."""
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float64).astype(np.float32)


def last_that(goes_left: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """For each of n questions the largest double that goes left; minus infinity where none does.

    ``goes_left`` is asked of n doubles at once, one for each question, and must keep their order.

    >>> last_that(lambda x: rounded(x) <= 1.0, 1)[0] == 1 + 2.0**-24
    np.True_
    """
    low, high = np.full(n, -_MOST), np.full(n, _MOST)  # the answer lies from low - 1 (none) up to high
    while (low <= high).any():
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        left = goes_left(_double(middle)) & (low <= high)
        right = ~left & (low <= high)
        low, high = np.where(left, middle + 1, low), np.where(right, middle - 1, high)
    return np.where(high < -_MOST, -np.inf, _double(np.maximum(high, -_MOST)))


def _double(place: np.ndarray) -> np.ndarray:
    """The double at a place in the order of all doubles; 0 is at 0."""
    return np.copysign(np.abs(place).view(np.float64), place)
