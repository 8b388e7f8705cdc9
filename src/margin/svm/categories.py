"""Where training rows lie: outside the margin, on its edge, or inside."""

from __future__ import annotations

import numpy as np

__all__ = ["INSIDE", "ON", "OUTSIDE", "WORDS", "categories"]

OUTSIDE, ON, INSIDE = 0, 1, 2
#: The words of the three codes.
WORDS = np.array(["outside", "on", "inside"])
# Decisions are rounded to about this.
ROUNDING = 1e-9


def categories(margins: np.ndarray, alpha: np.ndarray, upper: np.ndarray, violation: float) -> np.ndarray:
    """Codes out of s f(x), the weights, their bounds and how exactly the problem was solved.

    A row whose weight is strictly between 0 and its bound is on the edge; so is any whose s f(x) is 1 within the
    violation that is left.

    >>> where = categories(np.array([2.0, 1.0, 0.3, -1.0]), np.array([0, 0.5, 1, 1]), np.ones(4), 0.0)
    >>> WORDS[where].tolist()
    ['outside', 'on', 'inside', 'inside']
    """
    near = max(violation, ROUNDING * max(1.0, float(np.abs(margins).max(initial=0.0))))
    on = ((alpha > 0) & (alpha < upper)) | (np.abs(margins - 1.0) <= near)
    return np.where(on, ON, np.where(margins > 1.0, OUTSIDE, INSIDE)).astype(np.int8)
