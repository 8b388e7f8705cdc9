"""Answers as people give them, probabilities and decision values of any shape included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, position_of, refuse_missing, union
from margin.errors import InputError, LabelError, listing
from margin.evaluation.answers import Answers

__all__ = ["aligned_scores", "answers_of"]


def answers_of(
    y_true: Any,
    y_pred: Any = None,
    *,
    probabilities: Any = None,
    scores: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    who: str = "Answers",
) -> Answers:
    """Truth and answers, coded into classes.

    One number per case in place of a column per class is the strength of the positive class where one is named, and
    of the last class otherwise.

    >>> answers_of(["n", "y", "y"], scores=[-1.0, 0.5, 2.0]).strength.tolist()
    [[1.0, -1.0], [-0.5, 0.5], [-2.0, 2.0]]
    """
    if probabilities is not None:
        probabilities = np.asarray(probabilities)
        if probabilities.ndim == 1 and positive is not None:
            columns = _columns(y_true, classes, who)
            if len(columns) == 2 and position_of(positive, columns, who) == 0:
                probabilities = 1 - probabilities
    answers = Answers.of(
        y_true, y_pred, probabilities=probabilities, classes=classes, sample_weight=sample_weight, who=who
    )
    if scores is None:
        return answers
    columns = _columns(y_true, classes, who)
    single = _single_score(scores, answers, columns, positive, who)
    if single is not None:
        return answers.with_score(single)
    return replace(answers, scores=aligned_scores(scores, answers, columns, positive, who))


def _single_score(scores: Any, answers: Answers, columns: np.ndarray, positive: Any, who: str) -> np.ndarray | None:
    """One number per case as the strength of the second of two classes, where nothing is wrong with it; else ``None``.

    It is kept as it is: columns for both classes would cost more time than ranking the cases.
    """
    one = np.asarray(scores)
    if one.ndim != 1 or one.dtype.kind not in "fiu" or len(one) != len(answers):
        return None
    if len(columns) != 2 or columns.tolist() != answers.classes.tolist() or np.isnan(one).any():
        return None
    one = one.astype(np.float64, copy=False)
    return -one if positive is not None and position_of(positive, columns, who) == 0 else one


def _columns(y_true: Any, classes: Any, who: str) -> np.ndarray:
    """The classes that columns stand for: those given, or those of the truth."""
    if classes is not None:
        return label_array(classes, who)
    truth = label_array(y_true, who)
    refuse_missing(truth, who)
    return distinct(truth, who)


def aligned_scores(given: Any, answers: Answers, columns: np.ndarray, positive: Any, who: str) -> np.ndarray:
    """Scores with one column for each class of ``answers``; a class that has none is answered least of all."""
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}: scores must be numbers.") from None
    if scores.ndim == 1 or (scores.ndim == 2 and scores.shape[1] == 1 and len(columns) == 2):
        if len(columns) > 2:
            raise InputError(
                f"{who}: scores must have one column for each of {len(columns)} classes, not one number per case."
            )
        first = positive is not None and len(columns) == 2 and position_of(positive, columns, who) == 0
        one = scores.reshape(-1)
        scores = np.column_stack([one, -one] if first else [-one, one])[:, -len(columns) :]
    if scores.ndim != 2 or scores.shape != (len(answers), len(columns)):
        raise InputError(
            f"{who}: scores must have one row for each of {len(answers)} cases and one column for each of "
            f"{len(columns)} classes, not the shape {scores.shape} (give classes=model.classes_ where a class is "
            "missing from the truth)."
        )
    missing = np.flatnonzero(np.isnan(scores).any(axis=1))
    if missing.size:
        raise InputError(f"{who}: scores must be numbers, but rows {listing(missing.tolist())} hold NaN.")
    known = union(answers.classes, np.sort(columns), who)
    if len(known) > len(answers.classes):
        raise LabelError(f"{who}: columns {listing(columns.tolist())} of the scores are not all among the classes.")
    aligned = np.full((len(scores), len(answers.classes)), -np.inf)
    aligned[:, codes_of(columns, answers.classes)] = scores
    return aligned
