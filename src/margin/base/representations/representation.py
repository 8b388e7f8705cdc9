"""What a model sees: ``Mixed`` columns as they are, one ``Numeric`` matrix, or the rows ``AsGiven``.

A model states a representation. ``learn`` gives the encoder that turns any source (array, CSR, table) into clean
arrays, and the training rows in that form. Everything an encoder knows (means, scales, levels) comes from training
rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from margin.base.inputs.arrays import cases_in, row_count
from margin.base.inputs.columns import Columns
from margin.base.inputs.one_row import RowReader
from margin.base.representations.cell_survey import Survey, check_cells, check_stored_cells, survey
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.data.weights import check_weights
from margin.typing import WeightsLike

__all__ = ["NO_LIMIT", "SQUARABLE", "AsGiven", "Learnt", "TrainingRows"]

# Squares of larger numbers overflow, and a model that adds them up answers nonsense.
SQUARABLE = 1e150
NO_LIMIT = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count, and which of the given ones they are (all, if ``kept`` is None).

    ``weight`` is None where none were given: every row counts once. ``y`` are their labels as codes
    0 … ``n_classes`` - 1; without labels all rows are of one class. ``groups`` are numbers, equal for rows that no fold
    may part.
    """

    source: Any
    n_given: int
    kept: np.ndarray | None
    weight: np.ndarray | None
    y: np.ndarray | None = None
    n_classes: int = 1
    groups: np.ndarray | None = None

    @classmethod
    def that_count(cls, source: Any, sample_weight: WeightsLike | None, who: str) -> TrainingRows:
        """The rows of a source without those of weight 0."""
        n_given = row_count(source)
        weight = check_weights(sample_weight, n_given, who)
        if weight is None or weight.all():
            return cls(source, n_given, None, weight)
        kept = np.flatnonzero(weight)
        return cls(source[kept], n_given, kept, weight[kept])

    def of(self, values: np.ndarray) -> np.ndarray:
        """One value per given row, for the rows that count."""
        return values if self.kept is None else values[self.kept]

    def as_given(self, places: np.ndarray) -> np.ndarray:
        """The numbers that some of the rows that count had among all given ones."""
        return places if self.kept is None else self.kept[places]

    def groups_of(self, places: np.ndarray | None) -> np.ndarray | None:
        """The groups of some of the rows that count (None: all of them), where there are any."""
        return self.groups if self.groups is None or places is None else self.groups[places]

    def weights(self) -> np.ndarray:
        """A weight for each row that counts, 1 where none was given."""
        return np.ones(row_count(self.source)) if self.weight is None else self.weight


class Learnt(NamedTuple):
    """An encoder, the training rows as it shows them, and what was seen of their numeric columns."""

    encoder: Any
    data: Any
    survey: Survey | None
    surveyed: list[str] | None = None

    def constant_columns(self, columns: Columns) -> list[str]:
        """The columns that hold one value or none; of sparse rows nothing is known."""
        if self.survey is None:
            return []
        described = columns.described()
        names = [column.name for column in described] if self.surveyed is None else self.surveyed
        constant = {name for name, same in zip(names, self.survey.constant) if same}
        others = {column.name for column in described}.difference(names, columns.text)
        return [c.name for c in described if c.name in constant or (c.name in others and len(c.levels) <= 1)]


@dataclass(frozen=True)
class AsGiven:
    """The rows themselves, columns matched: for models made of models, which hand them on.

    ``_fit`` and ``_scores`` get a ``Table``, an array or CSR; ``source[rows]`` takes some of its rows. ``surveyed`` is
    for models whose members do not all see all the rows: constant columns and ranges are then found here.
    """

    surveyed: bool = False
    #: The kinds of columns that are handed on as they come: members make of them what they can.
    free: ClassVar[frozenset[str]] = frozenset({"date", "text", "cases"})

    def learn(self, columns: Columns, rows: TrainingRows, who: str) -> Learnt:
        encoder, source = AsGivenEncoder(columns), rows.source
        if not self.surveyed or not isinstance(source, (Table, np.ndarray)):
            return Learnt(encoder, encoder.encode(source, who), None)
        if isinstance(source, np.ndarray):
            return Learnt(encoder, source, survey(source, NO_LIMIT, columns, who))
        numbers = [column for column in source.schema if column.is_numeric]
        parts = [_survey_of(source, column, who) for column in numbers]
        low, high, missing = (np.concatenate([each[i] for each in parts] or [np.empty(0)]) for i in range(3))
        return Learnt(encoder, source, Survey(low, high, missing), [column.name for column in numbers])


def _survey_of(table: Table, column: Column, who: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    cells = np.ascontiguousarray(table.cells(column.name)).reshape(-1, 1)
    found = survey(cells, NO_LIMIT, Columns(1, Schema([column])), who)
    return found.low, found.high, found.missing


class AsGivenEncoder:
    """Lets rows through; only infinite cells are refused here, by row and column."""

    largest = NO_LIMIT
    keeps_float32 = True

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    def plain(self, X: np.ndarray, has_missing: bool) -> np.ndarray:
        return X

    def one_row(self, X: Any, reader: RowReader) -> Table | None:
        row = reader.cells(X, self.largest)
        return None if row is None else self.columns.table_of(row)

    def encode(self, source: Any, who: str) -> Any:
        if self.columns.are_none():
            cases = cases_in(source)
            return source if cases is None else cases
        if isinstance(source, Table):
            for column in source.schema:
                if column.is_numeric:
                    cells = np.ascontiguousarray(source.cells(column.name)).reshape(-1, 1)
                    check_cells(cells, NO_LIMIT, Columns(1, Schema([column])), who)
        elif isinstance(source, np.ndarray):
            check_cells(source, NO_LIMIT, self.columns, who)
        else:
            check_stored_cells(source, NO_LIMIT, self.columns, who)
        return source
