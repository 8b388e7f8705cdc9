"""Neighbours among rows that are mostly 0, texts above all."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import InputError, PersistenceError
from margin.neighbors.indexes.row_transform import Radius, radii_of

__all__ = ["SPARSE_METRICS", "SparseRows"]

#: The metrics for sparse rows.
SPARSE_METRICS: tuple[str, ...] = _core.neighbors.sparse_metrics()
#: No stored cell is larger.
LARGEST = 1e300


class SparseRows:
    """Exact neighbours among sparse rows, which are never written out.

    The rows are also kept column by column: a query adds up, for a block of rows at a time, what they share with it
    in the columns it holds. That tells which rows cannot be among its neighbours; the few others are measured exactly.

    Metrics are ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"minkowski"`` and ``"cosine"``. The first four give
    to the last bit what the dense indexes give for the same rows written out. The cosine distance of a and b is
    :math:`1 - a \\cdot b / (|a| |b|)`, taken as half the squared distance of the rows brought to length 1, which loses
    no digits of near rows. Rows without a common column are at distance 1 exactly and tie; two empty rows are equal.

    Examples
    --------
    >>> import scipy.sparse
    >>> texts = scipy.sparse.csr_array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0], [4.0, 0.0, 2.0]])
    >>> rows = SparseRows.build(texts, "cosine", p=2.0, n_threads=1)
    >>> distance, place = rows.nearest(texts[[2]], k=3, n_threads=1)
    >>> distance.tolist(), place.tolist()
    ([[0.0, 0.0, 1.0]], [[0, 2, 1]])
    """

    name = "sparse rows"

    def __init__(self, data: np.ndarray, columns: np.ndarray, start: np.ndarray, n_columns: int) -> None:
        self.n_columns = n_columns
        self._data, self._columns, self._start = data, columns, start
        self.metric = "euclidean"
        self.p = 2.0

    @classmethod
    def build(cls, rows: Any, metric: str, p: float, n_threads: int) -> SparseRows:
        """Rows in canonical CSR: columns ascending, none twice; zeros that are stored all the same do not matter."""
        if max(rows.shape) >= 2**31:
            raise InputError(f"SparseRows: X must have less than 2^31 rows and columns, but has {rows.shape}.")
        data, columns, start = _without_zeros(rows)
        made = cls(data, columns.astype(np.int32, copy=False), start.astype(np.int64, copy=False), rows.shape[1])
        made.metric, made.p = metric, float(p)
        made._postings = made._by_column()
        return made

    @cached_property
    def _postings(self) -> tuple[Any, ...]:
        """The rows column by column; those of a model that was loaded are made when it is asked first."""
        stored = self._data
        if stored.size and not (float(stored.min()) >= -LARGEST and float(stored.max()) <= LARGEST and stored.all()):
            raise PersistenceError(
                "SparseRows: the training rows hold cells that are 0 or no numbers: the file of the model was changed "
                "(margin.persistence.verify tells where)."
            )
        return self._by_column()

    def _by_column(self) -> tuple[Any, ...]:
        return _core.neighbors.sparse_postings(self._rows(), self.metric, self.p)

    @property
    def n_rows(self) -> int:
        return len(self._start) - 1

    def rows(self) -> Any:
        """The rows by place, as queries."""
        import scipy.sparse

        rows = scipy.sparse.csr_array((self.n_rows, self.n_columns), dtype=self._data.dtype)
        rows.data, rows.indices, rows.indptr = self._data, self._columns, self._start
        return rows

    def nearest(self, queries: Any, k: int, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the ``k`` nearest rows of each query, CSR or dense; equally far ones by place."""
        return _core.neighbors.sparse_nearest(
            self._rows(), self._postings, _as_queries(queries), k, self.metric, self.p, n_threads
        )

    def within(self, queries: Any, radius: Radius, n_threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows up to ``radius`` away: those of query q stand at start[q] … start[q + 1] of the other two."""
        return _core.neighbors.sparse_within(
            self._rows(), self._postings, _as_queries(queries), radii_of(radius), self.metric, self.p, n_threads
        )

    def _rows(self) -> tuple[Any, ...]:
        return self._data, self._columns, self._start, self.n_columns


def _without_zeros(rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three arrays of CSR without stored zeros; those of the matrix itself where there are none."""
    stored = rows.data != 0
    if stored.all():
        return rows.data, rows.indices, rows.indptr
    before = np.concatenate([[0], np.cumsum(stored, dtype=np.int64)])
    return rows.data[stored], rows.indices[stored], before[rows.indptr]


def _as_queries(queries: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, columns and starts as the core wants them."""
    if hasattr(queries, "indptr"):
        wide = (queries.data, np.float64), (queries.indices, np.int64), (queries.indptr, np.int64)
        return tuple(part.astype(kind, copy=False) for part, kind in wide)
    row, column = np.nonzero(queries)
    start = np.searchsorted(row, np.arange(len(queries) + 1)).astype(np.int64)
    return queries[row, column].astype(np.float64, copy=False), column.astype(np.int64, copy=False), start
