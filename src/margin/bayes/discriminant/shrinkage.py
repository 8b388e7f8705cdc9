"""Covariances drawn towards a multiple of the identity, for classes with few rows to many columns."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from margin.params import Rule

__all__ = ["Portion", "Shrinkage", "ledoit_wolf", "shrunk", "shrunk_class_covariance"]

Portion = Annotated[
    float,
    Rule(
        "a number from 0 to 1",
        lambda v: isinstance(v, (float, int, np.number)) and not isinstance(v, bool) and 0 <= v <= 1,
        float,
    ),
]
Shrinkage = Literal["auto"] | Portion | None


def shrunk(covariance: np.ndarray, amount: float) -> np.ndarray:
    """(1 - amount) C + amount tr(C)/d I.

    >>> shrunk(np.array([[2.0, 1.0], [1.0, 4.0]]), 0.5)
    array([[2.5, 0.5],
           [0.5, 3.5]])
    """
    d = len(covariance)
    smaller = (1 - amount) * covariance
    if d:
        smaller.flat[:: d + 1] += amount * np.trace(covariance) / d
    return smaller


def ledoit_wolf(second: np.ndarray, fourth: np.ndarray, n: float, cases: float) -> float:
    """The amount of shrinkage that is nearest to the true covariance, as far as the rows can tell.

    ``second`` and ``fourth`` are the sums of e_i e_j and of e_i² e_j² over deviations of total weight ``n``, which
    stand for ``cases`` cases. Ledoit, Wolf (2004), lemma 3.4.
    """
    d = len(second)
    if d < 2:
        return 0.0
    covariance = second / n
    squared = float((covariance**2).sum())
    trace = float(np.trace(covariance))
    spread = (squared - trace**2 / d) / d
    noise = min((float(fourth.sum()) / n - squared) / (d * cases), spread)
    return max(noise / spread, 0.0) if noise != 0 else 0.0


def shrunk_class_covariance(
    second: np.ndarray, fourth: np.ndarray | None, n: float, cases: float, amount: Any, one: np.ndarray
) -> np.ndarray:
    """The covariance (divided by n) of one set of rows, shrunk; automatically in columns of deviation 1.

    ``one`` is 1 in the unit of each column: what a column without any deviation is left in.
    """
    if n <= 0:
        return np.zeros_like(second)
    covariance = second / n
    if amount is None:
        return covariance
    if amount != "auto":
        return shrunk(covariance, float(amount))
    assert fourth is not None
    deviation = np.sqrt(np.diagonal(covariance))
    scale = np.where(deviation > 0, deviation, one)
    both = scale[:, None] * scale
    amount = ledoit_wolf(second / both, fourth / both / both, n, cases)
    return shrunk(covariance / both, amount) * both
