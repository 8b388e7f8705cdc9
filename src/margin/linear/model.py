"""What all linear models share: one linear layer, f(x) = W x + b."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from margin.base import Classifier, Numeric
from margin.base.numeric import Scale

__all__ = ["LinearClassifier"]


class LinearClassifier(Classifier):
    """A model whose scores are linear in the columns of one numeric matrix.

    A subclass leaves ``coef_`` (one row for two classes, else one per class) and ``intercept_`` behind, and says in
    ``_gives_probabilities`` whether its scores become probabilities; if not, it has no ``predict_proba``
    (:class:`margin.CalibratedClassifier` adds one).
    """

    coef_: np.ndarray
    intercept_: np.ndarray
    scale: Scale | None

    @property
    def representation(self) -> Numeric:  # type: ignore[override]
        return Numeric(scale=self.scale, sparse=True, keep_float32=True, largest=1e100)

    def _gives_probabilities(self) -> bool:
        return False

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each class (columns as in ``classes_``); with two classes that of the second alone."""
        return self._decisions(self._encoded(X, "decision_function"))

    def _decisions(self, X: Any) -> np.ndarray:
        found = X @ self.coef_.T + self.intercept_
        return found[:, 0] if found.shape[1] == 1 else found

    def _scores(self, X: Any) -> np.ndarray:
        found = self._decisions(X)
        if found.ndim == 2:
            return found
        return np.column_stack([-found, found])[:, -len(self.classes_) :]

    @available_if(lambda self: self._gives_probabilities())
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        return super().predict_proba(X)

    @available_if(lambda self: self._gives_probabilities())
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        return super().predict_log_proba(X)

    @available_if(lambda self: self._gives_probabilities())
    def predict_with_proba(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        return super().predict_with_proba(X)
