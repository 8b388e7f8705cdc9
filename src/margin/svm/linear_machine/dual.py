"""Coordinate descent on the dual of linear support vector machines, of two classes or of several at once."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.random import seed_for
from margin.svm.linear_machine.problem import LinearProblem, LinearSolution
from margin.typing import SeedLike

__all__ = ["crammer_singer", "order_seed", "solve_dual"]


def solve_dual(problem: LinearProblem, tol: float, max_iter: int, random_state: SeedLike = None) -> LinearSolution:
    """Solve a problem with dense or CSR rows; scores are shared out among the threads.

    A pass costs O(stored cells); rows whose multipliers are at rest are left aside until all others are.
    """
    seed = order_seed(random_state)
    return LinearSolution(*problem.descend(problem.intercept, tol, max_iter, seed, parallel.n_threads()))


def order_seed(random_state: SeedLike) -> int:
    """The seed of the order of visits: always the same unless one is asked for."""
    return seed_for(0 if random_state is None else random_state, "order of rows")


def crammer_singer(
    problem: LinearProblem, n_classes: int, tol: float, max_iter: int, random_state: SeedLike = None
) -> LinearSolution:
    r"""Minimise :math:`\tfrac12 \sum_k \lVert w_k\rVert^2 + \sum_i c_i \max_k (1 - \delta_{k y_i} + f_k - f_{y_i})`.

    The multipliers of a row are solved for together, row after row; O(stored cells × classes) a pass. Two classes have
    one score, the difference of their own. The objectives belong to all scores together.
    """
    X = problem.X
    asked = (problem.y, problem.bounds, n_classes, problem.intercept, tol, max_iter, order_seed(random_state))
    if problem.is_sparse:
        found = _core.svm.crammer_singer_csr(X.data, X.indices, X.indptr, X.shape[1], *asked)
    else:
        found = _core.svm.crammer_singer(X, *asked)
    coef, intercept, primal, dual, passes, converged = found
    if n_classes == 2:
        coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
    return LinearSolution(coef, intercept, np.array([primal]), np.array([dual]), passes, converged)
