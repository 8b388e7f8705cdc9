"""From answers to a score with its interval, in the way that fits how the answers were obtained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from margin.errors import ParameterError
from margin.evaluation.answers import Answers
from margin.evaluation.intervals import (
    Score,
    bootstrap_interval,
    corrected_t_interval,
    mean_interval,
    proportion_interval,
)
from margin.evaluation.metrics import CaseMetric, Metric, metric

__all__ = ["score_cases", "score_folds", "usable_metrics"]

#: From this many cases on, the mean of a loss gets a normal interval: the bootstrap would give the same, slowly.
MANY_CASES = 20_000


def score_cases(which: Metric, answers: Answers, confidence: float = 0.95) -> Score:
    """The metric on all cases together: exact for a share of the cases, else by resampling them.

    >>> from margin.evaluation import Answers, metric
    >>> print(score_cases(metric("accuracy"), Answers.of(["a", "b", "b", "a"], ["a", "b", "b", "b"])))
    0.750 [0.194, 0.994]
    """
    value = which.value(answers)
    n = len(answers)
    if which.proportion and answers.weight is None:
        interval = proportion_interval(round(value * n), n, confidence)
    elif isinstance(which, CaseMetric) and n >= MANY_CASES:
        interval = mean_interval(which.by_case(answers), answers.weight, confidence)
    else:
        interval = bootstrap_interval(which, answers, confidence)
    how = f"on {n} cases; {100 * confidence:g} % interval, {interval.method}"
    return Score(value, interval.clipped(*which.bounds), how)


def score_folds(which: Metric, values: Sequence[float], test_to_train: float, confidence: float = 0.95) -> Score:
    """The mean over folds, with the interval that allows for their shared training rows."""
    interval = corrected_t_interval(values, test_to_train, confidence)
    if interval is None:
        return Score(float(np.mean(values)), None, "one fold; no interval")
    how = f"mean of {len(values)} folds; {100 * confidence:g} % interval, {interval.method}"
    return Score(float(np.mean(values)), interval.clipped(*which.bounds), how)


def usable_metrics(
    metrics: Iterable[str | Metric], has_probabilities: bool, model: str
) -> tuple[list[Metric], list[str]]:
    """The metrics that can be computed, and a sentence about each one that cannot."""
    chosen = [metric(each) for each in metrics]
    usable = [each for each in chosen if has_probabilities or each.needs == "labels"]
    left_out = [each.name for each in chosen if each not in usable]
    return usable, [f"{name} is left out: {model} gives no probabilities." for name in left_out]


def check_metrics(metrics: Any, who: str) -> tuple[Metric, ...]:
    """Metrics by name or as they are, each once; a single name is accepted too."""
    given = (metrics,) if isinstance(metrics, (str, Metric)) else tuple(metrics)
    if not given:
        raise ParameterError(f"{who}(metrics={metrics!r}): name at least one metric.")
    return tuple(dict.fromkeys(metric(each) for each in given))
