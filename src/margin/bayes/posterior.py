"""The two ends of every generative model: priors of the classes, and probabilities out of log-scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ParameterError

__all__ = ["log_probabilities", "priors_of", "probabilities"]


def priors_of(given: Any, totals: np.ndarray, who: str, parameter: str = "priors") -> np.ndarray:
    """Given priors, one for each class, or else the classes' shares of all weight.

    >>> priors_of(None, np.array([1.0, 3.0]), "NaiveBayes"), priors_of((0.5, 0.5), np.array([1.0, 3.0]), "NaiveBayes")
    (array([0.25, 0.75]), array([0.5, 0.5]))
    """
    if given is None:
        return totals / totals.sum()
    priors = np.array([float(share) for share in given])
    if len(priors) != len(totals):
        raise ParameterError(
            f"{who}({parameter}={given!r}): one prior per class is needed, and there are {len(totals)} classes."
        )
    return priors


def probabilities(scores: np.ndarray) -> np.ndarray:
    """Probabilities of the classes (columns) from log P(k) + log P(x | k), or from anything that differs from it by a
    number of its own in each row.

    >>> probabilities(np.array([[-5000.0, -5000.0]]))
    array([[0.5, 0.5]])
    """
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    return odds


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """Their logarithms, which stay finite where the probabilities vanish.

    >>> log_probabilities(np.array([[0.0, -5000.0]]))
    array([[    0., -5000.]])
    """
    below_best = scores - scores.max(axis=1, keepdims=True)
    return below_best - np.log(np.exp(below_best).sum(axis=1, keepdims=True))
