"""Steps of coordinate descent on the second derivatives of dense columns."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.linear.problem import Problem
from margin.linear.solvers.sparse import inner

__all__ = ["GramSteps"]

#: Coordinate descent on the matrix is cheap beside making it: it goes far.
ENOUGH, MOST_PASSES = 1e-3, 1000


class GramSteps:
    """Dense rows. Each score has a matrix of second derivatives of its own, and coordinate descent goes on in it.

    Two classes have the matrix of Newton's method. With softmax, diag(p) - p pᵀ ≤ diag(p) lets the scores go separately:
    the model lies above the true one only where it moves scores together.
    """

    def __init__(self, problem: Problem) -> None:
        X = problem.X
        self.problem = problem
        self.shape = (X.shape[1] + 1, problem.n_scores)
        self.n_threads = parallel.n_threads()
        self.unit = 1 / problem.total
        # Columns far from 0 are nearly multiples of the intercept's: moved to their middle, they are not.
        self.middle = X.mean(axis=0, dtype=np.float64) if problem.intercept else np.zeros(X.shape[1])
        self.scales = np.zeros(self.shape)

    def table(self, start: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
        if start is None:
            return np.zeros(self.shape)
        coef, intercept = start
        return np.vstack([coef.T, intercept if self.problem.intercept else np.zeros(len(coef))])

    def parts(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ascontiguousarray(table[:-1].T), table[-1].copy()

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        p = self.problem
        coef = np.ascontiguousarray(table[:-1].T)
        loss, slope, intercept_slope, state = _core.linear.dense_pass(
            p.X, p.y, p.weight, coef, table[-1].copy(), True, self.n_threads
        )
        gradient = np.vstack([slope.T, intercept_slope]) * self.unit
        gradient[:-1] += p.l2 * table[:-1]
        if not p.intercept:
            gradient[-1] = 0.0
        return loss * self.unit + 0.5 * p.l2 * inner(table[:-1], table[:-1]), gradient, state

    def propose(self, table: np.ndarray, gradient: np.ndarray, smallest: np.ndarray, state: np.ndarray) -> np.ndarray:
        step = np.zeros_like(table)
        for k in range(self.shape[1]):
            share = state[:, k] * (1 - state[:, k]) if self.shape[1] == 1 else state[:, k]
            share = share * self.unit if self.problem.weight is None else share * self.problem.weight * self.unit
            working = np.flatnonzero((smallest[:-1, k] != 0) | (table[:-1, k] != 0))
            step[working, k], step[-1, k] = self._step_of_score(table[:, k], gradient[:, k], working, share, k)
        return step

    def left(self, smallest: np.ndarray, state: np.ndarray) -> float:
        """By the diagonal of the last matrix; infinite where a column was not in it."""
        used = smallest != 0
        if not (self.scales[used] > 0).all():
            return np.inf
        return 0.5 * float((smallest[used] ** 2 / self.scales[used]).sum())

    def _step_of_score(
        self, w: np.ndarray, gradient: np.ndarray, working: np.ndarray, share: np.ndarray, k: int
    ) -> tuple[np.ndarray, float]:
        p = self.problem
        X = p.X if 2 * len(working) > p.X.shape[1] else np.ascontiguousarray(p.X[:, working])
        within = working if X is p.X else np.arange(len(working))
        middle = self.middle if X is p.X else self.middle[working]
        H = _core.linear.dense_gram(X, share, middle, np.ones(len(middle)), self.n_threads)
        across, corner = H[-1, within], max(float(H[-1, -1]), 1e-300)
        H = H[np.ix_(within, within)]
        slope = gradient[working] - self.middle[working] * gradient[-1]
        if p.intercept:
            # The intercept follows the others at once: what is left of H is conditional on it.
            H -= np.outer(across, across / corner)
            slope -= across * (gradient[-1] / corner)
        H[np.diag_indices(len(working))] = np.maximum(H.diagonal(), 0.0) + p.l2
        self.scales[:, k] = 0.0
        self.scales[working, k], self.scales[-1, k] = H.diagonal(), corner
        step, _ = _core.linear.gram_descend(
            np.ascontiguousarray(H), slope, np.ascontiguousarray(w[working]), p.l1, ENOUGH, MOST_PASSES
        )
        if not p.intercept:
            return step, 0.0
        return step, float(-(gradient[-1] + inner(across, step)) / corner - inner(self.middle[working], step))
