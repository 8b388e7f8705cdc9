"""Two models on several data sets: Wilcoxon's signed ranks and the sign test."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError
from margin.evaluation.comparing.significance import Significance, numbers
from margin.evaluation.intervals.interval import Interval, Score, check_confidence, proportion_interval

__all__ = ["mid_ranks", "sign_test", "wilcoxon"]

#: Up to this many differences p is counted exactly; the normal distribution is as good beyond.
EXACT_UP_TO = 100

#: Up to this many differences the means of all pairs are sorted for the interval.
_PAIRS_UP_TO = 3000

Zeros = Literal["split", "drop"]


def wilcoxon(first: Any, second: Any = None, *, zeros: Zeros = "split", confidence: float = 0.95) -> Significance:
    """Whether one of two models does better over several data sets, by the ranks of their differences (Wilcoxon 1945).

    The sizes of the differences are ranked, equal ones sharing their mean rank. The statistic is the smaller of the
    sums of ranks in favour of either model. Data sets without a difference are ranked too and their ranks go half to
    either sum (Demšar 2006; the sums then differ by as much as with Pratt's rule), or are dropped (``zeros="drop"``,
    Wilcoxon's own rule). Up to 100 differences p is exact, counted over all ways to set the signs of the ranks at hand,
    ties included; beyond that it is normal. The effect is the median of the means of all pairs of differences (Hodges,
    Lehmann 1963), whose interval needs at least 6 data sets at 95 %.

    Parameters
    ----------
    first, second
        Scores of two models, one for each data set; ``first`` alone holds the differences.
    zeros
        What becomes of data sets without a difference.
    confidence
        Of the interval of the effect.

    Examples
    --------
    >>> print(wilcoxon([0.9, 0.8, 0.7, 0.85, 0.6, 0.95], [0.85, 0.78, 0.6, 0.81, 0.59, 0.92]))
    Wilcoxon's signed-rank test, exact: median difference 0.035 [0.010, 0.100], statistic 0, p = 0.0312
    """
    check_confidence("wilcoxon", confidence)
    if zeros not in ("split", "drop"):
        raise ParameterError(f"wilcoxon(zeros={zeros!r}): zeros must be 'split' or 'drop'.")
    values = _differences("wilcoxon", first, second)
    if zeros == "drop":
        values = values[values != 0]
    ranks = mid_ranks(np.abs(values))
    signed = np.sign(values) * ranks
    apart, total = abs(float(signed.sum())), float(ranks.sum())
    moved = ranks[values != 0]
    effect = Score(*_hodges_lehmann(values, confidence), "median difference")
    if len(moved) <= EXACT_UP_TO:
        return Significance("Wilcoxon's signed-rank test, exact", (total - apart) / 2, _exact_p(moved, apart), effect)
    z = apart / math.sqrt(float((moved**2).sum()))
    p = float(2 * special.ndtr(-z))
    return Significance("Wilcoxon's signed-rank test, normal", (total - apart) / 2, p, effect)


def sign_test(first: Any, second: Any = None, *, zeros: Zeros = "split", confidence: float = 0.95) -> Significance:
    """Whether one of two models wins on more data sets than chance would have it, whatever the differences.

    Ties go half to either model, an odd one out is ignored (Demšar 2006), or all are dropped. p is exact. The effect is
    the share of data sets that the first wins, with its exact interval.

    >>> print(sign_test([1, 2, 3, 1, 2, 0.5, 4]))
    sign test, exact: share won by the first 1.000 [0.590, 1.000], statistic 7, p = 0.0156
    """
    check_confidence("sign_test", confidence)
    if zeros not in ("split", "drop"):
        raise ParameterError(f"sign_test(zeros={zeros!r}): zeros must be 'split' or 'drop'.")
    values = _differences("sign_test", first, second)
    ties = int((values == 0).sum()) // 2 if zeros == "split" else 0
    wins, losses = int((values > 0).sum()) + ties, int((values < 0).sum()) + ties
    if wins + losses == 0:
        return Significance("sign test, exact", 0.0, 1.0, Score(0.5, None, "share won by the first"))
    p = min(1.0, 2 * float(special.bdtr(min(wins, losses), wins + losses, 0.5)))
    interval = proportion_interval(wins, wins + losses, confidence)
    effect = Score(wins / (wins + losses), interval, "share won by the first")
    return Significance("sign test, exact", float(wins), p, effect)


def mid_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 up along the last axis; equal values share the mean of their ranks.

    >>> mid_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    if values.ndim > 1:
        return np.stack([mid_ranks(row) for row in values]) if len(values) else np.empty(values.shape)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _exact_p(ranks: np.ndarray, apart: float) -> float:
    """The share of all ways to set the signs of the ranks whose sum is at least as far from 0 as seen."""
    doubled = np.rint(2 * ranks).astype(np.intp)  # mean ranks are whole or half
    chances = np.ones(1)
    for rank in doubled:  # of the sum of those with a plus
        longer = np.zeros(len(chances) + rank)
        longer[: len(chances)] += chances / 2
        longer[rank:] += chances / 2
        chances = longer
    distance = np.abs(2 * np.arange(len(chances)) - doubled.sum()) / 2
    return min(1.0, float(chances[distance >= apart - 1e-9].sum()))


def _hodges_lehmann(values: np.ndarray, confidence: float) -> tuple[float, Interval | None]:
    n = len(values)
    if n == 0:
        return math.nan, None
    if n > _PAIRS_UP_TO:
        return float(np.median(values)), None
    rows, columns = np.triu_indices(n)
    means = np.sort((values[rows] + values[columns]) / 2)
    cut = _critical_rank_sum(n, (1 - confidence) / 2)
    if cut < 0:
        return float(np.median(means)), None
    return float(np.median(means)), Interval(float(means[cut]), float(means[-1 - cut]), confidence, "signed ranks")


def _critical_rank_sum(n: int, tail: float) -> int:
    """The largest rank sum that is at most so probable to be reached from below; -1 where there is none."""
    if n > EXACT_UP_TO:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(-1, math.floor(n * (n + 1) / 4 + float(special.ndtri(tail)) * spread - 0.5))
    chances = np.ones(1)
    for rank in range(1, n + 1):
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return int(np.searchsorted(np.cumsum(chances), tail, side="right")) - 1


def _differences(who: str, first: Any, second: Any) -> np.ndarray:
    values = numbers(who, first)
    if second is not None:
        others = numbers(who, second)
        if len(others) != len(values):
            raise InputError(f"{who}: both models need a score on each data set, not {len(values)} and {len(others)}.")
        values = values - others
        # What is equal in print must be equal here: 0.3 - 0.1 and 0.2 - 0.0 are not, as numbers of a machine.
        values = np.round(values, 12)
    if not len(values):
        raise InputError(f"{who}: at least one data set is needed.")
    return values
