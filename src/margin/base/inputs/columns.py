"""The columns a model learnt, and how new data are matched to them.

Policy, the same in every model: columns are matched by name and may come in any order; missing, renamed or
extra columns are errors. A category that was not there at fit counts as a missing cell. Data without names
(arrays) are matched by position. Identifiers and free text, which a model leaves out, may be there or not. Columns of
dates come as they are, and what a model sees of them (``date_parts.py``) is made of them here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from margin.base.inputs.arrays import cases_in, cells_of, matrix_of, open_all, open_input
from margin.base.inputs.date_parts import DateParts, with_date_parts
from margin.base.inputs.one_row import RowReader
from margin.data.frames.dataframes import cells_from_series, is_frame, open_frame
from margin.data.frames.in_memory import is_records, table_from_memory
from margin.data.frames.left_out import warn_of_columns
from margin.data.frames.object_cells import (
    are_dates,
    are_marks,
    codes_of_values,
    date_column,
    distinct,
    kinds_of,
    numbers_of,
    numbers_of_levels,
)
from margin.data.missing import is_missing
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import InputError, closest, listing
from margin.typing import Encoded, TableLike

__all__ = ["Columns", "learn_columns"]


_READERS: WeakKeyDictionary[Columns, RowReader | None] = WeakKeyDictionary()


class Columns:
    """What the columns were at fit: their number, and for tables their names, kinds and levels.

    Columns named in ``text`` are free text: they have no levels of their own, and new ones come with theirs. Those in
    ``left_out`` were there, but name rows or are text that the model does not read. ``dates`` say what is made of
    columns of dates; the schema has that in their place.
    """

    left_out: frozenset[str] = frozenset()
    dates: tuple[DateParts, ...] = ()

    def __init__(
        self,
        n: int,
        schema: Schema | None = None,
        text: frozenset[str] = frozenset(),
        left_out: frozenset[str] = frozenset(),
        dates: tuple[DateParts, ...] = (),
    ) -> None:
        self.n = n
        self.schema = schema
        self.text = text
        if left_out:  # the file of a model that leaves nothing out does not speak of it
            self.left_out = left_out
        if dates:
            self.dates = dates

    def are_none(self) -> bool:
        """Whether there were none: cases such as pictures, which are handed on as they come."""
        return self.n == 0 and self.schema is None

    def described(self) -> Schema:
        """The schema, with made-up names ``x0``, ``x1``, … for plain arrays."""
        return self.schema or Schema(Column(f"x{i}", "numeric", reason="an array of numbers") for i in range(self.n))

    def given(self) -> tuple[str, ...]:
        """The names of the columns as they come: of dates, the column that everything is made of."""
        of_dates = {name: each.column for each in self.dates for name in each.names}
        return tuple(dict.fromkeys(of_dates.get(name, name) for name in self.described().names))

    def row_reader(self) -> RowReader | None:
        """What reads single rows of a table at once; None where texts or dates are to be made of some cells."""
        if self not in _READERS:  # beside the columns, not in them: files of models know nothing of it
            others = self.schema is None or self.text or self.dates
            _READERS[self] = None if others else RowReader(self.described(), self.left_out)
        return _READERS[self]

    def table_of(self, row: list[Any]) -> Table:
        """The table of one such row."""
        assert self.schema is not None
        return Table(self.schema, [np.array([cell]) for cell in row])

    def read(self, X: TableLike, who: str, largest: float = math.inf, bytes_too: bool = False) -> Any:
        """New data as a source that fits these columns: an array, CSR or a Table with the learnt codes."""
        model = who.split(".")[0]
        if self.are_none():
            return X
        if self.schema is None:
            source = open_input(X, who, largest, bytes_too)
            if isinstance(source, Table):
                source = _numbers_by_position(source, who)
            self._check_count(source.shape[1], who, model)
            return source
        if is_frame(X) and not isinstance(X, Table):
            return self._matched_frame(X, who)
        if isinstance(X, Table):
            return self._matched(X, who)
        if is_records(X):
            reader = self.row_reader()
            cells = reader.columns(X, largest) if reader is not None and isinstance(X, list) else None
            return self._matched(table_from_memory(X, who), who) if cells is None else Table(self.schema, cells)
        return self._by_position(X, who, model)

    def _check_count(self, found: int, who: str, model: str) -> None:
        if found != self.n:
            raise InputError(f"{who}: X has {found} features, but {model} is expecting {self.n} features as input.")

    def _matched_frame(self, frame: Any, who: str) -> Table:
        assert self.schema is not None
        by_name, n_rows = open_frame(frame, who)
        made: dict[str, tuple[Column, np.ndarray]] = {}
        for dates in self.dates:
            if dates.column in by_name:
                found = _dates_of(dates.column, by_name.pop(dates.column), who)
                made |= {column.name: (column, cells) for column, cells in dates.made_of(*found, who)}
        self._check_names([*(name for name in by_name if name not in self.left_out), *made], who)
        cells = [
            self._recoded(c, *made[c.name], who) if c.name in made else self._series(c, by_name[c.name], who)
            for c in self.schema
        ]
        return self._table(cells, n_rows)

    def _matched(self, table: Table, who: str) -> Table:
        assert self.schema is not None
        table, known = with_date_parts(table, self.dates, who) if self.dates else table, self.schema.names
        # What a column is was settled at fit: among few rows an identifier may look like a word, or a word like one.
        others = [c.name for c in table.schema if c.is_input and c.name not in self.left_out]
        self._check_names([name for name in table.names if name in known or name in others], who)
        cells = [
            self._recoded(column, table.schema[column.name], table.cells(column.name), who) for column in self.schema
        ]
        return self._table(cells, table.n_rows)

    def _by_position(self, X: Encoded, who: str, model: str) -> Table:
        assert self.schema is not None
        if self.dates:
            raise InputError(
                f"{who}: rows with dates in column {listing([each.column for each in self.dates])} must come with the "
                "names of their columns (give a data frame, a table or a list of records)."
            )
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
            as_words = replace(given, kind=column.kind)
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
        if are_dates(values) and (dated := date_column(column.name, values)) is not None:
            return self._recoded(column, *dated, who)
        kinds_of(column.name, values, who)
        different, codes = distinct(values)
        return replace(column, levels=tuple(different)), codes.astype(np.int32)

    def arranged(self, columns: Columns, source: Any, who: str) -> tuple[Columns, Any]:
        """Further training rows with their columns in this order; other columns are refused."""
        if self.schema is None or columns.schema is None:
            self._check_count(columns.n, who, who.split(".")[0])
            return self._by_place(columns, source, who)
        if self.dates:
            source = with_date_parts(source, self.dates, who)
            columns = Columns(len(source.schema), source.schema, columns.text, columns.left_out)
        assert columns.schema is not None
        self._check_names(list(columns.schema.names), who)
        described, cells = [], []
        for known in self.schema:
            column, values = self._taken_as(known, columns.schema[known.name], source.cells(known.name))
            described.append(column)
            cells.append(values)
        schema = Schema(described)
        united = Columns(columns.n, schema, self.text, self.left_out | columns.left_out, self.dates)
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
        of_dates = {name: each.column for each in self.dates for name in each.names}
        extra = [name for name in found if name not in expected]
        absent = list(dict.fromkeys(of_dates.get(name, name) for name in known if name not in there))
        known = self.given()
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
    free: frozenset[str] = frozenset(),
    bytes_too: bool = False,
) -> tuple[Columns, Any]:
    """What the columns of X are, and X as a source.

    Columns of words named in ``text`` (True: all) are free text, and so are columns of the kinds ``free``.
    """
    if "cases" in free and (cases := cases_in(X)) is not None and len(cases):
        return Columns(0), cases
    given = open_all(X, who, largest, bytes_too)
    source = _inputs_of(given, text, free) if isinstance(given, Table) else given
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
    named += [column.name for column in source.schema if column.kind in free and column.name not in named]
    if not isinstance(X, Table):  # whoever has a table has seen what its columns are
        warn_of_columns(given, source.drop(*named), frozenset(named), who)
    left_out = frozenset(given.names).difference(source.names)
    return Columns(n, source.schema, frozenset(named), left_out), source


def _inputs_of(table: Table, text: frozenset[str] | bool, free: frozenset[str]) -> Table:
    """The columns that models learn from, free text among them where it is asked for.

    A column that is asked for by name is text even where its words are so different that they look like names of rows.
    """
    if not text and not free:
        return table.inputs()

    def is_named(column: Column) -> bool:
        return column.kind in ("date", "text") if text is True else column.name in (text or ())

    wanted = [c for c in table.schema if c.is_input or c.kind in free or is_named(c)]
    # A model that is told to read text reads it as words, whatever the table called it.
    schema = Schema(replace(c, kind="nominal") if is_named(c) and not c.is_numeric else c for c in wanted)
    return Table(schema, [table.cells(c.name) for c in wanted], table.name, table.n_rows)


def _dates_of(name: str, series: Any, who: str) -> tuple[Column, np.ndarray]:
    """The words of a column of dates, whatever they would be without them: a wrong one is told of by row."""
    found = cells_from_series(name, series, who)
    if not isinstance(found, list):
        return found
    if are_dates(found) and (dated := date_column(name, found)) is not None:
        return dated
    words = [None if is_missing(value) or are_marks([value]) else str(value).strip() for value in found]
    levels, codes = distinct(words)
    return Column(name, "nominal", tuple(levels)), codes


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
