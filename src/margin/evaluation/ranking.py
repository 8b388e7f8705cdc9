"""Cases sorted once by how strongly they were answered: all that ROC, precision-recall and their areas need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Ranking"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """One class against the rest, its cases sorted from the strongest answer to the weakest.

    ``score`` is any number that grows with the belief that a case is ``positive``. Cases of equal score stand together:
    a threshold takes all of them or none. ``weight`` is ``None`` where every case counts once.

    >>> ranking = Ranking(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]))
    >>> ranking.area
    0.875
    >>> ranking.thresholds.tolist(), ranking.true_positives.tolist(), ranking.false_positives.tolist()
    ([0.9, 0.8, 0.1], [1.0, 2.0, 2.0], [0.0, 1.0, 2.0])
    """

    score: np.ndarray
    positive: np.ndarray
    weight: np.ndarray | None = None

    @cached_property
    def _steps(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        order = np.argsort(-self.score, kind="stable")
        score, positive = self.score[order], self.positive[order]
        weight = np.ones(len(score)) if self.weight is None else self.weight[order]
        ends = np.flatnonzero(np.append(score[1:] < score[:-1], True)) if len(score) else np.empty(0, dtype=np.intp)
        return score[ends], np.cumsum(weight * positive)[ends], np.cumsum(weight * ~positive)[ends]

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
        hits, alarms = self.true_positives, self.false_positives
        if not len(hits) or not hits[-1] or not alarms[-1]:
            return float("nan")
        return float(np.trapezoid(np.append(0.0, hits), np.append(0.0, alarms)) / (hits[-1] * alarms[-1]))

    @property
    def average_precision(self) -> float:
        """Precision at each threshold, averaged over the recall it adds."""
        hits = self.true_positives
        if not len(hits) or not hits[-1]:
            return float("nan")
        precision = hits / (hits + self.false_positives)
        return float(np.diff(hits, prepend=0.0) @ precision / hits[-1])
