"""One row of a table as one row of the matrix: what a service asks about.

Arrays of one row cost more than the arithmetic on them. Here the core reads each cell, fills and scales it and puts it
into its place, by the same operations in the same order as a whole matrix, and so with the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.one_row import RowReader
from margin.data.schema import Schema

__all__ = ["OneHotRow"]


class OneHotRow:
    """Where each cell of a row stands in the matrix, and how a number is filled and scaled there.

    >>> from margin.data.schema import Column
    >>> schema = Schema([Column("colour", "nominal", ("blue", "red")), Column("size", "numeric")])
    >>> row = OneHotRow(schema, np.array([5.0]), np.array([4.0]), np.array([2.0]))
    >>> reader = RowReader(schema, frozenset())
    >>> row.encode([["red", 7.0]], reader, 1e9), row.encode([{"colour": None, "size": None}], reader, 1e9)
    (array([[1.5, 0. , 1. ]]), array([[0.5, 0. , 0. ]]))
    """

    def __init__(self, schema: Schema, fill: np.ndarray, center: np.ndarray, spread: np.ndarray) -> None:
        self.learnt = fill, center, spread
        numbered = [column.name for column in schema if column.kind in ("numeric", "ordinal")]
        self.width = len(numbered)
        #: The place of a number; of words -1 less the place of their first level.
        self.place = np.empty(len(schema), dtype=np.int32)
        self.scale = np.zeros((3, len(schema)))
        for j, column in enumerate(schema):
            if column.name in numbered:
                self.place[j] = at = numbered.index(column.name)
                self.scale[:, j] = fill[at], center[at], spread[at]
            else:
                self.place[j] = -1 - self.width
                self.width += len(column.levels)

    def is_of(self, *learnt: np.ndarray) -> bool:
        """Whether these are the means and scales that it was made with."""
        return all(own is other for own, other in zip(self.learnt, learnt))

    def encode(self, X: Any, reader: RowReader, largest: float) -> np.ndarray | None:
        """The row of the matrix; None where X is to be read the long way, as which says what is wrong with it."""
        found = np.zeros((1, self.width))
        return found if reader.core.one_hot(reader.row_in(X), largest, self.place, self.scale, found) else None
