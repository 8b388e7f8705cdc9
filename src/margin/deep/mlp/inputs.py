"""The rows of a table as the core takes them: a matrix, codes that stand for vectors, or sparse rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import margin._core as _core

__all__ = ["VisitedRows", "as_cells", "embedded", "row_order", "varying_columns", "vector_width"]

#: A column of L levels has vectors of about 1.6 L^0.56 numbers, and of no more than this.
WIDEST_VECTOR = 16
#: Cells that are compared at once where columns that do not vary are looked for.
CELLS_AT_ONCE = 200_000


def vector_width(n_levels: int) -> int:
    """How many numbers stand for a level of a column of so many.

    >>> [vector_width(n) for n in (1, 2, 10, 1000, 10**6)]
    [2, 2, 6, 16, 16]
    """
    return int(min(WIDEST_VECTOR, max(2, round(1.6 * n_levels**0.56))))


def embedded(X: np.ndarray, tables: Iterable[np.ndarray]) -> np.ndarray:
    """Numbers, and the vectors that the codes behind them stand for; the first vector is that of -1.

    >>> embedded(np.array([[5.0, -1.0], [6.0, 0.0]]), [np.array([[0.0, 0.0], [1.0, 2.0]])]).tolist()
    [[5.0, 0.0, 0.0], [6.0, 1.0, 2.0]]
    """
    tables = list(tables)
    n = X.shape[1] - len(tables)
    vectors = (table[X[:, n + j].astype(np.intp) + 1] for j, table in enumerate(tables))
    return np.column_stack([X[:, :n], *vectors])


def as_cells(X: Any, dtype: np.dtype[Any]) -> Any:
    """Rows in the precision and the layout that the core takes, sparse ones too."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X, dtype=dtype)
    X = X.astype(dtype, copy=False)
    X.sort_indices()
    return X


def stored(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells, columns and starts of sparse rows."""
    return X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)


def row_order(X: Any, last: np.ndarray, n_threads: int) -> np.ndarray:
    """Places of rows in an order that depends on what stands in them alone; the same for sparse rows."""
    last = np.ascontiguousarray(last)
    if isinstance(X, np.ndarray):
        return _core.deep.row_order(X, last, n_threads)
    return _core.deep.sparse_order(*stored(X), X.shape[1], last, n_threads)


def varying_columns(X: Any) -> np.ndarray:
    """The columns that hold more than one value. The others would only be further intercepts.

    >>> varying_columns(np.array([[1.0, 2.0], [1.0, 3.0]])).tolist()
    [1]
    """
    if isinstance(X, np.ndarray):
        return np.flatnonzero(~_constant(X))
    return np.flatnonzero((X.max(axis=0) - X.min(axis=0)).toarray().ravel())


def _constant(X: np.ndarray) -> np.ndarray:
    """Which columns hold one value alone, looking at fewer columns the more rows have been seen."""
    left, begin = np.arange(X.shape[1]), 0
    while begin < len(X) and len(left):
        end = begin + max(1, CELLS_AT_ONCE // len(left))
        left = left[(X[begin:end, left] == X[0, left]).all(axis=0)]
        begin = end
    return np.isin(np.arange(X.shape[1]), left)


@dataclass(frozen=True)
class VisitedRows:
    """What the core learns from: rows, targets of one of two kinds, weights, and the rows in the order of visits.

    ``seed`` is that of the order; without one the rows are visited as they stand.
    """

    X: Any
    classes: np.ndarray | None
    values: np.ndarray | None
    weight: np.ndarray | None
    visits: np.ndarray
    seed: int | None

    def order(self, epoch: int) -> np.ndarray:
        return self.visits if self.seed is None else _core.deep.shuffled(self.visits, self.seed, epoch)

    @property
    def given(self) -> tuple[Any, ...]:
        """Rows and targets as the core takes them; sparse rows follow in ``sparse``."""
        return self.X if isinstance(self.X, np.ndarray) else None, self.classes, self.values, self.weight

    @property
    def sparse(self) -> tuple[Any, ...]:
        return () if isinstance(self.X, np.ndarray) else stored(self.X)

    def digest(self) -> str:
        """A word that is the same for the same rows and targets alone."""
        found = hashlib.blake2b(digest_size=16)
        for part in (*self.given, *self.sparse, self.visits):
            if part is None:
                found.update(b"none")
            else:
                found.update(f"{part.dtype}{part.shape}".encode() + np.ascontiguousarray(part).tobytes())
        return found.hexdigest()
