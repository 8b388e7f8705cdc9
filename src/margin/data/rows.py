"""Rows of whatever the inputs are: arrays, sparse matrices, data frames of any make, margin's own tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.frames.dataframes import is_frame
from margin.data.frames.in_memory import is_records, table_from_memory
from margin.data.frames.left_out import warn_of_columns
from margin.errors import InputError, InputTypeError, closest, listing, unreadable
from margin.typing import TableLike

__all__ = ["count_rows", "ready_for", "row_blocks", "take_rows", "without_column"]

#: Rows that are turned at once into numbers that a product needs.
BLOCK = 16384


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Some rows of ``X``, by position, as the same kind of thing.

    >>> take_rows(np.array([[1, 2], [3, 4], [5, 6]]), np.array([2, 0])).tolist()
    [[5, 6], [1, 2]]
    """
    if isinstance(X, Table) or getattr(type(X), "holds_cases", False):
        return X.take(rows)
    if isinstance(X, np.ndarray):
        # take is up to three times as fast on rows that lie in one piece, but copies all of any other array first.
        return np.take(X, rows, axis=0) if X.flags.c_contiguous else X[rows]
    if _is_sparse(X):
        return X.tocsr()[rows]
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows.tolist()]
    frame = _as_frame(X)
    if frame is not None:
        return frame[rows].to_native()
    if hasattr(X, "__array__"):
        try:
            return np.asarray(X)[rows]
        except Exception as error:
            raise InputError(unreadable("X", X, error)) from None
    raise _cannot_read(X)


def row_blocks(n: int) -> Iterator[slice]:
    """The rows 0 to n, so many at a time that they can be converted without a second copy of all of them."""
    for first in range(0, n, BLOCK):
        yield slice(first, min(first + BLOCK, n))


def count_rows(X: TableLike) -> int:
    """How many rows ``X`` has."""
    if hasattr(X, "shape") and len(X.shape):
        return int(X.shape[0])
    if isinstance(X, (list, tuple)):
        return len(X)
    frame = _as_frame(X)
    if frame is None:
        raise _cannot_read(X)
    return len(frame)


def ready_for(model: Any, X: Any) -> Any:
    """``X`` in a form the model can take and rows can be taken from quickly.

    A model that says ``accepts_tables`` (for a pipeline, its first step) gets a table as it is; any other gets the
    input columns as a polars frame. What the columns of a frame are is decided here, once for all rows.
    """
    first = model.steps[0][1] if getattr(model, "steps", None) else model
    takes_tables = getattr(first, "accepts_tables", False)
    if isinstance(X, Table) and not takes_tables:
        # What learns from texts finds them in the table itself, where their column is known as such.
        return X if getattr(first, "takes_cases", False) else X.inputs().to_polars()
    if takes_tables and not isinstance(X, Table) and (is_frame(X) or is_records(X)):
        who = type(first).__name__
        table = table_from_memory(X, who)
        warn_of_columns(table, table.inputs(), frozenset(), who)
        return table
    return X.tocsr() if _is_sparse(X) else X


def without_column(X: Any, name: str, who: str) -> tuple[np.ndarray, Any]:
    """The values of a column of a table or frame, and the same without it.

    >>> from margin.data import Table
    >>> table = Table.from_columns({"age": [31.0, 45.0], "patient": ["p1", "p2"]})
    >>> values, X = without_column(table, "patient", "here")
    >>> values.tolist(), X.names
    (['p1', 'p2'], ('age',))
    """
    frame = None if isinstance(X, (np.ndarray, list, tuple)) or _is_sparse(X) else X
    if frame is not None and not isinstance(X, Table):
        frame = _as_frame(X)
    names = getattr(frame, "names" if isinstance(X, Table) else "columns", None)
    if frame is None or names is None:
        raise InputError(f"{who}: {name!r} is no column, since X has no names (give the values themselves).")
    names = list(names)
    if name not in names:
        raise InputError(f"{who}: {name!r} is none of the columns {listing(names)}{closest(name, names)}.")
    if isinstance(X, Table):
        return X.values(name), X.drop(name)
    return frame[name].to_numpy(), frame.drop(name).to_native()


def _is_sparse(X: TableLike) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def _as_frame(X: TableLike) -> Any:
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)
    return frame if isinstance(frame, (nw.DataFrame, nw.Series)) else None


def _cannot_read(X: TableLike) -> InputTypeError:
    return InputTypeError(
        f"X={type(X).__module__}.{type(X).__name__}: inputs must be an array, a sparse matrix, a data frame or a "
        "margin.data.Table (a lazy frame must be collected first)."
    )
