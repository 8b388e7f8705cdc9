"""Leaving out one row after another, by the members of a bag or a forest that did not draw it."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.data.predictions import Predictions
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["answers_out_of_bag"]


def answers_out_of_bag(
    model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None
) -> Predictions | None:
    """What a bag or a forest of classifiers says of each row by members that did not draw it.

    A member that did not draw a row has learnt from draws among the others alone. So many members learn that a row is
    left to ``n_estimators`` of them on the mean: but for chance, the answers are those of leaving out one row after
    another. None where a row would be left without an answer, or members do not draw as many rows as there are.

    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> found = answers_out_of_bag(RandomForestClassifier(n_estimators=30, random_state=0), X, y, None)
    >>> bool((found.labels == y).mean() > 0.9)
    True
    """
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    fixed = isinstance(model.n_estimators, numbers.Integral)
    if not (model.bootstrap and fixed and model.max_samples is None) or (weight is not None and not (weight > 0).all()):
        return None
    n = len(np.asarray(y))
    larger = clone(model).set_params(n_estimators=math.ceil(model.n_estimators / (1 - 1 / n) ** n), oob_score=True)
    larger.set_params(warm_start=False).fit(X, y, sample_weight)
    shares = np.asarray(larger.oob_decision_function_)
    if np.isnan(shares).any():
        return None
    codes = larger._oob_codes() if hasattr(larger, "_oob_codes") else shares.argmax(axis=1)
    return Predictions(larger.classes_[codes], shares if hasattr(larger, "predict_proba") else None)
