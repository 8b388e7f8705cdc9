"""The rows an audit looks at, column by column, whatever they came in: tables, frames, arrays, sparse matrices.

Unlike models, an audit also reads dates, identifiers and free text, since these are where leaks hide.
Dates, as objects or as words, become seconds: an audit asks which row came first.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from margin.base.inputs.arrays import cells_of, open_input
from margin.data import Table
from margin.data.frames.dataframes import cells_from_series, is_frame, open_frame
from margin.data.frames.object_cells import column_from_objects
from margin.data.missing import is_missing
from margin.data.schema import Column
from margin.data.written.dates import seconds_of_words
from margin.errors import InputError, InputTypeError, listing
from margin.typing import TableLike

__all__ = ["Cells", "Sheet", "dates_of_levels", "dates_of_values", "joined", "open_sheet"]

CellKind = Literal["numeric", "nominal", "ordinal", "identifier", "text", "time"]


@dataclass(frozen=True, eq=False)
class Cells:
    """One column: numbers with NaN (also for dates, in seconds), or codes into levels with -1 for missing cells."""

    name: str
    kind: CellKind
    stored: np.ndarray
    levels: tuple[Any, ...] = ()

    @property
    def is_number(self) -> bool:
        return self.stored.dtype.kind == "f"

    @cached_property
    def missing(self) -> np.ndarray:
        return np.isnan(self.stored) if self.is_number else self.stored < 0

    def take(self, rows: np.ndarray) -> Cells:
        return Cells(self.name, self.kind, self.stored[rows], self.levels)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The columns of some rows; ``sparse`` is the CSR matrix they came from, where they did."""

    columns: tuple[Cells, ...]
    n_rows: int
    sparse: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str, who: str) -> Cells:
        """A column by its name, or an error that lists the names."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(f"{who}: there is no column {name!r}; columns are {listing(self.names)}.")

    def without(self, *names: str | None) -> Sheet:
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))


def open_sheet(X: TableLike, who: str, names: Sequence[str] | None = None, codes: np.ndarray | None = None) -> Sheet:
    """The columns of X. ``names`` are for arrays, which have none; without them columns are x0, x1, …

    ``codes``, the labels as numbers, choose among the columns of a wide sparse matrix.
    """
    if isinstance(X, Table):
        sheet = Sheet(tuple(_from_table(column, X.cells(column.name)) for column in X.schema), X.n_rows)
    elif hasattr(X, "tocsr"):
        sheet = _from_sparse(open_input(X, who), codes, names)
        names = None
    elif is_frame(X):
        series, n_rows = open_frame(X, who)
        sheet = Sheet(tuple(_from_series(name, cells, who) for name, cells in series.items()), n_rows)
    else:
        sheet = _from_array(X, who)
    if not sheet.n_rows:
        raise InputError(f"{who}: there are no rows to look at.")
    return sheet if names is None else _renamed(sheet, names, who)


def _renamed(sheet: Sheet, names: Sequence[str], who: str) -> Sheet:
    named = [str(name) for name in names]
    if isinstance(names, str) or len(named) != len(sheet.columns):
        raise InputError(f"{who}(names=…): {len(sheet.columns)} names are needed, one for each column.")
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise InputError(f"{who}(names=…): column names must differ, but {listing(twice)} stand there more than once.")
    return replace(sheet, columns=tuple(replace(cells, name=name) for cells, name in zip(sheet.columns, named)))


def _from_table(column: Column, stored: np.ndarray) -> Cells:
    dates = dates_of_levels(column.levels) if column.kind in ("date", "text") else None
    if dates is not None:
        return Cells(column.name, "time", np.append(dates, np.nan)[stored])
    return Cells(column.name, "text" if column.kind == "date" else column.kind, stored, column.levels)


def _from_series(name: str, series: Any, who: str) -> Cells:
    import narwhals.stable.v2 as nw

    opened = series if isinstance(series, nw.Series) else nw.from_native(series, series_only=True)
    if opened.dtype in (nw.Date, nw.Datetime):
        seconds = opened.dt.timestamp("us").cast(nw.Float64).to_numpy() / 1e6
        return Cells(name, "time", np.where(opened.is_null().to_numpy(), np.nan, seconds))
    if opened.dtype == nw.Duration:
        seconds = opened.dt.total_microseconds().cast(nw.Float64).to_numpy() / 1e6
        return Cells(name, "numeric", np.where(opened.is_null().to_numpy(), np.nan, seconds))
    if opened.dtype == nw.Time:
        return _from_objects(name, [str(value) if value is not None else None for value in opened.to_list()], who)
    cells = cells_from_series(name, series, who)
    return _from_objects(name, cells, who) if isinstance(cells, list) else _from_table(*cells)


def _from_objects(name: str, values: list[Any], who: str) -> Cells:
    dates = dates_of_values(values)
    if dates is not None:
        return Cells(name, "time", dates)
    try:
        column, stored = column_from_objects(name, values, who)
    except InputTypeError:
        raise
    except InputError:  # cells of several kinds, which a model would refuse; their words can still be looked at
        words = [None if is_missing(value) else str(value) for value in values]
        column, stored = column_from_objects(name, [word and f"\0{word}" for word in words], who)
        column = Column(name, "nominal", tuple(level[1:] for level in column.levels))
    if column.kind == "nominal" and (dates := dates_of_levels(column.levels)) is not None:
        return Cells(name, "time", np.append(dates, np.nan)[stored])
    return _from_table(column, stored)


def _from_array(X: TableLike, who: str) -> Sheet:
    given = np.asarray(X) if hasattr(X, "dtype") else None
    if given is not None and given.dtype.kind == "M" and given.ndim == 2:
        columns = [Cells(f"x{i}", "time", _seconds(given[:, i])) for i in range(given.shape[1])]
        return Sheet(tuple(columns), len(given))
    array = cells_of(X, who)
    if array.dtype == object:
        made = [_from_objects(f"x{i}", array[:, i].tolist(), who) for i in range(array.shape[1])]
    else:
        turned = np.ascontiguousarray(array.T, dtype=np.float64)  # columns are looked at one by one
        made = [Cells(f"x{i}", "numeric", cells) for i, cells in enumerate(turned)]
    return Sheet(tuple(made), len(array))


def _seconds(dates: np.ndarray) -> np.ndarray:
    seconds = dates.astype("datetime64[us]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / 1e6)


def _from_sparse(matrix: Any, codes: np.ndarray | None, names: Sequence[str] | None = None) -> Sheet:
    """A sparse matrix: all of it for comparing rows, and some columns, the most filled and the most telling, by one."""
    n, width = matrix.shape
    chosen = np.arange(width)
    most = min(MOST_SPARSE_COLUMNS, max(2, MOST_CELLS // max(n, 1)))
    if width > most:
        filled = np.bincount(matrix.indices, minlength=width)
        telling = filled if codes is None else _telling(matrix, codes)
        orders = [np.argsort(-worth, kind="stable") for worth in (telling, filled)]
        chosen = np.unique(np.concatenate([order[: most // 2] for order in orders]))
    by_column = matrix[:, chosen].tocsc()
    columns = []
    for place, number in enumerate(chosen.tolist()):
        cells = np.zeros(n)
        inside = slice(by_column.indptr[place], by_column.indptr[place + 1])
        cells[by_column.indices[inside]] = by_column.data[inside]
        columns.append(Cells(f"x{number}" if names is None else str(names[number]), "numeric", cells))
    return Sheet(tuple(columns), n, matrix)


def _telling(matrix: Any, codes: np.ndarray) -> np.ndarray:
    """For each column how many rows it tells right by whether there is anything in it."""
    counts = np.bincount(codes[codes >= 0])
    of_cell = np.repeat(codes, np.diff(matrix.indptr))
    there = np.zeros((len(counts), matrix.shape[1]))
    for label in range(len(counts)):
        there[label] = np.bincount(matrix.indices[of_cell == label], minlength=matrix.shape[1])
    return there.max(axis=0) + (counts[:, None] - there).max(axis=0)


#: Of a sparse matrix so many columns are looked at one by one, in so many cells written out.
MOST_SPARSE_COLUMNS, MOST_CELLS = 300, 20_000_000


def joined(first: Sheet, second: Sheet, who: str, codes: np.ndarray | None = None) -> Sheet:
    """The rows of the second below those of the first, columns matched by name and levels by value."""
    import scipy.sparse

    if (first.sparse is None) != (second.sparse is None):
        raise InputError(f"{who}: both tables must be sparse, or neither.")
    if first.sparse is not None:
        if first.sparse.shape[1] != second.sparse.shape[1]:
            widths = f"{first.sparse.shape[1]} and {second.sparse.shape[1]}"
            raise InputError(f"{who}: both tables must have the same columns, but have {widths}.")
        return _from_sparse(scipy.sparse.vstack([first.sparse, second.sparse], format="csr"), codes)
    unlike = set(first.names) ^ set(second.names)
    if unlike:
        raise InputError(
            f"{who}: both tables must have the same columns, but {listing(sorted(unlike))} are in one only."
        )
    pairs = [(column, second.column(column.name, who)) for column in first.columns]
    return Sheet(tuple(_stacked(*pair, who) for pair in pairs), first.n_rows + second.n_rows)


def _stacked(above: Cells, below: Cells, who: str) -> Cells:
    if above.is_number != below.is_number:
        if below.missing.all():
            below = Cells(below.name, above.kind, _empty(above, len(below.stored)), above.levels)
        elif above.missing.all():
            above = Cells(above.name, below.kind, _empty(below, len(above.stored)), below.levels)
        else:
            raise InputError(f"{who}: column {above.name!r} holds numbers in one table and words in the other.")
    if above.is_number:
        return Cells(above.name, above.kind, np.concatenate([above.stored, below.stored]))
    levels = {level: code for code, level in enumerate(above.levels)}
    for level in below.levels:
        levels.setdefault(level, len(levels))
    moved = np.array([*(levels[level] for level in below.levels), -1], dtype=np.int32)
    return Cells(above.name, above.kind, np.concatenate([above.stored, moved[below.stored]]), tuple(levels))


def _empty(like: Cells, n: int) -> np.ndarray:
    return np.full(n, np.nan) if like.is_number else np.full(n, -1, dtype=np.int32)


def dates_of_values(values: Sequence[Any]) -> np.ndarray | None:
    """Date objects as seconds, missing ones as NaN; None where anything else is among them.

    >>> dates_of_values([datetime.date(1970, 1, 2), None])
    array([86400.,    nan])
    """
    if not any(issubclass(kind, (datetime.date, np.datetime64)) for kind in set(map(type, values))):
        return None
    if not all(isinstance(value, (datetime.date, np.datetime64)) or is_missing(value) for value in values):
        return None
    return np.array([np.nan if is_missing(value) else _seconds_of_cell(value) for value in values])


def _seconds_of_cell(value: Any) -> float:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return float(value.timestamp())
    return float(np.datetime64(value, "us").astype(np.int64)) / 1e6


def dates_of_levels(levels: Sequence[Any]) -> np.ndarray | None:
    """Words that are all dates as seconds, else None.

    >>> dates_of_levels(["1970-01-02", "1970-01-01 00:01"]).tolist()
    [86400.0, 60.0]
    >>> dates_of_levels(["03/04/2024"]) is None  # of March or of April
    True
    """
    if (
        not levels
        or not all(isinstance(level, str) and level[:1].isalnum() for level in levels)
        or not any(character.isdigit() for character in levels[0])
    ):
        return None
    seconds_by_iso = _iso(levels)
    if seconds_by_iso is not None:
        return seconds_by_iso
    return seconds_of_words(levels)


def _iso(levels: Sequence[str]) -> np.ndarray | None:
    if not all(len(level) >= 8 and "-" in level for level in levels):
        return None  # 2024 and 202401 are numbers first
    try:
        return np.array([_seconds_of_cell(datetime.datetime.fromisoformat(level)) for level in levels])
    except ValueError:
        return None
