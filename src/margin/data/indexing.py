"""Rows and columns of a table by position or by name, in the way that scikit-learn's tools ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import DataError

if TYPE_CHECKING:
    from margin.data.table import Table

__all__ = ["ByName", "ByPosition", "as_array", "columns_at", "narwhals_frame"]


class _Indexer:
    """Rows by position, then columns as a kind of indexer names them: a single one gives its values."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return self.table.take(key)
        rows, columns = key
        every_row = isinstance(rows, slice) and rows == slice(None)
        return self._columns(self.table if every_row else self.table.take(rows), columns)

    def _columns(self, table: Table, columns: Any) -> Any:
        raise NotImplementedError


class ByPosition(_Indexer):
    """``table.iloc[rows]`` and ``table.iloc[rows, columns]``, both by position.

    A single column gives its values, everything else a table.
    """

    def _columns(self, table: Table, columns: Any) -> Any:
        if isinstance(columns, (int, np.integer)):
            return table.values(columns_at(table, [columns])[0])
        return table.select(columns_at(table, columns))


class ByName(_Indexer):
    """``table.loc[rows]`` and ``table.loc[rows, columns]``: rows by position, columns by name or mask."""

    def _columns(self, table: Table, columns: Any) -> Any:
        if isinstance(columns, str):
            return table.values(columns)
        if isinstance(columns, slice):
            ends = (columns.start, columns.stop)
            first, last = (None if name is None else table.schema.position(name) for name in ends)
            return table.select(table.names[first : None if last is None else last + 1])
        listed = np.asarray(columns)
        return table.select(columns_at(table, listed) if listed.dtype.kind == "b" else listed.tolist())


def columns_at(table: Table, places: Any) -> list[str]:
    """The names of the columns at some positions, in a slice or under a mask."""
    names = np.array(table.names, dtype=object)
    if isinstance(places, slice):
        return names[places].tolist()
    picked = np.asarray(places)
    if picked.size == 0:
        return []
    is_mask = picked.dtype.kind == "b" and picked.shape == names.shape
    if not is_mask and (picked.dtype.kind not in "iu" or picked.ndim != 1):
        raise DataError(f"Table: columns are picked by position, a slice or a mask of {len(names)} truth values.")
    if not is_mask and ((picked < -len(names)) | (picked >= len(names))).any():
        raise DataError(f"Table: there is no column {picked.max()}; columns are 0 to {len(names) - 1}.")
    return names[picked].tolist()


def as_array(table: Table, dtype: Any = None) -> np.ndarray:
    """The cells row by row: a matrix of float64 if all columns are numbers, else of objects, None where missing."""
    if all(column.is_numeric for column in table.schema):
        cells = [table.cells(name) for name in table.names]
        found = np.column_stack(cells) if cells else np.empty((table.n_rows, 0))
        return found if dtype is None else found.astype(dtype)
    found = np.empty(table.shape, dtype=object)
    for at, name in enumerate(table.names):
        found[:, at] = table.values(name)
    return found if dtype is None else found.astype(dtype)


def narwhals_frame(table: Table) -> Any:
    """The table as narwhals sees a frame: with its names and types, the cells as polars holds them."""
    import narwhals as nw

    return nw.from_native(table.to_polars(), eager_only=True)._compliant_frame
