"""Exponential loss and log loss of scores: two curves with the same best score for every row, half the log odds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["LossCurves", "exponential_loss", "log_loss", "sides"]


@dataclass(frozen=True, eq=False)
class LossCurves:
    """The losses of one ensemble after each of its rounds, on the same rows.

    Attributes
    ----------
    exponential
        Mean of exp(-y F), y being 1 or -1; with many classes, the mean over the classes, each against the rest.
    log_loss
        Mean of -log p of the true class, p the model's probability.
    error
        Share of errors.
    """

    exponential: np.ndarray
    log_loss: np.ndarray
    error: np.ndarray


def sides(y: np.ndarray, n_scores: int) -> np.ndarray:
    """1 where a row is of the class of a score, else -1: one column for two classes, else one for each.

    >>> sides(np.array([0, 1]), 1).ravel().tolist()
    [-1.0, 1.0]
    """
    if n_scores == 1:
        return np.where(y == 1, 1.0, -1.0)[:, None]
    return np.where(y[:, None] == np.arange(n_scores), 1.0, -1.0)


def exponential_loss(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The weighted mean of exp(-y F) over rows and scores."""
    with np.errstate(over="ignore"):
        return float(np.average(np.exp(-sides(y, scores.shape[1]) * scores).mean(axis=1), weights=weight))


def log_loss(log_proba: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The weighted mean of -log p of the true class."""
    return float(np.average(-log_proba[np.arange(len(y)), y], weights=weight))
