"""The knee of an error curve: the minimum before the error rises again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import InputError

__all__ = ["Knee", "knee", "knee_of"]


@dataclass(frozen=True, slots=True)
class Knee:
    """The lowest point of an error that falls and rises again: the point, and its place among the points given.

    ``depth`` is by how much the error is larger on both sides: the lesser of the fall to it and of the rise after it.
    """

    x: float
    y: float
    index: int
    depth: float

    def __str__(self) -> str:
        return f"knee at {self.x:g} (value {self.y:g}, depth {self.depth:.2g})"


def knee(x: Any, y: Any, *, greater_is_better: bool = False) -> Knee | None:
    """Where an error is smallest before it rises again; None where it only falls, only rises, or stays.

    With too few neighbours, too deep a tree or too weak a penalty a model learns rows by heart; with too many, too flat
    or too strong it misses what is there. Between the two the error on other rows has its minimum. A curve whose
    smallest value is the first or the last point has no knee among the points: go on beyond that end. Of equal minima
    it is the one with the smallest x, before the first rise. ``choose_k`` and ``validation_curve`` mean the same.

    Parameters
    ----------
    x, y
        The points, in any order; every x once. y is an error.
    greater_is_better
        Whether y is a score instead, whose maximum before it falls again is meant.

    Examples
    --------
    >>> print(knee([1, 2, 3, 4, 5], [0.5, 0.3, 0.2, 0.25, 0.4]))
    knee at 3 (value 0.2, depth 0.2)
    >>> knee([1, 2, 3], [0.5, 0.3, 0.2]) is None  # it still falls
    True
    """
    x, y = _points(x, y)
    order = np.argsort(x, kind="stable")
    height = -y[order] if greater_is_better else y[order]
    at = knee_of(height)
    if at is None:
        return None
    depth = min(height[:at].max(), height[at + 1 :].max()) - height[at]
    return Knee(float(x[order[at]]), float(y[order[at]]), int(order[at]), float(depth))


def knee_of(error: np.ndarray) -> int | None:
    """The place of the smallest error (the first of several), where it is larger both before and after.

    >>> knee_of(np.array([0.5, 0.2, 0.15, 0.3, 0.15, 0.4]))
    2
    """
    if len(error) < 3:
        return None
    at, least = int(np.argmin(error)), error.min()
    return at if at > 0 and bool((error[at + 1 :] > least).any()) else None


def _points(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    try:
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("knee: x and y must hold numbers.") from None
    if x.ndim != 1 or x.shape != y.shape:
        raise InputError(f"knee: x and y must be two lists of the same length, not of the shapes {x.shape}, {y.shape}.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("knee: every x and y must be finite (leave out points that are not known).")
    if len(np.unique(x)) < len(x):
        raise InputError("knee: every x must stand once.")
    return x, y
