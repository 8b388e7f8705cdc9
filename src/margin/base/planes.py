"""How far rows lie from the planes on which a linear model changes its answer."""

from __future__ import annotations

import numpy as np

__all__ = ["distance_from_planes"]


def distance_from_planes(scores: np.ndarray, coef: np.ndarray) -> np.ndarray:
    r"""The distance of each row from the nearest plane on which the answer changes.

    One score for two classes has one plane, :math:`w \cdot x + b = 0`: the distance :math:`(w \cdot x + b) / \lVert
    w\rVert` is above 0 on the side of the second class. With a score a class, class k wins against class l up to the
    plane :math:`f_k = f_l`, and the distance from the nearest of the winner's planes is never below 0. Where weights
    do not differ there is no plane, and the distance is infinite.

    >>> distance_from_planes(np.array([10.0, -5.0]), np.array([[3.0, 4.0]])).tolist()
    [2.0, -1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if scores.ndim == 1:
            length = _length(coef[0])
            return scores / length if length > 0 else np.copysign(np.inf, scores)
        rows, winner = np.arange(len(scores)), scores.argmax(axis=1)
        between = np.array([[_length(own - other) for other in coef] for own in coef]).reshape(len(coef), -1)
        lead = scores[rows, winner][:, None] - scores
        distances = np.where(between[winner] > 0, lead / between[winner], np.inf)
    return distances.min(axis=1, initial=np.inf)


def _length(w: np.ndarray) -> float:
    """The Euclidean length of weights, also where their squares are beyond all numbers."""
    largest = float(np.abs(w).max(initial=0.0))
    return largest * float(np.linalg.norm(w / largest)) if largest > 0 else 0.0
