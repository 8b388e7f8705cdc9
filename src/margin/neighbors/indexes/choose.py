"""Which index serves which rows, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse

from margin.base.readout import shown_in_notebooks
from margin.errors import ParameterError
from margin.neighbors.distances import traits_of
from margin.neighbors.indexes.ball_tree import BallTree
from margin.neighbors.indexes.brute_force import BruteForce
from margin.neighbors.indexes.kd_tree import KDTree
from margin.neighbors.indexes.sparse import SparseRows

__all__ = ["Algorithm", "IndexChoice", "build_index"]

Algorithm = Literal["auto", "kd_tree", "ball_tree", "brute"]

#: With fewer rows than this nothing is gained by a tree.
FEW_ROWS = 500
#: Up to so many columns a kd-tree is taken unseen; beyond, it has to show that it looks at few rows;
#: from so many on it never does.
FEW_COLUMNS, MANY_COLUMNS = 6, 40
#: The largest share of rows that a tree may look at: brute force does much less for each row.
WORTHWHILE = 0.15
#: Rows of a leaf, where the user does not say.
LEAF = {KDTree: 16, BallTree: 20}
#: Rows asked for their neighbours to find that share.
PROBES = 64


@shown_in_notebooks
@dataclass(frozen=True)
class IndexChoice:
    """The index a model searches with, and why this one."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True)
class Rows:
    """Rows to be searched, and how they are compared."""

    cells: Any
    metric: Any
    p: float
    leaf_size: int | None
    n_threads: int

    def tree(self, kind: Any, cells: Any = None) -> Any:
        cells = self.cells if cells is None else cells
        return kind.build(cells, self.metric, self.p, self.leaf_size or LEAF[kind], self.n_threads)

    def scan(self) -> Any:
        """Every row looked at."""
        if issparse(self.cells):
            return SparseRows.build(self.cells, self.metric, self.p, self.n_threads)
        kind = BallTree.scan if self.is_general else BruteForce.build
        return kind(self.cells, self.metric, self.p)

    @property
    def traits(self) -> Any:
        """What the core states of the metric; None for a function."""
        return traits_of(self.metric, self.p)

    @property
    def is_general(self) -> bool:
        """No sum over the differences of columns."""
        return self.traits is None or not self.traits.of_differences

    @property
    def is_metric(self) -> bool:
        """The triangle inequality holds; that of a function is taken on trust."""
        return self.traits is None or self.traits.is_metric

    @property
    def words(self) -> str:
        n, d = self.cells.shape
        return f"{n:,} rows of {d:,} column{'s' if d > 1 else ''}"


def build_index(
    cells: Any, metric: object, p: float, algorithm: Algorithm, leaf_size: int | None, n_threads: int, who: str
) -> tuple[Any, IndexChoice]:
    """The index that serves these rows, and the reason for it."""
    rows = Rows(cells, "euclidean" if metric == "cosine" and not issparse(cells) else metric, p, leaf_size, n_threads)
    _refuse(rows, algorithm, who)
    if issparse(cells):
        return rows.scan(), IndexChoice(SparseRows.name, f"{rows.words}, few of whose cells are stored")
    if algorithm == "auto":
        return _chosen(rows)
    index = rows.scan() if algorithm == "brute" else rows.tree(KDTree if algorithm == "kd_tree" else BallTree)
    return index, IndexChoice(index.name, f"asked for by algorithm={algorithm!r}")


def _refuse(rows: Rows, algorithm: Algorithm, who: str) -> None:
    """Say what cannot be combined."""
    if algorithm == "kd_tree" and rows.is_general:
        what = "a function" if callable(rows.metric) else repr(rows.metric)
        raise ParameterError(
            f"{who}(algorithm='kd_tree'): a kd-tree cannot serve the metric, {what} "
            "(take 'ball_tree', 'brute' or 'auto')."
        )
    if algorithm == "ball_tree" and not rows.is_metric:
        if rows.metric == "minkowski":
            raise ParameterError(
                f"{who}(algorithm='ball_tree', p={rows.p:g}): p must be at least 1, so that distances obey the "
                "triangle inequality (take 'kd_tree', 'brute' or 'auto')."
            )
        raise ParameterError(
            f"{who}(algorithm='ball_tree'): the metric, {rows.metric!r}, does not obey the triangle inequality "
            "(take 'brute' or 'auto')."
        )
    if rows.traits is not None and rows.traits.n_columns not in (None, rows.cells.shape[1]):
        raise ParameterError(
            f"{who}(metric={rows.metric!r}): X must have {rows.traits.columns}, but has {rows.cells.shape[1]}."
        )


def _chosen(rows: Rows) -> tuple[Any, IndexChoice]:
    n, d = rows.cells.shape
    if not rows.is_metric and (rows.is_general or not rows.traits.bounded_by_boxes):
        return _scanned(rows, f"no tree can serve the metric, {rows.metric!r}")
    if rows.is_general:
        what = "a function of two rows" if callable(rows.metric) else repr(rows.metric)
        return rows.tree(BallTree), IndexChoice(BallTree.name, f"no kd-tree can serve the metric, {what}")
    if n < FEW_ROWS:
        return _scanned(rows, "too few rows for a tree to pay")
    if not rows.traits.bounded_by_boxes:
        return rows.tree(BallTree), IndexChoice(BallTree.name, f"boxes do not bound the metric, {rows.metric!r}")
    if not rows.is_metric:
        return rows.tree(KDTree), IndexChoice(
            KDTree.name, f"{rows.words}; powers below 1 take long, and a tree spares most"
        )
    if d <= FEW_COLUMNS:
        return rows.tree(KDTree), IndexChoice(KDTree.name, f"{rows.words}, few enough of them")
    if d > MANY_COLUMNS:
        return _scanned(rows, "in so many columns a tree has to look at most rows")
    tree = rows.tree(KDTree)
    share = tree.looked_at(_evenly(rows.cells, PROBES).astype(np.float64), 5, rows.n_threads)
    if share <= WORTHWHILE:
        return tree, IndexChoice(KDTree.name, f"{rows.words}; an answer looks at {share:.1%} of the rows")
    return _scanned(rows, f"a kd-tree would look at {share:.0%} of the rows for an answer, too many to pay")


def _scanned(rows: Rows, reason: str) -> tuple[Any, IndexChoice]:
    return rows.scan(), IndexChoice(BruteForce.name, f"{rows.words}; {reason}")


def _evenly(cells: np.ndarray, most: int) -> np.ndarray:
    """Up to so many rows, evenly spread."""
    return np.ascontiguousarray(cells[:: -(-len(cells) // most)])
