"""Data in memory of any make as one table: frames, arrays, dicts of columns, lists of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from margin.data.frames.dataframes import About, column_of, is_frame, table_from_frame, table_from_objects
from margin.data.frames.object_cells import for_a_model
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import DataError, InputError, InputTypeError, listing, unreadable

__all__ = ["is_records", "table_from_memory", "table_from_records"]


def is_records(X: object) -> bool:
    """Whether X is a dict of columns or a list of records, each a dict."""
    return isinstance(X, Mapping) or (isinstance(X, list) and bool(X) and all(isinstance(row, Mapping) for row in X))


def table_from_memory(source: Any, who: str, about: About = for_a_model) -> Table:
    """A table from a frame, an array of two dimensions, a dict of columns or a list of records.

    >>> table_from_memory([{"age": 31, "sex": "f"}, {"sex": "m"}], "here").schema
    Schema(age: numeric, sex: nominal)
    """
    if is_records(source):
        return table_from_records(source, who, about)
    if is_frame(source):
        return table_from_frame(source, who, about)
    return _from_array(source, who, about)


def table_from_records(X: Any, who: str, about: About = for_a_model) -> Table:
    """The same for a dict of columns or a list of records; a name that a record leaves out is missing there."""
    columns = dict(X) if isinstance(X, Mapping) else _columns_of(X)
    strange = [name for name in columns if not isinstance(name, str)]
    if strange:
        raise InputError(f"{who}: columns must be named by words, but {listing(strange)} is none.")
    made = [_column(name, cells, who, about) for name, cells in columns.items()]
    return Table(Schema(column for column, _ in made), [cells for _, cells in made])


def _columns_of(records: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def _column(name: str, cells: Any, who: str, about: About) -> tuple[Column, np.ndarray]:
    if isinstance(cells, (str, bytes)) or not isinstance(cells, Iterable):
        raise InputError(f"{who}: column {name!r} must be a list of cells, not {cells!r} (a record stands in a list).")
    typed = hasattr(cells, "dtype") and not isinstance(cells, np.ndarray)
    try:
        flat = typed or np.ndim(cells) == 1  # type: ignore[arg-type]
        series = cells if typed else np.asarray(cells) if isinstance(cells, np.ndarray) else list(cells)
    except ValueError:  # cells of several lengths
        flat = False
    except Exception as error:
        raise InputError(f"{who}: {unreadable(f'column {name!r}', cells, error)}") from None
    if not flat:
        raise InputError(f"{who}: column {name!r} must hold one value in a cell.")
    return column_of(name, series, who, about(name, who))


def _from_array(source: Any, who: str, about: About) -> Table:
    try:
        array = np.asarray(source)
        if array.dtype.kind in "US" and not hasattr(source, "dtype"):
            array = np.asarray(source, dtype=object)
    except Exception:
        array = np.empty(0)
    if array.ndim != 2 or array.dtype.kind not in "fiubOUST" or hasattr(source, "tocsr"):
        raise InputTypeError(
            f"{who}: data of type {type(source).__name__} are no table; give the path of a file, a data frame of "
            "pandas, polars or pyarrow, a dict of columns, a list of records or an array of rows and columns."
        )
    if not array.size:
        raise DataError(f"{who}: the array has {array.shape[0]} rows and {array.shape[1]} columns; a table needs both.")
    names = [f"x{i}" for i in range(array.shape[1])]
    if array.dtype.kind in "OUST":
        return table_from_objects(array.astype(object), names, who, about)
    return table_from_records(dict(zip(names, np.ascontiguousarray(array.T))), who, about)
