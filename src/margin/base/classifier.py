"""The contract: ``fit`` is written once, here; a model is its ``_fit`` and its ``_scores``."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

import margin._core as _core
from margin import parallel, params
from margin.base.columns import Columns
from margin.base.estimator import TableEstimator
from margin.base.fitting import whole_or_not_at_all
from margin.base.inputs import row_count
from margin.base.labels import encode_labels
from margin.base.representation import TrainingRows
from margin.errors import ConstantColumnWarning, listing

__all__ = ["Classifier"]

# From so many scores on the core finds the largest sooner than NumPy.
MANY = 10_000


class Classifier(ClassifierMixin, TableEstimator):
    """A model that learns classes from a table.

    A subclass states its ``representation`` and writes

    - ``_fit(X, y, weight)``: X in that representation, y as codes 0 … K-1, weight as float64; learn.
    - ``_scores(X)``: one row per case, one column per class; the largest wins.
    - ``_proba(scores)``: probabilities from scores, where the scores are not probabilities already.

    Parameters are checked, columns and labels learnt, zero-weight rows left out and constant columns
    warned about before ``_fit`` runs. If anything fails, the model is as it was before the call.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from rows X with labels y; whole-number weights stand for repeated rows."""
        with whole_or_not_at_all(self):
            params.check(self)
            self._fit_rows(X, y, sample_weight, f"{type(self).__name__}.fit")
        return self

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any, who: str, like: Columns | None = None) -> None:
        rows = self._open_rows(X, sample_weight, who, like)
        self.classes_, codes = encode_labels(y, rows.n_given, who)
        codes = np.ascontiguousarray(rows.of(codes), dtype=np.int32)
        rows = replace(rows, y=codes, n_classes=len(self.classes_))
        learnt = self._learn_input(rows, who)
        if like is None:
            _warn_of_constant_columns(learnt.constant_columns(self._columns), row_count(rows.source), who)
        self._learn(learnt.data, codes, rows)

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        self._fit(X, y, rows.weights())

    def _fit(self, X: Any, y: np.ndarray, weight: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must say how it learns: def _fit(self, X, y, weight).")

    def _scores(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say how it scores: def _scores(self, X).")

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self._proba(scores))

    def _answers(self, X: Any, scores: np.ndarray) -> np.ndarray:
        """The label of each row; a model that may abstain gives ``None`` here."""
        if scores.size < MANY or scores.dtype != np.float64 or not scores.flags.c_contiguous:
            return self.classes_.take(scores.argmax(axis=1))
        return self.classes_.take(_core.data.winners(scores, parallel.n_threads()))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        encoded = self._encoded(X, "predict")
        return self._answers(encoded, self._scores(encoded))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        return self._proba(self._scores(self._encoded(X, "predict_proba")))

    def predict_with_proba(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        encoded = self._encoded(X, "predict_with_proba")
        scores = self._scores(encoded)
        return self._answers(encoded, scores), self._proba(scores)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        return self._log_proba(self._scores(self._encoded(X, "predict_log_proba")))


def _warn_of_constant_columns(constant: list[str], n_rows: int, who: str) -> None:
    if constant and n_rows > 1:
        plural = len(constant) > 1
        warnings.warn(
            f"{who}: column{'s' if plural else ''} {listing(constant)} "
            f"{'hold' if plural else 'holds'} one value or none in the training rows and "
            f"{'say' if plural else 'says'} nothing about the class.",
            ConstantColumnWarning,
            stacklevel=4,
        )
