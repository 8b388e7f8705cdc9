"""Exact neighbours without an index: every row is looked at, most of them only coarsely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import margin._core as _core
from margin.neighbors.indexes.row_transform import Radius, radii_of

__all__ = ["BruteForce"]


@dataclass
class BruteForce:
    """All rows, as they are.

    A search rounds rows and queries to bytes, computes distances between those in whole numbers, and looks in full
    only at rows which the roundings do not rule out. The answers are those of looking at all rows in full. A search is
    :math:`O(n d)` for each query, whatever the data; it needs no memory beside the rows, and is the quickest way
    in many dimensions, where trees rule out nothing.

    Examples
    --------
    >>> index = BruteForce.build(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]), "euclidean", 2.0)
    >>> distance, place = index.nearest(np.array([[0.0, 1.0]]), 2)
    >>> distance.round(3).tolist(), place.tolist()
    ([[1.0, 4.243]], [[0, 1]])
    >>> start, distance, place = index.within(np.array([[3.0, 4.0]]), 5.0)
    >>> start.tolist(), distance.tolist(), place.tolist()
    ([0, 3], [0.0, 5.0, 5.0], [1, 0, 2])
    """

    cells: np.ndarray
    metric: str
    p: float

    name = "brute force"

    @classmethod
    def build(
        cls, rows: np.ndarray, metric: str, p: float, leaf_size: int | None = None, n_threads: int = 0
    ) -> BruteForce:
        """Keep the rows: finite, C-contiguous float32 or float64. There are no leaves, and nothing to share out."""
        return cls(rows, metric, float(p))

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.cells)

    def rows(self) -> np.ndarray:
        """The rows by place, as queries."""
        return np.asarray(self.cells, dtype=np.float64)

    def nearest(self, queries: np.ndarray, k: int, n_threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the k nearest rows of each query; of equally far ones the smaller place."""
        return _core.neighbors.brute_nearest(self.cells, queries, k, self.metric, self.p, n_threads)

    def within(
        self, queries: np.ndarray, radius: Radius, n_threads: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows not further than a radius: where each query's begin (and the last end), distances, places."""
        return _core.neighbors.brute_within(self.cells, queries, radii_of(radius), self.metric, self.p, n_threads)
