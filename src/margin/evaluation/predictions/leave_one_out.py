"""Leave-one-out for some rows by its definition: fit without the row, and predict it."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct
from margin.data.predictions import Predictions
from margin.data.rows import take_rows
from margin.evaluation.predictions.from_model import is_pairwise, predict_all
from margin.typing import ClassifierLike, TableLike

__all__ = ["refitted_predictions"]


def refitted_predictions(
    model: ClassifierLike, X: TableLike, labels: np.ndarray, weight: np.ndarray | None, rows: np.ndarray
) -> Predictions:
    """Labels of some rows, each by a clone of the model fitted to all others, and probabilities where it has them.

    Probabilities have a column for each class of all labels. Rows of weight 0 are answered by one fit.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array(["a", "b", "b", "b"])
    >>> refitted = refitted_predictions(DummyClassifier(), X, y, None, np.arange(2))
    >>> refitted.labels.tolist(), refitted.probabilities.round(3).tolist()
    (['b', 'b'], [[0.0, 1.0], [0.333, 0.667]])
    """
    from sklearn.base import clone

    def cut(rows: np.ndarray, train: np.ndarray) -> Any:
        return np.asarray(X)[np.ix_(rows, train)] if pairwise else take_rows(X, rows)

    pairwise = is_pairwise(model)
    classes, everything = distinct(labels), np.arange(len(labels))
    predicted = np.empty(len(rows), dtype=object)
    probabilities: np.ndarray | None = np.zeros((len(rows), len(classes)))
    weightless = np.zeros(len(rows), dtype=bool) if weight is None else weight[rows] == 0
    splits = [(everything, np.flatnonzero(weightless))] if weightless.any() else []
    splits += [(np.delete(everything, rows[at]), np.array([at])) for at in np.flatnonzero(~weightless)]
    for train, at in splits:
        weights = {} if weight is None else {"sample_weight": weight[train]}
        fitted = clone(model).fit(cut(train, train), labels[train], **weights)
        given = predict_all(fitted, cut(rows[at], train))
        predicted[at] = np.asarray(given.labels).tolist()
        if given.probabilities is None:
            probabilities = None
        elif probabilities is not None:
            probabilities[np.ix_(at, codes_of(fitted.classes_, classes))] = given.probabilities
    return Predictions(predicted, probabilities)
