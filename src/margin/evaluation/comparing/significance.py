"""Tests on two models: how large their difference is, and how easily chance alone would give one as large."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError
from margin.evaluation.comparing.pairing import both_evaluations, fold_differences, held_metric
from margin.evaluation.intervals.interval import Interval, Score, check_confidence, corrected_t_interval
from margin.evaluation.metrics.definitions import Metric
from margin.random import generator

__all__ = ["Significance", "corrected_t_test", "numbers", "permutation_test", "swapped_totals"]

#: Up to this many cases all ways of swapping two models are gone through; beyond, some are drawn.
_ALL_SWAPS = 16


@dataclass(frozen=True, slots=True)
class Significance:
    """What a test found: its statistic, the two-sided ``p`` of no difference, and the effect with its interval.

    ``effect.how`` says what the effect is, ``method`` which test it was.

    >>> print(corrected_t_test([0.02, 0.04, 0.0, 0.02], test_to_train=1 / 3))
    corrected resampled t-test: mean difference 0.020 ± 0.040, statistic 1.604, p = 0.207
    """

    method: str
    statistic: float
    p: float
    effect: Score

    def __str__(self) -> str:
        effect = f"{self.effect.how} {self.effect}"
        return f"{self.method}: {effect}, statistic {self.statistic:.4g}, p = {self.p:.3g}"


def corrected_t_test(
    first: Any,
    second: Any = None,
    *,
    test_to_train: float | None = None,
    metric: str | Metric = "accuracy",
    confidence: float = 0.95,
) -> Significance:
    """The t-test on differences by fold whose training rows overlap (Nadeau, Bengio 2003).

    t = mean / √((1/J + n_test/n_train)·s²) with J - 1 degrees of freedom. With ``test_to_train=0`` it is the plain
    paired t-test, which takes folds for independent and finds differences where there are none. Differences that are
    all equal have no spread to go by: p is then that of the sign test, :math:`2^{1-J}`, or 1 where they are all 0. One
    difference alone says nothing: p is 1.

    Parameters
    ----------
    first, second
        Scores by fold of two models, or their evaluations; ``first`` alone holds the differences.
    test_to_train
        Rows of a test part over rows of a training part: 1/9 for ten folds. Evaluations know it.
    metric
        What evaluations are compared by.
    confidence
        Of the interval of the difference.

    Examples
    --------
    >>> round(corrected_t_test([0.02, 0.04, 0.0, 0.02], test_to_train=1 / 3).p, 4)
    0.2071
    """
    check_confidence("corrected_t_test", confidence)
    if both_evaluations("corrected_t_test", first, second):
        name = held_metric("corrected_t_test", first, metric).name
        held_metric("corrected_t_test", second, metric)
        values, ratio = fold_differences(first, second, name)
    else:
        values = _differences("corrected_t_test", first, second)
        if test_to_train is None or test_to_train < 0:
            raise ParameterError(
                f"corrected_t_test(test_to_train={test_to_train!r}): it must be the rows of a test part over those of "
                "a training part (1/9 for ten folds; 0 for the plain paired t-test)."
            )
        ratio = test_to_train
    method = "corrected resampled t-test" if ratio else "paired t-test"
    if not len(values):
        return Significance(method, math.nan, 1.0, Score(math.nan, None, "mean difference"))
    mean = float(values.mean())
    effect = Score(mean, corrected_t_interval(values.tolist(), ratio, confidence), "mean difference")
    return Significance(method, *_t(values, ratio), effect)


def _t(values: np.ndarray, test_to_train: float) -> tuple[float, float]:
    """Statistic and p."""
    mean = float(values.mean())
    if len(values) < 2:
        return math.nan, 1.0
    deviation = math.sqrt((1 / len(values) + test_to_train) * values.var(ddof=1))
    # Equal differences leave a spread of rounding errors, which must not pass for evidence either way.
    if deviation <= 1e-12 * max(abs(mean), 1e-300):
        return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), math.ldexp(1.0, 1 - len(values)))
    return mean / deviation, float(2 * special.stdtr(len(values) - 1, -abs(mean) / deviation))


def permutation_test(
    first: Any, second: Any = None, *, times: int = 9999, seed: int = 0, confidence: float = 0.95
) -> Significance:
    """Whether the mean difference of paired values could come from swapping the two at random (Fisher 1935).

    All ways of swapping are counted for up to 16 cases; beyond, ``times`` of them are drawn, and p counts the ways as
    they fell as one of them, so that it is never 0. Nothing is assumed about the distribution of the values.

    Parameters
    ----------
    first, second
        A value of each model for each case, as its loss; ``first`` alone holds the differences.
    times, seed
        How many ways are drawn, and from where.
    confidence
        Of the normal interval of the mean difference.

    Examples
    --------
    >>> permutation_test([3, 1, 2, 4]).p  # 2 of the 16 ways to set signs give a mean as far from 0
    0.125
    """
    check_confidence("permutation_test", confidence)
    if times < 1:
        raise ParameterError(f"permutation_test(times={times!r}): there must be at least 1.")
    values = _differences("permutation_test", first, second)
    mean = float(values.mean()) if len(values) else math.nan
    effect = Score(mean, _normal_interval(values, confidence), "mean difference")
    moved = values[values != 0]
    if not len(moved):
        return Significance("permutation test", 0.0, 1.0, effect)
    observed = abs(float(moved.sum())) * (1 - 1e-12)
    if len(moved) <= _ALL_SWAPS:
        totals = np.zeros(1)
        for value in moved:
            totals = np.concatenate([totals + value, totals - value])
        return Significance("exact permutation test", mean, float((np.abs(totals) >= observed).mean()), effect)
    as_far = int((np.abs(swapped_totals(moved, times, seed)) >= observed).sum())
    return Significance("permutation test", mean, (as_far + 1) / (times + 1), effect)


def swapped_totals(values: np.ndarray, times: int, seed: int) -> np.ndarray:
    """Sums of the values with their signs set at random, ``times`` times."""
    random = generator(seed, "swaps")
    different, counts = np.unique(np.abs(values), return_counts=True)
    if len(different) * 8 < len(values):  # few different values, as with right and wrong: signs of each are a binomial
        drawn = random.binomial(counts, 0.5, size=(times, len(counts)))
        return (2 * drawn - counts) @ different
    each = max(1, 4_000_000 // len(values))
    totals = [
        (1 - 2.0 * random.integers(2, size=(min(each, times - start), len(values)), dtype=np.int8)) @ values
        for start in range(0, times, each)
    ]
    return np.concatenate(totals)


def _normal_interval(values: np.ndarray, confidence: float) -> Interval | None:
    if len(values) < 2:
        return None
    half = float(special.ndtri((1 + confidence) / 2)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    return Interval(mean - half, mean + half, confidence, "normal")


def _differences(who: str, first: Any, second: Any) -> np.ndarray:
    values = numbers(who, first)
    if second is None:
        return values
    others = numbers(who, second)
    if len(values) != len(others):
        raise InputError(f"{who}: the two models need as many values each, but have {len(values)} and {len(others)}.")
    return values - others


def numbers(who: str, given: object) -> np.ndarray:
    """A list of finite numbers as an array."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}: a list of numbers is needed, not {type(given).__name__}.") from None
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(
            f"{who}: a list of finite numbers is needed, not an array of shape {values.shape} or with NaN."
        )
    return values
