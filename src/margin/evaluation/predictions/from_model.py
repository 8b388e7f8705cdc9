"""Predictions of a fitted model, and the same beside the truth, in terms of all classes.

Predictions along a parameter: for each of several values, where a model can share work between them.

A model may have ``answers_along(parameter, values, X, y, queries, sample_weight=None)``. It learns from X and y and
gives for each value, in the order asked, one :class:`Predictions` for each set of rows in ``queries``: what it would
have predicted if fitted with that value. It gives None where it can only be fitted anew. It is called on an unfitted
clone. The parameters that are worth asking for stand in the model's ``parameters_along``. Models of margin name a
function for each of these (``_paths``); the method itself is written once, in ``margin.base.estimator``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from time import perf_counter
from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct, label_array
from margin.data.predictions import Predictions
from margin.errors import InputError
from margin.evaluation.predictions.answers import Answers, aligned_probabilities, predicted_codes
from margin.typing import ClassifierLike, TableLike

__all__ = [
    "Predictions",
    "answers_beside",
    "classes_of",
    "is_pairwise",
    "model_name",
    "predict_all",
    "predict_each",
    "with_learnt",
]


def is_pairwise(model: ClassifierLike) -> bool:
    """Whether a model takes kernel values or distances in place of rows, with a column for each training row."""
    from sklearn.utils import get_tags

    return hasattr(model, "__sklearn_tags__") and bool(get_tags(model).input_tags.pairwise)


def predict_all(model: Any, X: TableLike) -> Predictions:
    """Everything a fitted model says of some rows; decision values only where it has no probabilities.

    >>> from sklearn.dummy import DummyClassifier
    >>> predict_all(DummyClassifier().fit([[0], [1], [2]], list("aab")), [[5]]).labels.tolist()
    ['a']
    """
    start = perf_counter()
    has_probabilities = hasattr(model, "predict_proba")
    if has_probabilities and hasattr(model, "predict_with_proba"):  # labels that cost as much as both
        labels, probabilities = model.predict_with_proba(X)
        return Predictions(labels, probabilities, seconds=perf_counter() - start)
    labels = model.predict(X)
    seconds = perf_counter() - start
    if has_probabilities:
        return Predictions(labels, model.predict_proba(X), seconds=seconds)
    scores = model.decision_function(X) if hasattr(model, "decision_function") else None
    return Predictions(labels, scores=scores, seconds=seconds)


def predict_each(models: Iterable[Any], asked: Sequence[Any]) -> list[list[Predictions]]:
    """What each of several fitted models says of each of several sets of rows."""
    return [[predict_all(model, X) for X in asked] for model in models]


def with_learnt(model: ClassifierLike, **learnt: Any) -> Any:
    """A copy of a fitted model with other things in the place of some that were learnt."""
    other = copy(model)
    other.__dict__.update(learnt)
    return other


def classes_of(model: ClassifierLike, learnt_from: np.ndarray) -> np.ndarray:
    """The classes that the columns of a fitted model stand for: those it names, or those of its training labels."""
    known = getattr(model, "classes_", None)
    return distinct(learnt_from) if known is None else label_array(known, f"{type(model).__name__}.predict")


def answers_beside(
    given: Predictions,
    columns: np.ndarray,
    classes: np.ndarray,
    truth: np.ndarray,
    weight: np.ndarray | None = None,
    who: str = "model",
) -> Answers:
    """Predictions beside the truth (codes into ``classes``), in terms of all classes; ``columns`` are the model's."""
    codes = predicted_codes(label_array(given.labels, f"{who}.predict"), classes, f"{who}.predict")
    if len(codes) != len(truth):
        raise InputError(f"{who}.predict: {len(codes)} predictions were given for {len(truth)} rows.")
    if given.probabilities is None:
        scores = None if given.scores is None else _aligned_scores(given.scores, columns, classes)
        return Answers(classes, truth, codes, None, weight, scores)
    probabilities = aligned_probabilities(given.probabilities, columns, classes, f"{who}.predict_proba")
    return Answers(classes, truth, codes, probabilities, weight)


def _aligned_scores(given: object, columns: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Decision values with one column for each of ``classes``; those of pairs of classes rank nothing.

    A class that the model never saw is answered least of all.
    """
    scores = np.asarray(given, dtype=np.float64)
    if scores.ndim == 1 and len(columns) == 2:
        scores = np.column_stack([-scores, scores])
    if scores.ndim != 2 or scores.shape[1] != len(columns) or np.isnan(scores).any():
        return None
    aligned = np.full((len(scores), len(classes)), -np.inf)
    aligned[:, codes_of(columns, classes)] = scores
    return aligned


def model_name(model: ClassifierLike) -> str:
    """What to call a model: its type, or the types of a pipeline's steps.

    >>> from sklearn.dummy import DummyClassifier
    >>> model_name(DummyClassifier())
    'DummyClassifier'
    """
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and all(isinstance(step, tuple) for step in steps):
        return " → ".join(type(step[-1]).__name__ for step in steps)
    return type(model).__name__
