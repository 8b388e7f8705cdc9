"""Weighted least squares by shallow trees: columns are ranked once, and every round passes over whole numbers."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.additive.trees import AdditiveTrees
from margin.boosting.tree_sum import ranked

__all__ = ["TreeGrower"]

#: Up to so many rows every threshold is looked at.
EXACT_ROWS = 10_000
#: Bins of a column beyond.
BINS = 255


class TreeGrower:
    """Fits shallow trees to the same rows, round after round, by weighted least squares.

    >>> X = MixedData(np.array([[1.0], [2.0], [6.0], [7.0]]))
    >>> grower = TreeGrower(X, max_depth=1, max_bins=None, n_threads=1)
    >>> tree, said = grower.fit(np.ones(4), np.array([0.0, 0.0, 1.0, 2.0]))
    >>> tree.threshold.tolist(), said.tolist()
    ([4.0, 0.0, 1.5], [0.0, 0.0, 1.5, 1.5])
    """

    def __init__(self, X: MixedData, max_depth: int, max_bins: int | str | None, n_threads: int) -> None:
        bins = (0 if len(X) <= EXACT_ROWS else BINS) if max_bins == "auto" else int(max_bins or 0)
        self.table = ranked(X, n_threads, bins)
        self.max_depth, self.n_threads = max_depth, n_threads
        self.n_columns = int(X.numeric.shape[1]) + len(X.codes)

    def fit(self, weight: np.ndarray, target: np.ndarray, factor: float = 1.0) -> tuple[AdditiveTrees, np.ndarray]:
        """The tree that lowers the weighted squared error most, question by question, and what it says of each row.

        Answers are those of least squares times ``factor``.
        """
        weight, target = np.ascontiguousarray(weight), np.ascontiguousarray(target, dtype=np.float64)
        found = _core.boosting.grow_values(self.table, weight, target, self.max_depth, self.n_threads)
        values = factor * found["sums"][:, 1] / found["sums"][:, 0]
        tree = AdditiveTrees(
            found["nodes"], np.array([0, len(found["nodes"])], np.int64), found["words"], self.n_columns
        )
        leaf = tree.is_leaf
        tree.threshold[leaf] = values[tree.threshold[leaf].astype(np.intp)]
        return tree, values[found["leaf"]]
