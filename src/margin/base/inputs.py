"""From whatever a user gives as X to one of three sources: a plain array, a sparse matrix or a table."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from margin.base.frames import is_frame, table_from_frame, table_from_objects
from margin.data.table import Table
from margin.errors import InputError, InputTypeError, MarginError

__all__ = ["check_memory", "dense_from_sparse", "open_input", "row_count"]


def open_input(X: Any, who: str) -> Any:
    """X as a float array of two dimensions, as CSR, or as a Table of input columns."""
    if isinstance(X, Table):
        return X.inputs()
    if hasattr(X, "tocsr"):
        return _open_sparse(X, who)
    if is_frame(X):
        return table_from_frame(X, who)
    return _open_array(X, who)


def row_count(source: Any) -> int:
    return source.n_rows if isinstance(source, Table) else source.shape[0]


def _open_array(X: Any, who: str) -> np.ndarray | Table:
    if np.ma.isMaskedArray(X):
        X = X.astype(np.float64).filled(np.nan)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(f"{who}: X must have rows of equal length ({error}).") from None
    if array.dtype.kind == "O" and array.ndim == 2:
        return _open_objects(array, who)
    if array.ndim != 2:
        raise InputError(_wrong_dimensions(array, who))
    if array.dtype.kind in "US":
        return _open_objects(array.astype(object), who)
    if array.dtype.kind == "c":
        raise InputError(f"{who}: X holds complex numbers. Complex data not supported; give their parts as columns.")
    if array.dtype.kind in "mM":
        raise InputError(f"{who}: X holds dates or times ({array.dtype}); turn them into numbers or drop them.")
    if array.dtype.kind not in "fiub":
        raise InputTypeError(f"{who}: X of type {array.dtype} cannot be read; give numbers, words or a data frame.")
    wide = np.float32 if array.dtype == np.float32 else np.float64
    return np.require(array, dtype=wide, requirements=["C", "A"])


def _wrong_dimensions(array: np.ndarray, who: str) -> str:
    if array.ndim == 0:
        return f"{who}: X must be a table of rows and columns, not the single value {array.item()!r}."
    shape = " × ".join(map(str, array.shape))
    return (
        f"{who}: X must have two dimensions, rows and columns, but has {array.ndim} ({shape}). "
        "Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row."
    )


def _open_objects(array: np.ndarray, who: str) -> np.ndarray | Table:
    table = table_from_objects(array, [f"x{i}" for i in range(array.shape[1])], who)
    if all(column.is_numeric for column in table.schema):
        return matrix_of(table)
    return table


def matrix_of(table: Table) -> np.ndarray:
    """The columns of an all-numeric table side by side."""
    matrix = np.empty((table.n_rows, len(table.schema)))
    for i, name in enumerate(table.names):
        matrix[:, i] = table.cells(name)
    return matrix


def _open_sparse(X: Any, who: str) -> Any:
    import scipy.sparse

    if X.ndim != 2:
        raise InputError(f"{who}: a sparse X must have two dimensions, rows and columns, but has {X.ndim}.")
    if X.dtype.kind not in "fiub":
        problem = "Complex data not supported" if X.dtype.kind == "c" else f"type {X.dtype} cannot be read"
        raise InputError(f"{who}: {problem}; a sparse X must hold real numbers.")
    matrix = scipy.sparse.csr_array(X, dtype=np.float32 if X.dtype == np.float32 else np.float64, copy=False)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def dense_from_sparse(matrix: Any, who: str) -> np.ndarray:
    """A CSR matrix written out, unless that would not fit into memory."""
    check_memory(matrix.shape[0], matrix.shape[1], who, "written out without its zeros left out, X")
    return np.ascontiguousarray(matrix.toarray())


def check_memory(rows: int, columns: int, who: str, what: str) -> None:
    """Refuse a dense matrix of more than half the machine's memory before it is allocated."""
    need = rows * columns * 8
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > have / 2:
        raise NotEnoughMemoryError(
            f"{who}: {what} would have {rows:,} × {columns:,} cells and take {need / 2**30:,.1f} GiB of the "
            f"{have / 2**30:,.1f} GiB here (drop or group columns of very many categories, or use fewer rows)."
        )


class NotEnoughMemoryError(MarginError, MemoryError, ValueError):
    """The work would not fit into memory, and was not begun."""
