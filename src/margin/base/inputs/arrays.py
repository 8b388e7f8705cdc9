"""From whatever a user gives as X to one of three sources: a plain array, a sparse matrix or a table."""

from __future__ import annotations

import math
import os
import reprlib
from typing import Any, NamedTuple

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.inputs.sparse_structure import check_structure
from margin.data.frames.dataframes import is_frame, table_from_objects
from margin.data.frames.in_memory import is_records, table_from_memory
from margin.data.sequences import Sequences
from margin.data.table import Table
from margin.errors import InputError, InputTypeError, MarginError, listing, unreadable
from margin.typing import Encoded, TableLike

__all__ = [
    "StoredSurvey",
    "cases_in",
    "cells_of",
    "check_memory",
    "check_one_row",
    "dense_from_sparse",
    "holds_cases",
    "matrix_of",
    "open_all",
    "open_input",
    "row_count",
    "survey_clean_csr",
    "widened",
]


def open_input(X: TableLike, who: str, largest: float = math.inf, bytes_too: bool = False) -> Any:
    """X as an array of two dimensions, as CSR, or as a Table of the columns that models learn from.

    ``largest`` is the largest magnitude the caller can take: cells of CSR are looked at on the way. ``bytes_too`` says
    that it takes an array of single bytes.
    """
    source = open_all(X, who, largest, bytes_too)
    return source.inputs() if isinstance(source, Table) else source


def open_all(X: TableLike, who: str, largest: float = math.inf, bytes_too: bool = False) -> Any:
    """The same with all the columns of a table, identifiers and free text among them."""
    if isinstance(X, Table):
        return X
    if holds_cases(X):
        what = type(X).__name__
        hint = {
            "Images": " (X.matrix() has a row of pixels for each)",
            "Sequences": " (which has two dimensions: [[text], …] is a column)",
        }.get(what, "")
        raise InputTypeError(f"{who}: X holds {what}, which have no columns, and this learns from tables{hint}.")
    if hasattr(X, "tocsr"):
        return _open_sparse(X, who, largest)
    if is_frame(X) or is_records(X):
        return table_from_memory(X, who)
    return _open_array(X, who, bytes_too)


def holds_cases(X: Any) -> bool:
    """Whether X is a collection of cases without columns, such as pictures: ``X[rows]`` are some of them."""
    return bool(getattr(type(X), "holds_cases", False))


def cases_in(X: Any) -> Any:
    """The cases without columns that X is, or that a list of texts or of series of numbers stands for; None otherwise.

    >>> cases_in(["a text", "another"]), cases_in([[1.0, 2.0]])
    (<Sequences: 2 of 6 to 7 characters>, None)
    """
    if holds_cases(X):
        return X
    if not isinstance(X, (list, tuple)):
        return None
    if not len(X):
        return Sequences([])
    texts = all(isinstance(each, str) for each in X)
    series = all(isinstance(each, np.ndarray) and each.ndim == 2 and each.dtype.kind == "f" for each in X)
    return Sequences(X) if texts or series else None


def row_count(source: Any) -> int:
    return source.n_rows if isinstance(source, Table) else source.shape[0]


def check_one_row(rows: Any, who: str) -> None:
    """Refuse anything but a single row."""
    if len(rows) != 1:
        raise InputError(f"{who}: X must be one row, but has {len(rows)}.")


def cells_of(X: TableLike, who: str, bytes_too: bool = False) -> np.ndarray:
    """X as a two-dimensional array of float32, float64, int32, int64 or Python objects.

    ``bytes_too`` leaves whole numbers of at least 0 in single bytes, and truths, as uint8.
    """
    if np.ma.isMaskedArray(X) and not X.dtype.names:
        X = _without_mask(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not hasattr(X, "dtype"):
            array = np.asarray(X, dtype=object)  # NumPy would make words of the numbers beside words
    except ValueError as error:
        raise InputError(f"{who}: X must have rows of equal length and one value in a cell ({error}).") from None
    except Exception as error:
        raise InputError(f"{who}: {unreadable('X', X, error)}") from None
    if array.ndim != 2:
        raise InputError(_wrong_dimensions(X, array, who))
    if array.dtype.kind in "OUST":
        return array.astype(object)
    if array.dtype.kind == "c":
        raise InputError(f"{who}: X holds complex numbers. Complex data not supported; give their parts as columns.")
    if array.dtype.kind in "mM":
        raise InputError(f"{who}: X holds dates or times ({array.dtype}); turn them into numbers or drop them.")
    if array.dtype.kind not in "fiub":
        raise InputTypeError(f"{who}: X of type {array.dtype} cannot be read; give numbers, words or a data frame.")
    if bytes_too and (array.dtype in (np.uint8, np.bool_) or (array.dtype == np.int8 and not (array < 0).any())):
        return np.require(array, requirements=["C"]).view(np.uint8)
    return widened(array)


def widened(array: np.ndarray) -> np.ndarray:
    """Numbers in a type that every model takes: float32, float64, int32 or int64."""
    wide = _WIDE.get((array.dtype.kind, array.dtype.itemsize), np.float64)
    with np.errstate(over="ignore"):  # numbers beyond float64 become infinite, and are refused by row and column
        return np.require(array, dtype=wide, requirements=["C", "A"])


# The types a matrix is kept in; whatever is not listed here becomes float64.
_WIDE: dict[tuple[str, int], Any] = {
    ("f", 4): np.float32, ("i", 8): np.int64, ("u", 4): np.int64,
    **dict.fromkeys((("i", 1), ("i", 2), ("i", 4), ("u", 1), ("u", 2)), np.int32),
}  # fmt: skip


def _without_mask(X: Encoded) -> Any:
    if X.dtype.kind in "fiub":
        return np.ma.filled(X.astype(np.float64), np.nan)
    cells = np.asarray(X, dtype=object).copy()
    cells[np.ma.getmaskarray(X)] = None  # np.ma.filled puts "?" there
    return cells


def _wrong_dimensions(X: Encoded, array: np.ndarray, who: str) -> str:
    if array.dtype.names:
        names = listing(array.dtype.names)
        return f"{who}: X is a structured array with fields {names}; make it a data frame or a two-dimensional array."
    if array.ndim == 0:
        what = f"the single value {reprlib.repr(X)} of type {type(X).__name__}"
        return f"{who}: X must be a table of rows and columns, not {what}."
    shape = " × ".join(map(str, array.shape))
    return (
        f"{who}: X must have two dimensions, rows and columns, but has {array.ndim} ({shape}). "
        "Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row."
    )


def _open_array(X: TableLike, who: str, bytes_too: bool) -> np.ndarray | Table:
    array = cells_of(X, who, bytes_too)
    if array.dtype.kind != "O":
        return array
    table = table_from_objects(array, [f"x{i}" for i in range(array.shape[1])], who)
    if all(column.is_numeric or not column.levels for column in table.schema):
        return matrix_of(table)
    return table


def matrix_of(table: Table) -> np.ndarray:
    """The columns of a table side by side, each numeric or altogether missing."""
    matrix = np.full((table.n_rows, len(table.schema)), np.nan)
    for i, column in enumerate(table.schema):
        if column.is_numeric:
            matrix[:, i] = table.cells(column.name)
    return matrix


# What _core.data.csr_survey says of a CSR matrix.
CANONICAL, UNSORTED, DAMAGED, BAD_CELL = 0, 1, 2, 3
#: The core counts the columns of stored cells in 32 bits.
MOST_STORED_COLUMNS = 2**31 - 1


class StoredSurvey(NamedTuple):
    """What was seen of the stored cells of a CSR matrix, none of which is larger than ``largest`` in magnitude."""

    has_missing: bool
    has_negative: bool
    largest: float


def survey_clean_csr(X: Encoded, n_columns: int, largest: float) -> StoredSurvey | None:
    """What is in X if it is CSR in its usual form without an unusable cell and can be read as it is; else None."""
    if getattr(X, "format", None) != "csr" or X.dtype != np.float64 or X.shape[1:] != (n_columns,):
        return None
    if X.indices.dtype != X.indptr.dtype or len(X.indptr) != X.shape[0] + 1:
        return None
    threads = 1 if len(X.data) < 10_000 else parallel.n_threads()
    code, _, missing, negative = _core.data.csr_survey(X.data, X.indices, X.indptr, n_columns, largest, threads)
    return StoredSurvey(missing, negative, largest) if code == CANONICAL else None


def _open_sparse(X: Encoded, who: str, largest: float) -> Any:
    """X as canonical CSR; what was seen of its cells on the way stands in its attribute ``stored``."""
    if not hasattr(X, "format"):
        raise InputTypeError(f"{who}: X of type {type(X).__name__} cannot be read; give a SciPy sparse matrix.")
    if X.ndim != 2:
        raise InputError(f"{who}: a sparse X must have two dimensions, rows and columns, but has {X.ndim}.")
    if X.dtype.kind not in "fiub":
        problem = "Complex data not supported" if X.dtype.kind == "c" else f"type {X.dtype} cannot be read"
        raise InputError(f"{who}: {problem}; a sparse X must hold real numbers.")
    if X.format != "csr":
        check_structure(X, who)
    if X.shape[1] > MOST_STORED_COLUMNS:
        raise InputError(f"{who}: a sparse X can have at most {MOST_STORED_COLUMNS:,} columns, not {X.shape[1]:,}.")
    matrix = _as_csr(X, who)
    code, row, missing, negative = _core.data.csr_survey(
        matrix.data, matrix.indices, matrix.indptr, matrix.shape[1], largest, parallel.n_threads()
    )
    if code == DAMAGED or len(matrix.indptr) != matrix.shape[0] + 1:
        raise InputError(f"{who}: the sparse X is damaged (its indices do not fit its shape, first in row {row}).")
    if matrix.indices.dtype == np.int64 and matrix.nnz <= np.iinfo(np.int32).max:
        # Once here, where the core would have to do it anew for each pass over the rows.
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    if code == CANONICAL:
        matrix.stored = StoredSurvey(missing, negative, largest)
    else:  # bad cells are named later, where the names of the columns are known
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _as_csr(X: Encoded, who: str) -> Any:
    """X as a CSR array of floats whose indices are of one type; shares what it can."""
    import scipy.sparse

    matrix = X.tocsr()
    wide = np.float32 if X.dtype == np.float32 else np.float64
    data = np.require(matrix.data, dtype=wide, requirements=["C", "A"])
    index_type = np.result_type(matrix.indices.dtype, matrix.indptr.dtype)
    if index_type not in (np.int32, np.int64):
        raise InputError(f"{who}: the sparse X is damaged (its indices are of type {index_type}).")
    indices, indptr = (np.require(part, index_type, ["C", "A"]) for part in (matrix.indices, matrix.indptr))
    made = scipy.sparse.csr_array(matrix.shape, dtype=wide)
    made.data, made.indices, made.indptr = data, indices, indptr  # no look at the indices: that comes next
    return made


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
