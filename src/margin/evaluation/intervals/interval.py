"""How far a score can be trusted: intervals for shares of cases, for folds, and for any metric by resampling.

Here are the formulas; which one a metric gets is decided in ``evaluation/scoring``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from scipy import special

from margin.errors import ParameterError, closest

__all__ = [
    "PROPORTION_METHODS",
    "Interval",
    "Score",
    "acceleration",
    "basic_interval",
    "bca_interval",
    "bootstrap_interval",
    "check_confidence",
    "clopper_pearson",
    "corrected_t_interval",
    "jackknife_interval",
    "logit_interval",
    "mean_interval",
    "proportion_interval",
    "root_n",
    "wilson",
    "wilson_ends",
]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that covers the true value with the stated confidence.

    >>> print(Interval(0.841, 0.865, 0.95, "exact"))
    [0.841, 0.865] (95 %, exact)
    """

    low: float
    high: float
    confidence: float
    method: str

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def clipped(self, lowest: float, highest: float) -> Interval:
        """The part of the interval where values are possible at all."""
        return Interval(max(self.low, lowest), min(self.high, highest), self.confidence, self.method)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        places = _places(self.half_width)
        return f"[{self.low:.{places}f}, {self.high:.{places}f}] ({100 * self.confidence:g} %, {self.method})"


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its interval, and how both were obtained.

    Prints with ± where the interval is symmetric and with brackets where it is not. The number of places follows the
    width of the interval; a format, as in ``f"{score:.2f}"``, overrules it.

    >>> print(Score(0.853, Interval(0.841, 0.865, 0.95, "corrected resampled t"), "mean of 10 folds"))
    0.853 ± 0.012
    >>> print(Score(0.853, proportion_interval(853, 1000), "test part"))
    0.853 [0.830, 0.874]
    """

    value: float
    interval: Interval | None = None
    how: str = ""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        if self.interval is None:
            return format(self.value, spec or ".3f")
        low, high = self.interval.low, self.interval.high
        spec = spec or f".{_places(self.interval.half_width)}f"
        below, above = self.value - low, high - self.value
        if math.isclose(below, above, rel_tol=1e-6, abs_tol=1e-12):
            return f"{self.value:{spec}} ± {above:{spec}}"
        return f"{self.value:{spec}} [{low:{spec}}, {high:{spec}}]"


def _places(half_width: float) -> int:
    """Decimal places that show two digits of the half width, between 3 and 6."""
    if not 0 < half_width < math.inf:
        return 3
    return min(6, max(3, 1 - math.floor(math.log10(half_width))))


# ---- A share: some of so many cases.


def clopper_pearson(successes: float, trials: float, confidence: float) -> tuple[float, float]:
    """Exact: all shares under which so few, or so many, successes are not rarer than allowed (Clopper, Pearson 1934).

    Covers at least with the stated confidence, whatever the true share and however few the trials.
    """
    tail = (1 - confidence) / 2
    low = special.betaincinv(successes, trials - successes + 1, tail) if successes > 0 else 0.0
    high = special.betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return float(low), float(high)


def wilson(successes: float, trials: float, confidence: float) -> tuple[float, float]:
    """All shares that a normal test at that confidence would not reject (Wilson 1927). Shorter; covers on average."""
    z = special.ndtri((1 + confidence) / 2)
    share, z2 = successes / trials, z * z / trials
    centre = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    # The end on the far side of no successes (or only successes) is exactly 0 (or 1); rounding must not move it.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return float(low), float(high)


def wilson_ends(successes: np.ndarray, trials: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson intervals of many shares at once; NaN where there were no trials.

    >>> [ends.round(3).tolist() for ends in wilson_ends(np.array([0.0, 5.0]), np.array([10.0, 10.0]), 0.95)]
    [[0.0, 0.237], [0.278, 0.763]]
    """
    z = special.ndtri((1 + confidence) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, z2 = successes / trials, z * z / trials
        centre = (share + z2 / 2) / (1 + z2)
        half = np.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    low = np.where(successes == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(successes == trials, 1.0, np.minimum(centre + half, 1.0))
    empty = ~(trials > 0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def root_n(successes: float, trials: float, confidence: float) -> tuple[float, float]:
    """The rule of thumb 1/√n: the widest a normal interval can be at 95 %, where z·√(¼/n) ≈ 1/√n."""
    half = special.ndtri((1 + confidence) / 2) / special.ndtri(0.975) / math.sqrt(trials)
    return float(max(0.0, successes / trials - half)), float(min(1.0, successes / trials + half))


#: Intervals for a share, by name.
PROPORTION_METHODS: Mapping[str, Any] = MappingProxyType({"exact": clopper_pearson, "wilson": wilson, "root_n": root_n})


def proportion_interval(successes: float, trials: float, confidence: float = 0.95, method: str = "exact") -> Interval:
    """An interval for a share of which ``successes`` of ``trials`` were seen.

    >>> print(proportion_interval(0, 10))
    [0.000, 0.308] (95 %, exact)
    >>> print(proportion_interval(50, 100, method="root_n"))
    [0.400, 0.600] (95 %, root_n)
    """
    check_confidence("proportion_interval", confidence)
    if method not in PROPORTION_METHODS:
        known = ", ".join(map(repr, PROPORTION_METHODS))
        raise ParameterError(
            f"proportion_interval(method={method!r}): method must be one of "
            f"{known}{closest(method, PROPORTION_METHODS)}."
        )
    if not (trials > 0 and 0 <= successes <= trials):
        raise ParameterError(
            f"proportion_interval(successes={successes!r}, trials={trials!r}): there must be at least one trial, and "
            "successes between 0 and their number."
        )
    low, high = PROPORTION_METHODS[method](successes, trials, confidence)
    return Interval(low, high, confidence, method)


# ---- Folds.


def corrected_t_interval(values: Sequence[float], test_to_train: float, confidence: float = 0.95) -> Interval | None:
    """An interval for the mean of scores from folds that share training rows (Nadeau, Bengio 2003).

    Scores of folds are not independent: their training parts overlap. The variance of their mean is therefore taken as
    (1/J + n_test/n_train)·s² instead of s²/J, with J - 1 degrees of freedom. One score has no interval.

    Parameters
    ----------
    values
        The score of each fold, repeats included.
    test_to_train
        Rows of a test part over rows of a training part: 1/9 for ten folds.

    Examples
    --------
    >>> print(corrected_t_interval([0.8, 0.9, 0.85, 0.85], test_to_train=1 / 3))
    [0.751, 0.949] (95 %, corrected resampled t)
    """
    check_confidence("corrected_t_interval", confidence)
    scores = np.asarray(values, dtype=np.float64)
    if len(scores) < 2:
        return None
    deviation = math.sqrt((1 / len(scores) + test_to_train) * scores.var(ddof=1))
    half = float(special.stdtrit(len(scores) - 1, (1 + confidence) / 2)) * deviation
    mean = float(scores.mean())
    return Interval(mean - half, mean + half, confidence, "corrected resampled t")


# ---- Any metric on one set of cases.


class Resampled(Protocol):
    """What the bootstrap needs of a metric."""

    @property
    def biased(self) -> bool: ...
    def value(self, answers: Any) -> float: ...
    def resampled(self, answers: Any, random: np.random.Generator, times: int) -> np.ndarray: ...
    def of_draws(self, draws: Any, times: int) -> np.ndarray: ...
    def influence(self, answers: Any) -> tuple[np.ndarray, np.ndarray | None]: ...


def bootstrap_interval(
    metric: Resampled,
    answers: Any,
    confidence: float = 0.95,
    *,
    resamples: int = 2000,
    seed: int = 0,
    draws: Any = None,
) -> Interval:
    """The middle part of a metric's values on cases drawn anew with replacement, corrected for bias and skewness.

    The corrections are those of BCa (Efron 1987): the bias is read off the resamples, the acceleration off what each
    case adds to the value. Where they are undefined, because resamples all lie on one side of the value, the plain
    percentiles are given, and ``method`` says so. A metric that is biased by nature gets the basic interval instead: as
    far as resamples lie above the value, the truth may lie below it. Undefined resamples are left out. The same
    seed gives the same interval; ``draws`` are resamples drawn before, for several metrics. It says how much the score
    would move with other test cases, not with another training part.

    >>> from margin.evaluation import Answers, metric
    >>> answers = Answers.of(["a", "b"] * 50, ["a", "b", "b", "b"] * 25)
    >>> print(bootstrap_interval(metric("f1"), answers))
    [0.709, 0.868] (95 %, bootstrap BCa)
    """
    check_confidence("bootstrap_interval", confidence)
    if resamples < 1:
        raise ParameterError(f"bootstrap_interval(resamples={resamples!r}): there must be at least 1.")
    if draws is None:
        values = metric.resampled(answers, np.random.default_rng(seed), resamples)
    else:
        values = metric.of_draws(draws, resamples)
    if metric.biased:
        return basic_interval(values, metric.value(answers), confidence)
    return bca_interval(values, metric.value(answers), *metric.influence(answers), confidence=confidence)


def bca_interval(
    values: np.ndarray, estimate: float, influence: np.ndarray, times: np.ndarray | None = None, *, confidence: float
) -> Interval:
    """The interval from bootstrap values and from the influence of each case (``times`` cases have the same).

    >>> drawn = np.random.default_rng(0).normal(size=4000)
    >>> print(bca_interval(drawn, 0.0, np.array([-1.0, 1.0]), confidence=0.9))
    [-1.557, 1.713] (90 %, bootstrap BCa)
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return Interval(-math.inf, math.inf, confidence, "undefined in all resamples")
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    below = ((values < estimate).mean() + (values <= estimate).mean()) / 2
    method = "bootstrap percentile"
    if 0 < below < 1:
        bias, ends = special.ndtri(below), special.ndtri(tails)
        slope = 1 - acceleration(influence, times) * (bias + ends)
        if (slope > 0).all():
            tails, method = special.ndtr(bias + (bias + ends) / slope), "bootstrap BCa"
    low, high = np.quantile(values, tails)
    return Interval(float(low), float(high), confidence, method)


def basic_interval(values: np.ndarray, estimate: float, confidence: float) -> Interval:
    """Percentiles of the resamples turned around the estimate, and as far as the estimate where that lies outside.

    >>> print(basic_interval(np.linspace(1.0, 3.0, 101), 2.0, 0.9))
    [1.100, 2.900] (90 %, bootstrap basic)
    """
    values = values[np.isfinite(values)]
    low, high = 2 * estimate - np.quantile(values, [(1 + confidence) / 2, (1 - confidence) / 2])
    return Interval(float(min(low, estimate)), float(max(high, estimate)), confidence, "bootstrap basic")


def acceleration(influence: np.ndarray, times: np.ndarray | None = None) -> float:
    """How fast the spread of an estimate changes with its value: a sixth of the skewness of what cases add to it."""
    times = np.ones(len(influence)) if times is None else times
    squares = float(times @ influence**2)
    return float(times @ influence**3) / (6 * squares**1.5) if squares > 0 else 0.0


def logit_interval(
    value: float, deviation: float, confidence: float, method: str, freedom: float = math.inf
) -> Interval:
    """An interval on the scale of the log odds, for a value between 0 and 1 with its standard error.

    Normal, or Student's t where the standard error comes from few cases (``freedom``).

    >>> print(logit_interval(0.95, 0.02, 0.95, "DeLong"))
    [0.893, 0.977] (95 %, DeLong)
    """
    tail = (1 + confidence) / 2
    quantile = special.stdtrit(freedom, tail) if freedom < 1e6 else special.ndtri(tail)
    half = quantile * deviation / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return Interval(float(low), float(high), confidence, method)


def jackknife_interval(
    value: float,
    influence: np.ndarray,
    times: np.ndarray | None,
    confidence: float,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """A normal interval from what each case adds to the value, for so many cases that resampling would be wasted.

    On the scale of the log odds where the value lies within 0 and 1 by nature.
    """
    times = np.ones(len(influence)) if times is None else times
    deviation = math.sqrt(float(times @ influence**2))
    if bounds == (0.0, 1.0) and 0 < value < 1:
        return logit_interval(value, deviation, confidence, "jackknife")
    half = float(special.ndtri((1 + confidence) / 2)) * deviation
    return Interval(value - half, value + half, confidence, "jackknife")


def mean_interval(values: np.ndarray, weight: np.ndarray | None = None, confidence: float = 0.95) -> Interval:
    """A normal interval for a (weighted) mean of many values; the bootstrap comes to the same, at more cost.

    >>> print(mean_interval(np.array([0.0, 1.0] * 5000)))
    [0.4902, 0.5098] (95 %, normal)
    """
    check_confidence("mean_interval", confidence)
    if weight is None:
        mean, deviation = float(values.mean()), float(values.std()) / math.sqrt(max(len(values), 1))
    else:
        share = weight / weight.sum()
        mean = float(share @ values)
        deviation = float(np.sqrt(((share * (values - mean)) ** 2).sum()))
    half = float(special.ndtri((1 + confidence) / 2)) * deviation
    return Interval(mean - half, mean + half, confidence, "normal")


def check_confidence(who: str, confidence: float) -> None:
    """Refuse a confidence that is none."""
    if not (isinstance(confidence, (int, float, np.number)) and 0 < confidence < 1):
        raise ParameterError(f"{who}(confidence={confidence!r}): confidence must lie between 0 and 1, as 0.95.")
