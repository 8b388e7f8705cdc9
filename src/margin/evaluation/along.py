"""Answers along a parameter: what a model says for each of several values, where it can share work between them.

A model may have ``answers_along(parameter, values, X, y, asked, sample_weight=None)``. It learns from X and y and
gives for each value, in the order asked, one :class:`Said` for each set of rows in ``asked``: what it would have said
if fitted with that value. It gives None where it can only be fitted anew. It is called on an unfitted clone. The
parameters that are worth asking for stand in the model's ``parameters_along``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Said", "said_by", "said_to_all"]


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
