"""Ask a fitted model: predictions, probabilities or scores, in terms of all classes.

Answers along a parameter: what a model says for each of several values, where it can share work between them.

A model may have ``answers_along(parameter, values, X, y, asked, sample_weight=None)``. It learns from X and y and
gives for each value, in the order asked, one :class:`Said` for each set of rows in ``asked``: what it would have said
if fitted with that value. It gives None where it can only be fitted anew. It is called on an unfitted clone. The
parameters that are worth asking for stand in the model's ``parameters_along``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from margin.data.labels import codes_of, distinct, label_array
from margin.data.rows import count_rows
from margin.errors import InputError
from margin.evaluation.predictions.answers import Answers, aligned_probabilities, predicted_codes

__all__ = ["Asked", "Said", "ask", "model_name", "said_by", "said_to_all"]


@dataclass(frozen=True)
class Asked:
    """A fitted model's predictions as codes, its probabilities or else its scores, and the time it had predicted."""

    predicted: np.ndarray
    probabilities: np.ndarray | None
    scores: np.ndarray | None
    answered: float

    def beside(self, classes: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None) -> Answers:
        """The answers beside the truth, given as codes."""
        return Answers(classes, truth, self.predicted, self.probabilities, weight, self.scores)


def ask(model: Any, X: Any, classes: np.ndarray, learnt_from: np.ndarray) -> Asked:
    """What a fitted model answers to some rows, in terms of ``classes``."""
    who = f"{type(model).__name__}.predict"
    if hasattr(model, "predict_with_proba"):  # a model whose answers cost as much as its probabilities gives both
        given, shares = model.predict_with_proba(X)
        answered = perf_counter()
    else:
        given = model.predict(X)
        answered = perf_counter()
        shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    predicted = label_array(given, who)
    codes = predicted_codes(predicted, classes, who)
    if len(codes) != count_rows(X):
        raise InputError(f"{who}: {len(codes)} predictions were given for {count_rows(X)} rows.")
    columns = getattr(model, "classes_", None)
    columns = distinct(learnt_from) if columns is None else label_array(columns, who)
    if shares is None:
        scores = _aligned_scores(model.decision_function(X), columns, classes) if _decides(model) else None
        return Asked(codes, None, scores, answered)
    probabilities = aligned_probabilities(shares, columns, classes, f"{type(model).__name__}.predict_proba")
    return Asked(codes, probabilities, None, answered)


def _decides(model: Any) -> bool:
    return hasattr(model, "decision_function")


def _aligned_scores(given: Any, columns: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
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


def model_name(model: Any) -> str:
    """What to call a model: its type, or the types of a pipeline's steps.

    >>> from sklearn.dummy import DummyClassifier
    >>> model_name(DummyClassifier())
    'DummyClassifier'
    """
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and all(isinstance(step, tuple) for step in steps):
        return " → ".join(type(step[-1]).__name__ for step in steps)
    return type(model).__name__


class Said(NamedTuple):
    """Labels, probabilities or None, and decision values or None; columns are the classes learnt from, ascending."""

    labels: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None


def said_by(model: Any, X: Any) -> Said:
    """What a fitted model says of some rows; decision values only where it has no probabilities.

    >>> from sklearn.dummy import DummyClassifier
    >>> said_by(DummyClassifier().fit([[0], [1], [2]], list("aab")), [[5]]).labels.tolist()
    ['a']
    """
    if hasattr(model, "predict_with_proba") and hasattr(model, "predict_proba"):
        return Said(*model.predict_with_proba(X))
    labels = model.predict(X)
    if hasattr(model, "predict_proba"):
        return Said(labels, model.predict_proba(X))
    return Said(labels, None, model.decision_function(X) if hasattr(model, "decision_function") else None)


def said_to_all(model: Any, asked: Sequence[Any]) -> list[Said]:
    """What a fitted model says of each of several sets of rows."""
    return [said_by(model, X) for X in asked]
