"""Passes over sparse rows: cross-entropy, its gradient and its second derivatives, penalty included."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.linear.problem import Problem

__all__ = ["SparsePasses", "inner", "negligible"]


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """The sum of products.

    NumPy's dot would wake the threads of BLAS, which then spin where the passes want to run (a quarter of the time of a
    fit), and its last bits depend on their number.
    """
    return float(np.multiply(a, b).sum())


def negligible(left: float, value: float, tol: float) -> bool:
    """Whether what is left to win is little beside the objective, or beside a mean loss of 0.01 where the objective
    goes to 0 (one class, or classes that can be separated)."""
    return left <= 0.01 * tol * max(value, 0.01)


class SparsePasses:
    """The smooth part of a problem (all but l1) over CSR rows, as a function of one table of parameters.

    The table has a row for each column of X and a last one for the intercepts; a column for each score, and with more
    than two classes as many columns of zeros as fill up the vector registers of the machine.
    """

    def __init__(self, problem: Problem) -> None:
        X = problem.X
        self.problem = problem
        # Weights as shares of their sum stay ordinary numbers, however small or large they are.
        self.share = None if problem.weight is None else problem.weight / problem.total
        self.unit = 1 / problem.total if problem.weight is None else 1.0
        self.lanes = 1 if problem.n_scores == 1 else -(-problem.n_scores // 4) * 4
        self.shape = (X.shape[1] + 1, self.lanes)
        self.cells = (X.data, X.indices, X.indptr.astype(np.int64, copy=False))  # as the core reads it, for all passes
        self.n_threads = parallel.n_threads()

    def table(self, start: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
        """Coefficients and intercepts as a table; zeros where there is no start."""
        table = np.zeros(self.shape)
        if start is not None:
            coef, intercept = start
            table[:-1, : len(coef)] = coef.T
            if self.problem.intercept:
                table[-1, : len(coef)] = intercept
        return table

    def parts(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts out of a table."""
        used = table[:, : self.problem.n_scores]
        return np.ascontiguousarray(used[:-1].T), used[-1].copy()

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The value and the gradient, and the state of the rows that second derivatives are made of."""
        problem = self.problem
        value, gradient, state = _core.linear.sparse_loss(
            *self.cells, problem.y, self.share, self.unit, table, problem.n_classes, self.n_threads
        )
        if problem.l2 > 0:
            value += 0.5 * problem.l2 * inner(table[:-1], table[:-1])
            gradient[:-1] += problem.l2 * table[:-1]
        return value, self._without_intercept(gradient), state

    def product(self, state: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The second derivatives times a direction."""
        found = _core.linear.sparse_product(*self.cells, self.share, self.unit, state, direction, self.n_threads)
        found[:-1] += self.problem.l2 * direction[:-1]
        return self._without_intercept(found)

    def diagonal(self, state: np.ndarray) -> np.ndarray:
        """The diagonal of the second derivatives."""
        found: np.ndarray = _core.linear.sparse_diagonal(
            *self.cells, self.shape[0] - 1, self.share, self.unit, state, self.n_threads
        )
        found[:-1] += self.problem.l2
        return found

    def _without_intercept(self, table: np.ndarray) -> np.ndarray:
        if not self.problem.intercept:
            table[-1] = 0.0
        return table
