"""What every estimator does with its input, and ``fit``, which is written once: columns, weights, encoder, targets."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

import margin._core as _core
from margin import parallel, params
from margin.base import above
from margin.base.inputs.arrays import row_count, survey_clean_csr
from margin.base.inputs.columns import Columns, keep_observed_levels, learn_columns
from margin.base.representations.mixed import Mixed
from margin.base.representations.numeric import Numeric
from margin.base.representations.representation import AsGiven, Learnt, TrainingRows
from margin.base.rollback import NotYetFittedError, whole_or_not_at_all
from margin.data.schema import Schema
from margin.data.table import Table
from margin.data.weights import check_weights
from margin.errors import ConstantColumnWarning, listing, warn

__all__ = ["SupervisedEstimator", "TableEstimator"]

# Below so many cells one thread is quicker than asking how many there are.
SMALL = 10_000


class TableEstimator(BaseEstimator):
    """An estimator that takes tables as they are and sees them in the ``representation`` it states."""

    accepts_tables = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        params.complete_docstring(cls)

    @property
    def representation(self) -> Mixed | Numeric | AsGiven:
        """How the estimator sees its rows; a subclass may also state it as an attribute of the class."""
        return Numeric()

    def _open_rows(self, X: Any, sample_weight: Any, who: str, like: Columns | None = None) -> TrainingRows:
        """Learn the columns from the rows that count; only levels that they hold are known.

        Columns of a table are put in the order of ``like``, the columns learnt before, if there are any.
        """
        form = self.representation
        columns, source = learn_columns(X, who, getattr(form, "text", False), getattr(form, "largest", math.inf))
        if like is not None:
            columns, source = like.arranged(columns, source, who)
        n_given, kept = row_count(source), None
        weight = check_weights(sample_weight, n_given, who)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            source, weight = source[kept], weight[kept]
        if isinstance(source, Table):
            columns, source = keep_observed_levels(columns, source)
        self._remember(columns)
        return TrainingRows(source, n_given, kept, weight)

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        """Learn the encoder; the training rows in the form it gives them."""
        learnt = self.representation.learn(self._columns, rows, who)
        self._encoder = learnt.encoder
        if learnt.survey is not None:
            self._see_ranges(learnt.survey.low, learnt.survey.high)
        return learnt

    def _see_ranges(self, low: np.ndarray, high: np.ndarray) -> None:
        """Keep the smallest and largest number of each numeric column, over all batches of a stream."""
        before = self.__dict__.get("_ranges")
        if before is not None and before.shape[1] == len(low):
            low, high = np.fmin(before[0], low), np.fmax(before[1], high)
        self._ranges = np.array([low, high], dtype=np.float64)

    def _remember(self, columns: Columns) -> None:
        self._columns = columns
        self.n_features_in_ = columns.n
        if columns.schema is not None:
            self.feature_names_in_ = np.array(columns.schema.names, dtype=object)

    @property
    def schema_(self) -> Schema:
        """The columns that were learnt from, with their kinds and levels."""
        return self._fitted("schema_")._columns.described()

    def _encoded(self, X: Any, method: str) -> Any:
        """New rows in the estimator's representation; a clean array of floats skips all schema work."""
        encoder = self._fitted(method)._encoder
        columns = self._columns
        if columns.schema is None:
            if self._is_plain_matrix(X):
                found = _core.data.inspect(X, encoder.largest, 1 if X.size < SMALL else parallel.n_threads())
                if found < 0:
                    return encoder.plain(X, found == -2)
            elif getattr(encoder, "as_given", False):
                stored = survey_clean_csr(X, columns.n, encoder.largest)
                if stored is not None:
                    return encoder.plain_csr(X, stored)
        who = f"{type(self).__name__}.{method}"
        return encoder.encode(columns.read(X, who, encoder.largest), who)

    def _is_plain_matrix(self, X: Any) -> bool:
        """Whether X is an array of floats as they were at fit, so that only its cells have to be looked at."""
        return (
            type(X) is np.ndarray
            and (X.dtype == np.float64 or (X.dtype == np.float32 and self._encoder.keeps_float32))
            and X.ndim == 2
            and self._columns.schema is None
            and X.shape[1] == self._columns.n
            and X.flags.c_contiguous
            and X.flags.aligned
        )

    if not TYPE_CHECKING:  # or no name would be unknown to mypy any more

        def __getattr__(self, name: str) -> Any:
            """A model that was taken over from elsewhere says so where it is asked what only training rows can tell."""
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property failed, and says why once more
            origin = self.__dict__.get("_origin")
            if origin is None or name.startswith("__"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise NotYetFittedError(
                f"{type(self).__name__}: {name.lstrip('_')} is not known, for the model was taken over from {origin} "
                f"without its training rows (fit margin's own {type(self).__name__})."
            )

    def _fitted(self, method: str) -> Any:
        if "_encoder" not in self.__dict__:
            name = type(self).__name__
            raise NotYetFittedError(f"{name}.{method}: nothing was learnt yet; call fit(X, y) first.")
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_encoder" in self.__dict__

    def to_onnx(self, path: Any = None, *, check: Any = None) -> Any:
        """The fitted model as an ONNX graph of raw columns in and answers out, everything in double.

        Written to ``path`` if there is one. ``check`` are rows that are answered by both; ``check=True`` makes some up
        within the ranges and levels of the columns. Needs ``pip install "margin[onnx]"``.
        """
        return above.exported(self._fitted("to_onnx"), path, check)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A pickle carries the bytes of the model's file, and is read by the reader of files."""
        return above.pickled(self) or super().__reduce_ex__(protocol)

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        memo[id(self)] = made = type(self).__new__(type(self))
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


class SupervisedEstimator(TableEstimator):
    """An estimator that learns a target from a table: what classifiers and regressors share.

    Parameters are checked, columns and targets learnt, zero-weight rows left out and constant columns
    warned about before ``_fit`` runs. If anything fails, the model is as it was before the call.
    """

    #: Whether y may have several columns.
    several_outputs = False
    #: What constant columns say nothing about.
    _target = "target"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows."""
        with whole_or_not_at_all(self):
            params.check(self)
            self._fit_rows(X, y, sample_weight, f"{type(self).__name__}.fit")
        return self

    def _fit_rows(
        self, X: Any, y: Any, sample_weight: Any, who: str, like: Columns | None = None
    ) -> tuple[Any, np.ndarray, TrainingRows]:
        """Learn; the rows that were learnt from as the model saw them, their targets, and which they are."""
        rows = self._open_rows(X, sample_weight, who, like)
        y = rows.of(self._read_targets(y, rows.n_given, who))
        rows = self._with_targets(rows, y)
        learnt = self._learn_input(rows, who)
        if like is None:
            self._warn_of_constant_columns(learnt.constant_columns(self._columns), row_count(rows.source), who)
        self._learn(learnt.data, y, rows)
        return learnt.data, y, rows

    def _read_targets(self, y: Any, n_rows: int, who: str) -> np.ndarray:
        """The targets as numbers that can be learnt from, one row per given row."""
        raise TypeError(f"{type(self).__name__} must be a Classifier or a Regressor.")

    def _with_targets(self, rows: TrainingRows, y: np.ndarray) -> TrainingRows:
        """The rows with what the representation may know of their targets."""
        return rows

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        self._fit(X, y, rows.weights())

    def _fit(self, X: Any, y: np.ndarray, weight: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must say how it learns: def _fit(self, X, y, weight).")

    def _warn_of_constant_columns(self, constant: list[str], n_rows: int, who: str) -> None:
        if constant and n_rows > 1:
            plural = len(constant) > 1
            warn(
                f"{who}: column{'s' if plural else ''} {listing(constant)} "
                f"{'hold' if plural else 'holds'} one value or none in the training rows and "
                f"{'say' if plural else 'says'} nothing about the {self._target}.",
                ConstantColumnWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.several_outputs
        return tags
