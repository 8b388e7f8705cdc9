"""Cases sorted once by how strongly they were answered: all that ROC, precision-recall and their areas need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import InputError
from margin.parallel import n_threads

__all__ = ["Ranking", "area_covariance"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """One class against the rest, its cases sorted from the strongest answer to the weakest.

    ``score`` is any number that grows with the belief that a case is ``positive``. Cases of equal score stand together:
    a threshold takes all of them or none. ``weight`` is ``None`` where every case counts once. Areas come out of one
    sort, in O(n); the curve is made when it is asked for.

    >>> ranking = Ranking(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]))
    >>> ranking.area
    0.875
    >>> ranking.thresholds.tolist(), ranking.true_positives.tolist(), ranking.false_positives.tolist()
    ([0.9, 0.8, 0.1], [1.0, 2.0, 2.0], [0.0, 1.0, 2.0])
    """

    score: np.ndarray
    positive: np.ndarray
    weight: np.ndarray | None = None

    def _ask(self, what: Any, *into: np.ndarray) -> tuple[Any, ...]:
        score = np.asarray(self.score)
        if score.dtype != np.float64 or not score.flags.aligned:
            score = score.astype(np.float64)
        positive = np.ascontiguousarray(self.positive, dtype=bool).view(np.uint8)
        weight = None if self.weight is None else np.ascontiguousarray(self.weight, dtype=np.float64)
        if not score.shape == positive.shape == (len(score),) or (weight is not None and weight.shape != score.shape):
            raise InputError("Ranking: there must be one score, one side and, if any, one weight for each case.")
        missing, first, *found = what(score, positive, weight, *into, n_threads())
        if missing:
            raise InputError(f"Ranking: scores must be numbers, but {missing} are NaN, first in row {first}.")
        return tuple(found)

    @cached_property
    def _totals(self) -> tuple[float, float, float]:
        area, average_precision, variance = self._ask(_core.metrics.rank_totals)
        return area, average_precision, variance

    @cached_property
    def _steps(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        thresholds, hits, false_positives = self._ask(_core.metrics.rank_curve)
        return thresholds, hits, false_positives

    @property
    def thresholds(self) -> np.ndarray:
        """The different scores, descending."""
        return self._steps[0]

    @property
    def true_positives(self) -> np.ndarray:
        """Weight of the positive cases at or above each threshold."""
        return self._steps[1]

    @property
    def false_positives(self) -> np.ndarray:
        """Weight of the other cases at or above each threshold."""
        return self._steps[2]

    @property
    def area(self) -> float:
        """Chance that a positive case stands above another one, ties half: the area under the ROC curve.

        Not a number where one of the two sides has no cases.
        """
        return self._totals[0]

    @property
    def average_precision(self) -> float:
        """Precision at each threshold, averaged over the recall it adds."""
        return self._totals[1]

    @cached_property
    def area_variance(self) -> float:
        """The variance of the area (DeLong, DeLong, Clarke-Pearson 1988); not a number where the area is none.

        It is S₁₀/m + S₀₁/n: the sample variances of the placements of m positive and of n other cases. With weights a
        case counts with the square of its share of the weight of its side, and n/(n - 1) corrects for the mean. One
        case on a side says nothing about its spread, and adds nothing.

        >>> Ranking(np.array([1.0, 3.0, 2.0, 4.0]), np.array([False, False, True, True])).area_variance
        0.125
        """
        if self.weight is None or np.isnan(self.area):
            return self._totals[2]
        return area_covariance(self, self)

    def placements(self) -> np.ndarray:
        """For each positive case the share of the others below it, for each other one the share of positives above it.

        Ties count half. The mean of either side, weighted where there are weights, is the area.

        >>> Ranking(np.array([1.0, 3.0, 2.0, 4.0]), np.array([False, False, True, True])).placements().tolist()
        [1.0, 0.5, 0.5, 1.0]
        """
        placed = np.empty(len(self.score))
        self._ask(_core.metrics.placements, placed)
        return placed

    def influence(self) -> np.ndarray:
        """What each case moves the area by: its placement less the area, times its share of the weight of its side.

        >>> Ranking(np.array([1.0, 3.0, 2.0, 4.0]), np.array([False, False, True, True])).influence().tolist()
        [0.125, -0.125, -0.125, 0.125]
        """
        weight = np.ones(len(self.score)) if self.weight is None else self.weight
        positive = np.asarray(self.positive, dtype=bool)
        sides = np.where(positive, weight[positive].sum(), weight[~positive].sum())
        return weight * (self.placements() - self.area) / sides


def area_covariance(first: Ranking, second: Ranking) -> float:
    """The covariance of two areas from rankings of the same cases (DeLong, DeLong, Clarke-Pearson 1988).

    Of a ranking with itself it is the variance of its area.

    >>> positive = np.array([False, False, True, True])
    >>> one, other = (Ranking(np.array(score), positive) for score in ([1.0, 3.0, 2.0, 4.0], [1.0, 2.0, 3.0, 4.0]))
    >>> area_covariance(one, one), area_covariance(one, other)
    (0.125, 0.0)
    """
    positive = np.asarray(first.positive, dtype=bool)
    if not np.array_equal(positive, np.asarray(second.positive, dtype=bool)):
        raise InputError("area_covariance: both rankings must be of the same cases, with the same ones positive.")
    moved = first.influence()
    products = moved * (moved if second is first else second.influence())
    return sum(
        float(side.sum()) * len(side) / max(len(side) - 1, 1) for side in (products[positive], products[~positive])
    )
