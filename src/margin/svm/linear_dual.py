"""Coordinate descent on the dual of linear support vector machines: sparse and wide rows."""

from __future__ import annotations

from typing import Any

import margin._core as _core
from margin import parallel
from margin.random import seed_for
from margin.svm.linear_problem import LinearProblem, LinearSolution

__all__ = ["order_seed", "solve_dual"]


def solve_dual(problem: LinearProblem, tol: float, max_iter: int, random_state: Any = None) -> LinearSolution:
    """Solve a problem with dense or CSR rows; scores are shared out among the threads.

    A pass costs O(stored cells); rows whose multipliers are at rest are left aside until all others are.
    """
    asked = (problem.bounds, problem.target, problem.squared, problem.intercept, tol, max_iter)
    ends = (order_seed(random_state), parallel.n_threads())
    X = problem.X
    if problem.is_sparse:
        found = _core.svm.linear_dual_csr(X.data, X.indices, X.indptr, X.shape[1], problem.y, *asked, *ends)
    else:
        found = _core.svm.linear_dual(X, problem.y, *asked, *ends)
    return LinearSolution(*found)


def order_seed(random_state: Any) -> int:
    """The seed of the order of visits: always the same unless one is asked for."""
    return seed_for(0 if random_state is None else random_state, "order of rows")
