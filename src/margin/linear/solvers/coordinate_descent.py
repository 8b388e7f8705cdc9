"""Coordinate descent for penalties with corners: L1 and elastic net."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from margin.linear.problem import Problem, Solution
from margin.linear.solvers.gram_steps import GramSteps
from margin.linear.solvers.sparse_objective import negligible
from margin.linear.solvers.sparse_steps import SparseSteps

__all__ = ["Point", "Steps", "coordinate_descent"]

#: A step must win this share of what its model promises.
SUFFICIENT = 1e-4
#: The objective is known to about this share of itself.
ROUNDING = 4e-16


class Steps(Protocol):
    """A problem that can be looked at anywhere, and proposes where to go from there.

    Parameters are tables as in :class:`margin.linear.solvers.sparse_objective.SparsePasses`.
    """

    problem: Problem

    def table(self, start: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray: ...

    def parts(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]: ...

    def propose(
        self, table: np.ndarray, gradient: np.ndarray, smallest: np.ndarray, state: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """A step that brings the objective down, and whether no coefficient may change its sign on the way."""

    def left(self, smallest: np.ndarray, state: np.ndarray) -> float:
        """About how much the objective can still fall."""


@dataclass(frozen=True)
class Point:
    """Where the descent stands: parameters, objective, gradient of the smooth part, state of the rows."""

    table: np.ndarray
    value: float
    gradient: np.ndarray
    state: np.ndarray


def coordinate_descent(
    problem: Problem, start: tuple[np.ndarray, np.ndarray] | None, tol: float, max_iter: int
) -> Solution:
    """Solve a problem with l1 (and l2), dense or CSR, two classes or softmax: a descent of Newton's kind.

    Each iteration takes the second-order model of the loss, keeps the penalty as it is, and has coordinate descent
    bring that down over the columns that are not 0 or should not stay so (Yuan, Ho, Lin 2012). On sparse rows columns
    are read one by one; dense ones meet in the matrix of second derivatives of those columns, and no more passes over
    the rows are needed. Coefficients that are 0 are exactly 0. A start near the solution leaves little to do.

    >>> from scipy.sparse import csr_matrix
    >>> X, y = csr_matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 2.0]]), np.array([0, 1, 0, 1], dtype=np.int32)
    >>> found = coordinate_descent(Problem(X, y, None, 2, 0.1, 0.0, True), None, 1e-6, 100)
    >>> found.converged, found.coef.round(2)
    (True, array([[-2.77,  0.  ]]))
    """
    steps: Steps = SparseSteps(problem) if problem.is_sparse else GramSteps(problem)
    point = look(steps, steps.table(start), problem.l1)
    for n_iter in range(max_iter + 1):
        smallest = subgradient(point.table, point.gradient, problem.l1)
        largest = float(np.abs(smallest).max(initial=0.0))
        converged = largest == 0 or (largest <= tol and negligible(steps.left(smallest, point.state), point.value, tol))
        if converged or n_iter == max_iter:
            break
        step, keeps_signs = steps.propose(point.table, point.gradient, smallest, point.state)
        found = descend(steps, point, step, problem.l1, keeps_signs)
        if found is not None:
            point = found
        elif not keeps_signs:
            # Nothing can be won any more; if even the model says so, only rounding is left.
            converged = gain(point, point.table + step, problem.l1) <= ROUNDING * point.value
            break
    coef, intercept = steps.parts(point.table)
    return Solution(coef, intercept, point.value, largest, n_iter, converged)


def look(steps: Steps, table: np.ndarray, l1: float) -> Point:
    """The objective and what belongs to it at some parameters."""
    value, gradient, state = steps.smooth(table)
    return Point(table, value + l1 * float(np.abs(table[:-1]).sum()), gradient, state)


def descend(steps: Steps, point: Point, step: np.ndarray, l1: float, keeps_signs: bool) -> Point | None:
    """The step, halved until it wins enough; None if rounding leaves nothing to win."""
    for _ in range(40):
        there = point.table + step
        if keeps_signs:
            there[:-1][there[:-1] * point.table[:-1] < 0] = 0.0
        promised = gain(point, there, l1)
        if promised <= ROUNDING * point.value and not keeps_signs:
            return None
        if promised > 0:
            found = look(steps, centred(there, steps.problem), l1)
            if found.value <= point.value * (1 + 4 * ROUNDING) - SUFFICIENT * promised:
                return found
        step = step / 2
    return None


def gain(point: Point, there: np.ndarray, l1: float) -> float:
    """What slope and penalty promise for a step from a point."""
    saved = np.abs(point.table[:-1]) - np.abs(there[:-1])
    return float(l1 * saved.sum() - (point.gradient * (there - point.table)).sum())


def centred(table: np.ndarray, problem: Problem) -> np.ndarray:
    """The same probabilities at the least penalty.

    Softmax does not change when the coefficients of a column all move by the same c, and coordinate descent is slow to
    find the best one, which minimises l1 Σ|w - c| + l2 Σ(w - c)² / 2. It is the median of the K coefficients and of the
    K + 1 numbers mean(w) + (l1 / l2)(K - 2 m) / K: where the slope of the sum would be 0 with m of them below c.
    """
    n = problem.n_scores
    if n == 1 or problem.l1 + problem.l2 == 0:
        return table
    w = table[:-1, :n]
    pull = np.arange(n, -n - 1, -2) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(pull == 0, 0.0, problem.l1 / np.float64(problem.l2) * pull)
    mean = w.mean(axis=1, keepdims=True) if problem.l2 > 0 else 0.0
    # Sorted by hand: half way between two infinities would be no number.
    middle = np.sort(np.hstack([w, np.broadcast_to(mean + far, (len(w), n + 1))]), axis=1)[:, n]
    found = table.copy()
    found[:-1, :n] -= middle[:, None]
    return found


def subgradient(table: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """The smallest subgradient: what the slope has left when the penalty pulls as hard as it can against it."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    found = np.where(table == 0, at_zero, gradient + l1 * np.sign(table))
    found[-1] = gradient[-1]
    return found
