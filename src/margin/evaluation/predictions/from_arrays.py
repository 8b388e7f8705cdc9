"""Answers as people give them, probabilities and decision values of any shape included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, position_of, refuse_missing, union
from margin.errors import InputError, LabelError, listing
from margin.evaluation.predictions.answers import Answers
from margin.typing import LabelsLike, WeightsLike

__all__ = ["aligned_scores", "answers_of", "as_numbers", "share_of_class"]


def answers_of(
    y_true: LabelsLike,
    y_pred: LabelsLike | None = None,
    *,
    probabilities: Any = None,
    scores: Any = None,
    classes: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    positive: Any = None,
    who: str = "Answers",
) -> Answers:
    """Truth and answers, coded into classes.

    One number per case in place of a column per class is the strength of the positive class where one is named, and
    of the last class otherwise.

    >>> answers_of(["n", "y", "y"], scores=[-1.0, 0.5, 2.0]).strength.tolist()
    [[1.0, -1.0], [-0.5, 0.5], [-2.0, 2.0]]
    """
    if classes is not None:
        names = label_array(classes, who).tolist()
        if len(set(names)) < len(names):
            raise LabelError(f"{who}(classes={names!r}): each class must stand there once.")
    if probabilities is not None:
        probabilities = as_numbers(probabilities, "probabilities", who)
        if probabilities.ndim == 1 and positive is not None:
            columns = _columns(y_true, classes, who)
            if len(columns) == 2 and position_of(positive, columns, who) == 0:
                probabilities = 1 - probabilities
    answers = Answers.of(
        y_true, y_pred, probabilities=probabilities, classes=classes, sample_weight=sample_weight, who=who
    )
    if scores is None:
        return answers
    if (single := _single(scores, answers, classes)) is not None:
        first = positive is not None and position_of(positive, answers.classes, who) == 0
        return answers.with_score(-single if first else single)
    return replace(answers, scores=aligned_scores(scores, answers, _columns(y_true, classes, who), positive, who))


def as_numbers(given: object, what: str, who: str) -> np.ndarray:
    """What should be an array of numbers, or an error that says so."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}: {what} must be numbers.") from None


def _single(scores: np.ndarray, answers: Answers, classes: Any) -> np.ndarray | None:
    """Scores that are one clean number per case of two classes, which need no columns."""
    given = np.asarray(scores)
    clean = given.ndim == 1 and given.dtype.kind in "fiu" and len(given) == len(answers) and classes is None
    if not clean or len(answers.classes) != 2 or np.isnan(given).any():
        return None
    return given.astype(np.float64, copy=False)


def share_of_class(answers: Answers, code: int) -> np.ndarray:
    """The probability of one class."""
    shares = answers.shares
    assert shares is not None
    if shares.shape[1] > 1:
        return shares[:, code]
    return shares[:, 0] if code == 1 else 1 - shares[:, 0]


def _columns(y_true: LabelsLike, classes: Any, who: str) -> np.ndarray:
    """The classes that columns stand for: those given, or those of the truth."""
    if classes is not None:
        return label_array(classes, who)
    truth = label_array(y_true, who)
    refuse_missing(truth, who)
    return distinct(truth, who)


def _may_hold_nan(numbers: np.ndarray) -> bool:
    """By their sum, which is quicker than a look at each; both infinities beside each other make it NaN too."""
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isnan(numbers.sum(dtype=np.float64)))


def aligned_scores(given: object, answers: Answers, columns: np.ndarray, positive: object, who: str) -> np.ndarray:
    """Scores with one column for each class of ``answers``; a class that has none is answered least of all."""
    scores = as_numbers(given, "scores", who)
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
    if _may_hold_nan(scores):
        missing = np.flatnonzero(np.isnan(scores).any(axis=1))
        if missing.size:
            raise InputError(f"{who}: scores must be numbers, but rows {listing(missing.tolist())} hold NaN.")
    known = union(answers.classes, np.sort(columns), who)
    if len(known) > len(answers.classes):
        raise LabelError(f"{who}: columns {listing(columns.tolist())} of the scores are not all among the classes.")
    if columns.tolist() == answers.classes.tolist():
        return scores
    aligned = np.full((len(scores), len(answers.classes)), -np.inf)
    aligned[:, codes_of(columns, answers.classes)] = scores
    return aligned
