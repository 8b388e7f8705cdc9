"""The table every reader gives and every model takes: numeric and nominal columns, missing cells kept."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from margin.data.indexing import ByName, ByPosition, as_array, columns_at, narwhals_frame
from margin.data.level_codes import levels_of_numbers
from margin.data.missing import is_missing
from margin.data.schema import KINDS, Column, Kind, Schema
from margin.data.written.dates import first_stray, read_dates
from margin.errors import DataError, InputTypeError, ParameterError, closest, unreadable

if TYPE_CHECKING:
    import polars

__all__ = ["Table"]

#: What a notebook shows of a table.
_ROWS_SHOWN, _COLUMNS_SHOWN = 10, 30


class Table:
    """Columns of equal length with a schema.

    A numeric column is a float64 array with NaN for missing cells; any other column is an int32 array of
    codes into the levels of its schema, with -1 for missing cells. Tables do not change: every method
    gives a new one that shares what it can.

    Parameters
    ----------
    schema
        What each column is; or, without ``columns``, data of any kind that :func:`margin.data.read` takes.
    columns
        One array per column of the schema.
    name
        What people call it; stands in reports.
    n_rows
        How many rows a table without columns has.

    Examples
    --------
    >>> table = Table.from_columns({"age": [31.0, None], "sex": ["f", "m"]})
    >>> table.shape
    (2, 2)
    >>> table["sex"]
    array(['f', 'm'], dtype=object)
    >>> Table({"age": ["31", "?"], "sex": ["f", "m"]}).schema
    Schema(age: numeric, sex: nominal)
    """

    schema: Schema
    name: str
    n_rows: int
    _columns: tuple[np.ndarray, ...]

    def __init__(
        self, schema: Schema | Any, columns: Sequence[np.ndarray] | None = None, name: str = "", n_rows: int = 0
    ) -> None:
        if columns is None and not isinstance(schema, Schema):
            from margin.data.readers import read

            made: Table = read(schema, name=name or None)
            schema, columns, name, n_rows = made.schema, made._columns, made.name, made.n_rows
        columns = () if columns is None else columns
        if len(schema) != len(columns):
            raise DataError(f"Table: {len(schema)} columns are described, but {len(columns)} are given.")
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise DataError(f"Table: columns must be equally long, but have {sorted(lengths)} rows.")
        self.schema = schema
        self.name = name
        self._columns = tuple(
            np.asarray(cells, dtype=np.float64 if column.is_numeric else np.int32)
            for column, cells in zip(schema, columns)
        )
        self.n_rows = lengths.pop() if lengths else n_rows

    @classmethod
    def from_columns(cls, columns: Mapping[str, Iterable[Any]], name: str = "") -> Table:
        """A table from Python values: a column of numbers is numeric, any other nominal; ``None`` is missing."""
        described, arrays = [], []
        for column_name, cells in columns.items():
            column, codes = _from_values(column_name, cells)
            described.append(column)
            arrays.append(codes)
        return cls(Schema(described), arrays, name)

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.schema)

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> NoReturn:
        """Refused: rows and columns are equally good guesses, and ``len`` counts the rows."""
        raise InputTypeError(
            "Table: a table is no sequence; table.names are its columns, table['age'] the values of one, "
            "table[0] a table of one row and table.to_polars() a data frame."
        )

    def __contains__(self, name: object) -> bool:
        """Whether there is a column of this name."""
        return name in self.names

    def cells(self, name: str) -> np.ndarray:
        """The stored array of a column: float64 with NaN, or int32 codes with -1."""
        return self._columns[self.schema.position(name)]

    def missing(self, name: str) -> np.ndarray:
        """Which cells of a column are missing."""
        cells = self.cells(name)
        return np.isnan(cells) if self.schema[name].is_numeric else cells < 0

    def values(self, name: str) -> np.ndarray:
        """A column as people wrote it: numbers, or an object array of levels with ``None`` for missing cells."""
        cells, column = self.cells(name), self.schema[name]
        if column.is_numeric:
            return cells
        levels = np.empty(len(column.levels) + 1, dtype=object)
        levels[:-1] = column.levels
        return levels[cells]

    def __getitem__(self, key: object) -> Any:
        """A column by name, a table of several columns by their names, or a table of rows as in :meth:`take`.

        >>> table = Table.from_columns({"age": [31.0, 45.0], "sex": ["f", "m"]})
        >>> table[["age"]].names, len(table[1:]), len(table[table["age"] > 40])
        (('age',), 1, 1)
        """
        if isinstance(key, str):
            return self.values(key)
        if isinstance(key, (list, tuple)) and key and all(isinstance(name, str) for name in key):
            return self.select(key)
        return self.take(key)

    def head(self, rows: int = 5) -> Table:
        """The table of the first rows."""
        return self.take(slice(0, rows))

    def take(self, rows: Any, axis: int = 0) -> Table:
        """The table of some rows: a position, a slice, a boolean mask or positions; of columns, if ``axis`` is 1."""
        if axis == 1:
            return self.select(columns_at(self, rows))
        if not isinstance(rows, slice):
            rows = _checked_rows(rows, self.n_rows)
        return Table(self.schema, [cells[rows] for cells in self._columns], self.name)

    @property
    def iloc(self) -> ByPosition:
        """Rows, or rows and columns, by position; a single column gives its values.

        With :attr:`loc` and ``np.asarray(table)`` this is what scikit-learn's splitters, searches, pipelines and
        ``ColumnTransformer`` need to take a table as it is.

        >>> table = Table.from_columns({"age": [31.0, 45.0], "sex": ["f", "m"]})
        >>> table.iloc[[1]].shape, table.iloc[:, 1].tolist(), table.loc[:, ["sex"]].names
        ((1, 2), ['f', 'm'], ('sex',))
        """
        return ByPosition(self)

    @property
    def loc(self) -> ByName:
        """Rows by position, columns by name."""
        return ByName(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Float64 if all columns are numbers, with NaN for missing cells; else objects, with ``None``."""
        return as_array(self, dtype)

    def __narwhals_dataframe__(self) -> Any:
        """How narwhals, and scikit-learn by it, finds the names and types of the columns."""
        return narwhals_frame(self)

    def select(self, names: Iterable[str]) -> Table:
        """The table of some columns, in the order given."""
        names = [names] if isinstance(names, str) else names
        at = [self.schema.position(name) for name in names]
        return Table(Schema(self.schema[i] for i in at), [self._columns[i] for i in at], self.name, self.n_rows)

    def drop(self, *names: str) -> Table:
        """The table without some columns."""
        for name in names:
            self.schema.position(name)
        return self.select(name for name in self.names if name not in names)

    def inputs(self) -> Table:
        """The columns that models learn from: everything but identifiers and free text."""
        names = [column.name for column in self.schema if column.is_input]
        return self if len(names) == len(self.schema) else self.select(names)

    def target(self, name: str) -> tuple[Table, np.ndarray]:
        """The inputs without column ``name``, and that column's values as labels; whole numbers stay whole.

        >>> Table.from_columns({"age": [31.0, 45.0], "ill": [0, 1]}).target("ill")[1]
        array([0, 1])
        """
        labels = self.values(name)
        if labels.dtype.kind == "f" and np.all(np.abs(labels) < 2**53) and np.all(labels == np.floor(labels)):
            labels = labels.astype(np.int64)
        elif labels.dtype.kind == "O" and not self.missing(name).any():
            labels = _of_one_type(self.schema[name].levels, self.cells(name), labels)
        return self.drop(name), labels

    def with_kind(self, name: str, kind: Kind, levels: Sequence[Any] | None = None) -> Table:
        """The table with one column read as another kind, whatever was inferred.

        ``levels`` gives the order of an ordinal column, smallest first; without it they are sorted.
        """
        if kind not in KINDS:
            known = ", ".join(map(repr, KINDS))
            raise ParameterError(f"Table.with_kind(kind={kind!r}): kind must be one of {known}{closest(kind, KINDS)}.")
        old, cells = self.schema[name], self.cells(name)
        if kind == "numeric":
            column = Column(name, "numeric", reason="as told")
            cells = cells if old.is_numeric else _numbers_of_levels(old, cells)
        elif old.is_numeric:
            column, cells = _levels_of_numbers(name, kind, cells, levels)
        else:
            column, cells = _recoded(old, kind, cells, levels)
        if kind == "date" and column.levels and read_dates(list(map(str, column.levels))) is None:
            value = column.levels[first_stray(list(map(str, column.levels)))]
            raise DataError(f"column {name!r}: {value!r} is not a date that is known, such as '2024-05-31 18:00'.")
        at = self.schema.position(name)
        columns = list(self._columns)
        columns[at] = cells
        described = list(self.schema)
        described[at] = column
        return Table(Schema(described), columns, self.name)

    def digest(self) -> str:
        """SHA-256 of the names, kinds, levels and cells: 64 hexadecimal digits, the same on every machine.

        >>> table = Table.from_columns({"age": [31.0, None], "sex": ["f", "m"]})
        >>> table.digest() == table.take([0, 1]).digest(), table.digest() == table.take([1, 0]).digest()
        (True, False)
        """
        from margin.data.digest import digest_of

        return digest_of(self)

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame; missing cells are null."""
        import polars as pl

        data: dict[str, Any] = {}
        for column in self.schema:
            cells = pl.Series(self.cells(column.name))
            if column.is_numeric:
                data[column.name] = cells.fill_nan(None)
            else:
                # One cell more than there are levels: code -1 finds it, and it is null.
                levels = pl.Series([*map(str, column.levels), None], dtype=pl.String)
                data[column.name] = levels.gather(cells.cast(pl.Int64) % len(levels))
        return pl.DataFrame(data)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame, nominal columns as categories (needs pandas)."""
        import pandas as pd

        data: dict[str, Any] = {}
        for column in self.schema:
            cells = self.cells(column.name)
            data[column.name] = (
                cells
                if column.is_numeric
                else pd.Categorical.from_codes(cells, list(column.levels), ordered=column.kind == "ordinal")
            )
        return pd.DataFrame(data)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and self.schema == other.schema
            and all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(self._columns, other._columns))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        title = f"Table {self.name!r}" if self.name else "Table"
        kinds = ", ".join(f"{column.name}: {column.kind}" for column in list(self.schema)[:8])
        more = ", …" if len(self.schema) > 8 else ""
        return f"<{title}: {self.n_rows} rows, {len(self.schema)} columns ({kinds}{more})>"

    def _repr_html_(self) -> str:
        columns = list(self.schema)[:_COLUMNS_SHOWN]
        head = "".join(f"<th>{html.escape(c.name)}<br><small>{c.kind}</small></th>" for c in columns)
        first = self.head(_ROWS_SHOWN)
        shown = [first.values(column.name) for column in columns]
        rows = "".join("<tr>" + "".join(_html_cell(value) for value in row) + "</tr>" for row in zip(*shown))
        more = f", the first {len(columns)} shown" if len(columns) < len(self.schema) else ""
        size = f"{self.n_rows:,} rows × {len(self.schema):,} columns{more}"
        return f"<table><tr>{head}</tr>{rows}</table><p>{size}</p>"


def _of_one_type(levels: tuple[Any, ...], codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Labels as a list of them would be: words as words, truth values as such; the objects where NumPy loses some."""
    typed = np.asarray(levels) if len(set(map(type, levels))) == 1 else labels
    return typed[codes] if typed is not labels and typed.tolist() == list(levels) else labels


def _checked_rows(rows: Any, n_rows: int) -> np.ndarray:
    """Positions or a mask as an array; what picks no rows of the table is an error that says so."""
    picked = np.atleast_1d(np.asarray(rows))
    if picked.size == 0:
        return picked.astype(np.intp)
    if picked.dtype.kind == "b" and picked.shape == (n_rows,):
        return picked
    if picked.dtype.kind not in "iu" or picked.ndim != 1:
        raise DataError(
            f"Table[{rows!r}]: rows are picked by positions, a slice or a mask of {n_rows} truth values, "
            "columns by their names."
        )
    outside = picked[(picked < -n_rows) | (picked >= n_rows)]
    if len(outside):
        raise DataError(f"Table: there is no row {outside[0]}; rows are 0 to {n_rows - 1}.")
    return picked


def _html_cell(value: object) -> str:
    return (
        "<td>"
        + ("" if is_missing(value) else html.escape(f"{value:g}" if isinstance(value, float) else str(value)))
        + "</td>"
    )


def _from_values(name: str, cells: Iterable[Any]) -> tuple[Column, np.ndarray]:
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu":
        return Column(name, "numeric", reason="given as numbers"), cells.astype(np.float64)
    values = [None if is_missing(v) else v for v in cells]
    present = [v for v in values if v is not None]
    if all(isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool) for v in present):
        numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
        return Column(name, "numeric", reason="given as numbers"), numbers
    try:
        levels = _sorted(set(present))
        codes = {level: i for i, level in enumerate(levels)}
        array = np.array([-1 if v is None else codes[v] for v in values], dtype=np.int32)
    except Exception as error:  # cells that are lists, or that cannot be compared
        raise DataError(f"Table: {unreadable(f'column {name!r}', cells, error)}") from None
    return Column(name, "nominal", levels, "given as values other than numbers"), array


def _sorted(levels: Iterable[Any]) -> tuple[Any, ...]:
    levels = list(levels)
    try:
        return tuple(sorted(levels))
    except TypeError:
        return tuple(sorted(levels, key=lambda v: (type(v).__name__, str(v))))


def _recoded(old: Column, kind: Kind, codes: np.ndarray, levels: Sequence[Any] | None) -> tuple[Column, np.ndarray]:
    """Codes into other levels; a level is found as it is or, failing that, as it is written."""
    new = _sorted(old.levels) if levels is None else tuple(levels)
    at = {str(level): i for i, level in enumerate(new)} | {level: i for i, level in enumerate(new)}
    # The last entry stands for missing cells: code -1 finds it.
    moved = np.array([at.get(level, at.get(str(level), -1)) for level in old.levels] + [-1], dtype=np.int32)
    recoded = moved[codes]
    lost = np.flatnonzero((recoded < 0) & (codes >= 0))
    if len(lost):
        value = old.levels[codes[lost[0]]]
        raise DataError(
            f"column {old.name!r}, row {lost[0]}: {value!r} stands in the column but not among its levels"
            f"{closest(value, new)}."
        )
    return Column(old.name, kind, new, "as told"), recoded


def _levels_of_numbers(
    name: str, kind: Kind, numbers: np.ndarray, levels: Sequence[Any] | None
) -> tuple[Column, np.ndarray]:
    values, cells = levels_of_numbers(numbers)
    return _recoded(Column(name, kind, values), kind, cells, levels)


def _numbers_of_levels(column: Column, codes: np.ndarray) -> np.ndarray:
    numbers = np.full(len(column.levels) + 1, np.nan)
    for code, level in enumerate(column.levels):
        try:
            numbers[code] = float(level)
        except (TypeError, ValueError):
            rows = np.flatnonzero(codes == code)
            if len(rows):
                raise DataError(f"column {column.name!r}, row {rows[0]}: {level!r} is not a number.") from None
    return numbers[codes]
