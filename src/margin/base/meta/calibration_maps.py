"""Maps from the scores of a classifier to probabilities that can be taken at their word.

Each map has ``learn(scores, y, weight)`` and ``shares(scores)``. Scores have a column for every class, or a single one,
the score of the second class, where there are two; y holds the codes 0 … K-1. To add a map, write its class and put it
into ``MAPS``: the parameter ``method``, its checks and its words read that list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from margin.base.softmax import softmax

__all__ = ["MAPS", "CalibrationMap", "Isotonic", "Sigmoid", "Temperature"]

#: Newton's steps end here; each doubles the digits, so that more than a dozen are rare.
MOST_STEPS = 100
#: Inverse temperatures between these are tried, in units in which the scores' spread is 1 or as given.
COLDEST, HOTTEST = np.exp(10.0), np.exp(-10.0)


class CalibrationMap(Protocol):
    """What ``CalibratedClassifier`` asks of a map."""

    def learn(self, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Any: ...

    def shares(self, scores: np.ndarray) -> np.ndarray: ...


def _hits(scores: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """One class against the rest: each column of scores, and which rows are of its class."""
    if scores.shape[1] == 1:
        return [(scores[:, 0], y == 1)]
    return [(column, y == k) for k, column in enumerate(scores.T)]


def _normalised(shares: np.ndarray) -> np.ndarray:
    """Shares of each class against the rest as probabilities; a row where all are 0 gets equal ones."""
    if shares.shape[1] == 1:
        return np.hstack([1 - shares, shares])
    total = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, total, out=np.full_like(shares, 1 / shares.shape[1]), where=total > 0)


class Sigmoid:
    r"""Platt's curve, one for each class against the rest: :math:`p = 1 / (1 + e^{-(a s + b)})`.

    The logistic loss is lowest not for 0 and 1 but for :math:`1/(N_- + 2)` and :math:`(N_+ + 1)/(N_+ + 2)`, which
    keeps the slope finite even where scores separate the classes. Scores that are all alike give the class's share.

    Platt (1999); Lin, Lin, Weng (2007) for the safe form of the loss and Newton's method with backtracking.
    """

    def learn(self, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Sigmoid:
        found = [_platt(column, hit, weight) for column, hit in _hits(scores, y)]
        self.slope, self.offset = np.array(found).T
        return self

    def shares(self, scores: np.ndarray) -> np.ndarray:
        from scipy.special import expit

        return _normalised(expit(scores * self.slope + self.offset))


def _platt(score: np.ndarray, hit: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Slope and offset of the curve.

    min over a, b of Σ w_i (log(1 + e^{z_i}) - t_i z_i), z = a s + b, on scores moved and scaled to -1 … 1.
    """
    yes, no = weight[hit].sum(), weight[~hit].sum()
    low, high = float(score.min()), float(score.max())
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    if half == 0:
        return 0.0, float(np.log(max(yes, 1e-300)) - np.log(max(no, 1e-300)))
    target = np.where(hit, (yes + 1) / (yes + 2), 1 / (no + 2))
    design = np.column_stack([(score - middle) / half, np.ones(len(score))])
    slope, offset = _newton(design, target, weight, np.array([0.0, np.log((yes + 1) / (no + 1))]))
    return slope / half, offset - slope * (middle / half)


def _newton(design: np.ndarray, target: np.ndarray, weight: np.ndarray, at: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    def loss(at: np.ndarray) -> float:
        z = design @ at
        return float(weight @ (np.logaddexp(0.0, z) - target * z))

    now = loss(at)
    for _ in range(MOST_STEPS):
        p = expit(design @ at)
        gradient = design.T @ (weight * (p - target))
        curvature = weight * np.maximum(p * (1 - p), 1e-12)
        step = np.linalg.solve(design.T @ (design * curvature[:, None]), gradient)
        length = 1.0
        while (tried := loss(at - length * step)) > now - 1e-4 * length * (gradient @ step) and length > 1e-10:
            length /= 2
        if tried >= now:
            # No better within rounding: one full step more squares the little that is left, where steps are tiny.
            return at - step if np.abs(step).max() < 1e-6 else at
        at, now = at - length * step, tried
    return at


class Isotonic:
    """The best curve that never falls, one for each class against the rest: pooled adjacent violators.

    Straight lines join its corners; scores beyond the first and the last get their shares. It takes any shape,
    and wants more rows than a sigmoid (a thousand, say).

    No share is 0 or 1: where none of the n cases that were pooled at the lower end is of the class, it has
    the share of Krichevsky and Trofimov's rule, half a case of n + 1 (or that of the next group, if that is less), and
    1 less that where all at the upper end are. What n cases never showed is not thereby impossible, and the log loss of
    new rows is finite.

    Zadrozny, Elkan (2002); Krichevsky, Trofimov (1981).
    """

    def learn(self, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Isotonic:
        from sklearn.isotonic import IsotonicRegression

        self.corners = []
        for column, hit in _hits(scores, y):
            found = IsotonicRegression(out_of_bounds="clip").fit(column, hit.astype(np.float64), weight)
            at = found.X_thresholds_
            self.corners.append((at, bounded(at, found.y_thresholds_, column, weight)))
        return self

    def shares(self, scores: np.ndarray) -> np.ndarray:
        columns = [np.interp(column, *corners) for column, corners in zip(scores.T, self.corners)]
        return _normalised(np.column_stack(columns))


def bounded(at: np.ndarray, share: np.ndarray, score: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The shares of ascending corners ``at`` with none of 0 or 1, by the weight of the rows pooled at either end.

    >>> one, two = np.array([1.0, 2.0]), np.array([1.0, 1.0, 2.0])
    >>> bounded(one, np.array([0.0, 1.0]), two, np.ones(3)).round(4).tolist()
    [0.1667, 0.75]
    """
    # Means of ones and zeros with weights are 1 or 0 but for rounding.
    share = np.where(share < 1e-12, 0.0, np.where(share > 1 - 1e-12, 1.0, share))
    low, high = share <= 0, share >= 1
    between = share[~low & ~high]
    if low.any():
        least = 0.5 / (weight[score <= at[low].max()].sum() + 1)
        share = np.where(low, min(least, between.min(initial=1.0)), share)
    if high.any():
        most = 1 - 0.5 / (weight[score >= at[high].min()].sum() + 1)
        share = np.where(high, max(most, between.max(initial=0.0)), share)
    return share


class Temperature:
    r"""One number for all classes: :math:`p = \mathrm{softmax}(s / T)`, with the :math:`T` of the lowest log loss.

    Answers stay what they were and only their sureness changes, which a single number can learn from few rows. Where no
    row is wrong, log loss would have the classifier boundlessly sure (T = 0); T is then such that the right class has
    the mean probability (N + 1)/(N + 2) of Laplace's rule.

    Guo, Pleiss, Sun, Weinberger (2017).
    """

    def learn(self, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Temperature:
        logits = _logits(scores)
        self.temperature = 1 / _best_sharpness(logits - logits[np.arange(len(y)), y][:, None], weight)
        return self

    def shares(self, scores: np.ndarray) -> np.ndarray:
        return softmax(_logits(scores) / self.temperature)


def _logits(scores: np.ndarray) -> np.ndarray:
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores


def _best_sharpness(lead: np.ndarray, weight: np.ndarray) -> float:
    """β = 1/T where Σ w log Σ_k e^{β lead_k} is least; lead is how far each score is ahead of the right one.

    The sum is convex in β, so that its slope has one root, unless no score is ahead of a right one.
    """
    spread = float(lead.max() - lead.min())
    if spread == 0:
        return 1.0
    low, high = np.log(HOTTEST / max(spread, 1.0)), np.log(COLDEST / min(spread, 1.0))
    if lead.max() > 0:
        return _root(lambda at: float(weight @ (softmax(np.exp(at) * lead) * lead).sum(axis=1)), low, high)
    total = weight.sum()
    as_sure_as_can_be = weight @ (1 / (lead == 0).sum(axis=1))
    wanted = as_sure_as_can_be * (total + 1) / (total + 2)
    return _root(lambda at: float(weight @ (1 / np.exp(np.exp(at) * lead).sum(axis=1)) - wanted), low, high)


def _root(rises: Callable[[float], float], low: float, high: float) -> float:
    """e to the power where a function that rises is 0, or to the bound where it comes nearest."""
    from scipy.optimize import brentq

    if rises(low) >= 0:
        return float(np.exp(low))
    if rises(high) <= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(rises, low, high, xtol=1e-14, rtol=4 * np.finfo(float).eps)))


MAPS: dict[str, type[CalibrationMap]] = {"sigmoid": Sigmoid, "isotonic": Isotonic, "temperature": Temperature}
