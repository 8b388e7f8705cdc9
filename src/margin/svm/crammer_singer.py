"""One objective for several classes: the score of a row's class should be ahead of all others by 1."""

from __future__ import annotations

from typing import Any

import numpy as np

import margin._core as _core
from margin.svm.linear_dual import order_seed
from margin.svm.linear_problem import LinearProblem, LinearSolution

__all__ = ["crammer_singer"]


def crammer_singer(
    problem: LinearProblem, n_classes: int, tol: float, max_iter: int, random_state: Any = None
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
