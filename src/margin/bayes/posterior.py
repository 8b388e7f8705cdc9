"""The two ends of every generative model: priors of the classes, and probabilities out of log-scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import MergeableClassifier
from margin.errors import ParameterError
from margin.params import Seed, rule_of
from margin.random import generator

__all__ = ["GenerativeClassifier", "log_probabilities", "priors_of", "probabilities"]


class GenerativeClassifier(MergeableClassifier):
    """A model of how each class makes its cases: scores are log P(k) + log P(x | k), up to a number for each row.

    ``_settle`` leaves the priors of the classes in ``priors_``.
    """

    priors_: np.ndarray

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return probabilities(scores)

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        return log_probabilities(scores)

    def _draw_classes(self, n: Any, random_state: Any) -> tuple[np.ndarray, np.random.Generator]:
        """The classes of n new cases as codes, by their priors, and the generator that draws the rest."""
        who = f"{type(self).__name__}.sample"
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ParameterError(f"{who}(n={n!r}): n must be a whole number of at least 0.")
        seeds = rule_of(Seed)
        if not seeds.accepts(random_state):
            raise ParameterError(f"{who}(random_state={random_state!r}): random_state must be {seeds.words}.")
        random = generator(random_state, "sample")
        return random.choice(len(self.priors_), int(n), p=self.priors_ / self.priors_.sum()), random


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
