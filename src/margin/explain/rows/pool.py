"""Rows of any make whose columns can be mixed: each cell of a made-up row stands in some row that was given.

So whatever a model takes, it is asked about cells of the kind it knows: words stay words, dates dates, categories of a
data frame categories. A made-up row is a row number for each of its columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.frames.in_memory import is_records
from margin.data.rows import ready_for
from margin.data.schema import Column, Schema
from margin.errors import InputError, InputTypeError, closest, listing

__all__ = ["Pool", "pool_of"]


class Pool(ABC):
    """Rows, column by column.

    Attributes
    ----------
    names
        The columns that are looked at.
    n_rows
        How many rows there are.
    """

    names: tuple[str, ...]
    n_rows: int

    @abstractmethod
    def made(self, rows: np.ndarray) -> Any:
        """Rows made up for the model: ``rows[i, j]`` is the row of the pool that cell j of row i is taken from."""

    @abstractmethod
    def cells(self, j: int) -> np.ndarray:
        """The column j: numbers with NaN, or values with None for missing cells."""

    def is_numeric(self, j: int) -> bool:
        """Whether a column is one of numbers."""
        return self.cells(j).dtype.kind in "iufb"

    def codes(self, j: int) -> np.ndarray:
        """The column j as numbers: of words the places of their levels; NaN where a cell is missing."""
        cells = self.cells(j)
        if cells.dtype.kind in "iufb":
            return cells.astype(np.float64)
        place: dict[Any, int] = {}
        codes = [np.nan if _is_missing(cell) else place.setdefault(cell, len(place)) for cell in cells.tolist()]
        return np.array(codes, dtype=np.float64)

    def repeated(self, row: int, times: int) -> np.ndarray:
        """The same row so many times, as what :meth:`made` takes."""
        return np.full((times, len(self.names)), row, dtype=np.int64)

    def swapped(self, rows: np.ndarray, columns: np.ndarray, others: np.ndarray) -> Any:
        """Rows with some columns taken from others, one other for each."""
        taken = self.own(rows)
        taken[:, columns] = others[:, None]
        return self.made(taken)

    def own(self, rows: np.ndarray) -> np.ndarray:
        """Rows as they are, as what :meth:`made` takes."""
        return np.repeat(np.asarray(rows, dtype=np.int64)[:, None], len(self.names), axis=1)

    def place(self, column: str | int, who: str) -> int:
        """The place of a column among those that are looked at, by its name or its number."""
        if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
            if -len(self.names) <= column < len(self.names):
                return int(column) % len(self.names)
        elif column in self.names:
            return self.names.index(column)
        raise InputError(f"{who}(column={column!r}): column must be one of {listing(self.names)}"
                         f"{closest(column, self.names)}.")  # fmt: skip

    def cell_text(self, row: int, j: int) -> str:
        """What stands in a cell, in words."""
        cell = self.cells(j)[row]
        if _is_missing(cell):
            return "missing"
        return f"{float(cell):.6g}" if isinstance(cell, (float, np.floating)) else str(cell)

    def value(self, row: int, j: int) -> Any:
        """What stands in a cell, as a plain value; None where it is missing."""
        cell = self.cells(j)[row]
        return None if _is_missing(cell) else cell.item() if isinstance(cell, np.generic) else cell


def pool_of(model: Any, *given: Any, who: str) -> Pool:
    """The rows of one or several inputs below each other, for a fitted model; all must have the same columns."""
    ready = [_opened(model, X, who) for X in given]
    first = ready[0]
    if isinstance(first, np.ndarray) and all(isinstance(X, np.ndarray) for X in ready):
        return _ArrayPool(model, ready, who)
    if all(isinstance(X, Table) for X in ready):
        return _TablePool(model, ready, who)
    if any(isinstance(X, (np.ndarray, Table)) for X in ready):
        raise InputTypeError(
            f"{who}: all rows must be of one kind, but are {listing({type(X).__name__ for X in given})}."
        )
    return _FramePool(ready, who)


def _opened(model: Any, X: Any, who: str) -> Any:
    """An array, a table, or a data frame for a model that wants one."""
    if hasattr(X, "tocsr"):
        X = X.toarray()
    if isinstance(X, (list, tuple)) and not is_records(X):
        X = np.asarray(X, dtype=object if any(isinstance(cell, str) for row in X for cell in np.ravel(row)) else None)
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise InputError(f"{who}: rows must be a table of two dimensions, but have {X.ndim} (one row is [row]).")
        return X
    return ready_for(model, X)


class _ArrayPool(Pool):
    def __init__(self, model: Any, given: Sequence[np.ndarray], who: str) -> None:
        width = given[0].shape[1]
        if any(X.shape[1] != width for X in given):
            raise InputError(f"{who}: all rows must have {width} columns.")
        self._cells = given[0] if len(given) == 1 else np.vstack(given)
        self.n_rows = len(self._cells)
        known = getattr(model, "feature_names_in_", None)
        self.names = tuple(map(str, known)) if known is not None and len(known) == width else tuple(
            f"x{j}" for j in range(width)
        )  # fmt: skip

    def made(self, rows: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self._cells[rows, np.arange(len(self.names))])

    def swapped(self, rows: np.ndarray, columns: np.ndarray, others: np.ndarray) -> np.ndarray:
        found = np.take(self._cells, rows, axis=0)
        for j in columns.tolist():
            found[:, j] = self._cells[others, j]
        return found

    def cells(self, j: int) -> np.ndarray:
        return _as_numbers(self._cells[:, j])


class _TablePool(Pool):
    def __init__(self, model: Any, given: Sequence[Table], who: str) -> None:
        first = given[0]
        known = getattr(model, "_columns", None)
        wanted = known.given() if known is not None and known.schema is not None else None
        for table in given:
            lacking = [name for name in wanted or first.names if name not in table.names]
            if lacking:
                raise InputError(f"{who}: the rows lack column {listing(lacking)}.")
        self.names = tuple(name for name in wanted or first.inputs().names)
        self._columns = [_below_each_other([(table.schema[n], table.cells(n)) for table in given]) for n in self.names]
        self._values = [_values(*column) for column in self._columns]
        self._schema = Schema(column for column, _ in self._columns)
        self.n_rows = sum(len(table) for table in given)

    def made(self, rows: np.ndarray) -> Table:
        cells = [cells[rows[:, j]] for j, (_, cells) in enumerate(self._columns)]
        return Table(self._schema, cells, n_rows=len(rows))

    def swapped(self, rows: np.ndarray, columns: np.ndarray, others: np.ndarray) -> Table:
        changed = set(columns.tolist())
        cells = [np.take(c, others if j in changed else rows) for j, (_, c) in enumerate(self._columns)]
        return Table(self._schema, cells, n_rows=len(rows))

    def cells(self, j: int) -> np.ndarray:
        return self._values[j]

    def codes(self, j: int) -> np.ndarray:
        cells = self._columns[j][1]
        return cells if cells.dtype.kind == "f" else np.where(cells < 0, np.nan, cells).astype(np.float64)


def _below_each_other(parts: list[tuple[Column, np.ndarray]]) -> tuple[Column, np.ndarray]:
    """One column of several: words get the levels of all of them."""
    first = parts[0][0]
    if len(parts) == 1:
        return parts[0]
    if all(column.is_numeric for column, _ in parts):
        return first, np.concatenate([cells for _, cells in parts])
    if all(column.levels == first.levels and not column.is_numeric for column, _ in parts):
        return first, np.concatenate([cells for _, cells in parts])
    longest = max((column for column, _ in parts if not column.is_numeric), key=lambda column: len(column.levels))
    place = {level: code for code, level in enumerate(longest.levels)}
    codes = []
    for column, cells in parts:
        values = _values(column, cells).tolist()
        codes.append([-1 if _is_missing(value) else place.setdefault(value, len(place)) for value in values])
    return replace(longest, levels=tuple(place)), np.concatenate([np.array(each, dtype=np.int32) for each in codes])


def _values(column: Column, cells: np.ndarray) -> np.ndarray:
    if column.is_numeric:
        return cells
    levels = np.empty(len(column.levels) + 1, dtype=object)
    levels[:-1] = column.levels
    return levels[cells]


class _FramePool(Pool):
    """Frames of a model that is not margin's own."""

    def __init__(self, given: Sequence[Any], who: str) -> None:
        import narwhals as nw

        frames = [nw.from_native(X, eager_only=True, pass_through=True) for X in given]
        if not all(isinstance(frame, nw.DataFrame) for frame in frames):
            raise InputTypeError(f"{who}(X={type(given[0]).__name__}): rows must be an array, a data frame or a Table.")
        self.names = tuple(frames[0].columns)
        if any(set(frame.columns) != set(self.names) for frame in frames):
            raise InputError(f"{who}: all rows must have the columns {listing(self.names)}.")
        self._frame = frames[0] if len(frames) == 1 else nw.concat([frame.select(self.names) for frame in frames])
        self._cells = [_as_numbers(self._frame[name].to_numpy()) for name in self.names]
        self.n_rows = len(self._frame)

    def made(self, rows: np.ndarray) -> Any:
        import narwhals as nw

        whole = nw.maybe_reset_index(self._frame)
        columns = [nw.maybe_reset_index(whole.select(name)[rows[:, j]]) for j, name in enumerate(self.names)]
        return nw.concat(columns, how="horizontal").to_native()

    def cells(self, j: int) -> np.ndarray:
        return self._cells[j]


def _as_numbers(cells: np.ndarray) -> np.ndarray:
    """A column of objects that are all numbers as numbers."""
    if cells.dtype.kind != "O":
        return cells.astype(object) if cells.dtype.kind in "US" else cells
    if all(isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool) for cell in cells.tolist()):
        return cells.astype(np.float64)
    return cells


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell or str(cell) in ("<NA>", "NaT")
