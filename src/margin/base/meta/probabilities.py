"""Classifiers that have probabilities if what they are made of has."""

from __future__ import annotations

import numpy as np

from margin.base import Classifier
from margin.base.sklearn_classes import available_if
from margin.typing import TableLike

__all__ = ["HasProbabilities"]


class HasProbabilities(Classifier):
    """A classifier that says by ``_has_probabilities`` whether it has any; methods that give them are there if so."""

    def _has_probabilities(self) -> bool:
        raise TypeError(f"{type(self).__name__} must say whether it has probabilities.")

    @available_if(lambda self: self._has_probabilities())
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row; of several targets one matrix
        each."""
        return super().predict_proba(X)

    @available_if(lambda self: self._has_probabilities())
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        return super().predict_log_proba(X)

    @available_if(lambda self: self._has_probabilities())
    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        return super().predict_with_proba(X)
