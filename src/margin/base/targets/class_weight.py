"""How much the classes count: factors for all rows of a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.errors import ParameterError, closest, listing

__all__ = ["class_factors"]


def class_factors(class_weight: object, classes: np.ndarray, totals: np.ndarray, who: str) -> np.ndarray:
    """One factor per class: 1 without weights, the given one, or such that all classes count the same.

    >>> class_factors("balanced", np.array(["no", "yes"]), np.array([9.0, 1.0]), "NaiveBayes")
    array([0.55555556, 5.        ])
    >>> class_factors({"yes": 3}, np.array(["no", "yes"]), np.array([9.0, 1.0]), "NaiveBayes")
    array([1., 3.])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, Mapping):
        return _given(class_weight, classes.tolist(), who)
    present = totals > 0
    factors = np.ones(len(classes))
    factors[present] = totals.sum() / (present.sum() * totals[present])
    return factors


def _given(class_weight: Mapping[Any, Any], labels: list[Any], who: str) -> np.ndarray:
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ParameterError(
            f"{who}(class_weight={dict(class_weight)!r}): {listing(unknown)} is not one of the classes, "
            f"which are {listing(labels)}{closest(unknown[0], labels)}."
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])
