"""Which index serves which rows, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse

from margin.errors import ParameterError
from margin.neighbors.ball_tree import BallTree
from margin.neighbors.brute import BruteForce
from margin.neighbors.kd_tree import KDTree
from margin.neighbors.metrics import GENERAL
from margin.neighbors.sparse_rows import SparseRows

__all__ = ["Algorithm", "IndexChoice", "build_index"]

Algorithm = Literal["auto", "kd_tree", "ball_tree", "brute"]

#: With fewer rows than this nothing is gained by a tree.
FEW_ROWS = 500
#: Up to so many columns a kd-tree is taken unseen; beyond, it has to show that it looks at few rows.
FEW_COLUMNS, MANY_COLUMNS = 6, 40
#: The largest share of rows that a tree may look at: brute force does much less for each row.
WORTHWHILE = {"euclidean": 0.1, "manhattan": 0.4, "chebyshev": 0.4, "minkowski": 0.6}
#: Rows asked for their neighbours to find that share.
PROBES = 64
SAMPLE = 4096


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

    def index(self, kind: Any, cells: Any = None) -> Any:
        cells = self.cells if cells is None else cells
        return kind.build(cells, self.metric, self.p, self.leaf_size, self.n_threads)

    @property
    def words(self) -> str:
        n, d = self.cells.shape
        return f"{n:,} rows of {d:,} column{'s' if d > 1 else ''}"


def build_index(
    cells: Any, metric: Any, p: float, algorithm: Algorithm, leaf_size: int | None, n_threads: int, who: str
) -> tuple[Any, IndexChoice]:
    """The index that serves these rows, and the reason for it."""
    rows = Rows(cells, "euclidean" if metric == "cosine" and not issparse(cells) else metric, p, leaf_size, n_threads)
    _refuse(rows, algorithm, who)
    if issparse(cells):
        return rows.index(SparseRows), IndexChoice(SparseRows.name, f"{rows.words}, most cells zero")
    if algorithm != "auto":
        kind = {"kd_tree": KDTree, "ball_tree": BallTree, "brute": BruteForce}[algorithm]
        return rows.index(kind), IndexChoice(kind.name, f"asked for by algorithm={algorithm!r}")
    return _chosen(rows)


def _refuse(rows: Rows, algorithm: Algorithm, who: str) -> None:
    """Say what cannot be combined."""
    general = callable(rows.metric) or rows.metric in GENERAL
    what = "a function" if callable(rows.metric) else repr(rows.metric)
    if algorithm == "kd_tree" and (general or issparse(rows.cells)):
        rather = "brute" if issparse(rows.cells) else "ball_tree"
        on = "sparse rows" if issparse(rows.cells) else f"metric {what}"
        raise ParameterError(f"{who}(algorithm='kd_tree'): a kd-tree cannot serve {on} (take {rather!r} or 'auto').")
    if algorithm == "ball_tree" and issparse(rows.cells):
        raise ParameterError(f"{who}(algorithm='ball_tree'): no ball tree serves sparse rows (take 'brute' or 'auto').")
    if algorithm == "ball_tree" and rows.metric == "minkowski" and rows.p < 1:
        raise ParameterError(
            f"{who}(algorithm='ball_tree', p={rows.p:g}): p must be at least 1 for balls, whose distances must obey the "
            "triangle inequality (take 'kd_tree', 'brute' or 'auto')."
        )
    if rows.metric == "haversine" and rows.cells.shape[1] != 2:
        raise ParameterError(
            f"{who}(metric='haversine'): X must have two columns, latitude and longitude in radians, "
            f"but has {rows.cells.shape[1]}."
        )


def _chosen(rows: Rows) -> tuple[Any, IndexChoice]:
    n, d = rows.cells.shape
    if n < FEW_ROWS and not callable(rows.metric):
        return _brute(rows, f"{rows.words}: too few for a tree to pay")
    if callable(rows.metric) or rows.metric in GENERAL:
        what = "a function" if callable(rows.metric) else repr(rows.metric)
        return rows.index(BallTree), IndexChoice(BallTree.name, f"the metric, {what}, is not one a kd-tree can serve")
    if d <= FEW_COLUMNS:
        return rows.index(KDTree), IndexChoice(KDTree.name, f"{rows.words}: few enough columns")
    if d > MANY_COLUMNS and _looked_at(rows, _evenly(rows.cells, SAMPLE)) > 0.5:
        return _brute(rows, f"{rows.words}: in so many columns a tree would look at most rows of a sample")
    tree = rows.index(KDTree)
    share = tree.looked_at(np.asarray(_evenly(rows.cells, PROBES), dtype=np.float64), 5, rows.n_threads)
    if share <= WORTHWHILE[rows.metric]:
        return tree, IndexChoice(KDTree.name, f"{rows.words}: an answer looks at {share:.1%} of the rows")
    return _brute(rows, f"{rows.words}: a kd-tree would look at {share:.0%} of the rows, too many to pay")


def _brute(rows: Rows, reason: str) -> tuple[Any, IndexChoice]:
    kind = BallTree if callable(rows.metric) or rows.metric in GENERAL else BruteForce
    return rows.index(kind), IndexChoice(BruteForce.name, reason)


def _looked_at(rows: Rows, sample: np.ndarray) -> float:
    tree = rows.index(KDTree, sample)
    return tree.looked_at(np.asarray(_evenly(sample, PROBES), dtype=np.float64), 5, rows.n_threads)


def _evenly(cells: np.ndarray, most: int) -> np.ndarray:
    """Up to so many rows, evenly spread."""
    return np.ascontiguousarray(cells[:: -(-len(cells) // most)])
