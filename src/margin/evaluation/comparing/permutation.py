"""Any metric of two models on the same cases: p from swapping their answers, the interval from drawing cases anew."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from margin.errors import InputError
from margin.evaluation.comparing.significance import Significance, swapped_totals
from margin.evaluation.intervals.interval import Interval, Score, check_confidence
from margin.evaluation.intervals.resamples import drawn_counts
from margin.evaluation.metrics.definitions import CaseMetric, CountMetric, Metric
from margin.evaluation.predictions.answers import Answers
from margin.random import generator

__all__ = ["swap_test"]

#: From this many cases on, sums over cases are as good as normal.
MANY_CASES = 5000

#: With many classes fewer samples are drawn, so that their tables stay below this many numbers.
_MOST_NUMBERS = 5_000_000

#: Numbers held at once while tables of many samples are made.
_CHUNK = 2_000_000


def swap_test(
    metric: Metric,
    first: Answers,
    second: Answers,
    *,
    times: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Significance:
    """Whether the difference of two models in any metric could come from swapping their answers case by case.

    If the models were equally good, it would not matter which gave which answer. p is the share of random swaps with a
    difference as large, the one observed counted in. The interval of the difference comes from drawing cases anew,
    both answers of a case together (percentile bootstrap).

    Metrics of the confusion table swap and draw whole cells at once, which is quick for any number of cases. For other
    metrics of 5000 cases and more, what each case adds to the difference is as good as normal, and no swaps are needed.
    Models of which one gives only scores of its own scale are swapped by rank (Venkatraman, Begg 1996).

    >>> from margin.evaluation import metric
    >>> truth = ["a", "b"] * 20
    >>> good, bad = Answers.of(truth, ["a", "b"] * 20), Answers.of(truth, ["a", "a", "a", "b"] * 10)
    >>> print(swap_test(metric("f1"), good, bad))
    permutation test: difference in f1 0.333 [0.161, 0.565], statistic 0.3333, p = 0.003
    """
    check_confidence("swap_test", confidence)
    if len(first) != len(second) or not np.array_equal(first.classes[first.truth], second.classes[second.truth]):
        raise InputError("swap_test: both models must have answered the same cases.")
    metric = metric.bound_by(first)
    observed, differing = metric.value(first) - metric.value(second), _differing(first, second)
    if math.isnan(observed) or (not differing and _same_classes(first, second) and _same_scale(first, second)):
        return Significance("permutation test", observed, 1.0, Score(observed, None, f"difference in {metric.name}"))
    by_table = isinstance(metric, CountMetric) and first.weight is None and _same_classes(first, second)
    if not by_table and len(first) >= MANY_CASES and (found := _by_influence(metric, first, second, confidence)):
        return found
    if by_table:
        assert isinstance(metric, CountMetric)
        swapped, drawn = _by_table(metric, first, second, times, seed)
    elif isinstance(metric, CaseMetric) and _same_classes(first, second):
        swapped, drawn = _by_loss(metric, first, second, times, seed)
    else:
        swapped, drawn = _one_by_one(metric, first, second, times, seed)
    p = _share_as_far(swapped, observed, differing)
    low, high = np.nanquantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    effect = Score(observed, Interval(float(low), float(high), confidence, "bootstrap"), f"difference in {metric.name}")
    return Significance("permutation test", observed, p, effect)


def _share_as_far(swapped: np.ndarray, observed: float, differing: int) -> float:
    """The share of swaps with a difference as large, the one observed counted in.

    Where none is, the share among all swaps is smaller than so few can tell, and a correction for many pairs could
    never get below the level: the normal tail with the swaps' spread stands in, no less than the share of the two
    swaps that leave all answers with one model.
    """
    as_far = int((np.abs(swapped) >= abs(observed) * (1 - 1e-12)).sum())
    p, spread = (as_far + 1) / (len(swapped) + 1), math.sqrt(float((swapped**2).mean()))
    if as_far or not spread:
        return p
    return min(p, max(float(2 * special.ndtr(-abs(observed) / spread)), 2.0 ** (1 - differing)))


def _differing(first: Answers, second: Answers) -> int:
    """Cases to which the models gave different answers."""
    apart = np.zeros(len(first), dtype=bool)
    for name in ("predicted", "probabilities", "scores"):
        one, other = getattr(first, name), getattr(second, name)
        if one is not None and other is not None and one.shape == other.shape:
            unequal = one != other
            apart |= unequal if unequal.ndim == 1 else unequal.any(axis=1)
    return int(apart.sum())


def _same_classes(first: Answers, second: Answers) -> bool:
    return len(first.classes) == len(second.classes) and first.classes.tolist() == second.classes.tolist()


def _by_influence(metric: Metric, first: Answers, second: Answers, confidence: float) -> Significance | None:
    """The normal test on what each case adds to the difference; ``None`` where that is not known case by case."""
    # With weights, if only of 1, every metric says what each case adds instead of what cases of a kind do.
    own = np.ones(len(first)) if first.weight is None else first.weight
    moved = [metric.influence(replace(each, weight=own)) for each in (first, second)]
    if any(counts is not None or len(values) != len(first) for values, counts in moved):
        return None
    apart = moved[0][0] - moved[1][0]
    deviation, difference = math.sqrt(float(apart @ apart)), metric.value(first) - metric.value(second)
    z = (
        difference / deviation
        if deviation > 1e-15
        else (0.0 if difference == 0 else math.copysign(math.inf, difference))
    )
    half = float(special.ndtri((1 + confidence) / 2)) * deviation
    interval = Interval(difference - half, difference + half, confidence, "normal")
    effect = Score(difference, interval, f"difference in {metric.name}")
    return Significance("paired normal test", z, float(2 * special.ndtr(-abs(z))), effect)


def _by_table(
    metric: CountMetric, first: Answers, second: Answers, times: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cases of the same truth and the same two answers are alike: how many of them swap is a binomial number."""
    from scipy.sparse import csr_array

    width = len(first.classes) + 1
    assert first.predicted is not None
    assert second.predicted is not None
    joint = (first.truth * width + first.predicted) * width + second.predicted
    kinds, counts = np.unique(joint, return_counts=True)
    truth, one, other = kinds // width**2, kinds // width % width, kinds % width
    size, ones = len(first.classes) * width, np.ones(len(kinds))
    # Kinds of cases by cells of the confusion table; with many classes both are many, and nearly all is 0.
    to_one, to_other = (
        csr_array((ones, (truth * width + answer, np.arange(len(kinds)))), shape=(size, len(kinds)))
        for answer in (one, other)
    )

    def difference(kept: np.ndarray, moved: np.ndarray) -> np.ndarray:
        shape = (-1, len(first.classes), width)
        values = [
            metric.of_tables((here @ kept.T + there @ moved.T).T.reshape(shape), first.classes)
            for here, there in ((to_one, to_other), (to_other, to_one))
        ]
        return values[0] - values[1]

    swaps, draws = generator(seed, "swaps"), generator(seed, "draws")
    times = max(min(times, 300), min(times, _MOST_NUMBERS // max(size, len(kinds))))
    swapped, drawn = [], []
    for n in _portions(times, max(size, len(kinds))):
        moved = swaps.binomial(counts, 0.5, size=(n, len(counts)))
        swapped.append(difference(counts - moved, moved))
        again = draws.multinomial(len(first), counts / counts.sum(), size=n)
        drawn.append(difference(again, np.zeros_like(again)))
    return np.concatenate(swapped), np.concatenate(drawn)


def _by_loss(metric: CaseMetric, first: Answers, second: Answers, times: int, seed: int) -> tuple[np.ndarray, Any]:
    weight = np.ones(len(first)) if first.weight is None else first.weight
    losses = weight * (metric.by_case(first) - metric.by_case(second))
    random, n = generator(seed, "draws"), len(losses)
    drawn = []
    for portion in _portions(times, n):
        rows = random.integers(n, size=(portion, n))
        drawn.append(losses[rows].sum(axis=1) / weight[rows].sum(axis=1))
    return swapped_totals(losses, times, seed) / weight.sum(), np.concatenate(drawn)


def _one_by_one(
    metric: Metric, first: Answers, second: Answers, times: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """For metrics of ranks or bins, and for weighted tables, with fewer swaps."""
    n, times = len(first), min(times, 500)
    one, other = (first, second) if _same_scale(first, second) else (_as_ranks(first), _as_ranks(second))
    swaps, swapped = generator(seed, "swaps"), np.empty(times)
    for at in range(times):
        swap = swaps.random(n) < 0.5
        swapped[at] = metric.value(_mixed(one, other, swap)) - metric.value(_mixed(other, one, swap))
    drawn = _drawn(metric, first, second, times, seed)
    # A sample without a class may leave a metric undefined: it speaks neither for nor against a difference.
    return np.nan_to_num(swapped, nan=np.inf), drawn


def _drawn(metric: Metric, first: Answers, second: Answers, times: int, seed: int) -> np.ndarray:
    """The difference on cases drawn anew, both answers of a case together."""
    random, n = generator(seed, "draws"), len(first)
    own = np.ones(n) if first.weight is None else first.weight
    drawn = []
    for portion in _portions(times, n):
        weights = own * drawn_counts(random, n, portion)
        drawn.append(metric.of_weights(first, weights) - metric.of_weights(second, weights))
    return np.concatenate(drawn)


def _same_scale(first: Answers, second: Answers) -> bool:
    return first.scores is None and second.scores is None


def _as_ranks(answers: Answers) -> Answers:
    ranks = np.empty(answers.strength.shape)
    for column, values in enumerate(answers.strength.T):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks[:, column] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return replace(answers, probabilities=None, scores=ranks)


def _mixed(one: Answers, other: Answers, swap: np.ndarray) -> Answers:
    """The first model's answers, with the second's where ``swap``."""

    def chosen(here: np.ndarray | None, there: np.ndarray | None) -> np.ndarray | None:
        if here is None or there is None:
            return None
        return np.where(swap if here.ndim == 1 else swap[:, None], there, here)

    return Answers(
        one.classes,
        one.truth,
        chosen(one.predicted, other.predicted),
        chosen(one.probabilities, other.probabilities),
        one.weight,
        chosen(one.scores, other.scores),
    )


def _portions(times: int, size: int) -> list[int]:
    each = max(1, _CHUNK // max(size, 1))
    return [min(each, times - start) for start in range(0, times, each)]
