"""The contract: ``fit`` is written once, here; a model is its ``_fit`` and its ``_scores``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import margin._core as _core
from margin import parallel, params
from margin.base.columns import Columns, keep_observed_levels, learn_columns
from margin.base.fitting import NotYetFittedError, drop_weightless, whole_or_not_at_all
from margin.base.inputs import row_count
from margin.base.labels import encode_labels
from margin.base.representation import Mixed, Numeric
from margin.base.weights import check_weights
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import ConstantColumnWarning, listing

__all__ = ["Classifier"]


# Below so many cells one thread is quicker than asking how many there are.
SMALL = 10_000


class Classifier(ClassifierMixin, BaseEstimator):
    """A model that learns classes from a table.

    A subclass states its ``representation`` and writes

    - ``_fit(X, y, weight)``: X in that representation, y as codes 0 … K-1, weight as float64; learn.
    - ``_scores(X)``: one row per case, one column per class; the largest wins.
    - ``_proba(scores)``: probabilities from scores, where the scores are not probabilities already.

    Parameters are checked, columns and labels learnt, zero-weight rows left out and constant columns
    warned about before ``_fit`` runs. If anything fails, the model is as it was before the call.
    """

    representation: Mixed | Numeric = Numeric()
    accepts_tables = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from rows X with labels y; whole-number weights stand for repeated rows."""
        who = f"{type(self).__name__}.fit"
        with whole_or_not_at_all(self):
            params.check(self)
            columns, source = learn_columns(X, who)
            rows = row_count(source)
            self.classes_, codes = encode_labels(y, rows, who)
            weight = check_weights(sample_weight, rows, who)
            source, codes, weight = drop_weightless(source, codes, weight)
            if isinstance(source, Table):
                columns, source = keep_observed_levels(columns, source)
            self._remember(columns)
            self._encoder = self.representation.learn(columns, source, weight, who)
            encoded = self._encoder.encode(source, who)
            _warn_of_constant_columns(columns, source, type(self).__name__)
            codes = np.ascontiguousarray(codes, dtype=np.int32)
            self._fit(encoded, codes, np.ones(len(codes)) if weight is None else weight)
        return self

    def _remember(self, columns: Columns) -> None:
        self._columns = columns
        self.n_features_in_ = columns.n
        if columns.schema is not None:
            self.feature_names_in_ = np.array(columns.schema.names, dtype=object)

    def _fit(self, X: Any, y: np.ndarray, weight: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must say how it learns: def _fit(self, X, y, weight).")

    def _scores(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say how it scores: def _scores(self, X).")

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _answers(self, X: Any, scores: np.ndarray) -> np.ndarray:
        """The label of each row; a model that may abstain gives ``None`` here."""
        return self.classes_.take(scores.argmax(axis=1))

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
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @property
    def schema_(self) -> Schema:
        """The columns the model learnt from, with their kinds and levels."""
        return self._fitted("schema_")._columns.described()

    def _encoded(self, X: Any, method: str) -> Any:
        """New rows in the model's representation; a clean float64 array skips all schema work."""
        encoder = self._fitted(method)._encoder
        columns = self._columns
        if (
            type(X) is np.ndarray
            and columns.schema is None
            and X.dtype == np.float64
            and X.ndim == 2
            and X.shape[1] == columns.n
            and X.flags.c_contiguous
            and X.flags.aligned
        ):
            found = _core.data.inspect(X, encoder.largest, 1 if X.size < SMALL else parallel.n_threads())
            if found < 0:
                return encoder.plain(X, found == -2)
        who = f"{type(self).__name__}.{method}"
        return encoder.encode(columns.read(X, who), who)

    def _fitted(self, method: str) -> Any:
        if "_encoder" not in self.__dict__:
            name = type(self).__name__
            raise NotYetFittedError(f"{name}.{method}: this model has not learnt yet; call fit(X, y) first.")
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_encoder" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def _warn_of_constant_columns(columns: Columns, source: Any, who: str) -> None:
    constant = _constant_columns(columns, source)
    if constant and row_count(source) > 1:
        plural = len(constant) > 1
        warnings.warn(
            f"{who}.fit: column{'s' if plural else ''} {listing(constant)} "
            f"{'hold' if plural else 'holds'} one value or none in the training rows and "
            f"{'say' if plural else 'says'} nothing about the class.",
            ConstantColumnWarning,
            stacklevel=4,
        )


def _constant_columns(columns: Columns, source: Any) -> list[str]:
    if isinstance(source, Table):
        return [column.name for column in source.schema if _is_constant(source, column)]
    if not isinstance(source, np.ndarray):
        return []
    low, high = _core.data.ranges(source.astype(np.float64, copy=False), parallel.n_threads())
    return [f"x{i}" for i in np.flatnonzero(~(high > low))]


def _is_constant(table: Table, column: Any) -> bool:
    if not column.is_numeric:
        return len(column.levels) <= 1
    cells = table.cells(column.name)
    low, high = np.fmin.reduce(cells), np.fmax.reduce(cells)
    return not high > low
