"""Weighted least squares by shallow trees: columns are put into codes once, and every round grows from those."""

from __future__ import annotations

from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.additive.trees import AdditiveTrees
from margin.tree.grow import FREE, Columns, binary_scale, codes_of, core_settings, given_weights, numbers_of

__all__ = ["TreeGrower"]

#: Up to so many rows every threshold is looked at.
EXACT_ROWS = 10_000
#: Bins of a column beyond.
BINS = 255


class TreeGrower:
    """Fits shallow trees to the same rows, round after round, by weighted least squares.

    >>> X = MixedData(np.array([[1.0], [2.0], [6.0], [7.0]]))
    >>> tree = TreeGrower(X, max_depth=1, max_bins=None, n_threads=1).fit(np.ones(4), np.array([0.0, 0.0, 1.0, 2.0]))
    >>> tree.threshold.tolist()
    [4.0, 0.0, 1.5]
    """

    def __init__(self, X: MixedData, max_depth: int, max_bins: int | str | None, n_threads: int) -> None:
        columns, self.numbers, self.codes = Columns(X), numbers_of(X), X.codes
        bins = (0 if len(X) <= EXACT_ROWS else BINS) if max_bins == "auto" else int(max_bins or 0)
        coded = codes_of(X), columns.n_levels, columns.nominal
        self.table = _core.ensemble.code(self.numbers, *coded, bins, n_threads)
        self.settings = core_settings({"max_depth": max_depth})
        self.plan = _core.ensemble.ForestPlan()
        self.plan.n_trees, self.plan.n_threads, self.plan.n_draws = 1, n_threads, 0
        self.no_votes = np.empty((len(X), 0)), np.zeros((len(X), 1), dtype=np.int32), np.empty(0)
        self.n_columns = self.numbers.shape[1] + len(X.codes)

    def fit(self, weight: np.ndarray, target: np.ndarray, factor: float = 1.0) -> AdditiveTrees:
        """The tree that lowers the weighted squared error most, question by question; its answers times ``factor``."""
        given = given_weights(weight * binary_scale(weight))
        rows: Any = self.table, self.numbers, self.codes, np.ascontiguousarray(target, dtype=np.float64), given
        how: Any = self.settings, FREE, self.plan, np.empty(0, dtype=np.int64), self.no_votes, None
        arguments = (*rows, *how)
        found = _core.ensemble.grow_values(*arguments)
        tree = AdditiveTrees(found["nodes"], found["start"], found["words"], self.n_columns)
        tree.threshold[tree.is_leaf] *= factor
        return tree
