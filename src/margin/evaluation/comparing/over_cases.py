"""All models on the same cases at once: what each case adds to a difference, and how far chance moves the largest one.

The mean over folds of cross-validation is, to first order, a mean over cases, and its variance the one of what the
cases add (Bayle, Bayle, Janson, Mackey 2020), which thousands of cases know better than ten folds do. It misses that
the models of all folds learn from much the same rows. Repeats show part of that: where the folds fall otherwise, other
answers come out. So answers are not averaged before their variance is taken, and a part of the rows asked about over
those learnt from is added to it. It is taken around 0, where differences lie if there are none, and with one more case
for either model, as far apart as any (as Bonett and Price do, 2012): with few cases both matter.
``examples/false_alarms.py`` tries it on noise and says how often a model is behind the best by chance.

All pairs are judged by the distribution of the largest difference among them (Westfall, Young 1993), with the models as
alike as they are: turning what all models add on a case around, at random, moves similar models together. Of few cases
that is exact where right and wrong are equally likely; no p is below the share of the turns that leave all differing
cases with one model. Yardsticks are asked about in one direction: that a guess is behind. Where one is ahead of a
model, that is a question for itself, judged by the largest difference in either direction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy import special

from margin.evaluation.comparing.pairing import fold_differences
from margin.evaluation.comparing.significance import Significance
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Interval, Score
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.metrics.metric import CountMetric
from margin.evaluation.predictions.answers import Answers
from margin.random import generator

__all__ = ["CaseDifferences"]

METHOD = "case-by-case test"
#: The part of test to training rows that the variance grows by, for training rows that folds share; found by trying.
SHARED = 0.5
#: Turns that are drawn; what happens in none of them is told by the normal tail.
TURNS = 4999
#: Up to this many cases each is turned by itself; the sum over more is normal.
TURNED_UP_TO = 2000


@dataclass(frozen=True, eq=False)
class CaseDifferences:
    """What the cases add to the score of each of several models, and what that says about all pairs.

    >>> from margin import KNeighborsClassifier, MajorityClassifier
    >>> from margin.data import catalog
    >>> from margin.evaluation import evaluate, metric
    >>> X, y = catalog.load("iris").target(catalog.card("iris").target)
    >>> models = {"near": KNeighborsClassifier(), "guess": MajorityClassifier()}
    >>> found = CaseDifferences({name: evaluate(model, X, y) for name, model in models.items()}, metric("accuracy"))
    >>> test = found.pair("near", "guess")
    >>> found.joint([("near", "guess", test)])[0] < 0.001
    True
    """

    evaluations: Mapping[str, Evaluation]
    which: Metric
    seed: int = 0
    yardsticks: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> list[str]:
        return list(self.evaluations)

    @cached_property
    def _rows(self) -> np.ndarray:
        """The cases that every model was asked about."""
        rows = next(iter(self.evaluations.values())).rows
        for each in self.evaluations.values():
            if not np.array_equal(rows, each.rows):
                rows = np.intersect1d(rows, each.rows, assume_unique=True)
        return rows

    @cached_property
    def n_cases(self) -> int:
        return len(self._rows)

    @cached_property
    def _added(self) -> list[np.ndarray]:
        """For each model, repeats by cases: what a case adds to the score, to first order."""
        found = [_added(each, self.which, self._rows) for each in self.evaluations.values()]
        least = min(map(len, found))
        return [each[:least] for each in found]

    def pair(self, one: str, other: str, confidence: float = 0.95) -> Significance:
        """The test of two models alone."""
        difference, deviation = self._difference(one, other)
        if not deviation:
            return Significance(METHOD, 0.0, 1.0, Score(difference, None, "mean difference"))
        df = max(self.n_cases - 1, 1)
        half = float(special.stdtrit(df, (1 + confidence) / 2)) * deviation
        interval = Interval(difference - half, difference + half, confidence, "t over cases")
        z = difference / deviation
        p = max(float(2 * special.stdtr(df, -abs(z))), self._least(one, other))
        return Significance(METHOD, z, min(p, 1.0), Score(difference, interval, "mean difference"))

    def joint(self, tests: Sequence[tuple[str, str, Significance]]) -> list[float]:
        """p of each pair, corrected for the largest of all: how often turned cases give one as large anywhere."""
        either, asked = (np.sort(each) for each in self._largest)
        found = []
        for one, other, test in tests:
            largest = either if self._ahead(one, other, test.statistic) in self.yardsticks else asked
            as_far = len(largest) - int(np.searchsorted(largest, abs(test.statistic) * (1 - 1e-9)))
            p = (as_far + 1) / (len(largest) + 1)
            if not as_far:  # fewer than the turns can count: the tail of each pair, for all of them
                p = min(p, len(tests) * test.p)
            found.append(min(1.0, max(p, test.p, self._least(one, other))) if test.statistic else 1.0)
        return found

    def _ahead(self, one: str, other: str, statistic: float) -> str:
        """Which of two models is the better one by the sign of their difference."""
        return one if (statistic > 0) == self.which.greater_is_better else other

    @cached_property
    def _largest(self) -> tuple[np.ndarray, np.ndarray]:
        """Turn by turn, the largest standardised difference of any two models, and of those that are asked about."""
        means = np.stack([each.mean(axis=0) for each in self._added])
        random = generator(self.seed, "turns")
        if self.n_cases <= TURNED_UP_TO:
            turns = 1 - 2.0 * random.integers(2, size=(TURNS, self.n_cases), dtype=np.int8)
            moved = turns @ means.T
        else:
            values, vectors = np.linalg.eigh(means @ means.T)
            moved = random.normal(size=(TURNS, len(means))) * np.sqrt(np.maximum(values, 0)) @ vectors.T
        either, asked = np.zeros(TURNS), np.zeros(TURNS)
        for i, j in combinations(range(len(means)), 2):
            spread = math.sqrt(float(((means[i] - means[j]) ** 2).sum()))
            if spread > 1e-15:
                first_ahead = (moved[:, i] - moved[:, j]) / (spread if self.which.greater_is_better else -spread)
                np.maximum(either, np.abs(first_ahead), out=either)
                if self.names[j] not in self.yardsticks:
                    np.maximum(asked, -first_ahead, out=asked)
                if self.names[i] not in self.yardsticks:
                    np.maximum(asked, first_ahead, out=asked)
        return either, asked

    def _difference(self, one: str, other: str) -> tuple[float, float]:
        """The difference of two models and its standard deviation."""
        first, second = self.evaluations[one], self.evaluations[other]
        name = self.which.name
        if first.protocol.judged_by == "cases":
            difference, ratio, spread = first.scores[name].value - second.scores[name].value, 0.0, 0.0
        else:
            values, ratio = fold_differences(first, second, name)
            difference = float(values.mean()) if len(values) else math.nan
            spread = 0.0 if isinstance(self.which, CountMetric) else _within_runs(first, second, name)
        apart = self._apart(one, other)
        over_cases = float((apart**2).sum() / len(apart)) + float((apart**2).max(initial=0.0))
        return difference, math.sqrt(max(over_cases, spread) * (1 + SHARED * ratio))

    def _apart(self, one: str, other: str) -> np.ndarray:
        """Repeats by cases: what a case adds to the difference of two models."""
        return self._added[self.names.index(one)] - self._added[self.names.index(other)]

    def _least(self, one: str, other: str) -> float:
        """The share of turns that leave all differing cases with one model: no p can be smaller."""
        apart = self._apart(one, other)
        return math.ldexp(1.0, 1 - min(int((np.abs(apart).max(axis=0) > 1e-15).sum()), 1000))


def _added(evaluation: Evaluation, which: Metric, rows: np.ndarray) -> np.ndarray:
    """Repeats by cases; a single repeat where the metric is not read off the answers, or not all were kept."""
    answers = evaluation.answers
    runs: list[Answers] = [answers]
    if isinstance(which, CountMetric) and evaluation.repeated is not None:
        runs = [replace(answers, predicted=predicted) for predicted in evaluation.repeated]
    places = slice(None) if len(rows) == len(evaluation.rows) else np.searchsorted(evaluation.rows, rows)
    return np.stack([_influence(which, run if isinstance(places, slice) else run.take(places)) for run in runs])


def _influence(which: Metric, answers: Answers) -> np.ndarray:
    own = np.ones(len(answers)) if answers.weight is None else answers.weight
    # With weights, if only of 1, every metric says what each case adds instead of what cases of a kind do.
    weighed = replace(answers, weight=own)
    values, counts = which.influence(weighed)
    if counts is not None or len(values) != len(answers):
        return np.zeros(len(answers))
    # Not around the mean: were the models equal, the differences of the cases would lie around 0.
    return np.nan_to_num(values + which.value(weighed) / len(answers))


def _within_runs(first: Evaluation, second: Evaluation, name: str) -> float:
    """The variance of the mean over one run of folds, from the spread of the folds around it."""
    differences = first.fold_scores[name] - second.fold_scores[name]
    repeats = getattr(getattr(first.protocol, "inner", first.protocol), "repeats", 1)
    runs = [run[~np.isnan(run)] for run in np.array_split(differences, repeats)]
    spreads = [float(run.var(ddof=1)) / len(run) for run in runs if len(run) > 1]
    return float(np.mean(spreads)) if spreads else 0.0
