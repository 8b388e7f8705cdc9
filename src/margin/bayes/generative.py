"""What generative models share: priors of the classes, and probabilities out of log-scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import MergeableClassifier
from margin.base.softmax import log_softmax, softmax
from margin.errors import ParameterError
from margin.params import Seed, rule_of
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["GenerativeClassifier", "priors_of"]


class GenerativeClassifier(MergeableClassifier):
    """A model of how each class makes its cases: scores are log P(k) + log P(x | k), up to a number for each row.

    ``_settle`` leaves the priors of the classes in ``priors_``.

    Parameters
    ----------
    priors
        Probabilities of the classes, in the order of ``classes_``; None takes their shares in the training rows.

    Attributes
    ----------
    priors_
        Probability of each class before any column is seen.
    n_parameters_
        How many numbers the model has learnt, the priors of all K classes among them (the joint table counts its own
        alone).
    """

    priors_: np.ndarray

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores)

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        return log_softmax(scores)

    def _draw_classes(self, n: Any, random_state: SeedLike) -> tuple[np.ndarray, np.random.Generator]:
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
