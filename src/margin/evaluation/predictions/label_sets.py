"""Several labels at once: indicator tables, data frames, sparse matrices or lists of label sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, union
from margin.data.weights import check_weights
from margin.errors import InputError, LabelError, listing
from margin.evaluation.predictions.from_arrays import as_numbers
from margin.evaluation.predictions.ranking import Ranking
from margin.typing import WeightsLike

__all__ = ["ABSTAINED", "LabelSets"]

#: The code of a label about which nothing was said.
ABSTAINED = 2


@dataclass(frozen=True, eq=False)
class LabelSets:
    """For each case (row) and label (column): whether it is true, what was answered, and how strongly.

    ``predicted`` holds 1 for yes, 0 for no and 2 for no answer.

    >>> sets = LabelSets.of([{"a"}, {"a", "b"}, set()], [{"a"}, {"b"}, None])
    >>> sets.labels.tolist(), sets.truth.astype(int).tolist(), sets.predicted.tolist()
    (['a', 'b'], [[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [2, 2]])
    """

    labels: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray | None = None
    strength: np.ndarray | None = None
    weight: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        scores: Any = None,
        labels: Any = None,
        sample_weight: WeightsLike | None = None,
        who: str = "LabelSets",
    ) -> LabelSets:
        """Truth and answers, in whichever form they are given; they need not have the same form."""
        truth, said = _Given.of(y_true, f"{who}(y_true=…)"), None
        if y_pred is not None:
            said = _Given.of(y_pred, f"{who}(y_pred=…)")
        known = None if labels is None else label_array(labels, who)
        known = _labels(known, [each for each in (truth, said) if each is not None], who)
        if len(set(known.tolist())) < len(known) or not len(known):
            raise LabelError(f"{who}(labels={known.tolist()!r}): there must be labels, each of them once.")
        right = truth.codes(known, who)
        if (right == ABSTAINED).any():
            raise LabelError(f"{who}(y_true=…): every case must have its labels; {_first(right)} has none given.")
        strength = None if scores is None else _strength(scores, right.shape, who)
        guesses = None if said is None else said.codes(known, who)
        if guesses is not None and len(guesses) != len(right):
            raise InputError(f"{who}: there are {len(guesses)} predictions beside {len(right)} true label sets.")
        weight = check_weights(sample_weight, len(right), who)
        return cls(known, right.astype(bool), guesses, strength, weight)

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: np.ndarray) -> LabelSets:
        """The answers on some of the cases."""
        parts = (self.truth, self.predicted, self.strength, self.weight)
        return LabelSets(self.labels, *(None if part is None else part[rows] for part in parts))  # type: ignore[arg-type]

    @cached_property
    def weights(self) -> np.ndarray:
        return np.ones(len(self)) if self.weight is None else self.weight

    @cached_property
    def cells(self) -> np.ndarray:
        """The cell of its label's confusion table each answer falls in, counted row by row."""
        if self.predicted is None:
            raise InputError("LabelSets: predicted labels are needed to count, but only scores were given.")
        return self.truth * 3 + self.predicted

    @cached_property
    def tables(self) -> np.ndarray:
        """A confusion table for each label: rows no and yes, columns no, yes and no answer."""
        return self.tables_of(self.weights[None])[0]

    @property
    def counts(self) -> np.ndarray:
        return self.tables

    def tables_of(self, weights: np.ndarray) -> np.ndarray:
        """Tables for many weightings of the cases at once, one in each row."""
        counts = [weights @ (self.cells == cell) for cell in range(6)]
        return np.stack(counts, axis=-1).reshape(len(weights), len(self.labels), 2, 3)

    @cached_property
    def rankings(self) -> list[Ranking]:
        """The cases ranked by the strength of each label."""
        assert self.strength is not None
        return [
            Ranking(np.ascontiguousarray(self.strength[:, at]), self.truth[:, at], self.weight)
            for at in range(len(self.labels))
        ]


@dataclass(frozen=True, eq=False)
class _Given:
    """Label sets as they came: as a table of codes with perhaps names for its columns, or as lists of names."""

    table: np.ndarray | None
    names: np.ndarray | None
    sets: list[Any] | None = None

    @classmethod
    def of(cls, given: Any, who: str) -> _Given:
        if hasattr(given, "tocsr"):
            return cls(_codes(given.toarray(), who), None)
        if not isinstance(given, (np.ndarray, list, tuple)) and hasattr(given, "columns"):
            import narwhals as nw

            frame = nw.from_native(given, eager_only=True)
            columns = [np.asarray(column.to_list(), dtype=object) for column in frame.iter_columns()]
            names = np.fromiter(frame.columns, dtype=object)
            return cls(_codes(np.column_stack(columns) if columns else np.empty((len(frame), 0)), who), names)
        if isinstance(given, np.ndarray) and given.ndim == 2:
            return cls(_codes(given, who), None)
        rows = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) else None
        if rows is None:
            raise InputError(f"{who}: label sets must be an indicator table or a list of label sets.")
        if _are_indicators(rows):
            return cls(_codes(np.array(rows), who), None)
        return cls(None, None, [_label_list(row, who) for row in rows])

    def labels(self, who: str) -> np.ndarray | None:
        """The labels that are named at all."""
        if self.sets is None:
            return self.names
        named = [label for row in self.sets if row is not None for label in row]
        return distinct(label_array(named, who), who) if named else None

    def codes(self, labels: np.ndarray, who: str) -> np.ndarray:
        """One row a case, one column for each of ``labels``."""
        if self.sets is not None:
            return _codes_of_sets(self.sets, labels, who)
        assert self.table is not None
        if self.table.shape[1] != len(labels):
            raise InputError(f"{who}: there are {self.table.shape[1]} columns for {len(labels)} labels.")
        if self.names is None:
            return self.table
        order = codes_of(labels, self.names)
        if (order < 0).any():
            raise LabelError(f"{who}: there is no column for the labels {listing(labels[order < 0].tolist())}.")
        return self.table[:, order]


def _are_indicators(rows: list[Any]) -> bool:
    """Whether a list of lists is a table of 0 and 1. Sets are never; of lists it can be told by length and values."""
    if not rows or not all(isinstance(row, (list, np.ndarray)) for row in rows):
        return False
    width = len(rows[0])
    return width > 0 and all(
        len(row) == width
        and all(isinstance(cell, (int, np.integer, bool, np.bool_)) and cell in (0, 1) for cell in row)
        for row in rows
    )


def _label_list(row: Any, who: str) -> list[Any] | None:
    if row is None:
        return None
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise LabelError(f"{who}: each case must have a set of labels, not {row!r} (write [{row!r}]).")
    return list(row)


def _codes(table: np.ndarray, who: str) -> np.ndarray:
    """0 and 1 as they are; a missing cell is no answer."""
    try:
        numbers = table.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}: an indicator table must hold 0 and 1 (or False and True).") from None
    missing = np.isnan(numbers)
    wrong = ~(missing | (numbers == 0) | (numbers == 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InputError(
            f"{who}: an indicator table must hold 0 and 1, but row {row}, column {column} holds {table[row, column]!r}."
        )
    return np.where(missing, ABSTAINED, np.nan_to_num(numbers)).astype(np.int8)


def _codes_of_sets(sets: list[Any], labels: np.ndarray, who: str) -> np.ndarray:
    place = {label: at for at, label in enumerate(labels.tolist())}
    codes = np.zeros((len(sets), len(labels)), dtype=np.int8)
    for row, names in enumerate(sets):
        if names is None:
            codes[row] = ABSTAINED
            continue
        for name in names:
            if name not in place:
                raise LabelError(f"{who}: row {row} has the label {name!r}, which is none of {listing(place)}.")
            codes[row, place[name]] = 1
    return codes


def _labels(known: np.ndarray | None, given: list[_Given], who: str) -> np.ndarray:
    """The labels: those stated, those named by columns or in sets, or the numbers of the columns."""
    if known is not None:
        return known
    widths = [each.table.shape[1] for each in given if each.table is not None]
    named = [names for each in given if (names := each.labels(who)) is not None]
    for each in given:
        if each.names is not None:
            return each.names
    if widths:
        numbers = np.arange(widths[0])
        if any(not np.isin(names, numbers).all() for names in named):
            raise LabelError(f"{who}: say which labels the columns of the indicator table stand for (labels=…).")
        return numbers
    if not named:
        raise LabelError(f"{who}: there is no label at all (labels=… names those there could be).")
    found = named[0]
    for more in named[1:]:
        found = union(found, more, who)
    return found


def _strength(scores: Any, shape: tuple[int, ...], who: str) -> np.ndarray:
    strength = as_numbers(scores, "probabilities and scores", who)
    if strength.shape != shape or np.isnan(strength).any():
        raise InputError(
            f"{who}: there must be a probability or score for each of {shape[0]} cases and {shape[1]} labels, none "
            f"missing, but their shape is {strength.shape}."
        )
    return strength


def _first(codes: np.ndarray) -> str:
    return f"row {int(np.argmax((codes == ABSTAINED).any(axis=1)))}"
