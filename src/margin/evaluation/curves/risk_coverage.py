"""Answering only when sure enough: the error among the answered against the share that gets an answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from margin.data.weights import cases_per_weight, count_repeats
from margin.errors import InputError, ParameterError
from margin.evaluation.predictions.answers import Answers
from margin.typing import LabelsLike, WeightsLike

__all__ = ["LOOKS", "RiskCoverage", "ThresholdChoice", "risk_coverage"]

#: A bound is tried at so many coverages, fixed before the data are seen.
LOOKS = 20
#: The first look is where so many times the fewest cases are answered that could vouch for the target at all.
FIRST_LOOK = 3
#: The share of the allowed error probability that the first look may spend; the others share the rest.
FIRST_SHARE = 0.7


@dataclass(frozen=True)
class ThresholdChoice:
    """A confidence threshold, what it did on the rows it was chosen by, and why it was chosen.

    ``bound`` is what the error among the answered stays below with probability ``level``, where that was asked for: the
    target, which is all that was tested.
    """

    threshold: float
    coverage: float
    risk: float
    reason: str
    bound: float | None = None
    level: float | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The error among the answered cases for every confidence threshold, from the strictest to none.

    A case is answered if its confidence is *above* the threshold. The more is answered, the larger the error usually
    is; the area under the curve (``aurc``) says how well confidence tells right answers from wrong ones.

    Attributes
    ----------
    threshold
        Thresholds, falling; the last one, minus infinity, answers every case that has an answer at all.
    coverage
        Share of the cases answered at each.
    risk
        Share of the answered cases that are wrong.
    surest
        The largest confidence; from there on no threshold answers anything.
    n_cases
        What the cases are worth together: their number, or less where weights say so.
    level
        Confidence of the band.

    Examples
    --------
    >>> curve = risk_coverage(["a", "a", "b", "b"], ["a", "a", "b", "a"], [0.9, 0.8, 0.7, 0.6])
    >>> curve.coverage.tolist(), curve.risk.tolist(), curve.threshold.tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25], [0.8, 0.7, 0.6, -inf])
    >>> print(curve.for_cost(0.3))
    cost 0.075 a case (abstaining costs 0.3): 75.0 % of the cases are answered, with an error of 0.0 % among them
    """

    threshold: np.ndarray
    coverage: np.ndarray
    risk: np.ndarray
    surest: float
    n_cases: float
    level: float = 0.95

    @property
    def aurc(self) -> float:
        """Area under the curve: the mean error over all coverages that can be had, each as likely; smaller is better.

        Cases of equal confidence are answered together or not at all, so they share the error at their end.
        """
        if not len(self.risk):
            return 0.0
        return float((self.risk * np.diff(self.coverage, prepend=0.0)).sum() / self.coverage[-1])

    @cached_property
    def band(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends of exact intervals of the error (Clopper, Pearson 1934), for each threshold alone."""
        tail = (1 - self.level) / 2
        answered = self.coverage * self.n_cases
        wrong = self.risk * answered
        low = special.betaincinv(wrong, answered - wrong + 1, tail)
        return np.where(wrong > 0, low, 0.0), _upper(wrong, answered, tail)

    def at(self, threshold: float) -> tuple[float, float]:
        """Coverage and error at one threshold; no coverage has no error."""
        if not threshold < self.surest:
            return 0.0, 0.0
        # No confidence lies between the given threshold and the next listed one below it.
        return self._point(int(np.argmax(self.threshold <= threshold)))[1:]

    def for_error(self, target: float, level: float | None = 0.95) -> ThresholdChoice:
        """The smallest threshold whose error among the answered is at most the target.

        With a ``level`` an exact binomial bound of the error has to be at most the target, with that probability. It is
        tried at coverages fixed beforehand (5 %, 10 %, … of the cases, from where enough are answered to tell), from
        few to many: what a look that succeeds was allowed to err is handed on to the next one, so that all together err
        with probability 1 - level at most, and confidence that tells right from wrong pays nothing for looking often
        (the fallback procedure, Wiens 2003). Without a level the error that was seen has to be at most the target.
        Where no threshold will do, it is infinity: nothing is answered.
        """
        _check_share("for_error", "target", target)
        if level is None:
            fit = np.flatnonzero(self.risk <= target)
            bound, least = None, float(self.risk.min(initial=1.0))
        else:
            _check_share("for_error", "level", level)
            fit, least = self._vouched_for(target, 1 - level)
            bound = target
        if not fit.size:
            return ThresholdChoice(math.inf, 0.0, 0.0, self._in_vain(target, level, least), None, level)
        at = int(fit[-1])
        held = "" if bound is None else f", below {_percent(bound)} with {_percent(level)} certainty"
        reason = f"target {_percent(target)}: {self._answered(at)}{held}"
        return ThresholdChoice(*self._point(at), reason, bound, level)

    def _vouched_for(self, target: float, allowed: float) -> tuple[np.ndarray, float]:
        """Places on the curve whose error is below the target but for the probability allowed, and the smallest bound
        at any look."""
        looks = self._looks(_fewest(target, allowed))
        shares = np.full(len(looks), (1 - FIRST_SHARE) / max(len(looks) - 1, 1))
        shares[:1] = FIRST_SHARE if len(looks) > 1 else 1.0
        vouched, least, handed_on = [], 1.0, 0.0
        for look, share in zip(looks, shares * allowed):
            answered = self.coverage[look] * self.n_cases
            tail = share + handed_on
            above = float(_upper(self.risk[look] * answered, answered, tail))
            least, handed_on = min(least, above), 0.0
            if above <= target:
                vouched.append(look)
                handed_on = tail
        return np.array(vouched, dtype=np.intp), least

    def for_cost(self, cost: float) -> ThresholdChoice:
        """The threshold of the least mean cost, where a wrong answer costs 1 and no answer costs ``cost``.

        Ties go to the smaller threshold, which answers more.
        """
        if not 0 <= cost < math.inf:
            raise ParameterError(f"for_cost(cost={cost!r}): cost must be a number of at least 0.")
        costs = self.coverage * self.risk + cost * (1 - self.coverage)
        best = cost if not len(costs) else float(costs.min())
        if best > cost or not len(costs):
            reason = f"cost {cost:.3g} a case: any answer costs more than abstaining, which costs {cost:g}"
            return ThresholdChoice(math.inf, 0.0, 0.0, reason)
        # Sums of the same counts may differ in their last digits.
        at = int(np.flatnonzero(costs <= best * (1 + 1e-12))[-1])
        reason = f"cost {best:.3g} a case (abstaining costs {cost:g}): {self._answered(at)}"
        return ThresholdChoice(*self._point(at), reason)

    def _looks(self, fewest: int) -> np.ndarray:
        """Places on the curve where coverage is at most 1/20, 2/20, …, from where so many cases are answered that a
        few mistakes do not matter, or else all of them."""
        shares = np.arange(1, LOOKS + 1) / LOOKS
        found = np.searchsorted(self.coverage, shares * (1 + 1e-12), side="right") - 1
        looks = np.unique(found[found >= 0])
        for times in range(FIRST_LOOK, 0, -1):
            enough = looks[self.coverage[looks] * self.n_cases >= times * fewest * (1 - 1e-12)]
            if enough.size:
                return enough
        return looks[-1:]

    def _point(self, at: int) -> tuple[float, float, float]:
        return float(self.threshold[at]), float(self.coverage[at]), float(self.risk[at])

    def _answered(self, at: int) -> str:
        answered, wrong = _percent(self.coverage[at]), _percent(self.risk[at])
        return f"{answered} of the cases are answered, with an error of {wrong} among them"

    def _in_vain(self, target: float, level: float | None, least: float) -> str:
        """Why nothing is answered: too few rows to vouch for the target, or too large an error."""
        if level is None:
            why = f"no threshold has an error that small (the smallest is {_percent(least)})"
        else:
            needed = _fewest(target, 1 - level)
            hint = (
                f"at least {needed} cases answered without a mistake would be needed"
                if self.n_cases < needed
                else f"its smallest bound is {_percent(least)}"
            )
            why = (
                f"no threshold keeps the error below it with {_percent(level)} certainty on {self.n_cases:.6g} cases "
                f"({hint})"
            )
        return f"target {_percent(target)}: {why}, so nothing is answered"

    def __repr__(self) -> str:
        full = f"{self.risk[-1]:.3f}" if len(self.risk) else "none"
        return f"<RiskCoverage: {self.n_cases:.6g} cases, error {full}, area under the curve {self.aurc:.4f}>"


def _upper(wrong: np.ndarray, answered: np.ndarray, tail: float) -> np.ndarray:
    """Exact upper bounds of a share, each too low with probability ``tail`` at most."""
    every = wrong >= answered
    high = special.betaincinv(wrong + 1, np.where(every, 1.0, answered - wrong), 1 - tail)
    return np.where(every, 1.0, high)


def _fewest(target: float, allowed: float) -> int:
    """How many cases answered without a mistake vouch for an error below the target, but for the probability allowed.

    >>> _fewest(0.05, 0.05)
    59
    """
    return math.ceil(math.log(allowed) / math.log1p(-target))


def _check_share(who: str, what: str, given: float) -> None:
    if not 0 < given < 1:
        raise ParameterError(f"{who}({what}={given!r}): {what} must lie between 0 and 1.")


def _percent(share: Any) -> str:
    return f"{100 * float(share):.1f} %"


def risk_coverage(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    confidence: Any,
    *,
    sample_weight: WeightsLike | None = None,
    level: float = 0.95,
) -> RiskCoverage:
    """The error among the answered against the share of cases answered, over all confidence thresholds.

    Parameters
    ----------
    y_true, y_pred
        Labels of any type; a prediction of ``None`` is never answered, whatever its confidence.
    confidence
        How sure each answer is, on any scale: a probability, the distance from a boundary.
    sample_weight
        How much each case counts; once, without it.
    level
        Confidence of the band around the curve.

    Examples
    --------
    >>> risk_coverage([1, 0, 1, 0], [1, 0, 0, 0], [3.0, 2.0, 0.5, 1.0])
    <RiskCoverage: 4 cases, error 0.250, area under the curve 0.0625>
    """
    answers = Answers.of(y_true, y_pred, sample_weight=sample_weight, who="risk_coverage")
    assert answers.predicted is not None
    _check_share("risk_coverage", "level", level)
    sure = np.asarray(confidence, dtype=np.float64)
    if sure.shape != answers.truth.shape or np.isnan(sure).any():
        raise InputError(
            f"risk_coverage(confidence=…): there must be one number for each of {len(answers)} cases, and none missing."
        )
    said = answers.predicted < len(answers.classes)
    weight = np.ones(len(sure)) if answers.weight is None else answers.weight
    worth = cases_per_weight(weight.sum(), (weight**2).sum(), count_repeats(weight)) if len(weight) else 1.0
    wrong = answers.predicted != answers.truth
    return _curve(sure[said], wrong[said], weight[said], float(weight.sum()), worth, level)


def _curve(
    sure: np.ndarray, wrong: np.ndarray, weight: np.ndarray, total: float, worth: float, level: float
) -> RiskCoverage:
    order = np.argsort(-sure, kind="stable")
    sure, weight, wrong = sure[order], weight[order], wrong[order]
    answered, mistaken = np.cumsum(weight), np.cumsum(weight * wrong)
    ends = np.flatnonzero(np.append(sure[1:] < sure[:-1], True)) if len(sure) else np.empty(0, dtype=np.intp)
    below = np.append(sure[1:], -np.inf)[ends] if len(sure) else np.empty(0)
    # A last sum that differs from the total in its last digit would still be all of it.
    coverage = np.minimum(answered[ends] / total, 1.0) if total else np.empty(0)
    surest = float(sure[0]) if len(sure) else -np.inf
    return RiskCoverage(below, coverage, mistaken[ends] / answered[ends], surest, total * worth, level)
