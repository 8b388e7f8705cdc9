"""The columns a model learnt, and how new data are matched to them.

Policy, the same in every model: columns are matched by name and may come in any order; missing, renamed or
extra columns are errors. A category that was not there at fit counts as a missing cell. Data without names
(arrays) are matched by position. Identifiers and free text, which a model leaves out, may be there or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.inputs.arrays import cells_of, matrix_of, open_all, open_input, row_count
from margin.base.inputs.one_row import RowReader
from margin.data.frames.dataframes import cells_from_series, is_frame, open_frame
from margin.data.frames.in_memory import is_records, table_from_memory
from margin.data.frames.left_out import warn_of_columns
from margin.data.frames.object_cells import (
    are_marks,
    codes_of_values,
    distinct,
    kinds_of,
    numbers_of,
    numbers_of_levels,
)
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import InputError, closest, listing
from margin.typing import Encoded, TableLike

__all__ = ["JOINED", "Columns", "in_order", "keep_observed_levels", "learn_columns"]


_READERS: WeakKeyDictionary[Columns, RowReader | None] = WeakKeyDictionary()


class Columns:
    """What the columns were at fit: their number, and for tables their names, kinds and levels.

    Columns named in ``text`` are free text: they have no levels of their own, and new ones come with theirs. Those in
    ``left_out`` were there, but name rows or are text that the model does not read.
    """

    left_out: frozenset[str] = frozenset()

    def __init__(
        self,
        n: int,
        schema: Schema | None = None,
        text: frozenset[str] = frozenset(),
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        self.n = n
        self.schema = schema
        self.text = text
        if left_out:  # the file of a model that leaves nothing out does not speak of it
            self.left_out = left_out

    def described(self) -> Schema:
        """The schema, with made-up names ``x0``, ``x1``, … for plain arrays."""
        return self.schema or Schema(Column(f"x{i}", "numeric", reason="an array of numbers") for i in range(self.n))

    def one_row(self, X: Any, largest: float) -> list[Any] | None:
        """A number or a code for each column of a table, if X is one row that can be read at once."""
        if self not in _READERS:  # beside the columns, not in them: files of models know nothing of it
            _READERS[self] = RowReader(self.schema, self.left_out) if self.schema and not self.text else None
        reader = _READERS[self]
        return None if reader is None else reader.cells(X, largest)

    def table_of(self, row: list[Any]) -> Table:
        """The table of one such row."""
        assert self.schema is not None
        return Table(self.schema, [np.array([cell]) for cell in row])

    def read(self, X: TableLike, who: str, largest: float = math.inf, bytes_too: bool = False) -> Any:
        """New data as a source that fits these columns: an array, CSR or a Table with the learnt codes."""
        model = who.split(".")[0]
        if self.schema is None:
            source = open_input(X, who, largest, bytes_too)
            if isinstance(source, Table):
                source = _numbers_by_position(source, who)
            self._check_count(source.shape[1], who, model)
            return source
        if is_frame(X) and not isinstance(X, Table):
            return self._matched_frame(X, who)
        if isinstance(X, Table) or is_records(X):
            return self._matched(X if isinstance(X, Table) else table_from_memory(X, who), who)
        return self._by_position(X, who, model)

    def _check_count(self, found: int, who: str, model: str) -> None:
        if found != self.n:
            raise InputError(f"{who}: X has {found} features, but {model} is expecting {self.n} features as input.")

    def _matched_frame(self, frame: Any, who: str) -> Table:
        assert self.schema is not None
        by_name, n_rows = open_frame(frame, who)
        self._check_names([name for name in by_name if name not in self.left_out], who)
        cells = [self._series(column, by_name[column.name], who) for column in self.schema]
        return self._table(cells, n_rows)

    def _matched(self, table: Table, who: str) -> Table:
        assert self.schema is not None
        known = self.schema.names
        # What a column is was settled at fit: among few rows an identifier may look like a word, or a word like one.
        others = [c.name for c in table.schema if c.is_input and c.name not in self.left_out]
        self._check_names([name for name in table.names if name in known or name in others], who)
        cells = [
            self._recoded(column, table.schema[column.name], table.cells(column.name), who) for column in self.schema
        ]
        return self._table(cells, table.n_rows)

    def _by_position(self, X: Encoded, who: str, model: str) -> Table:
        assert self.schema is not None
        array = open_input(X, who).toarray() if hasattr(X, "tocsr") else cells_of(X, who)
        self._check_count(array.shape[1], who, model)
        cells = [self._of_array(column, array[:, i], who) for i, column in enumerate(self.schema)]
        return self._table(cells, len(array))

    def _table(self, columns: list[tuple[Column, np.ndarray]], n_rows: int) -> Table:
        assert self.schema is not None
        schema = Schema(column for column, _ in columns) if self.text else self.schema
        return Table(schema, [cells for _, cells in columns], n_rows=n_rows)

    def _recoded(self, column: Column, given: Column, cells: np.ndarray, who: str) -> tuple[Column, np.ndarray]:
        """The cells of a table's column in the numbers or codes that were learnt; free text as it comes."""
        if column.name in self.text:
            as_words = replace(given, kind="nominal")
            return (as_words, cells) if not given.is_numeric else self._taken_as(column, given, cells)
        return column, _recoded(column, given, cells, who)

    def _series(self, column: Column, series: Any, who: str) -> tuple[Column, np.ndarray]:
        found = cells_from_series(column.name, series, who)
        if isinstance(found, list):
            return self._of_objects(column, found, who)
        return self._recoded(column, *found, who)

    def _of_array(self, column: Column, values: np.ndarray, who: str) -> tuple[Column, np.ndarray]:
        if values.dtype.kind == "O":
            return self._of_objects(column, values.tolist(), who)
        return column, _cells_of_array(column, values, who)

    def _of_objects(self, column: Column, values: Sequence[Any], who: str) -> tuple[Column, np.ndarray]:
        if column.name not in self.text:
            return column, _cells_of_objects(column, values, who)
        kinds_of(column.name, values, who)
        different, codes = distinct(values)
        return replace(column, levels=tuple(different)), codes.astype(np.int32)

    def arranged(self, columns: Columns, source: Any, who: str) -> tuple[Columns, Any]:
        """Further training rows with their columns in this order; other columns are refused."""
        if self.schema is None or columns.schema is None:
            self._check_count(columns.n, who, who.split(".")[0])
            return self._by_place(columns, source, who)
        self._check_names(list(columns.schema.names), who)
        described, cells = [], []
        for known in self.schema:
            column, values = self._taken_as(known, columns.schema[known.name], source.cells(known.name))
            described.append(column)
            cells.append(values)
        schema = Schema(described)
        united = Columns(columns.n, schema, self.text, self.left_out | columns.left_out)
        return united, Table(schema, cells, n_rows=source.n_rows)

    def _by_place(self, columns: Columns, source: Any, who: str) -> tuple[Columns, Any]:
        """Rows of an array where there was a table before, or the other way round."""
        if self.schema is None:
            return Columns(columns.n), _numbers_by_position(source, who) if isinstance(source, Table) else source
        matrix = source.toarray() if hasattr(source, "toarray") else source
        schema = Schema(Column(column.name, "numeric", reason="an array of numbers") for column in self.schema)
        return Columns(columns.n, schema), Table(schema, list(matrix.T))

    def _taken_as(self, known: Column, given: Column, cells: np.ndarray) -> tuple[Column, np.ndarray]:
        """A column that is empty here is of the kind it was, and a text may well be a number."""
        if known.is_numeric and not given.is_numeric and not given.levels:
            return known, np.full(len(cells), np.nan)
        if not known.is_numeric and given.is_numeric and (known.name in self.text or np.isnan(cells).all()):
            levels, codes = _written(cells)
            return replace(known, levels=levels), codes
        return given, cells

    def _check_names(self, found: list[str], who: str) -> None:
        assert self.schema is not None
        known = self.schema.names
        there, expected = set(found), set(known)
        extra = [name for name in found if name not in expected]
        absent = [name for name in known if name not in there]
        if extra:
            near = closest(extra[0], absent or known)
            raise InputError(
                f"{who}: column {listing(extra)} was not there at fit; columns are {listing(known)}{near}."
            )
        if absent:
            raise InputError(f"{who}: column {listing(absent)} is missing; the model was fitted with it.")


def learn_columns(
    X: TableLike,
    who: str,
    text: frozenset[str] | bool = False,
    largest: float = math.inf,
    bytes_too: bool = False,
) -> tuple[Columns, Any]:
    """What the columns of X are, and X as a source. Columns of words named in ``text`` (True: all) are free text."""
    given = open_all(X, who, largest, bytes_too)
    source = _inputs_of(given, text) if isinstance(given, Table) else given
    rows, n = source.shape
    if n == 0:
        left = (
            f" ({listing(given.names)} is an identifier or free text)"
            if isinstance(given, Table) and given.names
            else ""
        )
        raise InputError(
            f"{who}: X has no columns to learn from{left}: "
            f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
        )
    if rows == 0:
        raise InputError(f"{who}: X has no rows to learn from: 0 sample(s) while a minimum of 1 is required.")
    if not isinstance(source, Table):
        return Columns(n), source
    words = [column.name for column in source.schema if not column.is_numeric]
    named = words if text is True else [name for name in words if text and name in text]
    if not isinstance(X, Table):  # whoever has a table has seen what its columns are
        warn_of_columns(given, source.drop(*named), frozenset(named), who)
    left_out = frozenset(given.names).difference(source.names)
    return Columns(n, source.schema, frozenset(named), left_out), source


def _inputs_of(table: Table, text: frozenset[str] | bool) -> Table:
    """The columns that models learn from, free text among them where it is asked for.

    A column that is asked for by name is text even where its words are so different that they look like names of rows.
    """
    if not text:
        return table.inputs()
    wanted = [c for c in table.schema if c.is_input or (c.kind == "text" if text is True else c.name in text)]
    # A model that reads text reads it as words, whatever the table called it.
    schema = Schema(c if c.is_input else replace(c, kind="nominal") for c in wanted)
    return Table(schema, [table.cells(c.name) for c in wanted], table.name, table.n_rows)


#: In nominal columns of more levels than this, those of fewer rows than this are joined, for models of numbers.
MANY_LEVELS, RARE = 100, 3
#: The reason of such a column ends so.
JOINED = "rare ones joined"


def keep_observed_levels(columns: Columns, table: Table, join_rare: bool = False) -> tuple[Columns, Table]:
    """Only the levels that training rows hold, so that a model knows nothing of rows it has not seen.

    Nominal levels are put into sorted order: the order in which categories were declared changes nothing. With
    ``join_rare``, levels of very few rows among very many levels are joined with all that may come later unseen: each
    would be a column of its own that says nothing about other rows.
    """
    described, cells = [], []
    for column in table.schema:
        codes = table.cells(column.name)
        if not column.is_numeric and column.name not in columns.text:
            column, codes = _observed(column, codes, join_rare)
        described.append(column)
        cells.append(codes)
    # The model remembers no texts, only that a column is text; the rows keep theirs.
    remembered = Schema(replace(column, levels=()) if column.name in columns.text else column for column in described)
    known = Columns(columns.n, remembered, columns.text, columns.left_out)
    return known, Table(Schema(described), cells, n_rows=row_count(table))


def _observed(column: Column, codes: np.ndarray, join_rare: bool) -> tuple[Column, np.ndarray]:
    n_levels = len(column.levels)
    codes = np.ascontiguousarray(codes)
    counts = np.asarray(_core.data.level_counts(codes, n_levels, parallel.n_threads()))
    seen = np.flatnonzero(counts)
    if join_rare and column.kind == "nominal" and len(seen) > MANY_LEVELS and (counts >= RARE).any():
        rare = len(seen)
        seen = np.flatnonzero(counts >= RARE)
        column = replace(column, reason=f"{column.reason}, {rare - len(seen)} {JOINED}")
    if column.kind != "ordinal":
        seen = in_order(column.levels, seen)
    if np.array_equal(seen, np.arange(n_levels)):
        return column, codes
    new_codes = np.full(len(column.levels) + 1, -1, dtype=np.int32)  # the last place serves code -1
    new_codes[seen] = np.arange(len(seen))
    levels = tuple(column.levels[i] for i in seen)
    return Column(column.name, column.kind, levels, column.reason), new_codes[codes]


def in_order(levels: Sequence[Any], seen: np.ndarray) -> np.ndarray:
    """Numbers before words, each sorted; levels that cannot be compared go by how they are written."""
    try:
        return np.array(sorted(seen, key=lambda i: _sort_key(levels[i])), dtype=np.intp)
    except TypeError:
        return np.array(sorted(seen, key=lambda i: (type(levels[i]).__name__, str(levels[i]))), dtype=np.intp)


def _sort_key(level: object) -> tuple[str, Any]:
    is_number = isinstance(level, (int, float, np.number)) and not isinstance(level, bool)
    return ("", level) if is_number else (type(level).__name__, level)


def _numbers_by_position(table: Table, who: str) -> np.ndarray:
    others = [column for column in table.schema if not column.is_numeric]
    words = [column.name for column in others if not are_marks(column.levels)]
    if words:
        raise InputError(f"{who}: column {listing(words)} holds words, but the model was fitted on numbers alone.")
    for column in others:
        numbers_of_levels(column.name, column.levels, table.cells(column.name), who)  # says that they read as missing
    return matrix_of(table)


def _recoded(column: Column, given: Column, cells: np.ndarray, who: str) -> np.ndarray:
    """The cells of a table's column in the numbers or codes that were learnt."""
    if column.is_numeric:
        return cells if given.is_numeric else numbers_of_levels(column.name, given.levels, cells, who)
    if given.is_numeric:
        return _cells_of_array(column, cells, who)
    if given.levels == column.levels:  # as a rule: a table and its parts share their levels
        return cells
    return codes_of_values(column.levels, given.levels)[cells]


def _written(numbers: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Numbers as people write them: the different ones, and which of them each cell is."""
    different, codes = np.unique(numbers, return_inverse=True)
    different = different[~np.isnan(different)]  # NaN comes last
    codes = np.where(codes < len(different), codes, -1).astype(np.int32)
    return tuple(str(int(n)) if n == np.floor(n) else repr(float(n)) for n in different), codes


def _cells_of_array(column: Column, values: np.ndarray, who: str) -> np.ndarray:
    if values.dtype.kind == "O":
        return _cells_of_objects(column, values.tolist(), who)
    if column.is_numeric:
        return values.astype(np.float64)
    different, codes = np.unique(values, return_inverse=True)  # NaN is unlike all levels, and so missing
    return codes_of_values(column.levels, different.tolist())[codes.reshape(-1)]


def _cells_of_objects(column: Column, values: Sequence[Any], who: str) -> np.ndarray:
    if column.is_numeric:
        return numbers_of(column.name, values, who)
    kinds_of(column.name, values, who)  # refuses what cannot be a cell; a level of another kind is merely unseen
    different, codes = distinct(values)
    return codes_of_values(column.levels, different)[codes]
