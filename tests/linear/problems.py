"""Problems for the solvers of logistic regression, and their objective as its definition reads."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from margin.linear.problem import Problem, Solution

__all__ = ["drawn_problem", "gradient_of", "objective_of", "value_at"]


def drawn_problem(
    n: int = 300,
    d: int = 6,
    n_classes: int = 2,
    *,
    l2: float = 0.01,
    intercept: bool = True,
    weighted: bool = False,
    dtype: type = np.float64,
    seed: int = 0,
) -> Problem:
    """Classes drawn from a softmax of random coefficients: nobody can separate them."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))).astype(dtype)
    scores = X @ rng.normal(size=(d, n_classes)) * 0.7 + rng.normal(size=n_classes)
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1).astype(np.int32)
    weight = rng.integers(1, 4, n).astype(np.float64) if weighted else None
    return Problem(np.ascontiguousarray(X), y, weight, n_classes, 0.0, l2, intercept)


def objective_of(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float:
    """The mean objective, written down as it is defined."""
    return value_at(problem, np.column_stack([coef, intercept]))


def value_at(problem: Problem, theta: np.ndarray) -> float:
    scores = problem.X.astype(np.float64) @ theta[:, :-1].T + theta[:, -1]
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(scores)), problem.y]
    return float(np.average(losses, weights=problem.weight) + 0.5 * problem.l2 * (theta[:, :-1] ** 2).sum())


def gradient_of(problem: Problem, found: Solution, h: float = 1e-5) -> np.ndarray:
    """Differences of the definition in every direction; 0 for intercepts that are not there."""
    theta = np.column_stack([found.coef, found.intercept])
    gradient = np.zeros_like(theta)
    for at in np.ndindex(theta.shape):
        if at[1] < theta.shape[1] - 1 or problem.intercept:
            step = np.zeros_like(theta)
            step[at] = h
            gradient[at] = (value_at(problem, theta + step) - value_at(problem, theta - step)) / (2 * h)
    return gradient
