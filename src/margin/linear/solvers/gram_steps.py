"""Steps of coordinate descent on the second derivatives of dense columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import margin._core as _core
from margin import parallel
from margin.linear.problem import Problem
from margin.linear.solvers.sparse_objective import inner

__all__ = ["GramSteps"]

#: Coordinate descent on the matrix is cheap beside making it: it goes far.
ENOUGH, MOST_PASSES = 1e-3, 1000
#: Up to so many scores, or lines, have one matrix together: K (K + 1) / 2 products of columns instead of K in each
#: iteration, but ten iterations where the model that lies above takes a thousand and stalls.
TOGETHER, LINES_TOGETHER = 6, 1500
#: Scores that go separately keep their matrices for so many iterations.
KEPT_FOR = 4
#: A matrix has at most so many lines; of more columns, those that are furthest from their place move.
MOST_LINES = 3000


@dataclass(frozen=True)
class Curvature:
    """Second derivatives of some scores in their working columns, which are moved to their middle.

    ``H`` is what is left of them when the intercepts follow the columns at once; for them, ``across`` is the matrix of
    intercepts by columns and ``corner`` the inverse of that of intercepts by intercepts.
    """

    H: np.ndarray
    across: np.ndarray
    corner: np.ndarray


class GramSteps:
    """Dense rows, seen through the second derivatives of their columns; coordinate descent goes on in these.

    Two classes, and softmax while few coefficients are in play, have the matrix of Newton's method. It has a block for
    each pair of scores; where those are too many, diag(p) - p pᵀ ≤ diag(p) lets each score go with a matrix of its own,
    in a model that lies above the true one.
    """

    def __init__(self, problem: Problem) -> None:
        X = problem.X
        self.problem = problem
        self.shape = (X.shape[1] + 1, problem.n_scores)
        self.n_threads = parallel.n_threads()
        # Weights as shares of their sum stay ordinary numbers, however small or large they are.
        self.share = None if problem.weight is None else problem.weight / problem.total
        self.unit = 1 / problem.total if problem.weight is None else 1.0
        # Columns far from 0 are nearly multiples of the intercept's: moved to their middle, they are not.
        self.middle = X.mean(axis=0, dtype=np.float64) if problem.intercept else np.zeros(X.shape[1])
        self.scales = np.zeros(self.shape)
        self.kept: dict[int, tuple[int, np.ndarray, Curvature]] = {}
        self.together = self.shape[1] <= TOGETHER

    def table(self, start: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
        """Coefficients and, in the last row, intercepts; zeros where there is no start."""
        if start is None:
            return np.zeros(self.shape)
        coef, intercept = start
        return np.vstack([coef.T, intercept if self.problem.intercept else np.zeros(len(coef))])

    def parts(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts out of a table."""
        return np.ascontiguousarray(table[:-1].T), table[-1].copy()

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The value and the gradient of all but l1, and the probabilities of the rows."""
        p = self.problem
        coef = np.ascontiguousarray(table[:-1].T)
        loss, slope, intercept_slope, state = _core.linear.dense_pass(
            p.X, p.y, self.share, coef, table[-1].copy(), True, self.n_threads
        )
        gradient = np.vstack([slope.T, intercept_slope]) * self.unit
        gradient[:-1] += p.l2 * table[:-1]
        if not p.intercept:
            gradient[-1] = 0.0
        return loss * self.unit + 0.5 * p.l2 * inner(table[:-1], table[:-1]), gradient, state

    def propose(
        self, table: np.ndarray, gradient: np.ndarray, smallest: np.ndarray, state: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """The minimum of the model, nearly, over the columns that are not 0 or should not stay so."""
        step, n = np.zeros_like(table), self.shape[1]
        used = ((smallest != 0) | (table != 0))[:-1].T
        self.together = n <= TOGETHER or int(used.sum()) <= min(LINES_TOGETHER, MOST_LINES)
        for scores in [range(n)] if self.together else [range(k, k + 1) for k in range(n)]:
            working = [_foremost(used[k], smallest[:-1, k], MOST_LINES // len(scores)) for k in scores]
            self._move(step, scores, working, self._kept(scores, working, state), table, gradient)
        return step, False

    def left(self, smallest: np.ndarray, state: np.ndarray) -> float:
        """By the diagonal of the last matrix; infinite where a column was not in it."""
        used = smallest != 0
        if not (self.scales[used] > 0).all():
            return np.inf
        return 0.5 * float((smallest[used] ** 2 / self.scales[used]).sum())

    def _move(
        self,
        step: np.ndarray,
        scores: range,
        working: list[np.ndarray],
        curvature: Curvature,
        table: np.ndarray,
        gradient: np.ndarray,
    ) -> None:
        """Coordinate descent for some scores, into ``step``."""
        p = self.problem
        above = gradient[-1, scores.start : scores.stop]
        slope = np.concatenate([gradient[w, k] - self.middle[w] * gradient[-1, k] for k, w in zip(scores, working)])
        slope -= _product(curvature.across.T, _product(curvature.corner, above))
        now = np.concatenate([table[w, k] for k, w in zip(scores, working)])
        moved, _ = _core.linear.gram_descend(curvature.H, slope, now, p.l1, ENOUGH, MOST_PASSES)
        follow = -_product(curvature.corner, above + _product(curvature.across, moved))
        ends = np.cumsum([0] + [len(w) for w in working])
        for a, (k, w) in enumerate(zip(scores, working)):
            step[w, k] = moved[ends[a] : ends[a + 1]]
            step[-1, k] = follow[a] - inner(self.middle[w], step[w, k]) if p.intercept else 0.0

    def _kept(self, scores: range, working: list[np.ndarray], state: np.ndarray) -> Curvature:
        """Newton's matrix is made anew each time; the others serve a while if the columns stay the same."""
        if self.together:
            return self._curvature(scores, working, state)
        age, columns, kept = self.kept.get(scores[0], (KEPT_FOR, working[0], None))
        if kept is None or age == KEPT_FOR or not np.array_equal(columns, working[0]):
            age, kept = 0, self._curvature(scores, working, state)
        self.kept[scores[0]] = age + 1, working[0], kept
        return kept

    def _curvature(self, scores: range, working: list[np.ndarray], state: np.ndarray) -> Curvature:
        whole, ends = self._second_derivatives(scores, working, state)
        is_intercept = np.zeros(ends[-1], bool)
        is_intercept[ends[1:] - 1] = True
        H = np.ascontiguousarray(whole[np.ix_(~is_intercept, ~is_intercept)])
        across, corner = whole[np.ix_(is_intercept, ~is_intercept)], whole[np.ix_(is_intercept, is_intercept)]
        self.scales[-1, scores.start : scores.stop] = corner.diagonal()
        if self.problem.intercept:
            corner = np.linalg.pinv(corner, rcond=1e-12, hermitian=True)
            for row, a in zip(np.stack([_product(across.T, c) for c in corner]), across):
                H -= np.outer(a, row)
        else:
            corner = np.zeros_like(corner)
        np.fill_diagonal(H, np.maximum(H.diagonal(), 0.0) + self.problem.l2)
        for a, (k, w) in enumerate(zip(scores, working)):
            self.scales[:-1, k] = 0.0
            self.scales[w, k] = H.diagonal()[ends[a] - a : ends[a + 1] - a - 1]
        return Curvature(H, across, corner)

    def _second_derivatives(
        self, scores: range, working: list[np.ndarray], state: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of each score its working columns and its intercept, one score after another; and where each begins."""
        p = self.problem
        columns, X = np.unique(np.concatenate(working)), p.X
        if 2 * len(columns) > X.shape[1]:
            columns = np.arange(X.shape[1])
        else:
            X = np.ascontiguousarray(X[:, columns])
        at = [np.append(np.searchsorted(columns, w), len(columns)) for w in working]
        ends = np.cumsum([0] + [len(a) for a in at])
        middle, scale = self.middle[columns], np.ones(len(columns))
        whole = np.empty((ends[-1], ends[-1]))
        for a, k in enumerate(scores):
            for b in range(a, len(scores)):
                found = _core.linear.dense_gram(X, self._shares(state, k, scores[b]), middle, scale, self.n_threads)
                block = found[np.ix_(at[a], at[b])] * (1.0 if a == b else -1.0)
                whole[ends[a] : ends[a + 1], ends[b] : ends[b + 1]] = block
                whole[ends[b] : ends[b + 1], ends[a] : ends[a + 1]] = block.T
        return whole, ends

    def _shares(self, state: np.ndarray, k: int, other: int) -> np.ndarray:
        """How much each row bends the loss in two scores together, without the sign."""
        p = state[:, k]
        bend = p if not self.together else p * (1 - p) if k == other else p * state[:, other]
        return bend * self.unit if self.share is None else bend * self.share


def _foremost(used: np.ndarray, violation: np.ndarray, most: int) -> np.ndarray:
    """The columns that are used, or those of them with the largest violation."""
    columns = np.flatnonzero(used)
    if len(columns) > most:
        columns = np.sort(columns[np.argsort(-np.abs(violation[columns]), kind="stable")[:most]])
    return columns


def _product(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Without BLAS, whose last bits depend on its threads."""
    found: np.ndarray = np.einsum("ij,j->i", matrix, vector)
    return found
