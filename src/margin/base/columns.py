"""The columns a model learnt, and how new data are matched to them.

Policy, the same in every model: columns are matched by name and may come in any order; missing, renamed or
extra columns are errors. A category that was not there at fit counts as a missing cell. Data without names
(arrays) are matched by position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs import matrix_of, open_input, row_count
from margin.base.frames import is_frame, numbers_from_objects
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import InputError, closest, listing

__all__ = ["Columns", "learn_columns"]


class Columns:
    """What the columns were at fit: their number, and for tables their names, kinds and levels."""

    def __init__(self, n: int, schema: Schema | None = None) -> None:
        self.n = n
        self.schema = schema

    @property
    def plain(self) -> bool:
        """Whether the model was fitted on numbers without names."""
        return self.schema is None

    def described(self) -> Schema:
        """The schema, with made-up names ``x0``, ``x1``, … for plain arrays."""
        return self.schema or Schema(Column(f"x{i}", "numeric", reason="an array of numbers") for i in range(self.n))

    def read(self, X: Any, who: str) -> Any:
        """New data as a source that fits these columns: an array, CSR or a Table with the learnt codes."""
        model = who.split(".")[0]
        if self.schema is None:
            source = open_input(X, who)
            if isinstance(source, Table):
                source = _numbers_by_position(source, who)
            self._check_count(source.shape[1], who, model)
            return source
        if isinstance(X, Table):
            return self._matched(X.inputs(), who)
        if is_frame(X):
            return self._matched_frame(X, who)
        return self._by_position(X, who, model)

    def _check_count(self, found: int, who: str, model: str) -> None:
        if found != self.n:
            raise InputError(f"{who}: X has {found} features, but {model} is expecting {self.n} features as input.")

    def _matched_frame(self, frame: Any, who: str) -> Table:
        import narwhals.stable.v2 as nw

        assert self.schema is not None
        native = nw.from_native(frame, eager_only=True)
        self._check_names([str(name) for name in native.columns], who)
        by_name = {str(name): name for name in native.columns}
        cells = [_cells_of_series(column, native.get_column(by_name[column.name]), who) for column in self.schema]
        return _table(self.schema, cells, len(native))

    def _matched(self, table: Table, who: str) -> Table:
        assert self.schema is not None
        self._check_names(list(table.names), who)
        cells = [_recoded(column, table.schema[column.name], table.cells(column.name), who) for column in self.schema]
        return _table(self.schema, cells, table.n_rows)

    def _by_position(self, X: Any, who: str, model: str) -> Table:
        assert self.schema is not None
        if hasattr(X, "tocsr"):
            X = open_input(X, who).toarray()
        array = np.asarray(X, dtype=object) if not isinstance(X, np.ndarray) else X
        if array.ndim != 2:
            open_input(array.astype(np.float64) if array.ndim else 0.0, who)  # says what is wrong with its shape
        self._check_count(array.shape[1], who, model)
        cells = [_cells_of_objects(column, array[:, i].astype(object), who) for i, column in enumerate(self.schema)]
        return _table(self.schema, cells, len(array))

    def _check_names(self, found: list[str], who: str) -> None:
        assert self.schema is not None
        known = self.schema.names
        extra = [name for name in found if name not in self.schema]
        absent = [name for name in known if name not in set(found)]
        if extra:
            near = closest(extra[0], absent or known)
            raise InputError(
                f"{who}: column {listing(extra)} was not there at fit; columns are {listing(known)}{near}."
            )
        if absent:
            raise InputError(f"{who}: column {listing(absent)} is missing; the model was fitted with it.")
        if len(found) > len(known):
            raise InputError(f"{who}: column names must differ, but some stand there more than once.")


def learn_columns(X: Any, who: str) -> tuple[Columns, Any]:
    """What the columns of X are, and X as a source."""
    source = open_input(X, who)
    rows, n = source.shape
    if n == 0:
        raise InputError(
            f"{who}: X has no columns to learn from: 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
        )
    if rows == 0:
        raise InputError(f"{who}: X has no rows to learn from: 0 sample(s) while a minimum of 1 is required.")
    if not isinstance(source, Table):
        return Columns(n), source
    return Columns(n, source.schema), source


def keep_observed_levels(columns: Columns, table: Table) -> tuple[Columns, Table]:
    """Only the levels that training rows hold, so that a model knows nothing of rows it has not seen.

    Nominal levels are put into sorted order: the order in which categories were declared changes nothing.
    """
    described, cells = [], []
    for column in table.schema:
        codes = table.cells(column.name)
        if not column.is_numeric:
            column, codes = _observed(column, codes)
        described.append(column)
        cells.append(codes)
    schema = Schema(described)
    return Columns(columns.n, schema), _table(schema, cells, row_count(table))


def _observed(column: Column, codes: np.ndarray) -> tuple[Column, np.ndarray]:
    seen = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(column.levels)))
    if column.kind != "ordinal":
        seen = np.array(sorted(seen, key=lambda i: _sort_key(column.levels[i])), dtype=np.intp)
    new_codes = np.full(len(column.levels) + 1, -1, dtype=np.int32)  # the last place serves code -1
    new_codes[seen] = np.arange(len(seen))
    levels = tuple(column.levels[i] for i in seen)
    return Column(column.name, column.kind, levels, column.reason), new_codes[codes]


def _sort_key(level: Any) -> tuple[str, Any]:
    is_number = isinstance(level, (int, float, np.number)) and not isinstance(level, bool)
    return ("", level) if is_number else (type(level).__name__, level)


def _table(schema: Schema, cells: list[np.ndarray], n_rows: int) -> Table:
    table = Table(schema, cells)
    table.n_rows = n_rows
    return table


def _numbers_by_position(table: Table, who: str) -> np.ndarray:
    words = [column.name for column in table.schema if not column.is_numeric]
    if words:
        raise InputError(f"{who}: column {listing(words)} holds words, but the model was fitted on numbers alone.")
    return matrix_of(table)


def _recoded(column: Column, given: Column, cells: np.ndarray, who: str) -> np.ndarray:
    """The cells of a table's column in the codes that were learnt."""
    if column.is_numeric:
        if given.is_numeric:
            return cells
        levels = np.array([*given.levels, None], dtype=object)
        return numbers_from_objects(column.name, levels[cells], who)
    if given.is_numeric:
        return _cells_of_objects(column, cells.astype(object), who)
    codes = _codes(column)
    new_codes = np.array([*(codes.get(level, -1) for level in given.levels), -1], dtype=np.int32)
    return new_codes[cells]


def _cells_of_series(column: Column, series: Any, who: str) -> np.ndarray:
    from margin.base.frames import _column_from_series

    if not column.is_numeric and series.dtype.is_numeric():
        return _cells_of_objects(column, series.to_numpy().astype(object), who)
    if series.dtype.is_numeric() or not hasattr(series.dtype, "is_temporal") or series.dtype.is_temporal():
        return _recoded(column, *_column_from_series(column.name, series, who), who)
    if type(series.dtype).__name__ in ("Categorical", "Enum", "Boolean"):
        return _recoded(column, *_column_from_series(column.name, series, who), who)
    return _cells_of_objects(column, np.asarray(series.to_list(), dtype=object), who)


def _cells_of_objects(column: Column, values: np.ndarray, who: str) -> np.ndarray:
    if column.is_numeric:
        return numbers_from_objects(column.name, values, who)
    codes = _codes(column)
    return np.array([_code(codes, value) for value in values.tolist()], dtype=np.int32)


def _codes(column: Column) -> dict[Any, int]:
    return {level: i for i, level in enumerate(column.levels)}


def _code(codes: dict[Any, int], value: Any) -> int:
    """The code of a value; a number also finds the level that is written like it (1.0 finds '1')."""
    try:
        code = codes.get(value, -1)
    except TypeError:
        return -1
    if code < 0 and isinstance(value, (int, float)) and value == value:
        code = codes.get(f"{value:g}", -1)
    return code
