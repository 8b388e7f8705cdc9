"""How far the mean over folds can be trusted.

Scores of folds share training rows, and where rows are asked about more than once also test rows. Nadeau and Bengio
(2003) therefore take the variance of the mean of J scores as (1/J + n_test/n_train)·s². That correction is as large as
the covariance that *shared test rows* bring (two test parts drawn from n rows share n_test/n of theirs). The test parts
of one run of cross-validation are disjoint; there it is halved, for the training rows that are still shared. Simulated
on Gaussian classes with 100 rows and ten folds, intervals of 95 % then cover the expected accuracy in 95 to 97 % of the
cases, instead of 97 to 99 %.

Stratified folds can be more alike than chance would have them: all folds of the majority learner err alike, whatever
the share of the majority in the sample. So an interval is never narrower than that of the same metric over the cases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from margin.evaluation.answers import Answers
from margin.evaluation.draws import Draws
from margin.evaluation.intervals import Interval, Score, corrected_t_interval, mean_interval
from margin.evaluation.metric import CaseMetric, Metric
from margin.evaluation.scoring import score_cases

__all__ = ["score_over_folds"]


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
    0.750 [0.588, 0.873]
    """
    defined = [value for value in values if not np.isnan(value)]
    if not defined:
        return Score(float("nan"), None, f"undefined in all {len(values)} folds")
    mean = float(np.mean(defined))
    draws = answers if isinstance(answers, Draws) else Draws(answers)
    over_cases = _over_cases(which, draws, confidence)
    over_folds = corrected_t_interval(defined, test_to_train / 2 if disjoint else test_to_train, confidence)
    if over_folds is None:
        return Score(mean, over_cases.interval, f"one fold of {len(values)}, {over_cases.how}")
    interval = _wider(mean, over_folds, over_cases).clipped(*which.bounds)
    some = f"{len(defined)} of " if len(defined) < len(values) else ""
    others = ", undefined in the others" if some else ""
    how = f"mean of {some}{len(values)} folds{others}; {100 * confidence:g} % interval, {interval.method}"
    return Score(mean, interval, how)


def _over_cases(which: Metric, draws: Draws, confidence: float) -> Score:
    """The metric on all cases; of a mean over them the normal interval will do, since it is only a lower bound here."""
    if isinstance(which, CaseMetric):
        interval = mean_interval(which.by_case(draws.answers), draws.answers.weight, confidence)
        return Score((interval.low + interval.high) / 2, interval, f"on {len(draws.answers)} cases, {interval.method}")
    return score_cases(which, draws.answers, confidence, draws=draws)


def _wider(mean: float, over_folds: Interval, over_cases: Score) -> Interval:
    """The interval over folds, on each side at least as wide as the one over cases."""
    if over_cases.interval is None or np.isnan(over_cases.value):
        return over_folds
    below = over_cases.value - over_cases.interval.low
    above = over_cases.interval.high - over_cases.value
    half = over_folds.high - mean
    if max(below, above) <= half:
        return over_folds
    method = f"{over_cases.interval.method} over cases, since folds are more alike"
    if min(below, above) < half:
        method = f"{over_folds.method}, on one side {over_cases.interval.method} over cases"
    return Interval(mean - max(below, half), mean + max(above, half), over_folds.confidence, method)
