"""How probable it is that one model is better, or that both are as good for all practical purposes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError
from margin.evaluation.comparing.pairing import both_evaluations, fold_differences, held_metric, paired_answers
from margin.evaluation.comparing.significance import numbers
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Interval, Score, check_confidence
from margin.evaluation.metrics.definitions import CaseMetric, Metric
from margin.random import generator

__all__ = ["Posterior", "bayesian_comparison", "bayesian_signed_rank", "posterior_of"]

Decision = Literal["first", "equivalent", "second"]


@dataclass(frozen=True, slots=True)
class Posterior:
    """What is believed of a difference after seeing the data: three probabilities that add up to 1.

    Differences within ``rope`` of 0 (the region of practical equivalence) do not matter in practice. The difference
    itself has a Student t distribution with ``location``, ``scale`` and ``degrees`` (normal where these are infinite);
    ``interval`` is its central credible part.
    """

    first_better: float
    equivalent: float
    second_better: float
    rope: float
    location: float
    scale: float
    degrees: float
    interval: Interval | None
    method: str

    def decision(self, probability: float = 0.95) -> Decision | None:
        """What is at least so probable; ``None`` where nothing is."""
        shares: dict[Decision, float] = {
            "first": self.first_better,
            "equivalent": self.equivalent,
            "second": self.second_better,
        }
        return next((what for what, share in shares.items() if share >= probability), None)

    def __str__(self) -> str:
        shown = f"difference {Score(self.location, self.interval)}"
        return (
            f"{self.method}, region of equivalence ±{self.rope:g}: first better {self.first_better:.3f}, "
            f"equivalent {self.equivalent:.3f}, second better {self.second_better:.3f} ({shown})"
        )


def bayesian_comparison(
    first: Any,
    second: Any = None,
    *,
    rope: float = 0.01,
    metric: str | Metric = "accuracy",
    test_to_train: float | None = None,
    greater_is_better: bool = True,
    confidence: float = 0.95,
) -> Posterior:
    """The Bayesian correlated t-test: how probable each of two models is to be better by more than ``rope``.

    After J differences by fold with mean m and variance s², whose training parts overlap, the true difference is
    Student t around m with J - 1 degrees of freedom and scale √((1/J + n_test/n_train)·s²) (Corani, Benavoli 2015).
    Unlike a p-value, the probability that both are equivalent can grow to 1.

    Parameters
    ----------
    first, second
        Scores by fold of two models, or their evaluations; ``first`` alone holds the differences. Evaluations that ask
        about each case once are compared case by case, in accuracy, error, or a metric that is a mean over cases.
    rope
        Half the width of the region of practical equivalence.
    metric
        What evaluations are compared by.
    test_to_train, greater_is_better
        Rows of a test part over those of a training part, and which way is better; evaluations know both.
    confidence
        Of the credible interval.

    Examples
    --------
    >>> print(bayesian_comparison([0.02, 0.04, 0.0, 0.02], test_to_train=1 / 3))
    Bayesian correlated t-test, region of equivalence ±0.01: first better 0.759, equivalent 0.193, second better 0.048 \
(difference 0.020 ± 0.040)
    """
    check_confidence("bayesian_comparison", confidence)
    _check_rope("bayesian_comparison", rope)
    if both_evaluations("bayesian_comparison", first, second):
        values, ratio, greater_is_better = _of_evaluations(first, second, metric)
    else:
        values = numbers("bayesian_comparison", first)
        if second is not None:
            values = values - numbers("bayesian_comparison", second)
        if test_to_train is None or test_to_train < 0:
            raise ParameterError(
                f"bayesian_comparison(test_to_train={test_to_train!r}): it must be the rows of a test part over those "
                "of a training part (1/9 for ten folds; 0 for independent cases)."
            )
        ratio = test_to_train
    if len(values) < 2:
        raise InputError(f"bayesian_comparison: at least 2 differences are needed, not {len(values)}.")
    scale = math.sqrt((1 / len(values) + ratio) * float(values.var(ddof=1)))
    method = "Bayesian correlated t-test" if ratio else "Bayesian t-test"
    return posterior_of(float(values.mean()), scale, len(values) - 1, rope, greater_is_better, confidence, method)


def _of_evaluations(first: Evaluation, second: Evaluation, metric: str | Metric) -> tuple[np.ndarray, float, bool]:
    which = held_metric("bayesian_comparison", first, metric)
    held_metric("bayesian_comparison", second, metric)
    if first.protocol.judged_by != "cases":
        return *fold_differences(first, second, which.name), which.greater_is_better
    one, other = paired_answers(first, second)
    if which.base in ("accuracy", "error"):
        values = (one.truth == one.predicted).astype(np.float64) - (other.truth == other.predicted)
        values = values if which.base == "accuracy" else -values
    elif isinstance(which, CaseMetric):
        values = which.by_case(one) - which.by_case(other)
    else:
        raise ParameterError(
            f"bayesian_comparison(metric={which.name!r}): after {first.protocol.name} only accuracy, error and means "
            "over cases have a difference per case (use compare_scores with rope=…, or evaluate with StratifiedFolds)."
        )
    return values, 0.0, which.greater_is_better


def posterior_of(
    location: float,
    scale: float,
    degrees: float,
    rope: float,
    greater_is_better: bool = True,
    confidence: float = 0.95,
    method: str = "Bayesian t-test",
) -> Posterior:
    """The posterior that is Student t with these parameters; normal with infinitely many degrees of freedom.

    >>> posterior_of(0.0, 1.0, math.inf, rope=1.0).equivalent.__round__(4)
    0.6827
    """

    def below(value: float) -> float:
        if scale <= 1e-15:
            return 1.0 if value > location else 0.5 if value == location else 0.0
        z = (value - location) / scale
        return float(special.ndtr(z) if math.isinf(degrees) else special.stdtr(degrees, z))

    less, more = below(-rope), 1 - below(rope)
    if scale <= 1e-15:  # certain: a difference at the very edge counts as practically equivalent
        less, more = float(location < -rope), float(location > rope)
    quantile = (1 + confidence) / 2
    half = scale * float(special.ndtri(quantile) if math.isinf(degrees) else special.stdtrit(degrees, quantile))
    interval = Interval(location - half, location + half, confidence, "credible")
    first, second = (more, less) if greater_is_better else (less, more)
    return Posterior(first, max(0.0, 1 - less - more), second, rope, location, scale, degrees, interval, method)


def bayesian_signed_rank(
    first: Any,
    second: Any = None,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    draws: int = 20_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Posterior:
    """The Bayesian signed-rank test over several data sets (Benavoli et al. 2014, 2017).

    Data sets are weighted by a Dirichlet process whose prior is one data set without a difference, of weight
    ``prior_strength``. Each draw of weights says how probable it is that the mean difference of two data sets lies
    above, within or below the region of equivalence; the result counts which of the three is the most probable.

    Parameters
    ----------
    first, second
        Scores of two models, one for each data set, greater being better; ``first`` alone holds the differences.
    rope
        Half the width of the region of practical equivalence.
    prior_strength
        Weight of the prior's data set.
    draws, seed
        Draws of weights, and from where.
    confidence
        Of the credible interval of the mean difference.

    Examples
    --------
    >>> found = bayesian_signed_rank([0.05, 0.04, 0.06, 0.02, 0.07, 0.03, 0.05, 0.08])
    >>> found.decision()
    'first'
    """
    check_confidence("bayesian_signed_rank", confidence)
    _check_rope("bayesian_signed_rank", rope)
    if not prior_strength > 0 or draws < 1:
        raise ParameterError(
            f"bayesian_signed_rank(prior_strength={prior_strength!r}, draws={draws!r}): both must be above 0."
        )
    values = numbers("bayesian_signed_rank", first)
    if second is not None:
        values = values - numbers("bayesian_signed_rank", second)
    if not len(values):
        raise InputError("bayesian_signed_rank: at least one data set is needed.")
    z = np.append(0.0, values)
    sums = z[:, None] + z
    weights = generator(seed, "dirichlet").dirichlet(np.append(prior_strength, np.ones(len(values))), size=draws)
    above, below = (
        np.einsum("di,ij,dj->d", weights, side.astype(np.float64), weights, optimize=True)
        for side in (sums > 2 * rope, sums < -2 * rope)
    )
    shares = np.column_stack([above, 1 - above - below, below])
    likeliest = (np.bincount(shares.argmax(axis=1), minlength=3) / draws).tolist()
    means = weights @ z
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Posterior(
        first_better=likeliest[0],
        equivalent=likeliest[1],
        second_better=likeliest[2],
        rope=rope,
        location=float(means.mean()),
        scale=float(means.std()),
        degrees=math.inf,
        interval=Interval(float(low), float(high), confidence, "credible"),
        method="Bayesian signed-rank test",
    )


def _check_rope(who: str, rope: float) -> None:
    if not 0 <= rope < math.inf:
        raise ParameterError(f"{who}(rope={rope!r}): rope must be a number of at least 0, as 0.01.")
