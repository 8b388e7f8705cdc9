"""Steps of coordinate descent over sparse columns."""

from __future__ import annotations

import math

import numpy as np

import margin._core as _core
from margin.linear.problem import Problem
from margin.linear.solvers.sparse_objective import SparsePasses, inner
from margin.linear.solvers.truncated_newton import FINEST, newton_step
from margin.typing import Encoded

__all__ = ["SparseSteps", "by_columns"]

#: Passes over the columns of one step.
MOST_PASSES, FEW_PASSES = 4, 1
#: A step is good enough when this share of the violation that its first pass met is left.
ENOUGH = 0.3


def by_columns(X: Encoded, n_threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The stored cells of CSR column by column: values, rows, and where each column begins."""
    values, rows = np.empty(X.nnz, X.data.dtype), np.empty(X.nnz, np.int32)
    start = _core.linear.sparse_columns(X.data, X.indices, X.indptr, X.shape[1], values, rows, n_threads)
    return values, rows, start


class SparseSteps(SparsePasses):
    """CSR rows for the passes, and the same cells column by column for coordinate descent."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.columns = by_columns(problem.X, self.n_threads)
        self.slow = False
        self.most_passes = MOST_PASSES
        self.first_left = 0.0

    def propose(
        self, table: np.ndarray, gradient: np.ndarray, smallest: np.ndarray, state: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """Coordinate descent, unless it was slow the last time: then Newton's step on the support it has found.

        Columns that add up to nearly the same for all rows (words of texts of one length, and the intercept) make
        coordinates crawl along a valley that conjugate gradients see at once.
        """
        if self.slow:
            self.slow = False
            return self._on_support(table, smallest, state), True
        p = self.problem
        working = np.flatnonzero(((smallest != 0) | (table != 0))[:-1].any(axis=1)).astype(np.int32)
        step, passes = _core.linear.sparse_descend(
            *self.columns, working, table, gradient, state, self.share, self.unit,
            p.l1, p.l2, p.intercept, ENOUGH, self.most_passes,
        )  # fmt: skip
        if passes == self.most_passes:
            # From now on it only has to say which columns take part.
            self.slow, self.most_passes = True, FEW_PASSES
        return step, False

    def left(self, smallest: np.ndarray, state: np.ndarray) -> float:
        return 0.5 * inner(smallest, smallest / self._scales(state))

    def _scales(self, state: np.ndarray) -> np.ndarray:
        diagonal = self.diagonal(state)
        diagonal[diagonal <= 0] = 1.0
        return diagonal

    def _on_support(self, table: np.ndarray, smallest: np.ndarray, state: np.ndarray) -> np.ndarray:
        """A Newton step of the coefficients that are not 0."""
        free = table != 0
        free[-1] = self.problem.intercept
        slope, scales = smallest * free, self._scales(state)
        left = inner(slope, slope / scales)
        self.first_left = max(self.first_left, left)
        forcing = min(0.1, max(math.sqrt(left / self.first_left), FINEST)) if left > 0 else 0.1
        return newton_step(lambda d: self.product(state, d) * free, slope, scales, forcing)
