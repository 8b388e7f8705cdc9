"""Two evaluations side by side: the same folds, the same cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError, closest, listing
from margin.evaluation.cross_validation.label_result import MultilabelEvaluation
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers
from margin.typing import LabelsLike

__all__ = ["answered_rightly", "both_evaluations", "fold_differences", "held_metric", "paired_answers", "same_splits"]


def both_evaluations(who: str, first: Any, second: Any) -> bool:
    """Whether two models are given as evaluations; one of each kind is refused."""
    given = [isinstance(each, Evaluation) for each in (first, second)]
    if given[0] != given[1]:
        raise ParameterError(f"{who}: both models must be given in the same way, as evaluations or as arrays.")
    if given[0] and not same_splits(first, second):
        raise ParameterError(
            f"{who}: both models must be evaluated on the same rows by the same protocol and seed, not "
            f"{first.model} by {first.protocol.name} and {second.model} by {second.protocol.name}."
        )
    return given[0]


def same_splits(one: Evaluation, other: Evaluation) -> bool:
    """Whether two evaluations rest on the same splits of the same rows."""
    if one.protocol != other.protocol:
        return False
    # Leave-one-out in one go leaves a single entry instead of one per row: the same splits all the same.
    if one.protocol.judged_by != "cases":
        sizes = [[(fold.n_train, fold.n_test) for fold in each.folds] for each in (one, other)]
        if sizes[0] != sizes[1]:
            return False
    elif sum(fold.n_test for fold in one.folds) != sum(fold.n_test for fold in other.folds):
        return False
    if isinstance(one, MultilabelEvaluation) or isinstance(other, MultilabelEvaluation):
        return one.classes.tolist() == other.classes.tolist() and np.array_equal(one.truth, other.truth)
    truths = [answers.classes[answers.truth].tolist() for answers in paired_answers(one, other)]
    return truths[0] == truths[1]


def held_metric(who: str, evaluation: Evaluation, metric: str | Metric, model: str = "") -> Metric:
    """The metric among those an evaluation was scored by."""
    name = metric.name if isinstance(metric, Metric) else metric
    for each in evaluation.metrics:
        if each.name == name:
            return each
    known = [each.name for each in evaluation.metrics]
    raise ParameterError(
        f"{who}(metric={name!r}): {model or evaluation.model!r} was not scored by it, but by "
        f"{listing(known)}{closest(name, known)}."
    )


def paired_answers(first: Evaluation, second: Evaluation) -> tuple[Answers, Answers]:
    """The answers of two models on the cases that both were asked about."""
    if np.array_equal(first.rows, second.rows):
        return first.answers, second.answers
    both = np.intersect1d(first.rows, second.rows, assume_unique=True)
    one, other = (each.answers.take(np.searchsorted(each.rows, both)) for each in (first, second))
    return one, other


def fold_differences(first: Evaluation, second: Evaluation, metric: str) -> tuple[np.ndarray, float]:
    """Differences by fold, on the folds that neither model failed in, and the mean of test to training rows there."""
    differences = first.fold_scores[metric] - second.fold_scores[metric]
    kept = ~np.isnan(differences)
    ratios = [fold.n_test / fold.n_train for fold, keep in zip(first.folds, kept) if keep]
    return differences[kept], float(np.mean(ratios)) if ratios else 0.0


def answered_rightly(who: str, y_true: LabelsLike, *predictions: Any) -> np.ndarray:
    """Whether each case (row) was answered rightly by each model (column); an abstention is not a right answer."""
    if y_true is None:
        raise InputError(f"{who}: predicted labels need the true ones beside them (give y_true).")
    given = [Answers.of(y_true, each, who=who) for each in predictions]
    return np.column_stack([answers.truth == answers.predicted for answers in given])
