"""From answers to a score with its interval, in the way that fits the metric and how the answers were obtained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from margin.errors import ParameterError
from margin.evaluation.intervals.interval import (
    Interval,
    Score,
    basic_interval,
    bca_interval,
    bootstrap_interval,
    corrected_t_interval,
    jackknife_interval,
    mean_interval,
    proportion_interval,
)
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.metrics.definitions import metric
from margin.evaluation.metrics.metric import CaseMetric, CountMetric, Metric, StatisticMetric
from margin.evaluation.metrics.multilabel import MultilabelMetric
from margin.evaluation.predictions.answers import Answers

__all__ = ["score_cases", "score_folds", "spoken", "usable_metrics"]

#: From this many cases on, the mean of a loss gets a normal interval: the bootstrap would give the same, slowly.
MANY_CASES = 5_000

#: Numbers that resampling may cost; beyond, what each case adds tells the spread as well.
_MOST_WORK = 5_000_000
_RESAMPLES_OF_TABLES, _RESAMPLES_OF_CASES, _LEAST_RESAMPLES = 2000, 1000, 500


def score_cases(
    which: Metric,
    answers: Answers,
    confidence: float = 0.95,
    *,
    proportions: str = "exact",
    draws: Draws | None = None,
) -> Score:
    """The metric on all cases together, with its interval.

    Shares get the exact interval of a proportion (or Wilson's, by ``proportions``), those of one class given their
    denominator; areas under the ROC curve DeLong's; everything else a bootstrap over the cases (BCa), or a normal
    interval where there are very many. Weighted cases are resampled with their weights: a weight makes a case count
    more, not more cases of it. Where the metric is undefined the value is NaN and there is no interval. ``draws`` are
    resamples of the same answers, for several metrics at once.

    >>> from margin.evaluation import Answers, metric
    >>> print(score_cases(metric("accuracy"), Answers.of(["a", "b", "b", "a"], ["a", "b", "b", "b"])))
    0.750 [0.194, 0.994]
    """
    if isinstance(which, MultilabelMetric):
        return which.score(answers, confidence, draws)
    n, which = len(answers), which.bound_by(answers)
    if isinstance(which, CaseMetric) and n >= MANY_CASES and not (which.proportion and answers.weight is None):
        mean = mean_interval(which.by_case(answers), answers.weight, confidence)
        how = f"on {n} cases; {100 * confidence:g} % interval, {mean.method}"
        return Score((mean.low + mean.high) / 2, mean.clipped(*which.bounds), how)
    if isinstance(which, StatisticMetric):
        return _score_statistic(which, answers, confidence, draws or Draws(answers))
    value = which.value(answers)
    if np.isnan(value):
        return Score(value, None, f"undefined on these {n} cases: {which.undefined}")
    interval, given = _interval(which, answers, value, confidence, proportions, draws or Draws(answers))
    how = f"{spoken(which)}on {n} cases; {100 * confidence:g} % interval, {interval.method}{given}"
    return Score(value, interval.clipped(*which.bounds), how)


def _interval(
    which: Metric, answers: Answers, value: float, confidence: float, proportions: str, draws: Draws
) -> tuple[Interval, str]:
    """The interval, and what it is conditional on where it is."""
    n = len(answers)
    if which.proportion and answers.weight is None:
        return proportion_interval(round(value * n), n, confidence, proportions), ""
    if isinstance(which, CountMetric) and (counted := which.counted(answers)) is not None and counted[1] > 0:
        part, whole = counted
        return proportion_interval(part, whole, confidence, proportions), f" given the {whole:g} cases it is a share of"
    if isinstance(which, CountMetric) and answers.weight is None:
        counts = answers.counts
        if np.trace(counts) in (0, counts.sum()):
            return _unseen(which, answers, value, confidence), ""
    times = _MOST_WORK // max(which.work(answers), 1)
    by_table = isinstance(which, CountMetric) and answers.weight is None
    if times < _LEAST_RESAMPLES and not by_table:
        return jackknife_interval(value, *which.influence(answers), confidence, which.bounds), ""
    times = min(max(times, _LEAST_RESAMPLES), _RESAMPLES_OF_TABLES if by_table else _RESAMPLES_OF_CASES)
    drawn = bootstrap_interval(which, answers, confidence, resamples=times, draws=draws)
    if isinstance(which, CountMetric) and by_table and drawn.half_width == 0:
        return _unseen(which, answers, value, confidence), ""
    return drawn, ""


def _score_statistic(which: StatisticMetric, answers: Answers, confidence: float, draws: Draws) -> Score:
    """The statistic is made once, since it holds what was sorted and binned."""
    statistic, n = which.statistic(answers), len(answers)
    value = statistic.value
    if np.isnan(value):
        return Score(value, None, f"undefined on these {n} cases: {which.undefined}")
    times = _MOST_WORK // max(which.work(answers), 1)
    interval = statistic.interval(confidence)
    if interval is None and times < _LEAST_RESAMPLES:
        interval = jackknife_interval(value, *statistic.influence, confidence, which.bounds)
    elif interval is None:
        chunks = draws.weights(min(times, _RESAMPLES_OF_CASES))
        values = np.concatenate([statistic.of_weights(weights) for weights in chunks])
        if which.biased:
            interval = basic_interval(values, value, confidence)
        else:
            interval = bca_interval(values, value, *statistic.influence, confidence=confidence)
    how = f"{spoken(which)}on {n} cases; {100 * confidence:g} % interval, {interval.method}"
    return Score(value, interval.clipped(*which.bounds), how)


def spoken(which: Metric) -> str:
    """The class that a metric is about, at the head of what is said of a score."""
    return f"{which.about}, " if which.about else ""


def _unseen(which: CountMetric, answers: Answers, value: float, confidence: float) -> Interval:
    """Where no answer was wrong resamples hold no mistake either, though the next cases may; so where none was right.

    The same holds where every class was answered all right or all wrong. As many mistakes as would still go unseen with
    the probability of a tail are dealt out evenly over the other answers, and as many right answers given back to
    where there were mistakes; the interval reaches from the one to the other, and holds the value.
    """
    counts = answers.counts.astype(np.float64)
    n, hits = len(counts), np.trace(counts)
    unseen = 1 - ((1 - confidence) / 2) ** (1 / max(len(answers), 1))
    right = np.eye(*counts.shape)
    wrong = (1 - right) * (np.arange(n + 1) < n if n > 1 else 1)
    wrong /= wrong.sum(axis=1, keepdims=True)
    ends, names = [value], []
    for name, there, other in (("mistakes", hits > 0, wrong), ("right answers", hits < counts.sum(), right)):
        if there:
            end = (1 - unseen) * counts + unseen * counts.sum(axis=1, keepdims=True) * other
            ends.append(float(which.of_tables(end, answers.classes)))
            names.append(name)
    return Interval(min(ends), max(ends), confidence, f"{' and '.join(names)} unseen")


def score_folds(which: Metric, values: Sequence[float], test_to_train: float, confidence: float = 0.95) -> Score:
    """The mean over folds, with the interval that allows for their shared training rows.

    Folds on which the metric is undefined are left out, and ``how`` says how many.

    >>> from margin.evaluation import metric
    >>> score_folds(metric("roc_auc"), [0.8, float("nan"), 0.9, 0.85], 1 / 3).how
    'mean of 3 of 4 folds, undefined in the others; 95 % interval, corrected resampled t'
    """
    defined = [value for value in values if not np.isnan(value)]
    if not defined:
        return Score(float("nan"), None, f"undefined in all {len(values)} folds: {which.undefined}")
    left_out = len(defined) < len(values)
    folds = f"{len(defined)} of {len(values)} folds, undefined in the others" if left_out else f"{len(values)} folds"
    interval = corrected_t_interval(defined, test_to_train, confidence)
    if interval is None:
        how = f"only {folds}; no interval" if left_out else "one fold; no interval"
        return Score(float(np.mean(defined)), None, how)
    how = f"{spoken(which)}mean of {folds}; {100 * confidence:g} % interval, {interval.method}"
    return Score(float(np.mean(defined)), interval.clipped(*which.bounds), how)


def usable_metrics(
    metrics: Iterable[str | Metric], given: Answers | bool, model: str
) -> tuple[list[Metric], list[str]]:
    """The metrics that can be computed from some answers, and a sentence about each one that cannot.

    In place of answers: whether there are probabilities (and then no scores where there are none).
    """
    chosen = [metric(each) for each in metrics]
    has_probabilities = given if isinstance(given, bool) else given.probabilities is not None
    has_scores = has_probabilities or (isinstance(given, Answers) and given.scores is not None)
    there = {"labels": True, "probabilities": has_probabilities, "scores": has_scores}
    usable = [each for each in chosen if there[each.needs]]
    lacking = {"probabilities": "gives no probabilities", "scores": "gives neither probabilities nor scores"}
    left_out = [each for each in chosen if each not in usable]
    return usable, [f"{each.name} is left out: {model} {lacking[each.needs]}." for each in left_out]


def check_metrics(metrics: Any, who: str) -> tuple[Metric, ...]:
    """Metrics by name or as they are, each once; a single name is accepted too."""
    given = (metrics,) if isinstance(metrics, (str, Metric)) else metrics
    given = tuple(given) if isinstance(given, Iterable) else ()
    if not given:
        raise ParameterError(f"{who}(metrics={metrics!r}): name at least one metric.")
    return tuple(dict.fromkeys(metric(each) for each in given))
