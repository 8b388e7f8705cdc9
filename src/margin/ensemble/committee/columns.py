"""Rows with what others say of them as further columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.typing import Encoded

__all__ = ["with_columns"]


def with_columns(X: Encoded, names: Sequence[str], columns: np.ndarray) -> Encoded:
    """The rows of a table, an array or CSR with numbers after their own columns.

    >>> with_columns(np.zeros((2, 1)), ["p"], np.array([[0.5], [0.25]])).tolist()
    [[0.0, 0.5], [0.0, 0.25]]
    """
    if isinstance(X, Table):
        taken = set(X.names)
        described, cells = list(X.schema), [X.cells(name) for name in X.names]
        for name, column in zip(names, columns.T):
            while name in taken:
                name += " (said)"
            taken.add(name)
            described.append(Column(name, "numeric", reason="what a member of the committee says"))
            cells.append(np.ascontiguousarray(column))
        return Table(Schema(described), cells, n_rows=X.n_rows)
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(np.hstack([X, columns]))
    import scipy.sparse as sp

    return sp.hstack([X, sp.csr_array(columns)]).tocsr()
