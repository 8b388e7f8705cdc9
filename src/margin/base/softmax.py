"""Probabilities of classes out of scores that are logarithms of odds."""

from __future__ import annotations

import numpy as np

__all__ = ["log_softmax", "softmax"]


def softmax(scores: np.ndarray) -> np.ndarray:
    """Probabilities of the classes (columns) from log P(k) + log P(x | k), or from anything that differs from it by a
    number of its own in each row.

    >>> softmax(np.array([[-5000.0, -5000.0]]))
    array([[0.5, 0.5]])
    """
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    return odds


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """Their logarithms, which stay finite where the probabilities vanish.

    >>> log_softmax(np.array([[0.0, -5000.0]]))
    array([[    0., -5000.]])
    """
    below_best = scores - scores.max(axis=1, keepdims=True)
    return below_best - np.log(np.exp(below_best).sum(axis=1, keepdims=True))
