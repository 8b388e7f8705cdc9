"""Models that are functions of sums: rows may come in parts, and models of parts add up to the model of the whole."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from margin import params
from margin.base.estimator import Classifier
from margin.base.inputs.columns import Columns
from margin.base.inputs.observed_levels import JOINED, in_order
from margin.base.representations.cell_survey import Survey
from margin.base.representations.mixed import MixedData, MixedEncoder
from margin.base.representations.numeric import NumericEncoder
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import whole_or_not_at_all
from margin.base.sklearn_classes import clone
from margin.base.targets.labels import named_classes
from margin.data.labels import codes_of, union
from margin.data.parts.row_blocks import ROWS, block_bounds, joined, n_blocks
from margin.data.schema import Column, Schema
from margin.errors import ConstantColumnWarning, InputError, InputTypeError, LabelError, listing
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["MergeableClassifier", "Places", "Statistics"]


@dataclass(frozen=True)
class Places:
    """Where the classes, levels and columns of a part stand in the whole.

    Class ``k`` becomes ``classes[k]`` of ``n_classes``; level ``v`` of coded column ``j`` becomes ``levels[j][v]`` of
    ``n_levels[j]``; in one numeric matrix column ``c`` becomes ``columns[c]`` of ``n_columns``.
    """

    classes: np.ndarray
    n_classes: int
    levels: tuple[np.ndarray, ...]
    n_levels: tuple[int, ...]
    columns: np.ndarray
    n_columns: int


class Statistics(Protocol):
    """Sums over rows: those of two parts add up to those of both."""

    def plus(self, other: Any) -> Any:
        """The statistics of both sets of rows."""
        ...

    def aligned(self, places: Places) -> Any:
        """The same statistics with classes, levels and columns at their places in the whole."""
        ...


class MergeableClassifier(Classifier):
    """A model that is a function of sums over the rows.

    A subclass writes, instead of ``_fit``,

    - ``_count(X, y, weight)``: the :class:`Statistics` of the rows; ``weight`` is None where every row counts once.
    - ``_settle()``: what is learnt from ``self._statistics``, ``self.classes_`` and the columns.

    and may refuse merges that would not be exact in ``_refuse_merge(other, who)``.
    """

    _statistics: Any
    _is_part: bool
    #: Whether the statistics hold every different cell, so that they are no smaller than the rows.
    keeps_cells: bool = False

    def _count(self, X: Encoded, y: np.ndarray, weight: np.ndarray | None) -> Statistics:
        raise TypeError(f"{type(self).__name__} must say what it counts: def _count(self, X, y, weight).")

    def _settle(self) -> None:
        raise TypeError(f"{type(self).__name__} must say what it learns from its counts: def _settle(self).")

    def _refuse_merge(self, other: Any, who: str) -> None:
        """Raise one of margin's errors if the sum of the two would not be the model of both data sets."""

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self._statistics = self._counted(X, y, rows.weight)
        if not self.__dict__.pop("_is_part", False):
            self._settle()

    def _counted(self, X: Encoded, y: np.ndarray, weight: np.ndarray | None) -> Statistics:
        """The sums of all rows, block by block: those of parts of a table add up to the very same."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if n <= ROWS or self.keeps_cells:
            return self._count(X, y, weight)
        bounds = [block_bounds(number, n) for number in range(n_blocks(n))]
        parts = (
            self._count(
                _rows_of_block(X, number, begin, end), y[begin:end], None if weight is None else weight[begin:end]
            )
            for number, (begin, end) in enumerate(bounds)
        )
        return joined(parts, len(bounds), lambda one, other: one.plus(other))

    def partial_fit(
        self, X: TableLike, y: LabelsLike, classes: Any = None, sample_weight: WeightsLike | None = None
    ) -> Self:
        """Learn from further rows: the model is then that of all rows seen so far.

        ``classes`` may name all labels at the first call; later rows must then keep to them. Otherwise labels and
        categories are taken in as they come.
        """
        who = f"{type(self).__name__}.partial_fit"
        params.check(self)
        known = self if self.__sklearn_is_fitted__() else None
        if known is not None:
            known._refuse_merge(known, who)  # before the rows are read as the parameters want it now
        part = clone(self)
        part._is_part = True  # it may lack classes, so that nothing can be settled before it is part of the whole
        with whole_or_not_at_all(part), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantColumnWarning)  # a part may well hold one value of a column
            part._fit(*part._read_rows(X, y, sample_weight, who, None if known is None else known._columns))
            part._declare(classes, None if known is None else known.__dict__.get("_declared_classes"), who)
            if known is None:
                part._settle()
        self._become(part if known is None else known._sum(part, who))
        return self

    def merge(self, other: Self) -> Self:
        """The model of both data sets, as if it had been fitted on all their rows at once; neither model changes."""
        who = f"{type(self).__name__}.merge"
        self._fitted("merge")
        if type(other) is not type(self):
            raise InputTypeError(f"{who}: the other model must be a {type(self).__name__}, not {type(other).__name__}.")
        other._fitted("merge")
        mine, theirs = self.get_params(), other.get_params()
        differ = [name for name in mine if not _same(mine[name], theirs[name])]
        if differ:
            raise InputError(
                f"{who}: both models must have the same parameters, but {differ[0]} is "
                f"{mine[differ[0]]!r} here and {theirs[differ[0]]!r} there."
            )
        return self._sum(other, who)

    def _sum(self, other: Self, who: str) -> Self:
        columns = _united(self._columns, other._columns, who)
        self._refuse_merge(other, who)
        classes = union(self.classes_, other.classes_, who)
        whole = clone(self)
        with whole_or_not_at_all(whole):
            whole._remember(columns)
            whole._encoder = _summed_encoder(self._encoder, other._encoder, columns)
            whole.classes_ = classes
            declared = self.__dict__.get("_declared_classes")
            if declared is not None:
                whole._declared_classes = declared
            parts = [part._statistics.aligned(_places(part, whole)) for part in (self, other)]
            whole._statistics = parts[0].plus(parts[1])
            whole._settle()
        return whole

    def _declare(self, classes: Any, declared: np.ndarray | None, who: str) -> None:
        """Take in the labels that were named, and refuse others."""
        if classes is not None:
            named = named_classes(classes, who)
            if declared is not None and named.tolist() != declared.tolist():
                raise LabelError(
                    f"{who}: classes={listing(named.tolist())} is not the same as on last call to partial_fit, "
                    f"{listing(declared.tolist())}."
                )
            declared = named
        if declared is None:
            return
        known = set(declared.tolist())
        strange = [label for label in self.classes_.tolist() if label not in known]
        if strange:
            raise LabelError(
                f"{who}: label {listing(strange)} is not one of the classes named at the first call, "
                f"{listing(declared.tolist())}."
            )
        self._declared_classes = declared
        before = self.classes_
        self.classes_ = declared
        places = replace(_places(self, self), classes=codes_of(before, declared), n_classes=len(declared))
        self._statistics = self._statistics.aligned(places)

    def _become(self, other: Self) -> None:
        """Take over all that another model has learnt, at once."""
        for name in self.__dict__.get("_learnt", ()):
            self.__dict__.pop(name, None)
        self.__dict__.update({name: other.__dict__[name] for name in other._learnt})


def _rows_of_block(X: Any, number: int, begin: int, end: int) -> Any:
    return X.block(number, begin, end) if isinstance(X, MixedData) else X[begin:end]


def _same(first: Any, second: Any) -> bool:
    """Whether two settings mean the same: a tuple is as good as a list, 1 as good as 1.0, but not as True."""
    if isinstance(first, (np.ndarray, list, tuple)) or isinstance(second, (np.ndarray, list, tuple)):
        return np.array_equal(first, second)
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def _united(first: Columns, second: Columns, who: str) -> Columns:
    """The columns of both parts, with the levels of both."""
    if first.dates != second.dates and first.given() == second.given():
        raise InputError(
            f"{who}: days of column {listing([each.column for each in first.dates])} are counted from another date in "
            "each part, or other parts of the calendar vary (learn from all parts with partial_fit)."
        )
    if first.n != second.n:
        raise InputError(
            f"{who}: X has {second.n} features, but {who.split('.')[0]} is expecting {first.n} features as input; "
            "both parts must be tables of the same columns, or arrays of the same width."
        )
    if (first.schema is None) != (second.schema is None):
        raise InputError(f"{who}: one part is a table and the other an array; both must be the same.")
    if first.schema is None or second.schema is None:
        return first
    if first.schema.names != second.schema.names:
        raise InputError(
            f"{who}: both parts must have the same columns in the same order, but one has "
            f"{listing(first.schema.names)} and the other {listing(second.schema.names)}."
        )
    columns = [_united_column(one, other, who) for one, other in zip(first.schema, second.schema)]
    return Columns(first.n, Schema(columns), first.text | second.text, first.left_out | second.left_out, first.dates)


def _united_column(one: Column, other: Column, who: str) -> Column:
    if one.reason.endswith(JOINED) or other.reason.endswith(JOINED):
        raise InputError(
            f"{who}: rare categories of column {one.name!r} were joined in fit, so that the sum would not be exact "
            "(learn from all parts with partial_fit, which keeps them apart)."
        )
    if one == other:
        return one
    if one.kind != other.kind:
        raise InputError(f"{who}: column {one.name!r} is {one.kind} in one part and {other.kind} in the other.")
    if one.kind == "ordinal":
        return replace(one, levels=_common_order(one, other, who))
    levels = tuple(dict.fromkeys(one.levels + other.levels))
    return replace(one, levels=tuple(levels[i] for i in in_order(levels, np.arange(len(levels)))))


def _common_order(one: Column, other: Column, who: str) -> tuple[Any, ...]:
    """The levels of two scales on one that keeps both orders."""
    left, right, order = list(one.levels), list(other.levels), []
    while left or right:
        if left and left[0] not in right[1:]:
            level = left[0]
        elif right and right[0] not in left[1:]:
            level = right[0]
        else:
            raise InputError(
                f"{who}: column {one.name!r} has its levels in another order in each part, "
                f"{listing(one.levels)} and {listing(other.levels)}."
            )
        order.append(level)
        left, right = ([v for v in rest if v != level] for rest in (left, right))
    return tuple(order)


def _places(part: MergeableClassifier, whole: MergeableClassifier) -> Places:
    """Where the classes, levels and columns of a part stand in the whole."""
    coded = [c for c in part._columns.schema or () if not c.is_numeric and c.name not in part._columns.text]
    schema = whole._columns.schema
    target = [] if schema is None else [schema[c.name] for c in coded]
    levels = tuple(_positions(mine.levels, all_.levels) for mine, all_ in zip(coded, target))
    columns, n_columns = np.arange(0), 0
    if isinstance(part._encoder, NumericEncoder):
        names = whole._encoder.names_out()
        columns, n_columns = _positions(part._encoder.names_out(), names), len(names)
    classes = codes_of(part.classes_, whole.classes_)
    return Places(classes, len(whole.classes_), levels, tuple(len(c.levels) for c in target), columns, n_columns)


def _positions(some: Any, among: Any) -> np.ndarray:
    place = {value: i for i, value in enumerate(among)}
    return np.array([place[value] for value in some], dtype=np.intp)


def _summed_encoder(first: Any, second: Any, columns: Columns) -> Any:
    if isinstance(first, MixedEncoder):
        return MixedEncoder(columns, first.largest, first.as_given)
    encoder = NumericEncoder(first.form, columns, first.model)
    moments = first.moments.plus(second.moments)
    missing = np.full(len(moments.low), int(first.filled or second.filled))
    encoder.learn(Survey(moments.low, moments.high, missing, moments))
    return encoder
