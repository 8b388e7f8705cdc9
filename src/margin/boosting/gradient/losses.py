"""Where boosting begins under each loss, and what its scores mean."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["first_class_scores", "first_value_score", "huber_bend", "weighted_quantile"]


def weighted_quantile(values: np.ndarray, weight: np.ndarray, share: float) -> float:
    """The least value that has the share of all weight at or below it.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 0.5)
    2.0
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    place = int(np.searchsorted(below, share * below[-1] * (1 - 1e-12)))
    return float(values[order[min(place, len(order) - 1)]])


def first_class_scores(loss: Any, totals: np.ndarray) -> np.ndarray:
    """The scores of the shares that classes have in training: log odds, half of them, or a logarithm for each class.

    >>> first_class_scores("log_loss", np.array([1.0, 3.0])).round(3)
    array([1.099])
    """
    with np.errstate(divide="ignore"):
        logs = np.log(totals / totals.sum())
    logs = np.maximum(logs, -30.0)  # a class whose rows weigh next to nothing
    if len(totals) > 2:
        return logs
    odds = logs[1:] - logs[:1]
    return odds / 2 if loss == "exponential" else odds


def first_value_score(loss: str, y: np.ndarray, weight: np.ndarray, alpha: float) -> float:
    """The one number of the smallest loss: the mean, its logarithm, the median or another quantile."""
    if loss in ("absolute_error", "huber"):
        return weighted_quantile(y, weight, 0.5)
    if loss == "quantile":
        return weighted_quantile(y, weight, alpha)
    mean = float(np.average(y, weights=weight))
    return max(float(np.log(mean)) if mean > 0 else -30.0, -30.0) if loss == "poisson" else mean


def huber_bend(y: np.ndarray, weight: np.ndarray, alpha: float) -> float:
    """Where Huber's loss turns into a line: the quantile ``alpha`` of the distances from the median."""
    away = np.abs(y - weighted_quantile(y, weight, 0.5))
    bend = weighted_quantile(away, weight, alpha)
    return bend if bend > 0 else float(away.max(initial=0.0)) or 1.0
