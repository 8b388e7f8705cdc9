"""A bound that holds for many classifiers on one sample at once, and so for whichever of them is chosen by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from margin.errors import InputError, ParameterError
from margin.evaluation.comparing.pairing import same_splits
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Interval, check_confidence
from margin.evaluation.protocols.stratified import check_count

__all__ = ["UniformBound", "uniform_bound"]


@dataclass(frozen=True)
class UniformBound:
    """How far the error of every classifier may be from its share of mistakes in a sample, all of them at once.

    Attributes
    ----------
    n_cases
        Cases in the sample.
    models
        How many classifiers; None for a class of endlessly many, which ``vc_dimension`` is of.
    width
        With the probability ``confidence`` no error is further than this from the share of mistakes seen.
    errors
        The share of mistakes of each classifier, where evaluations were given.
    """

    n_cases: int
    width: float
    models: int | None = None
    vc_dimension: int | None = None
    confidence: float = 0.95
    errors: Mapping[str, float] = field(default_factory=dict)

    def of(self, error: float) -> Interval:
        """The interval of one classifier: around its share of mistakes, within 0 and 1."""
        return Interval(error - self.width, error + self.width, self.confidence, self.method).clipped(0.0, 1.0)

    @property
    def method(self) -> str:
        """The inequality behind it."""
        return "Vapnik-Chervonenkis" if self.models is None else "Hoeffding, union bound"

    @property
    def intervals(self) -> dict[str, Interval]:
        """The interval of each classifier that was given, all true at once."""
        return {name: self.of(error) for name, error in self.errors.items()}

    def __str__(self) -> str:
        of = f"a class of VC dimension {self.vc_dimension}" if self.models is None else f"{self.models} classifiers"
        says = (
            f"{self.n_cases} cases, {of}: with probability {self.confidence:g} no error is further than "
            f"{self.width:.3f} from the share of mistakes seen ({self.method})"
        )
        lines = [f"  {name}: {error:.3f}, at most {self.of(error).high:.3f}" for name, error in self.errors.items()]
        return "\n".join([says, *lines])


def uniform_bound(
    cases: int | Mapping[str, Evaluation],
    *,
    models: int | None = None,
    vc_dimension: int | None = None,
    confidence: float = 0.95,
) -> UniformBound:
    r"""By how much mistakes in a sample may mislead about any of many classifiers at once, whatever the data are.

    An interval for one classifier says nothing of the best of many: with enough of them one looks good by chance. Of m
    classifiers that did not learn from the n cases, Hoeffding's inequality for each and the union over all give

    .. math:: |\text{error} - \text{share of mistakes}| \le \sqrt{\ln(2m / \delta) / 2n}

    for all at once with probability :math:`1 - \delta`; so also for the one that is chosen for its few mistakes. Of
    endlessly many classifiers, even where they learn from these cases, it is (Vapnik, Chervonenkis 1971)

    .. math:: \sqrt{8 \ln(4\,S(2n) / \delta) / n}, \qquad S(2n) = \sum_{i \le d} \binom{2n}{i}

    where d is the VC dimension: d + 1 for lines and planes among d columns. Both hold for any distribution and are
    wide; :func:`selection_optimism` estimates what is likely, this bounds what is possible.

    Parameters
    ----------
    cases
        How many cases there are; or evaluations by name, all on one test part that none of the models learnt from
        (``HoldOut``, ``test=…``), whose number of models and shares of mistakes are then known.
    models
        How many classifiers are looked at.
    vc_dimension
        Of the class they are chosen from, in place of their number.
    confidence
        With what probability the bound holds.

    Examples
    --------
    >>> bound = uniform_bound(1000, models=10)
    >>> round(bound.width, 4), round(uniform_bound(1000, models=1).width, 4)
    (0.0547, 0.0429)
    >>> print(bound.of(0.12))
    [0.065, 0.175] (95 %, Hoeffding, union bound)
    >>> round(uniform_bound(100_000, vc_dimension=3).width, 3)
    0.056
    """
    check_confidence("uniform_bound", confidence)
    errors: dict[str, float] = {}
    if isinstance(cases, Mapping):
        if models is not None or vc_dimension is not None:
            raise ParameterError(
                "uniform_bound(models=…): evaluations are as many as they are; give a number of cases."
            )
        n, errors = _of_evaluations(cases)
        models = len(errors)
    else:
        check_count("uniform_bound", "cases", cases)
        n = int(cases)
    if (models is None) == (vc_dimension is None):
        raise ParameterError("uniform_bound: give the number of models or their VC dimension, one of the two.")
    if models is not None:
        check_count("uniform_bound", "models", models)
        width = sqrt(log(2 * models / (1 - confidence)) / (2 * n))
    else:
        assert vc_dimension is not None
        check_count("uniform_bound", "vc_dimension", vc_dimension)
        width = sqrt(8 / n * (log(4 / (1 - confidence)) + _log_growth(2 * n, vc_dimension)))
    return UniformBound(n, width, models, vc_dimension, confidence, errors)


def _log_growth(n: int, d: int) -> float:
    """The logarithm of the number of ways in which a class of VC dimension d can divide n cases, at most (Sauer).

    >>> round(np.exp(_log_growth(4, 2)))  # 1 + 4 + 6
    11
    """
    if d >= n:
        return n * log(2)
    i = np.arange(d + 1)
    return float(logsumexp(gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1)))


def _of_evaluations(evaluations: Mapping[str, Any]) -> tuple[int, dict[str, float]]:
    if not evaluations or not all(isinstance(each, Evaluation) for each in evaluations.values()):
        raise InputError("uniform_bound(cases=…): give evaluations by name, or a number of cases.")
    found = list(evaluations.values())
    for name, each in evaluations.items():
        if len(each.folds) != 1 or each.answers.weight is not None:
            raise InputError(
                f"uniform_bound: {name!r} must be judged on one test part, without weights (HoldOut(), or test=…): "
                "over folds there are several models behind one score."
            )
        if not same_splits(found[0], each):
            raise InputError(f"uniform_bound: {name!r} was judged on other cases than {next(iter(evaluations))!r}.")
    errors = {}
    for name, each in evaluations.items():
        counts = each.answers.counts
        errors[name] = float(1 - np.trace(counts) / counts.sum())
    return len(found[0].rows), errors
