"""How much a neighbour counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from margin.errors import InputError

__all__ = ["Votes", "class_sums", "votes_of"]

Votes = Literal["uniform", "distance", "inverse_square"] | Callable[[np.ndarray], np.ndarray]


def votes_of(weights: Any, distance: np.ndarray, who: str) -> np.ndarray:
    """A vote for each distance, one row of neighbours per case.

    >>> votes_of("inverse_square", np.array([[1.0, 2.0], [0.0, 3.0]]), "KNeighborsClassifier")
    array([[1.  , 0.25],
           [1.  , 0.  ]])
    """
    if isinstance(weights, str) and weights == "uniform":
        return np.ones_like(distance)
    if callable(weights):
        return _votes_of_user(weights, distance, who)
    # Only proportions count: the nearest one votes 1, and no distance is too small or too large to divide by.
    nearest = distance.min(axis=1, keepdims=True, initial=np.inf)
    share = np.divide(nearest, distance, out=(distance == 0).astype(np.float64), where=distance > 0)
    return share if weights == "distance" else share**2


def class_sums(labels: np.ndarray, votes: np.ndarray, n_classes: int) -> np.ndarray:
    """The votes of each case added up by class.

    >>> class_sums(np.array([[0, 2, 2]]), np.array([[1.0, 0.5, 0.25]]), 3)
    array([[1.  , 0.  , 0.75]])
    """
    cases = np.arange(len(labels))[:, None] * n_classes
    return np.bincount((cases + labels).ravel(), votes.ravel(), len(labels) * n_classes).reshape(-1, n_classes)


def _votes_of_user(weights: Callable[[np.ndarray], Any], distance: np.ndarray, who: str) -> np.ndarray:
    votes = weights(distance.copy())
    try:
        votes = np.asarray(votes, dtype=np.float64)
    except (TypeError, ValueError):
        votes = np.array(np.nan)
    if votes.shape != distance.shape or not np.isfinite(votes).all() or (votes < 0).any():
        raise InputError(
            f"{who}(weights=<function>): the function must give a finite vote of at least 0 for "
            f"each of the {distance.shape[0]} × {distance.shape[1]} distances it is given."
        )
    return votes
