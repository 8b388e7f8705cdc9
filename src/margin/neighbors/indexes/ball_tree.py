"""Neighbours under any metric: a tree of balls, or a look at every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import margin._core as _core
from margin.errors import InputError, ParameterError
from margin.neighbors.distances import traits_of
from margin.neighbors.indexes.row_transform import Radius, radii_of

__all__ = ["BALL_METRICS", "BallTree"]

Function: TypeAlias = Callable[[np.ndarray, np.ndarray], float]

#: The metrics by name; a function of two rows is as good.
BALL_METRICS: tuple[str, ...] = _core.neighbors.ball_metrics()


class BallTree:
    """Exact neighbours for whatever obeys the triangle inequality.

    Each node of the tree has a training row as its centre and knows the smallest and the largest distance of the
    rows below it. A query at distance d of the centre has none of them nearer than d less the largest or the smallest
    less d, and passes by the nodes that this rules out; what rounding may take from the inequality is allowed for.
    Building takes about n log n distances.

    Metrics are ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"minkowski"`` (p of at least 1), ``"canberra"``,
    ``"hamming"`` (the share of unequal columns), ``"haversine"`` (latitude and longitude in radians on a sphere of
    radius 1), or a function of two rows that gives a finite number of at least 0. The function runs in Python, on one
    thread; that it is a metric is taken on trust up to a millionth of the distances it gives. What is no metric has its
    neighbours found exactly by :meth:`scan`, which looks at every row.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> tree = BallTree.build(rows, "canberra", p=2.0, leaf_size=1, n_threads=1)
    >>> distance, place = tree.nearest(np.array([[3.0, 5.0]]), k=2, n_threads=1)
    >>> place.tolist()
    [[1, 2]]
    """

    name = "ball tree"

    def __init__(self, rows: np.ndarray, metric: str | Function, p: float, tree: tuple[Any, ...], name: str) -> None:
        self.metric = metric
        self.p = p
        self.name = name
        self._levels, self._place, self._reach, self._smallest, self._largest = tree
        # In the order of the tree, so that a leaf is one stretch of memory.
        self._rows = rows if self._levels == 0 else rows[self._place]
        self._largest_cell = float(max(abs(float(rows.max())), abs(float(rows.min()))))

    @classmethod
    def build(cls, rows: np.ndarray, metric: str | Function, p: float, leaf_size: int, n_threads: int) -> BallTree:
        """A tree whose leaves hold up to ``leaf_size`` rows; one leaf for all is a scan."""
        traits = traits_of(metric, p)
        if traits is not None and not traits.is_metric:
            raise ParameterError(
                f"BallTree(p={p!r}): p must be at least 1, below that the triangle inequality does not hold "
                "(algorithm='brute' looks at every row)."
                if metric == "minkowski"
                else f"BallTree(metric={metric!r}): the triangle inequality does not hold for this metric "
                "(algorithm='brute' looks at every row)."
            )
        _check_metric(metric, rows.shape[1])
        if callable(metric):
            rows = np.asarray(rows, dtype=np.float64)
            tree = _core.neighbors.ball_tree_of(_separate(rows), _checked(metric), leaf_size)
        else:
            tree = _core.neighbors.ball_tree(rows, metric, float(p), leaf_size, n_threads)
        return cls(rows, metric, float(p), tree, cls.name)

    @classmethod
    def scan(cls, rows: np.ndarray, metric: str | Function, p: float) -> BallTree:
        """No tree: every query looks at every row, so that nothing is asked of the metric.

        >>> scan = BallTree.scan(np.array([[0.0], [2.0]]), lambda a, b: float((a - b)[0] ** 2), p=2.0)
        >>> scan.nearest(np.array([[0.5]]), k=2, n_threads=1)[0].tolist()
        [[0.25, 2.25]]
        """
        _check_metric(metric, rows.shape[1])
        if callable(metric):
            rows = np.asarray(rows, dtype=np.float64)
        n = len(rows)
        tree = (0, np.arange(n, dtype=np.int64), np.zeros(n), np.zeros(1), np.zeros(1))
        return cls(rows, metric, float(p), tree, "full scan")

    @property
    def n_rows(self) -> int:
        return len(self._rows)

    def rows(self) -> np.ndarray:
        """The rows by place, as queries."""
        if self._levels == 0:
            return np.asarray(self._rows, dtype=np.float64)
        rows = np.empty(self._rows.shape)
        rows[self._place] = self._rows
        return rows

    def nearest(self, queries: np.ndarray, k: int, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the ``k`` nearest rows of each query; equally far ones by place."""
        if callable(self.metric):
            return _core.neighbors.ball_nearest_of(
                self._tree(), _separate(self.rows()), _separate(queries), k, _checked(self.metric)
            )
        return _core.neighbors.ball_nearest(
            self._tree(), self._rows, self._largest_cell, queries, k, self.metric, self.p, n_threads
        )

    def within(self, queries: np.ndarray, radius: Radius, n_threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows up to ``radius`` away: those of query q stand at start[q] … start[q + 1] of the other two."""
        if callable(self.metric):
            return _core.neighbors.ball_within_of(
                self._tree(), _separate(self.rows()), _separate(queries), radii_of(radius), _checked(self.metric)
            )
        return _core.neighbors.ball_within(
            self._tree(), self._rows, self._largest_cell, queries, radii_of(radius), self.metric, self.p, n_threads
        )

    def _tree(self) -> tuple[Any, ...]:
        return self._levels, self._place, self._reach, self._smallest, self._largest


def _check_metric(metric: str | Function, n_columns: int) -> None:
    traits = traits_of(metric, 2.0)
    if traits is not None and traits.n_columns not in (None, n_columns):
        raise InputError(f"BallTree(metric={metric!r}): X must have {traits.columns}, but has {n_columns}.")


def _separate(rows: np.ndarray) -> list[np.ndarray]:
    """The rows one by one, to be read only: a function that writes to them would change the training data."""
    rows = rows.view()
    rows.flags.writeable = False
    return list(rows)


def _checked(function: Function) -> Function:
    """The function, its answers looked at."""

    def measured(a: np.ndarray, b: np.ndarray) -> float:
        answer = function(a, b)
        try:
            distance = answer.__float__()  # float() would also read words
        except (AttributeError, TypeError, ValueError):
            distance = np.nan
        if not 0 <= distance < np.inf:
            name = getattr(function, "__name__", repr(function))
            raise InputError(
                f"BallTree(metric={name}): the function must give a finite number of at least 0 for any two rows, "
                f"but gave {answer!r}."
            )
        return distance

    return measured
