"""The optimum of penalised cross-entropy by definition: dense float64, SciPy's L-BFGS-B, coefficients split for L1."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from margin.linear.problem import Problem, Solution


def cells_of(problem: Problem) -> np.ndarray:
    return (problem.X.toarray() if problem.is_sparse else problem.X).astype(np.float64)


def objective(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float:
    """The mean objective as :class:`Problem` writes it."""
    scores = cells_of(problem) @ coef.T + intercept
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    s = np.ones(len(scores)) if problem.weight is None else problem.weight
    loss = logsumexp(scores, axis=1) - scores[np.arange(len(scores)), problem.y]
    penalty = 0.5 * problem.l2 * (coef**2).sum() + problem.l1 * np.abs(coef).sum()
    return float(s @ loss / s.sum() + penalty)


def slow_solution(problem: Problem, start=None, tol: float = 1e-10, max_iter: int = 20000) -> Solution:
    """Positive and negative parts of the coefficients, so that L1 is smooth; the intercepts stay free."""
    X = cells_of(problem)
    k, d = problem.n_scores, X.shape[1]
    s = np.ones(len(X)) if problem.weight is None else problem.weight
    s = s / s.sum()
    truth = np.zeros((len(X), max(problem.n_classes, 2)))
    truth[np.arange(len(X)), problem.y] = 1.0

    def parted(flat):
        up, down = flat[: k * d].reshape(k, d), flat[k * d : 2 * k * d].reshape(k, d)
        return up, down, flat[2 * k * d :]

    def value(flat):
        up, down, b = parted(flat)
        w = up - down
        scores = X @ w.T + (b if problem.intercept else 0.0)
        if k == 1:
            scores = np.column_stack([np.zeros(len(X)), scores])
        log_sum = logsumexp(scores, axis=1)
        r = s[:, None] * (np.exp(scores - log_sum[:, None]) - truth)
        r = r[:, 1:] if k == 1 else r
        slope = r.T @ X + problem.l2 * w
        found = s @ (log_sum - (scores * truth).sum(axis=1)) + 0.5 * problem.l2 * (w**2).sum()
        found += problem.l1 * (up.sum() + down.sum())
        at_zero = r.sum(axis=0) if problem.intercept else np.zeros(k)
        return found, np.concatenate([(slope + problem.l1).ravel(), (problem.l1 - slope).ravel(), at_zero])

    first = np.zeros(2 * k * d + k)
    if start is not None:
        first = np.concatenate([np.maximum(start[0], 0).ravel(), np.maximum(-start[0], 0).ravel(), start[1]])
    bounds = [(0, None)] * (2 * k * d) + [(None, None)] * k
    options = {"maxiter": max_iter, "maxfun": 10 * max_iter, "gtol": tol, "ftol": 1e-16, "maxcor": 50}
    found = minimize(value, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    up, down, b = parted(found.x)
    b = b if problem.intercept else np.zeros(k)
    return Solution(up - down, b, float(found.fun), 0.0, int(found.nit), bool(found.success))
