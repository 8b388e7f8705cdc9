"""Leave-one-out for some rows by its definition: fit without the row, and ask about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct
from margin.data.rows import take_rows

__all__ = ["answers_anew"]


def answers_anew(
    model: Any, X: Any, labels: np.ndarray, weight: np.ndarray | None, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Labels of some rows, each by a clone of the model fitted to all others, and probabilities where it has them.

    Probabilities have a column for each class of all labels. Rows of weight 0 are answered by one fit.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array(["a", "b", "b", "b"])
    >>> labels, shares = answers_anew(DummyClassifier(), X, y, None, np.arange(2))
    >>> labels.tolist(), shares.round(3).tolist()
    (['b', 'b'], [[0.0, 1.0], [0.333, 0.667]])
    """
    classes, everything = distinct(labels), np.arange(len(labels))
    found: list[Any] = [None] * len(rows)
    shares = np.zeros((len(rows), len(classes)))
    weightless = np.zeros(len(rows), dtype=bool) if weight is None else weight[rows] == 0
    parts = [(everything, np.flatnonzero(weightless))] if weightless.any() else []
    parts += [(np.delete(everything, rows[at]), np.array([at])) for at in np.flatnonzero(~weightless)]
    for train, at in parts:
        answers, probabilities, columns = _asked(model, X, labels, weight, train, rows[at])
        for place, answer in zip(at, answers.tolist()):
            found[place] = answer
        if probabilities is None:
            shares = np.zeros((len(rows), 0))
        else:
            shares[np.ix_(at, codes_of(columns, classes))] = probabilities
    as_labels = np.empty(len(rows), dtype=object)
    as_labels[:] = found
    return as_labels, shares if shares.shape[1] else None


def _asked(
    model: Any, X: Any, labels: np.ndarray, weight: np.ndarray | None, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    from sklearn.base import clone

    fitted = clone(model)
    weighted = {} if weight is None else {"sample_weight": weight[train]}
    fitted.fit(take_rows(X, train), labels[train], **weighted)
    asked = take_rows(X, test)
    answers = np.asarray(fitted.predict(asked))
    return answers, fitted.predict_proba(asked) if hasattr(fitted, "predict_proba") else None, fitted.classes_
