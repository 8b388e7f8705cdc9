"""Areas under ROC and precision-recall curves, over one class or several, and what each case adds to them.

The influence of a case is the derivative of the area by the case's weight, times that weight. For the area under the
ROC curve these are the placements of DeLong, DeLong, Clarke-Pearson (1988), and the sum of their squares is the
variance; for several classes influences add up case by case, so that nothing has to be assumed of their correlation.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from margin.evaluation.intervals.interval import Interval, logit_interval
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ratio
from margin.evaluation.predictions.ranking import Ranking

__all__ = ["PrecisionArea", "RocArea", "perfect_interval", "precision_influence"]

#: From so many cases on the variance is taken as a whole, which needs no number for each case.
_MANY = 100_000
_POINTS = 20_000


def _steps_by_case(ranking: Ranking) -> np.ndarray:
    """The threshold at which each case is reached."""
    return np.searchsorted(-ranking.thresholds, -ranking.score)


def _variance_by_side(ranking: Ranking) -> np.ndarray:
    """The variance of the area under the ROC curve that positives and that others bring into it."""
    return _spread(ranking.influence(), (~ranking.positive).astype(np.intp), 2)


def _spread(influence: np.ndarray, group: np.ndarray, n_groups: int) -> np.ndarray:
    """Sums of the squared influences by group, each with n/(n - 1) for the mean that was taken from it."""
    sizes = np.bincount(group, minlength=n_groups)
    return np.bincount(group, influence**2, n_groups) * sizes / np.maximum(sizes - 1, 1)


def _precision_slopes(hits: np.ndarray, false_positives: np.ndarray, value: float) -> tuple[np.ndarray, np.ndarray]:
    """By threshold: what a positive case there adds to the average precision, and what another one does."""
    both = hits + false_positives
    here = np.diff(hits, prepend=0.0)
    # A positive case raises the precision of all positives at or below it, another case lowers it.
    raises = np.cumsum((ratio(here * false_positives, both**2))[::-1])[::-1]
    lowers = np.cumsum((ratio(here * hits, both**2))[::-1])[::-1]
    return (ratio(hits, both) - value + raises) / hits[-1], -lowers / hits[-1]


def precision_influence(ranking: Ranking) -> np.ndarray:
    """What each case adds to the average precision; requires a positive case."""
    slopes = _precision_slopes(ranking.true_positives, ranking.false_positives, ranking.average_precision)
    at, weight = _steps_by_case(ranking), 1.0 if ranking.weight is None else ranking.weight
    return weight * np.where(ranking.positive, slopes[0][at], slopes[1][at])


def _ranked_codes(answers: Answers, positive: int | None) -> list[int]:
    """The classes to rank by: the positive one, or all of more than two."""
    code = answers.positive if positive is None else positive
    return list(range(len(answers.classes))) if code is None else [code]


@dataclass(frozen=True, eq=False)
class _OverClasses(ABC):
    """A number for each class that has one, averaged: evenly, or by the cases of the class."""

    answers: Answers
    positive: int | None
    average: str

    @cached_property
    def codes(self) -> list[int]:
        """The classes that take part: those that have cases, and cases against them."""
        ranked = _ranked_codes(self.answers, self.positive)
        return [code for code in ranked if not math.isnan(self._of(self.answers.ranking(code)))]

    @cached_property
    def by_class(self) -> np.ndarray:
        return np.array([self._of(self.answers.ranking(code)) for code in self.codes])

    @cached_property
    def shares(self) -> np.ndarray:
        """How much each class counts in the average."""
        if self.average != "weighted" or len(self.codes) <= 1:
            return np.full(len(self.codes), 1 / max(len(self.codes), 1))
        cases = np.bincount(self.answers.truth, self.answers.weight, len(self.answers.classes))[self.codes]
        return cases / cases.sum()

    @property
    def value(self) -> float:
        return float(self.shares @ self.by_class) if self.codes else math.nan

    @property
    def influence(self) -> tuple[np.ndarray, np.ndarray | None]:
        """What each case adds, and how many cases add as much (one each for ``None``)."""
        return self.by_case, None

    @cached_property
    def by_case(self) -> np.ndarray:
        """What each case adds."""
        return self._added_by_case()

    def _added_by_case(self) -> np.ndarray:
        total = np.zeros(len(self.answers))
        for code, share in zip(self.codes, self.shares):
            total += share * self._influence_of(self.answers.ranking(code))
        if self.average == "weighted" and len(self.codes) > 1:
            total += _share_influence(self.answers, {code: [code] for code in self.codes}, self.by_class)
        return total

    @property
    def smaller_side(self) -> int:
        """Cases on the smaller side of any ranking that takes part."""
        sizes = np.bincount(self.answers.truth, minlength=len(self.answers.classes))[self.codes]
        return int(np.minimum(sizes, len(self.answers) - sizes).min(initial=len(self.answers)))

    @abstractmethod
    def _of(self, ranking: Ranking) -> float:
        """The number of one class."""

    @abstractmethod
    def _influence_of(self, ranking: Ranking) -> np.ndarray:
        """What each case adds to it."""


def _share_influence(answers: Answers, parts: dict[int, Sequence[int]], values: np.ndarray) -> np.ndarray:
    """What a case adds through the shares of an average: more weight for the parts whose classes it is of."""
    weight = np.ones(len(answers)) if answers.weight is None else answers.weight
    inside = np.array([np.isin(answers.truth, list(classes)) for classes in parts.values()])
    weights = inside @ weight
    total = weights.sum()
    mean = weights @ values / total
    return weight * ((inside * (values - mean)[:, None]).sum(axis=0)) / total


@dataclass(frozen=True, eq=False)
class RocArea(_OverClasses):
    """The area under the ROC curve of one class against the rest, or averaged over classes or pairs of them."""

    multiclass: Literal["ovr", "ovo"] = "ovr"

    def _of(self, ranking: Ranking) -> float:
        return ranking.area

    def _influence_of(self, ranking: Ranking) -> np.ndarray:
        return ranking.influence()

    @property
    def in_pairs(self) -> bool:
        return self.multiclass == "ovo" and self.positive is None and len(self.answers.classes) > 2

    @cached_property
    def _pairs(self) -> list[tuple[np.ndarray, tuple[Ranking, Ranking]]]:
        """For each two classes that occur: their cases, ranked by the strength of the one and of the other."""
        answers = self.answers
        present = np.flatnonzero(np.bincount(answers.truth, answers.weight, len(answers.classes)))
        pairs = []
        for first, second in combinations(present.tolist(), 2):
            rows = np.flatnonzero((answers.truth == first) | (answers.truth == second))
            weight = None if answers.weight is None else answers.weight[rows]
            truth = answers.truth[rows]
            one, other = (Ranking(answers.strength[rows, code], truth == code, weight) for code in (first, second))
            pairs.append((rows, (one, other)))
        return pairs

    @cached_property
    def _pair_areas(self) -> np.ndarray:
        return np.array([(one.area + other.area) / 2 for _, (one, other) in self._pairs])

    @cached_property
    def _pair_shares(self) -> np.ndarray:
        if self.average != "weighted":
            return np.full(len(self._pairs), 1 / max(len(self._pairs), 1))
        weight = self.answers.weight
        cases = np.array([len(rows) if weight is None else weight[rows].sum() for rows, _ in self._pairs])
        return cases / cases.sum()

    @property
    def value(self) -> float:
        if not self.in_pairs:
            return super().value
        return float(self._pair_shares @ self._pair_areas) if self._pairs else math.nan

    def _added_by_case(self) -> np.ndarray:
        if not self.in_pairs:
            return super()._added_by_case()
        total = np.zeros(len(self.answers))
        for (rows, rankings), share in zip(self._pairs, self._pair_shares):
            for ranking in rankings:
                total[rows] += share / 2 * ranking.influence()
        if self.average == "weighted":
            classes = {at: np.unique(self.answers.truth[rows]).tolist() for at, (rows, _) in enumerate(self._pairs)}
            total += _share_influence(self.answers, classes, self._pair_areas)
        return total

    @cached_property
    def _variances(self) -> tuple[np.ndarray, np.ndarray]:
        """The variance by DeLong's method, in the parts that groups of cases bring into it, and their sizes."""
        if self.in_pairs or len(self.codes) != 1:
            sizes = np.bincount(self.answers.truth, minlength=len(self.answers.classes))
            return _spread(self.by_case, self.answers.truth, len(sizes)), sizes
        ranking, n = self.answers.ranking(self.codes[0]), len(self.answers)
        if n >= _MANY:
            return np.array([ranking.area_variance]), np.array([n])
        positives = int(ranking.positive.sum())
        return _variance_by_side(ranking), np.array([positives, n - positives])

    @property
    def variance(self) -> float:
        """By DeLong's method."""
        return float(self._variances[0].sum())

    def interval(self, confidence: float) -> Interval:
        """DeLong's, on the scale of the logit, which keeps it within 0 and 1 and covers better near them.

        With Student's t, and the degrees of freedom of Welch (1947): a variance seen on few cases is not known well.
        """
        if not 0 < self.value < 1:
            return perfect_interval(self.value, self._fewest, confidence)
        if not self.variance > 0:  # scores that tell no case from another, as those of the majority learner
            return Interval(self.value, self.value, confidence, "DeLong, no case ranks above another")
        parts, sizes = self._variances
        freedom = self.variance**2 / float((parts**2 / np.maximum(sizes - 1, 1)).sum())
        return logit_interval(self.value, math.sqrt(self.variance), confidence, "DeLong", freedom)

    @property
    def _fewest(self) -> int:
        if not self.in_pairs:
            return self.smaller_side
        return int(min(min(one.positive.sum(), other.positive.sum()) for _, (one, other) in self._pairs))

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """One sort for each weighting: DeLong's interval needs none of them."""
        kept = [np.flatnonzero(row) for row in weights]
        taken = (replace(self.answers.take(at), weight=row[at]) for at, row in zip(kept, weights))
        return np.array([replace(self, answers=each).value for each in taken])


def perfect_interval(value: float, pairs: int, confidence: float) -> Interval:
    """Where no case is out of order, the variance says nothing. So many separate pairs in order still say something.

    Were the true area a, that many separate pairs would all be in order with probability a to their number at most.
    """
    edge = ((1 - confidence) / 2) ** (1 / max(pairs, 1))
    low, high = (edge, 1.0) if value >= 0.5 else (0.0, 1 - edge)
    return Interval(min(low, value), max(high, value), confidence, "exact pairs")


@dataclass(frozen=True, eq=False)
class PrecisionArea(_OverClasses):
    """Average precision of one class, or averaged over classes."""

    def _of(self, ranking: Ranking) -> float:
        return ranking.average_precision

    def _influence_of(self, ranking: Ranking) -> np.ndarray:
        return precision_influence(ranking)

    @property
    def influence(self) -> tuple[np.ndarray, np.ndarray | None]:
        if len(self.codes) != 1 or self.answers.weight is not None:
            return self.by_case, None
        ranking = self.answers.ranking(self.codes[0])
        # What cases add changes slowly along the ranking: of very many thresholds some thousands tell as much.
        points = np.arange(len(ranking.thresholds))[:: -max(1, len(ranking.thresholds) // _POINTS)][::-1]
        sums = ranking.true_positives[points], ranking.false_positives[points]
        slopes = _precision_slopes(*sums, ranking.average_precision)
        return np.concatenate(slopes), np.concatenate([np.diff(each, prepend=0.0) for each in sums])

    def interval(self, confidence: float) -> Interval | None:
        """Only where every case is in order; resampling tells the rest."""
        return perfect_interval(self.value, self.smaller_side, confidence) if self.value == 1.0 else None

    @cached_property
    def _orders(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """For each class, of the thresholds at which positives are reached, where they begin among all cases and among
        the positives; before that the cases and the positives from the strongest on."""
        orders = []
        for code in self.codes:
            order = np.argsort(-self.answers.strength[:, code], kind="stable")
            score, positive = self.answers.strength[order, code], self.answers.truth[order] == code
            step = np.append(0, np.cumsum(score[1:] < score[:-1]))
            reached, first = np.unique(step[positive], return_index=True)
            # A segment ends with the last case of a threshold that has positives; the rest after the last is dropped.
            ends = np.searchsorted(step, reached, side="right")
            starts = np.append(0, ends[:-1])
            orders.append((order[: ends[-1]], starts, order[positive], first))
        return orders

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The value for each row of case weights, from the one sort."""
        by_class, cases = [], []
        for order, starts, positives, first in self._orders:
            both = np.cumsum(np.add.reduceat(weights[:, order], starts, axis=1), axis=1)
            here = np.add.reduceat(weights[:, positives], first, axis=1)
            hits = np.cumsum(here, axis=1)
            total = hits[:, -1]
            by_class.append(ratio((here * hits / np.maximum(both, 1e-300)).sum(axis=1), total))
            cases.append(total)
        values, seen = np.array(by_class), np.array(cases)
        share = seen if self.average == "weighted" and len(values) > 1 else (seen > 0).astype(np.float64)
        return np.where(share.sum(axis=0) > 0, ratio((values * share).sum(axis=0), share.sum(axis=0)), np.nan)
