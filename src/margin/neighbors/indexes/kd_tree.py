"""A tree of boxes: the quickest way to neighbours in few dimensions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import margin._core as _core
from margin.errors import InputError
from margin.neighbors.indexes.row_transform import Radius, radii_of

__all__ = ["KDTree"]

# Places are 32 bits wide in the tree.
MOST_ROWS = 2**31 - 1


class KDTree:
    r"""Rows halved at the median of their widest column, again and again, and a box around every part.

    A search visits near boxes first and leaves out those that are further away than the neighbours it has. In few
    dimensions it looks at a handful of boxes, :math:`O(\log n)`; in many it comes to look at them all
    (:meth:`looked_at` tells), and :class:`BruteForce` is quicker. Building is :math:`O(n (\log n + d))` for any data.

    Boxes and rows are first met in single precision, and what that cannot rule out with certainty is compared in
    double: the distances are exactly those of the definition, and so are ties, which go to the smaller place.

    The arrays are the tree; see ``native/include/margin/neighbors/kd_tree/kd_tree.hpp`` for their order.

    Examples
    --------
    >>> tree = KDTree.build(np.array([[0.0], [1.0], [5.0]]), "euclidean", 2.0, 16, 1)
    >>> distance, place = tree.nearest(np.array([[4.0]]), 2, 1)
    >>> distance.tolist(), place.tolist()
    ([[1.0, 3.0]], [[2, 1]])
    """

    name = "kd-tree"

    metric: str
    p: float
    n_rows: int
    sketch: np.ndarray
    cells: np.ndarray
    place: np.ndarray
    boxes: np.ndarray
    first: np.ndarray
    size: np.ndarray
    lowest: np.ndarray
    shift: np.ndarray
    scale: float

    @classmethod
    def build(cls, rows: np.ndarray, metric: str, p: float, leaf_size: int, n_threads: int) -> Self:
        """The tree over ``rows``, with at most ``leaf_size`` of them to a leaf (or 16, if that is more)."""
        if len(rows) > MOST_ROWS:
            raise InputError(f"KDTree.build: a kd-tree holds at most {MOST_ROWS} rows, not {len(rows)}.")
        tree = cls()
        tree.metric, tree.p, tree.n_rows = metric, float(p), len(rows)
        for name, value in _core.neighbors.kd_tree(rows, leaf_size, n_threads).items():
            setattr(tree, "cells" if name == "rows" else name, value)
        return tree

    def rows(self) -> np.ndarray:
        """The rows by place, as queries."""
        d = len(self.shift)
        if self.cells.size:
            cells = self.cells
        else:  # the sketch says it all
            cells = self.sketch.reshape(-1, d, 16).transpose(0, 2, 1).reshape(-1, d) / self.scale + self.shift
        place = self.place.ravel()
        rows = np.empty((self.n_rows, d))
        rows[place[place >= 0]] = cells[place >= 0]
        return rows

    def nearest(self, queries: np.ndarray, k: int, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the ``k`` nearest rows of each query, by distance, then by place."""
        distance, place, _ = _core.neighbors.kd_nearest(self._arrays(), queries, k, self.metric, self.p, n_threads)
        return distance, place

    def within(self, queries: np.ndarray, radius: Radius, n_threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows at a distance of at most ``radius``: where those of each query start, distances and places.

        There is one radius for all queries, or one for each.

        >>> tree = KDTree.build(np.array([[0.0], [1.0], [5.0]]), "euclidean", 2.0, 16, 1)
        >>> start, distance, place = tree.within(np.array([[0.5], [9.0]]), 0.5, 1)
        >>> start.tolist(), distance.tolist(), place.tolist()
        ([0, 2, 2], [0.5, 0.5], [0, 1])
        """
        return _core.neighbors.kd_within(self._arrays(), queries, radii_of(radius), self.metric, self.p, n_threads)

    def looked_at(self, queries: np.ndarray, k: int, n_threads: int) -> float:
        """The share of all rows that a search of the ``k`` nearest looks at, on average over these queries.

        >>> rng = np.random.default_rng(0)
        >>> tree = KDTree.build(rng.random((20_000, 2)), "euclidean", 2.0, 16, 1)
        >>> tree.looked_at(rng.random((10, 2)), 5, 1) < 0.02
        True
        """
        share: float = _core.neighbors.kd_nearest(self._arrays(), queries, k, self.metric, self.p, n_threads)[2]
        return share

    def _arrays(self) -> tuple[Any, ...]:
        """The tree as the core takes it."""
        boxes = self.boxes, self.first, self.size, self.lowest
        return self.sketch, self.cells, self.place, *boxes, self.shift, self.scale
