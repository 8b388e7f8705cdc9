"""Coordinate descent for penalties with corners: L1 and elastic net."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from margin.linear.problem import Problem, Solution
from margin.linear.solvers.dense_columns import GramSteps
from margin.linear.solvers.sparse_columns import SparseSteps

__all__ = ["Point", "Steps", "coordinate_descent"]

#: A step must win this share of what its model promises.
SUFFICIENT = 1e-4
#: The objective is known to about this share of itself.
ROUNDING = 4e-16


class Steps(Protocol):
    """A problem that can be looked at anywhere, and proposes where to go from there.

    Parameters are tables as in :class:`margin.linear.solvers.sparse.SparsePasses`.
    """

    def table(self, start: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray: ...

    def parts(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]: ...

    def propose(self, table: np.ndarray, gradient: np.ndarray, smallest: np.ndarray, state: np.ndarray) -> np.ndarray:
        """A step that brings the objective down."""

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

    Each iteration takes the second-order model of the loss, keeps the penalty as it is, and has coordinate descent bring
    that down over the columns that are not 0 or should not stay so (Yuan, Ho, Lin 2012). On sparse rows columns are read
    one by one; dense ones meet in the matrix of second derivatives of those columns, and no more passes over the rows
    are needed. Coefficients that are 0 are exactly 0. A start near the solution leaves little to do.
    """
    steps: Steps = SparseSteps(problem) if problem.is_sparse else GramSteps(problem)
    point = look(steps, steps.table(start), problem.l1)
    for n_iter in range(max_iter + 1):
        smallest = subgradient(point.table, point.gradient, problem.l1)
        largest = float(np.abs(smallest).max(initial=0.0))
        converged = largest == 0 or (largest <= tol and steps.left(smallest, point.state) <= 0.01 * tol * point.value)
        if converged or n_iter == max_iter:
            break
        step = steps.propose(point.table, point.gradient, smallest, point.state)
        found = descend(steps, point, step, problem.l1)
        if found is None:
            converged = largest <= tol
            break
        point = found
    coef, intercept = steps.parts(point.table)
    return Solution(coef, intercept, point.value, largest, n_iter, converged)


def look(steps: Steps, table: np.ndarray, l1: float) -> Point:
    """The objective and what belongs to it at some parameters."""
    value, gradient, state = steps.smooth(table)
    return Point(table, value + l1 * float(np.abs(table[:-1]).sum()), gradient, state)


def descend(steps: Steps, point: Point, step: np.ndarray, l1: float) -> Point | None:
    """The step, halved until it wins enough; None if rounding leaves nothing to win."""
    before = np.abs(point.table[:-1])
    for _ in range(40):
        # Where a coefficient is to become 0, it does so exactly.
        there = point.table + step
        promised = float((point.gradient * step).sum() + l1 * (np.abs(there[:-1]) - before).sum())
        if -promised <= ROUNDING * point.value:
            return None
        found = look(steps, there, l1)
        if found.value <= point.value + SUFFICIENT * promised:
            return found
        step = step / 2
    return None


def subgradient(table: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """The smallest subgradient: what the slope has left when the penalty pulls as hard as it can against it."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    found = np.where(table == 0, at_zero, gradient + l1 * np.sign(table))
    found[-1] = gradient[-1]
    return found
