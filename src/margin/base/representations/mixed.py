"""Mixed columns as they are: numbers in one matrix, nominal columns as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.inputs.arrays import StoredSurvey, dense_from_sparse
from margin.base.inputs.columns import Columns
from margin.base.inputs.one_row import RowReader
from margin.base.representations.cell_survey import Survey, check_cells, check_stored_cells, survey, survey_by_class
from margin.base.representations.representation import NO_LIMIT, Learnt, TrainingRows
from margin.data.schema import Schema
from margin.data.table import Table
from margin.typing import TableLike

__all__ = ["Mixed", "MixedData", "numeric_block"]


class MixedData:
    """Clean mixed columns.

    ``numeric`` holds the numbers with NaN for missing cells, ``codes`` one int32 array for each other column with -1
    for missing or unseen categories, ``text`` the levels and codes of free-text columns. ``survey`` is what was seen
    of the numbers at fit, ``stored`` what was seen of the cells of CSR.
    """

    __slots__ = ("above", "codes", "numeric", "schema", "stored", "survey", "text")

    def __init__(
        self,
        numeric: Any,
        codes: tuple[np.ndarray, ...] = (),
        schema: Schema | None = None,
        text: dict[str, tuple[tuple[str, ...], np.ndarray]] | None = None,
        survey: Survey | None = None,
    ) -> None:
        self.numeric = numeric
        self.codes = codes
        self.schema = schema
        self.text = text or {}
        self.survey = survey
        self.stored: StoredSurvey | None = None
        self.above = 0  # rows of the table before these, for messages

    def __len__(self) -> int:
        return self.numeric.shape[0]

    def take(self, rows: np.ndarray) -> MixedData:
        """Some of the rows, in the order asked for."""
        text = {name: (levels, codes[rows]) for name, (levels, codes) in self.text.items()}
        return MixedData(self.numeric[rows], tuple(codes[rows] for codes in self.codes), self.schema, text)

    def block(self, number: int, begin: int, end: int) -> MixedData:
        """One of the blocks that rows are added up in, with what was seen of it."""
        rows = slice(begin, end)
        text = {name: (levels, codes[rows]) for name, (levels, codes) in self.text.items()}
        some = MixedData(self.numeric[rows], tuple(codes[rows] for codes in self.codes), self.schema, text, self.survey)
        if self.survey is not None:
            some.survey = self.survey.of_blocks[number] if self.survey.of_blocks else None
        some.stored, some.above = self.stored, begin
        return some


@dataclass(frozen=True)
class Mixed:
    """Numeric columns as float64 with NaN kept, the others as int32 codes with -1 for missing or unseen.

    ``largest`` is the largest magnitude the model can take; beyond it a cell is refused by row and column.
    ``as_given`` leaves a plain matrix in its type (float32, float64, int32, int64, CSR). ``moments`` asks for the
    moments of every column in every class, found in the pass that checks the cells. ``text`` names columns that are
    read as free text if they hold words: at prediction they keep the texts they come with; True is all columns.
    """

    largest: float = NO_LIMIT
    as_given: bool = False
    moments: bool = False
    text: frozenset[str] | bool = frozenset()

    def learn(self, columns: Columns, rows: TrainingRows, who: str) -> Learnt:
        encoder = MixedEncoder(columns, self.largest, self.as_given)
        data = encoder.split(rows.source, who)
        if isinstance(data.numeric, np.ndarray):
            data.survey = self._survey(data.numeric, rows, encoder.numbers, who)
        else:
            data.stored = check_stored_cells(data.numeric, self.largest, columns, who)
        return Learnt(encoder, data, data.survey, encoder.numeric_names if columns.schema is not None else None)

    def _survey(self, matrix: np.ndarray, rows: TrainingRows, columns: Columns, who: str) -> Survey:
        if not self.moments or rows.y is None or matrix.dtype.kind != "f":
            return survey(matrix, self.largest, columns, who)
        return survey_by_class(matrix, rows.y, rows.weight, rows.n_classes, self.largest, columns, who)


def numeric_block(table: Table, names: list[str]) -> np.ndarray:
    """Numeric and ordinal columns of a table side by side; a missing rank is NaN."""
    columns = []
    for name in names:
        cells = table.cells(name)
        numbers = cells if cells.dtype.kind == "f" else np.where(cells < 0, np.nan, cells)
        columns.append(np.ascontiguousarray(numbers))
    if not columns:
        return np.empty((table.n_rows, 0))
    return _core.data.side_by_side(columns, parallel.n_threads())


class MixedEncoder:
    """Splits a source into its numbers and its codes."""

    def __init__(self, columns: Columns, largest: float, as_given: bool = False) -> None:
        self.columns = columns
        self.largest = largest
        self.as_given = as_given
        self.keeps_float32 = as_given
        schema = columns.schema or ()
        self.numeric_names = [column.name for column in schema if column.is_numeric]
        self.text_names = [column.name for column in schema if column.name in columns.text]
        self.coded_names = [c.name for c in schema if not c.is_numeric and c.name not in columns.text]
        # What the columns of the numeric matrix are, for messages.
        self.numbers = (
            columns
            if columns.schema is None
            else Columns(len(self.numeric_names), Schema(columns.schema[name] for name in self.numeric_names))
        )

    def plain(self, X: TableLike, has_missing: bool) -> MixedData:
        """The quick way for a clean matrix."""
        return MixedData(X)

    def plain_csr(self, X: TableLike, stored: StoredSurvey) -> MixedData:
        """The quick way for clean CSR."""
        data = MixedData(X)
        data.stored = stored
        return data

    def encode(self, source: Any, who: str) -> MixedData:
        data = self.split(source, who)
        if isinstance(data.numeric, np.ndarray):
            check_cells(data.numeric, self.largest, self.numbers, who)
        else:
            data.stored = check_stored_cells(data.numeric, self.largest, self.columns, who)
        return data

    def one_row(self, X: Any, reader: RowReader) -> MixedData | None:
        """X if it is one row that can be read at once."""
        numbers, codes = np.empty((1, len(self.numeric_names))), np.empty((len(self.coded_names), 1), dtype=np.int32)
        if not reader.core.split(reader.row_in(X), self.largest, numbers, codes):
            return None
        return MixedData(numbers, tuple(codes), self.columns.schema)

    def split(self, source: Any, who: str) -> MixedData:
        """The parts of a source, its numbers not yet looked at."""
        if isinstance(source, Table):
            codes = tuple(np.ascontiguousarray(source.cells(name)) for name in self.coded_names)
            text = {name: (source.schema[name].levels, source.cells(name)) for name in self.text_names}
            return MixedData(numeric_block(source, self.numeric_names), codes, self.columns.schema, text)
        if self.as_given:
            return MixedData(source)
        if not isinstance(source, np.ndarray):
            source = dense_from_sparse(source, who)
        return MixedData(source.astype(np.float64, copy=False))
