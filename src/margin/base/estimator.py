"""The contract of models: columns learnt, weightless rows left out, an encoder for later rows, and then ``_fit``.

``fit`` is written once, here. A classifier is its ``_fit`` and ``_scores``, a regressor its ``_fit`` and ``_values``.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import margin._core as _core
from margin import parallel, params
from margin.base import above
from margin.base.inputs.arrays import row_count, survey_clean_csr
from margin.base.inputs.columns import Columns, learn_columns
from margin.base.inputs.observed_levels import keep_observed_levels
from margin.base.keywords import KnowsItsParameters
from margin.base.parameter_path import PathFunction, PathTask
from margin.base.representations.mixed import Mixed
from margin.base.representations.numeric import Numeric
from margin.base.representations.representation import AsGiven, Learnt, TrainingRows
from margin.base.representations.tiny_columns import warn_of_tiny_columns
from margin.base.rollback import NotYetFittedError, whole_or_not_at_all
from margin.base.sklearn_classes import BaseEstimator, ClassifierMixin, RegressorMixin
from margin.base.targets.label_sets import answered_sets, encode_label_sets
from margin.base.targets.labels import encode_labels
from margin.base.targets.multi_output import answers_of, encode_outputs, output_columns, output_names, refuse_several
from margin.base.targets.numbers import encode_targets
from margin.blas import OneBlasThread, width_of
from margin.data.label_sets import sets_of
from margin.data.predictions import Predictions
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import ConstantColumnWarning, listing, warn
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["Classifier", "Regressor", "SupervisedEstimator", "TableEstimator"]

SMALL = 10_000  # below so many cells one thread is quicker than asking how many there are


class TableEstimator(KnowsItsParameters, BaseEstimator):
    """An estimator that takes tables as they are and sees them in the ``representation`` it states."""

    accepts_tables = True
    _takes_bytes = False  # whether it takes arrays of single bytes as they are; for others they are widened
    free_kinds: frozenset[str] = frozenset()  # kinds of columns that it takes as they come, besides what all read
    #: The attributes that the last fit left behind.
    _learnt: tuple[str, ...]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        params.complete_docstring(cls)

    @property
    def representation(self) -> Mixed | Numeric | AsGiven:
        """How the estimator sees its rows; a subclass may also state it as an attribute of the class."""
        return Numeric()

    def _open_rows(
        self, X: TableLike, sample_weight: WeightsLike | None, who: str, like: Columns | None = None
    ) -> TrainingRows:
        """Learn the columns from the rows that count; only levels that they hold are known.

        Columns of a table are put in the order of ``like``, the columns learnt before, if there are any.
        """
        form = self.representation
        text, free = getattr(form, "text", False), getattr(form, "free", self.free_kinds)
        columns, source = learn_columns(X, who, text, getattr(form, "largest", math.inf), free, self._takes_bytes)
        if like is not None:
            columns, source = like.arranged(columns, source, who)
        rows = TrainingRows.that_count(source, sample_weight, who)
        if isinstance(rows.source, Table):
            # Batches of a stream keep all levels: what is rare in one may be frequent in the next.
            joins = isinstance(form, Numeric) and like is None and not self.__dict__.get("_is_part", False)
            columns, source = keep_observed_levels(columns, rows.source, joins, isinstance(form, Numeric))
            rows = replace(rows, source=source)
        self._remember(columns)
        return rows

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        """Learn the encoder; the training rows in the form it gives them."""
        learnt = self.representation.learn(self._columns, rows, who)
        self._encoder = learnt.encoder
        if learnt.survey is not None:
            self._see_ranges(learnt.survey.low, learnt.survey.high)
        warn_of_tiny_columns(learnt, self._columns, self._unheard_below(), who)
        return learnt

    def _unheard_below(self) -> float:
        """The magnitude below which a column decides nothing; 0 where each is measured in its own unit."""
        return 0.0

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

    def _encoded(self, X: Encoded, method: str) -> Any:
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
        elif (reader := columns.row_reader()) is not None and (found := encoder.one_row(X, reader)) is not None:
            return found
        who = f"{type(self).__name__}.{method}"
        return encoder.encode(columns.read(X, who, encoder.largest, self._takes_bytes), who)

    def _is_plain_matrix(self, X: Encoded) -> bool:
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

    def _fitted(self, method: str) -> Self:
        if "_encoder" not in self.__dict__:
            name = type(self).__name__
            raise NotYetFittedError(f"{name}.{method}: nothing was learnt yet; call fit(X, y) first.")
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_encoder" in self.__dict__

    def to_onnx(self, path: Any = None, *, check: Any = None) -> Any:
        """The fitted model as an ONNX graph of raw columns in and answers out, in double, written to a given ``path``.

        ``check`` are rows that both answer; ``True`` makes some up. Needs ``pip install "margin[onnx]"``.
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
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.input_tags.string = True
        return tags


class SupervisedEstimator(TableEstimator):
    """An estimator that learns a target from a table: what classifiers and regressors share.

    Before ``_fit`` runs, parameters are checked, columns and targets learnt, and weightless rows left out.
    """

    #: Whether y may have several columns.
    several_outputs = False
    #: The parameters along which it shares work between fits.
    parameters_along: tuple[str, ...] = ()
    #: What constant columns say nothing about.
    _target = "target"

    def fit(self, X: TableLike, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with targets y, or from parts (``margin.scan``); whole-number weights repeat rows."""
        if getattr(type(X), "are_parts", False):
            return above.fitted_on_parts(self, X, y, sample_weight)
        with whole_or_not_at_all(self):
            params.check(self)
            data, y, rows = self._read_rows(X, y, sample_weight, f"{type(self).__name__}.fit")
            with OneBlasThread(width_of(data)):
                self._fit(data, y, rows)
        return self

    def _read_rows(
        self, X: Encoded, y: Any, sample_weight: WeightsLike | None, who: str, like: Columns | None = None
    ) -> tuple[Any, np.ndarray, TrainingRows]:
        """Learn columns, targets and encoder; what ``_fit`` receives: the rows, their targets, and which they are."""
        rows = self._open_rows(X, sample_weight, who, like)
        y = rows.of(self._read_targets(y, rows.n_given, who))
        rows = self._with_targets(rows, y)
        learnt = self._learn_input(rows, who)
        if like is None:
            self._warn_of_constant_columns(learnt.constant_columns(self._columns), row_count(rows.source), who)
        return learnt.data, y, rows

    def answers_along(
        self,
        parameter: str,
        values: Sequence[Any],
        X: TableLike,
        y: LabelsLike,
        queries: Sequence[Any],
        sample_weight: WeightsLike | None = None,
    ) -> list[list[Predictions]] | None:
        """What an unfitted model would say of each set of rows for each of several values of a parameter.

        None where it can only be fitted anew: :mod:`margin.evaluation.predictions.from_model`.
        """
        path = self._paths().get(parameter)
        return None if path is None else path(self, PathTask(values, X, y, queries, sample_weight))

    def _paths(self) -> Mapping[str, PathFunction]:
        """By parameter of ``parameters_along``: how work is shared between its values."""
        return {}

    def _read_targets(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        """The targets as numbers that can be learnt from, one row per given row."""
        raise TypeError(f"{type(self).__name__} must be a Classifier or a Regressor.")

    def _with_targets(self, rows: TrainingRows, y: np.ndarray) -> TrainingRows:
        """The rows with what the representation may know of their targets."""
        return rows

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        raise TypeError(f"{type(self).__name__} must say how it learns: def _fit(self, X, y, rows).")

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


# From so many scores on the core finds the largest sooner than NumPy.
MANY = 10_000


class Classifier(ClassifierMixin, SupervisedEstimator):
    """A model that learns classes from a table.

    A subclass states its ``representation`` and writes

    - ``_fit(X, y, rows)``: X in that representation, y as codes 0 … K-1, ``rows.weights()`` as float64; learn.
    - ``_scores(X)``: one row per case, one column per class; the largest wins.
    - ``_proba(scores)``: probabilities from scores, where the scores are not probabilities already.

    A model that says ``several_outputs`` also gets y of several columns of labels, as codes of as many columns;
    ``classes_`` is then a list of arrays, and ``_scores`` gives such a list, one array per column. The names of the
    columns of a frame are kept as ``target_names_``. A list of label sets is as many columns of False and True as there
    are labels, which are kept as ``labels_``; answers are sets again.
    """

    _target = "class"
    classes_: Any

    def _read_targets(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        sets, columns = sets_of(y, who), output_columns(y, who)
        if not self.several_outputs:
            if sets is not None or columns is not None:
                refuse_several(columns, n_rows, type(self).__name__, who)
        else:
            self.outputs_2d_ = sets is not None or columns is not None
            names = output_names(y)
            if names is not None and columns is not None:
                self.target_names_ = names
        if sets is not None:
            self.labels_, self.classes_, codes = encode_label_sets(sets, n_rows, who)
        elif columns is not None:
            self.classes_, codes = encode_outputs(columns, n_rows, who)
        else:
            self.classes_, codes = encode_labels(y, n_rows, who)
        return np.ascontiguousarray(codes, dtype=np.int32)

    def _with_targets(self, rows: TrainingRows, y: np.ndarray) -> TrainingRows:
        return replace(rows, y=y, n_classes=len(self.classes_)) if y.ndim == 1 else rows

    def _scores(self, X: Encoded) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say how it scores: def _scores(self, X).")

    def _scored(self, X: Encoded) -> np.ndarray:
        """The scores, made without waking the threads of BLAS; few cells do not wake them anyway."""
        width = width_of(X)
        with OneBlasThread(width) if width and X.shape[0] * width >= SMALL else nullcontext():
            return self._scores(X)

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            found = self._proba(scores)
            return [np.log(each) for each in found] if isinstance(found, list) else np.log(found)

    def _answers(self, X: Encoded, scores: np.ndarray) -> np.ndarray:
        """The label of each row; a model that may abstain gives ``None`` here."""
        if isinstance(scores, list):
            return answers_of(self.classes_, scores)
        if scores.size < MANY or scores.dtype != np.float64 or not scores.flags.c_contiguous:
            return self.classes_.take(scores.argmax(axis=1))
        return self.classes_.take(_core.data.winners(scores, parallel.n_threads()))

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        encoded = self._encoded(X, "predict")
        return self._in_form(self._answers(encoded, self._scored(encoded)))

    def _in_form(self, answers: np.ndarray) -> np.ndarray:
        """Answers in the form of the targets: as sets of labels where there were such."""
        labels = self.__dict__.get("labels_")
        return answers if labels is None else answered_sets(answers, labels)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        return self._proba(self._scored(self._encoded(X, "predict_proba")))

    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        encoded = self._encoded(X, "predict_with_proba")
        scores = self._scored(encoded)
        return self._in_form(self._answers(encoded, scores)), self._proba(scores)

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        return self._log_proba(self._scored(self._encoded(X, "predict_log_proba")))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.several_outputs
        return tags


class Regressor(RegressorMixin, SupervisedEstimator):
    """A model that learns a quantity from a table.

    A subclass states its ``representation`` and writes

    - ``_fit(X, y, rows)``: X in that representation, y and ``rows.weights()`` as float64; learn.
    - ``_values(X)``: the answer for each row.

    A model that says ``several_outputs`` also gets y of several columns, and gives as many for each row.
    """

    def _read_targets(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        return encode_targets(y, n_rows, who, self.several_outputs)

    def _values(self, X: Encoded) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say what it answers: def _values(self, X).")

    def predict(self, X: TableLike) -> np.ndarray:
        """The quantity expected of each row."""
        with OneBlasThread(width_of(encoded := self._encoded(X, "predict"))):
            return self._values(encoded)
