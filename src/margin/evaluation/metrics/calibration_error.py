"""How far the confidence of a model lies from the share of cases in which it is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

import margin._core as _core
from margin.evaluation.intervals.interval import Interval, logit_interval
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ratio
from margin.evaluation.predictions.from_arrays import share_of_class
from margin.parallel import n_threads

__all__ = ["CalibrationError", "Strategy", "bin_edges", "bin_of", "bin_sums", "sure_and_right", "top_answers"]

Strategy = Literal["width", "count"]

#: From so many cases on no number is kept for each case.
_MANY = 100_000


def bin_edges(confidence: np.ndarray, bins: int, strategy: Strategy) -> np.ndarray:
    """Where bins begin and end: as wide as each other, or with as many cases as each other."""
    if strategy == "width" or not len(confidence):
        return np.linspace(0.0, 1.0, bins + 1)
    inner = np.unique(np.quantile(confidence, np.arange(1, bins) / bins))
    return np.concatenate([[0.0], inner[(inner > 0) & (inner < 1)], [1.0]])


def bin_of(confidence: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The bin of each case. A value on an edge belongs to the bin below it, as in (0.8, 0.9]."""
    if np.array_equal(edges, np.linspace(0.0, 1.0, len(edges))):
        # The product may round to the wrong side of an edge; one comparison with the edge itself puts it right.
        at = np.clip(np.ceil(confidence * (len(edges) - 1)).astype(np.intp) - 1, 0, len(edges) - 2)
        at -= (confidence <= edges[at]) & (at > 0)
        return at + ((confidence > edges[at + 1]) & (at < len(edges) - 2))
    return np.searchsorted(edges[1:-1], confidence, side="left")


def sure_and_right(answers: Answers, positive: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Each case's confidence and whether it was right: of the positive class, or of the most probable one."""
    if positive is not None:
        return share_of_class(answers, positive), answers.truth == positive
    shares = answers.shares
    assert shares is not None
    return top_answers(answers.truth, shares)


@dataclass(frozen=True, eq=False)
class CalibrationError:
    """How far confidence lies from the share that is right, over bins of confidence."""

    answers: Answers
    positive: int | None
    bins: int
    strategy: Strategy
    norm: str

    @cached_property
    def _sides(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Confidence, what was right, and the edges of the bins."""
        sure, right = sure_and_right(self.answers, self.positive)
        return sure, right, bin_edges(sure, self.bins, self.strategy)

    @cached_property
    def _cases(self) -> tuple[np.ndarray, np.ndarray]:
        """The bin of each case, and by how much its confidence is too large."""
        sure, right, edges = self._sides
        return bin_of(sure, edges), sure - right

    @cached_property
    def _sums(self) -> tuple[np.ndarray, np.ndarray]:
        sure, right, edges = self._sides
        weight, confidence, hits = bin_sums(sure, right, self.answers.weight, edges)
        return weight, confidence - hits

    @property
    def value(self) -> float:
        return float(_norm(*self._sums, self.norm)) if len(self.answers) else math.nan

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The value for each row of case weights; the edges stay."""
        at, gap = self._cases
        order = np.argsort(at, kind="stable")
        starts = np.flatnonzero(np.diff(at[order], prepend=-1))  # bins without cases add nothing to any norm
        by_bin = weights[:, order]
        sums = np.add.reduceat(by_bin, starts, axis=1)
        return _norm(sums, np.add.reduceat(by_bin * gap[order], starts, axis=1), self.norm)

    @property
    def influence(self) -> tuple[np.ndarray, None]:
        """The derivative of the value by the weight of each case, times that weight."""
        return self._by_case(), None

    def _by_case(self) -> np.ndarray:
        at, gap = self._cases
        weights, sums = self._sums
        total, mean, value = weights.sum(), ratio(sums, weights), self.value
        own = self.answers.weight if self.answers.weight is not None else 1.0
        if self.norm == "max":
            worst = int(np.abs(mean).argmax())
            return own * np.where(at == worst, np.sign(mean[worst]) * (gap - mean[worst]) / weights[worst], 0.0)
        if self.norm == "l1":
            return own * (np.sign(mean)[at] * gap - value) / total
        return own * (2 * mean[at] * gap - mean[at] ** 2 - value**2) / total / (2 * value) if value else 0 * gap

    def interval(self, confidence: float) -> Interval | None:
        """For very many cases that of the jackknife, for which the sum of all squared gaps is enough.

        A case adds (±gap - value)/n with the sign of its bin, so that the squares add up to (Σ gap² - n value²)/n².
        """
        n, value = len(self.answers), self.value
        if n < _MANY or self.norm != "l1" or self.answers.weight is not None or not 0 < value < 1:
            return None
        sure, right, _ = self._sides
        gaps = sure - right
        variance = max(float(gaps @ gaps) - n * value**2, 0.0) / n**2
        return logit_interval(value, math.sqrt(variance), confidence, "jackknife")


def _norm(weight: np.ndarray, gap: np.ndarray, norm: str) -> np.ndarray:
    """From the weight and the summed gap of each bin (last axis) to one number."""
    mean = np.abs(ratio(gap, weight))
    if norm == "max":
        return mean.max(axis=-1)
    if norm == "l1":
        return ratio(np.abs(gap).sum(axis=-1), weight.sum(axis=-1))
    return np.sqrt(ratio((weight * mean**2).sum(axis=-1), weight.sum(axis=-1)))


def top_answers(truth: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest probability of each case, and whether its class is the true one; of equal ones the first counts.

    >>> top_answers(np.array([0, 1]), np.array([[0.75, 0.25], [0.5, 0.5]]))
    (array([0.75, 0.5 ]), array([ True, False]))
    """
    confidence, right = np.empty(len(truth)), np.empty(len(truth), dtype=np.uint8)
    codes = np.ascontiguousarray(truth, dtype=np.int64)
    _core.metrics.top_answers(np.require(shares, np.float64, ["C", "A"]), codes, confidence, right, n_threads())
    return confidence, right.view(bool)


def bin_sums(
    confidence: np.ndarray, right: np.ndarray, weight: np.ndarray | None, edges: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By bin: the weight of its cases, their confidence added up, and the weight of those that were right.

    A value on an edge belongs to the bin below it, as in (0.8, 0.9].

    >>> bin_sums(np.array([0.25, 0.5, 1.0]), np.array([True, False, True]), None, np.array([0, 0.5, 1]))
    (array([2., 1.]), array([0.75, 1.  ]), array([1., 1.]))
    """
    right = np.ascontiguousarray(right, dtype=bool).view(np.uint8)
    weights, sure, hits = _core.metrics.calibration_bins(
        np.asarray(confidence, dtype=np.float64), right, weight, np.asarray(edges, dtype=np.float64), n_threads()
    )
    return weights, sure, hits
