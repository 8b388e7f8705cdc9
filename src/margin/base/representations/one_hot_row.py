"""One row of cells that are read already, as one row of the matrix: what a service asks about.

Arrays of one row cost more than the arithmetic on them. Here each cell is filled, scaled and put into its place as a
plain number, by the same operations in the same order as a whole matrix, and so with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.data.schema import Schema

__all__ = ["OneHotRow"]


class OneHotRow:
    """Where each cell of a row stands in the matrix, and how a number is filled and scaled there.

    >>> from margin.data.schema import Column
    >>> schema = Schema([Column("colour", "nominal", ("blue", "red")), Column("size", "numeric")])
    >>> row = OneHotRow(schema, np.array([5.0]), np.array([4.0]), np.array([2.0]))
    >>> row.encode([1, 7.0]), row.encode([-1, math.nan])
    (array([[1.5, 0. , 1. ]]), array([[0.5, 0. , 0. ]]))
    """

    def __init__(self, schema: Schema, fill: np.ndarray, center: np.ndarray, spread: np.ndarray) -> None:
        self.learnt = fill, center, spread
        numbered = [column.name for column in schema if column.kind in ("numeric", "ordinal")]
        statistics = dict(zip(numbered, zip(range(len(numbered)), *(array.tolist() for array in self.learnt))))
        self.width = len(numbered)
        #: Of a number its place, fill, centre and spread; of words the place of the first level.
        self.places: list[Any] = []
        for column in schema:
            self.places.append(statistics.get(column.name, self.width))
            self.width += len(column.levels) if column.name not in statistics else 0

    def is_of(self, *learnt: np.ndarray) -> bool:
        """Whether these are the means and scales that it was made with."""
        return all(own is other for own, other in zip(self.learnt, learnt))

    def encode(self, row: Sequence[Any]) -> np.ndarray | None:
        """The row of the matrix; None where a cell cannot be filled or is too far away for the scale."""
        cells = [0.0] * self.width
        for cell, place in zip(row, self.places):
            if type(place) is int:
                if cell >= 0:
                    cells[place + cell] = 1.0
                continue
            at, fill, center, spread = place
            value = fill if cell != cell or (cell < 0 and type(cell) is int) else cell
            value = (value - center) / spread
            if not math.isfinite(value):
                return None
            cells[at] = value
        return np.array([cells])
