"""Right and wrong answers of two or more models to the same cases: McNemar's and Cochran's tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError, closest
from margin.evaluation.comparing.multiple_testing import correct
from margin.evaluation.comparing.pairing import answered_rightly, both_evaluations, paired_answers
from margin.evaluation.comparing.significance import Significance
from margin.evaluation.intervals.interval import Interval, Score, check_confidence, proportion_interval
from margin.typing import LabelsLike

__all__ = ["CochranTest", "cochran_q", "mcnemar"]

#: McNemar's test in its variants, and what they are called.
VARIANTS = {
    "exact": "McNemar's exact test",
    "mid_p": "McNemar's mid-p test",
    "chi2": "McNemar's χ² test",
    "chi2_corrected": "McNemar's χ² test with continuity correction",
}


def mcnemar(
    first: Any,
    second: Any,
    y_true: Any = None,
    *,
    variant: Literal["exact", "mid_p", "chi2", "chi2_corrected"] = "exact",
    n: int | None = None,
    confidence: float = 0.95,
) -> Significance:
    """Whether the cases only one of two models gets right fall to either with equal chance (McNemar 1947).

    With b cases that only the first gets right and c that only the second does: ``"exact"`` takes b as binomial with
    chance ½ among b + c; ``"mid_p"`` counts the observed split half, which is less cautious and holds the level
    nearly always (Fagerland, Lydersen, Laake 2013); ``"chi2"`` is (b - c)²/(b + c) with one degree of freedom, and
    ``"chi2_corrected"`` takes 1 off \\|b - c\\| (Edwards 1948). An abstention is not a right answer.

    The effect is the difference of the shares of right answers (b - c)/n with the interval of Bonett and Price (2012);
    where n is not known, b's share of the b + c with its exact interval.

    Parameters
    ----------
    first, second
        Predicted labels of two models, or their evaluations, or simply b and c.
    y_true
        The true labels, beside predicted ones.
    variant
        Which of the tests.
    n
        Number of all cases, beside b and c.
    confidence
        Of the interval of the effect.

    Examples
    --------
    >>> print(mcnemar(3, 12, n=100))
    McNemar's exact test: difference in the share of right answers -0.090 [-0.166, -0.011], statistic 3, p = 0.0352
    """
    if variant not in VARIANTS:
        raise ParameterError(
            f"mcnemar(variant={variant!r}): variant must be one of {', '.join(map(repr, VARIANTS))}"
            f"{closest(str(variant), VARIANTS)}."
        )
    check_confidence("mcnemar", confidence)
    b, c, cases = _discordant(first, second, y_true, n)
    statistic, p = _statistic(b, c, variant)
    return Significance(VARIANTS[variant], statistic, p, _effect(b, c, cases, confidence))


def _discordant(first: Any, second: Any, y_true: LabelsLike, n: int | None) -> tuple[int, int, int | None]:
    counts = (first, second)
    if all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in counts):
        if min(counts) < 0 or (n is not None and n < sum(counts)):
            raise ParameterError(
                f"mcnemar({first}, {second}, n={n}): counts must be 0 or more, and n no less than their sum."
            )
        return int(first), int(second), n
    if both_evaluations("mcnemar", first, second):
        one, other = paired_answers(first, second)
        right = np.column_stack([each.truth == each.predicted for each in (one, other)])
    else:
        right = answered_rightly("mcnemar", y_true, first, second)
    return int((right[:, 0] & ~right[:, 1]).sum()), int((~right[:, 0] & right[:, 1]).sum()), len(right)


def _statistic(b: int, c: int, variant: str) -> tuple[float, float]:
    if b + c == 0:
        return 0.0, 1.0
    if variant.startswith("chi2"):
        apart = max(abs(b - c) - (variant == "chi2_corrected"), 0)
        statistic = apart**2 / (b + c)
        return statistic, float(special.chdtrc(1, statistic))
    fewer = min(b, c)
    p = 2 * float(special.bdtr(fewer, b + c, 0.5))
    if variant == "mid_p":
        log_chance = special.gammaln(b + c + 1) - special.gammaln(b + 1) - special.gammaln(c + 1)
        chance = math.exp(float(log_chance) - (b + c) * math.log(2))
        p = 1 - chance / 2 if b == c else p - chance
    return float(fewer), min(1.0, p)


def _effect(b: int, c: int, n: int | None, confidence: float) -> Score:
    if n is None:
        if b + c == 0:
            return Score(0.5, None, "share of the differing cases that fall to the first")
        interval = proportion_interval(b, b + c, confidence)
        return Score(b / (b + c), interval, "share of the differing cases that fall to the first")
    z = float(special.ndtri((1 + confidence) / 2))
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = z * math.sqrt(max(first + second - (first - second) ** 2, 0.0) / (n + 2))
    low, high = first - second - half, first - second + half
    interval = Interval(low, high, confidence, "Bonett–Price").clipped(-1.0, 1.0)
    return Score((b - c) / n if n else 0.0, interval, "difference in the share of right answers")


@dataclass(frozen=True)
class CochranTest:
    """Several models on the same cases: Cochran's Q, and McNemar's test of each pair with its corrected p.

    ``pairs`` holds for each pair of names the test of the two and its corrected p.
    """

    statistic: float
    p: float
    names: tuple[str, ...]
    shares: np.ndarray
    pairs: Mapping[tuple[str, str], tuple[Significance, float]]
    correction: str = "holm"

    @property
    def method(self) -> str:
        return f"Cochran's Q with {len(self.names) - 1} degrees of freedom"

    def __str__(self) -> str:
        right = ", ".join(f"{name} {share:.3f}" for name, share in zip(self.names, self.shares))
        lines = [f"{self.method}: statistic {self.statistic:.4g}, p = {self.p:.3g} (right answers: {right})"]
        lines += [
            f"{one} and {other}: difference {test.effect}, p = {corrected:.3g}"
            for (one, other), (test, corrected) in self.pairs.items()
        ]
        return "\n".join(lines)


def cochran_q(
    models: Any, y_true: Any = None, *, names: Sequence[str] | None = None, correction: str = "holm"
) -> CochranTest:
    """Whether several models get the same share of the same cases right (Cochran 1950); McNemar's test for two.

    Q = (m - 1)·(m·ΣC² - T²) / (m·T - ΣR²) with C the right answers of each model, R those to each case and T all
    of them; χ² with m - 1 degrees of freedom. The pairs are tested after it by McNemar's exact test.

    Parameters
    ----------
    models
        A table of right (1) and wrong (0) answers with a row per case and a column per model; or, by name, predicted
        labels (with ``y_true``) or evaluations.
    y_true
        The true labels, beside predicted ones.
    names
        Of the columns of a table.
    correction
        For the number of pairs, from ``CORRECTIONS``.

    Examples
    --------
    >>> table = np.repeat([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], [6, 2, 3, 1], axis=0)
    >>> print(cochran_q(table, names=["a", "b", "c"]))
    Cochran's Q with 2 degrees of freedom: statistic 7.6, p = 0.0224 (right answers: a 0.917, b 0.667, c 0.500)
    a and b: difference 0.250 [-0.078, 0.507], p = 0.5
    a and c: difference 0.417 [0.037, 0.677], p = 0.188
    b and c: difference 0.167 [-0.127, 0.413], p = 0.5
    """
    right, known = _right_answers(models, y_true, names)
    n, m = right.shape
    if m < 2 or n < 1:
        raise InputError("cochran_q: at least two models and one case are needed.")
    by_model, by_case = right.sum(axis=0), right.sum(axis=1)
    total = int(by_model.sum())
    spread = m * total - int((by_case**2).sum())
    statistic = (m - 1) * (m * int((by_model**2).sum()) - total**2) / spread if spread else 0.0
    tests = {}
    for i, j in combinations(range(m), 2):
        b, c = int((right[:, i] > right[:, j]).sum()), int((right[:, i] < right[:, j]).sum())
        tests[known[i], known[j]] = mcnemar(b, c, n=n)
    corrected = correct([test.p for test in tests.values()], correction)
    pairs = {pair: (test, p) for (pair, test), p in zip(tests.items(), corrected)}
    return CochranTest(statistic, float(special.chdtrc(m - 1, statistic)), known, by_model / n, pairs, correction)


def _right_answers(models: Any, y_true: LabelsLike, names: Sequence[str] | None) -> tuple[np.ndarray, tuple[str, ...]]:
    if isinstance(models, Mapping):
        given = list(models.values())
        if len(given) > 1 and all(both_evaluations("cochran_q", given[0], each) for each in given[1:]):
            if any(not np.array_equal(each.rows, given[0].rows) for each in given):
                raise InputError("cochran_q: all models must have answered the same cases (some had failed folds).")
            right = np.column_stack([each.answers.truth == each.answers.predicted for each in given])
        else:
            right = answered_rightly("cochran_q", y_true, *given)
        return right.astype(np.int64), tuple(models)
    table = np.asarray(models)
    if table.ndim != 2 or not np.isin(table, (0, 1)).all():
        raise InputError("cochran_q: a table of right (1) and wrong (0) answers needs a row per case and only 0 and 1.")
    known = tuple(names) if names is not None else tuple(f"model {at + 1}" for at in range(table.shape[1]))
    if len(known) != table.shape[1]:
        raise InputError(f"cochran_q: {len(known)} names stand for {table.shape[1]} columns.")
    return table.astype(np.int64), known
