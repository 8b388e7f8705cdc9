"""What a classifier inside a classifier says, handed on under the classes of the one around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import get_tags

from margin.base import Classifier
from margin.base.sklearn_classes import available_if
from margin.data.labels import codes_of, label_array
from margin.data.rows import ready_for
from margin.typing import Encoded, TableLike

__all__ = ["PassesOn"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _has(method: str) -> Callable[[_Method], _Method]:
    """Whether the classifier inside has a method, fitted or not."""
    return available_if(lambda self: hasattr(self.__dict__.get("model_", self._model()), method))


class PassesOn(Classifier):
    """A classifier around another one: ``_model()`` before the fit, ``model_`` after it."""

    model_: Any

    def _model(self) -> Any:
        raise TypeError(f"{type(self).__name__} must say which classifier it is around: def _model(self).")

    def _inputs(self, X: TableLike, method: str) -> Any:
        """Rows as the classifier inside is asked about them."""
        return self._encoded(X, method)

    @_has("predict_proba")
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The classifier's probabilities, of every row, answered or not."""
        return self._passed_on(X, "predict_proba", 0.0)

    @_has("predict_log_proba")
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        return self._passed_on(X, "predict_log_proba", -np.inf)

    @_has("decision_function")
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The classifier's scores."""
        return self._passed_on(X, "decision_function", -np.inf)

    @_has("predict_proba")
    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Answers and probabilities."""
        return self.predict(X), self.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = get_tags(self._model()).input_tags.pairwise
        return tags

    def _passed_on(self, X: Encoded, method: str, never: float) -> np.ndarray:
        """What the classifier says, with columns for classes that had no rows to learn from."""
        encoded = self._inputs(X, method)
        known = codes_of(label_array(self.model_.classes_, type(self).__name__), self.classes_)
        n_classes, n_rows = len(self.classes_), encoded.shape[0]
        if n_rows == 0:
            narrow = method == "decision_function" and n_classes == 2
            return np.empty(0) if narrow else np.empty((0, n_classes))
        given = np.asarray(getattr(self.model_, method)(ready_for(self.model_, encoded)))
        if len(known) == n_classes:
            return given
        if given.ndim == 1:
            given = np.column_stack([-given, given])[:, -len(known) :]
        found = np.full((n_rows, n_classes), never)
        found[:, known] = given
        return found[:, 1] - found[:, 0] if method == "decision_function" and n_classes == 2 else found
