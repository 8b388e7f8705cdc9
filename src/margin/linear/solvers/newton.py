"""Newton's method for two classes and few columns (iteratively reweighted least squares)."""

from __future__ import annotations

import numpy as np

from margin.linear.problem import Problem, Solution

__all__ = ["newton"]


def newton(problem: Problem, start: tuple[np.ndarray, np.ndarray] | None, tol: float, max_iter: int) -> Solution:
    """Solve a two-class problem without l1 by Newton steps with halving where a step goes too far."""
    X = np.asarray(problem.X.todense()) if problem.is_sparse else problem.X
    design = np.column_stack([X, np.ones(len(X))]) if problem.intercept else np.asarray(X, dtype=np.float64)
    penalty = np.full(design.shape[1], problem.l2)
    if problem.intercept:
        penalty[-1] = 0.0
    sign = np.where(problem.y == 1, 1.0, -1.0)
    share = (np.ones(len(X)) if problem.weight is None else problem.weight) / problem.total
    w = np.zeros(design.shape[1]) if start is None else np.append(*start)[: design.shape[1]]

    def value(w: np.ndarray) -> float:
        return float(share @ np.logaddexp(0, -sign * (design @ w)) + 0.5 * penalty @ w**2)

    objective = value(w)
    for n_iter in range(max_iter + 1):
        p = 1 / (1 + np.exp(sign * (design @ w)))
        gradient = -design.T @ (share * sign * p) + penalty * w
        largest = float(np.abs(gradient).max(initial=0.0))
        if largest <= tol or n_iter == max_iter:
            break
        curvature = design.T @ (design * (share * p * (1 - p))[:, None]) + np.diag(penalty)
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while value(w - step) > objective and np.abs(step).max() > 1e-300:
            step = step / 2
        w = w - step
        objective = value(w)
    d = X.shape[1]
    coef, intercept = w[None, :d], w[d:] if problem.intercept else np.zeros(1)
    return Solution(coef, intercept, objective, largest, n_iter, largest <= tol)
