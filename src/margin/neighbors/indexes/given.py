"""Neighbours where the distances are given, and no rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import margin._core as _core
from margin.neighbors.indexes.row_transform import Radius, radii_of

__all__ = ["GivenDistances"]


@dataclass
class GivenDistances:
    """The distances of all training rows from each other, by place; a query is a row of its distances from them.

    >>> index = GivenDistances(np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))
    >>> distance, place = index.nearest(np.array([[5.0, 0.5, 0.5]]), 2)
    >>> distance.tolist(), place.tolist()
    ([[0.5, 0.5]], [[1, 2]])
    """

    cells: np.ndarray

    name = "given distances"
    metric = "precomputed"

    @property
    def n_rows(self) -> int:
        """The number of training rows."""
        return len(self.cells)

    def rows(self) -> np.ndarray:
        """The training rows by place, as queries."""
        return self.cells

    def nearest(self, queries: np.ndarray, k: int, n_threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the k nearest rows of each query; of equally far ones the smaller place."""
        return _core.neighbors.given_nearest(queries, k, n_threads)

    def within(
        self, queries: np.ndarray, radius: Radius, n_threads: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows not further than a radius: where each query's begin (and the last end), distances, places."""
        return _core.neighbors.given_within(queries, radii_of(radius), n_threads)
