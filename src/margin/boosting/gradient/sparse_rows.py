"""Sparse rows as they are: what the core takes of them, and trees that know only the columns they ask about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosted_trees import BoostedTrees
from margin.tree.grow import numbers_of

__all__ = ["blocks_of", "csr_of", "is_wide_and_sparse"]

#: Rows are sparse where at most one cell in so many is stored; others are quicker with all of their cells.
ONE_IN = 8
#: Cells that are written out at once while rows are answered.
AT_ONCE = 1 << 22


def is_wide_and_sparse(X: MixedData) -> bool:
    """Whether rows are CSR and nearly empty."""
    if isinstance(X.numeric, np.ndarray) or X.codes:
        return False
    n, d = X.numeric.shape
    return bool(X.numeric.nnz * ONE_IN <= n * d)


def csr_of(X: MixedData) -> tuple[Any, Any, Any]:
    """Stored cells, their columns and where rows begin."""
    cells = X.numeric
    values = cells.data if cells.dtype in (np.float32, np.float64) else cells.data.astype(np.float64)
    return np.ascontiguousarray(values), cells.indices, cells.indptr


def blocks_of(trees: BoostedTrees, X: MixedData) -> Iterator[tuple[slice, BoostedTrees, np.ndarray, np.ndarray | None]]:
    """Rows to walk down trees: which they are, the trees, their numbers, and the columns of these (None: all).

    Sparse rows come a part at a time, and only the columns that trees ask about are written out.
    """
    if not is_wide_and_sparse(X):
        yield slice(0, len(X)), trees, numbers_of(X), None
        return
    narrow, used = trees.narrow
    cells, step = X.numeric[:, used], max(1, AT_ONCE // len(used))
    for begin in range(0, max(len(X), 1), step):
        part = slice(begin, min(begin + step, len(X)))
        yield part, narrow, numbers_of(MixedData(cells[part].toarray())), used
