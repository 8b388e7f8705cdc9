"""Five times two-fold cross-validation: training parts that overlap least, for two models on one data set."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError
from margin.evaluation.comparing.significance import Significance, check_confidence
from margin.evaluation.cross_validation.evaluate import evaluate
from margin.evaluation.intervals.interval import Score, corrected_t_interval
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.metrics.definitions import metric as named_metric
from margin.evaluation.protocols.stratified import StratifiedFolds

__all__ = ["five_by_two_f"]


def five_by_two_f(
    first: Any,
    second: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    metric: str | Metric = "error",
    variant: Literal["f", "t"] = "f",
    seed: int = 0,
    n_jobs: int = 1,
    confidence: float = 0.95,
) -> Significance:
    """Compare two models by five repeats of two-fold cross-validation.

    With d the difference in one fold and s² the squared distances of a repeat's two from their mean, the combined F of
    Alpaydin (1999) is Σd² / (2·Σs²) with 10 and 5 degrees of freedom. Dietterich's (1998) t is the very first
    difference over √(Σs²/5) with 5 degrees of freedom; it depends on which fold came first and finds less.

    Parameters
    ----------
    first, second
        Two models; or ``first`` alone, a table of differences with a row per repeat and a column per fold.
    X, y
        The data for the models.
    metric
        What the models are compared by.
    variant
        ``"f"`` for the combined F, ``"t"`` for Dietterich's t.
    seed, n_jobs
        Of the splits, and folds fitted at once.
    confidence
        Of the interval of the mean difference (corrected resampled t over the ten folds).

    Examples
    --------
    >>> found = five_by_two_f([[0.02, 0.04], [0.03, 0.03], [0.05, 0.01], [0.02, 0.02], [0.04, 0.02]])
    >>> round(found.statistic, 3), round(found.p, 3)
    (3.833, 0.076)
    """
    check_confidence("five_by_two_f", confidence)
    if variant not in ("f", "t"):
        raise ParameterError(f"five_by_two_f(variant={variant!r}): variant must be 'f' or 't'.")
    which = named_metric(metric)
    d = _differences(first, second, X, y, which, seed, n_jobs)
    spread = 2 * ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
    told = "mean difference" if second is None else f"mean difference in {which.name}"
    effect = Score(float(d.mean()), corrected_t_interval(d.ravel().tolist(), 1.0, confidence), told)
    if variant == "t":
        method, statistic = "5×2cv t-test", _over(float(d[0, 0]), math.sqrt(spread / 10))
        return Significance(method, statistic, float(2 * special.stdtr(5, -abs(statistic))), effect)
    statistic = _over(float((d**2).sum()), float(spread))
    return Significance("5×2cv combined F-test", statistic, float(special.fdtrc(10, 5, statistic)), effect)


def _over(value: float, spread: float) -> float:
    """Differences without any spread are certain, unless there are none."""
    if spread > 1e-24:
        return value / spread
    return 0.0 if abs(value) < 1e-12 else math.copysign(math.inf, value)


def _differences(first: Any, second: Any, X: Any, y: Any, metric: Metric, seed: int, n_jobs: int) -> np.ndarray:
    if second is None:
        try:
            table = np.asarray(first, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("five_by_two_f: give two models with X and y, or a table of differences.") from None
        if table.shape != (5, 2) or not np.isfinite(table).all():
            raise InputError(
                f"five_by_two_f: differences must be 5 repeats (rows) of 2 folds (columns), not of shape {table.shape}."
            )
        return table
    if X is None or y is None:
        raise InputError("five_by_two_f: two models need X and y to be fitted on.")
    protocol = StratifiedFolds(folds=2, repeats=5, seed=seed)
    evaluations = [evaluate(model, X, y, protocol, metrics=[metric], n_jobs=n_jobs) for model in (first, second)]
    for each in evaluations:
        if each.failures or metric.name not in each.scores:
            reason = each.warnings[0] if each.warnings else ""
            raise InputError(f"five_by_two_f: {each.model} must answer in every fold ({reason}).")
    return (evaluations[0].fold_scores[metric.name] - evaluations[1].fold_scores[metric.name]).reshape(5, 2)
