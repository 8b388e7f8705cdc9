"""How far the mean over folds can be trusted.

Scores of folds share training rows, and where rows are asked about more than once also test rows. Nadeau and Bengio
(2003) therefore take the variance of the mean of J scores as (1/J + n_test/n_train)·s². That correction is as large as
the covariance that *shared test rows* bring (two test parts drawn from n rows share n_test/n of theirs). The test parts
of one run of cross-validation are disjoint; there a quarter of it is left, for the training rows that are still shared.
Simulated for nearest means on Gaussian classes, 40 to 200 rows and ten folds, intervals of 95 % then cover the expected
accuracy in 94 to 97 % of the runs, with the whole correction in 96 to 99 %, without any in 91 to 95 %. Ten times ten
folds, with the whole of it, cover 93 to 97 %. Models that hang on single rows (one nearest neighbour) vary more than
any formula can see in one set of rows, and their intervals cover less.

Stratified folds can be more alike than chance would have them: all folds of the majority learner err alike, whatever
the share of the majority in the sample. So an interval is never shorter than that of the same metric over the cases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from margin.evaluation.intervals.interval import (
    Interval,
    Score,
    corrected_t_interval,
    mean_interval,
    proportion_interval,
)
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.metrics.metric import CaseMetric, Metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.scoring.of_cases import score_cases, spoken

__all__ = ["score_over_folds", "share_over_folds", "wider"]

#: What is left of the correction where no test row is shared.
_OF_DISJOINT = 0.25


def score_over_folds(
    which: Metric,
    values: Sequence[float],
    test_to_train: float,
    answers: Answers | Draws,
    *,
    disjoint: bool,
    confidence: float = 0.95,
) -> Score:
    """The mean over folds with its interval.

    Parameters
    ----------
    values
        The metric on each fold.
    test_to_train
        Rows of a test part over rows of a training part: 1/9 for ten folds.
    answers
        Of all folds together, or resamples of them.
    disjoint
        Whether every row was asked about once.

    Examples
    --------
    >>> from margin.evaluation import metric
    >>> answers = Answers.of(["a", "b"] * 20, ["a", "b", "b", "b"] * 10)
    >>> print(score_over_folds(metric("accuracy"), [0.7, 0.8, 0.7, 0.8], 1 / 3, answers, disjoint=True))
    0.750 ± 0.130
    """
    defined = [value for value in values if not np.isnan(value)]
    if not defined:
        return Score(float("nan"), None, f"undefined in all {len(values)} folds")
    mean = float(np.mean(defined))
    draws = answers if isinstance(answers, Draws) else Draws(answers)
    which = which.bound_by(draws.answers)
    over_cases = _over_cases(which, draws, confidence)
    over_folds = corrected_t_interval(defined, _OF_DISJOINT * test_to_train if disjoint else test_to_train, confidence)
    if over_folds is None:
        return Score(mean, over_cases.interval, f"one fold of {len(values)}, {over_cases.how}")
    interval = wider(mean, over_folds, over_cases).clipped(*which.bounds)
    some = f"{len(defined)} of " if len(defined) < len(values) else ""
    others = ", undefined in the others" if some else ""
    how = (
        f"{spoken(which)}mean of {some}{len(values)} folds{others}; {100 * confidence:g} % interval, {interval.method}"
    )
    return Score(mean, interval, how)


def share_over_folds(over_folds: Interval, mean: float, n_cases: int) -> Interval:
    """The interval over folds of a share of the cases, never shorter than over the cases (Wilson 1927).

    >>> print(share_over_folds(Interval(0.7, 0.7, 0.95, "corrected resampled t"), 0.7, 100))
    [0.612, 0.788] (95 %, wilson over cases, since folds are more alike)
    """
    hits = min(max(mean, 0.0), 1.0) * n_cases  # a mean of shares may be off by a rounding
    interval = proportion_interval(hits, n_cases, over_folds.confidence, "wilson")
    return wider(mean, over_folds, Score(mean, interval))


def _over_cases(which: Metric, draws: Draws, confidence: float) -> Score:
    """The metric on all cases; of a mean over them the normal interval will do, since it is only a lower bound here."""
    if isinstance(which, CaseMetric):
        interval = mean_interval(which.by_case(draws.answers), draws.answers.weight, confidence)
        return Score((interval.low + interval.high) / 2, interval, f"on {len(draws.answers)} cases, {interval.method}")
    return score_cases(which, draws.answers, confidence, proportions="wilson", draws=draws)


def wider(mean: float, over_folds: Interval, over_cases: Score) -> Interval:
    """The interval over folds, or one around the same mean as long as the one over cases where that is longer.

    Where no case was wrong, or all were, the one over cases lies on one side of the mean and does so here.
    """
    shorter, longer = over_folds.half_width, over_cases.interval
    if longer is None or np.isnan(over_cases.value) or longer.half_width <= shorter:
        return over_folds
    reach = [longer.half_width] * 2
    if over_cases.value in (longer.low, longer.high):
        reach = [over_cases.value - longer.low, longer.high - over_cases.value]
    method = f"{longer.method} over cases, since folds are more alike"
    return Interval(mean - reach[0], mean + reach[1], over_folds.confidence, method)
