"""Problems for the solvers of logistic regression, and their penalised cross-entropy as its definition reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.special import log_softmax

from margin import parallel
from margin.linear.problem import Problem, Solution

__all__ = [
    "DRAWN",
    "differences_of",
    "drawn_problem",
    "gradient_by_definition",
    "objective_by_definition",
    "random_problem",
    "smallest_subgradient",
    "solved_alike_on_any_number_of_threads",
]

#: What is drawn of a problem, but for its classes and its penalty.
DRAWN = {
    "weighted": st.booleans(),
    "intercept": st.booleans(),
    "dtype": st.sampled_from([np.float64, np.float32]),
    "seed": st.integers(0, 5),
}


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


def random_problem(
    seed: int = 0,
    n: int = 120,
    d: int = 30,
    n_classes: int = 2,
    l1: float = 0.0,
    l2: float = 0.01,
    intercept: bool = True,
    weighted: bool = False,
    dense: bool = False,
    dtype: Any = np.float64,
    index: Any = np.int32,
) -> Problem:
    """Rows of which a fifth of the cells are stored (one row and one column empty), classes that depend on them."""
    rng = np.random.default_rng(seed)
    cells = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.2)
    cells[1] = 0.0
    cells[:, 2] = 0.0
    scores = cells @ rng.standard_normal((d, n_classes)) + rng.gumbel(size=(n, n_classes))
    y = scores.argmax(axis=1).astype(np.int32)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    rows = cells.astype(dtype)
    X = rows if dense else scipy.sparse.csr_matrix(rows)
    if not dense:
        X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return Problem(X, y, weight, n_classes, l1, l2, intercept)


def scores_of(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """One column per class; two classes have 0 and the log-odds."""
    X = problem.X.astype(np.float64)
    found = np.asarray(X @ coef.T) + intercept
    return np.hstack([np.zeros_like(found), found]) if problem.n_scores == 1 else found


def shares(problem: Problem) -> np.ndarray:
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    return weight / weight.sum()


def objective_by_definition(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float:
    losses = -log_softmax(scores_of(problem, coef, intercept), axis=1)[np.arange(len(problem.y)), problem.y]
    penalty = problem.l1 * np.abs(coef).sum() + 0.5 * problem.l2 * (coef**2).sum()
    return float(shares(problem) @ losses + penalty)


def gradient_by_definition(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the smooth part, all but l1."""
    p = np.exp(log_softmax(scores_of(problem, coef, intercept), axis=1))
    residual = shares(problem)[:, None] * (p - np.eye(p.shape[1])[problem.y])
    residual = residual[:, -problem.n_scores :]
    slope = np.asarray((problem.X.T @ residual).T) + problem.l2 * coef
    return slope, residual.sum(axis=0) * problem.intercept


def smallest_subgradient(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float:
    """The largest component of it: 0 at the solution (the conditions of Karush, Kuhn and Tucker)."""
    slope, of_intercept = gradient_by_definition(problem, coef, intercept)
    there = np.abs(slope + problem.l1 * np.sign(coef))
    left = np.where(coef != 0, there, np.maximum(np.abs(slope) - problem.l1, 0.0))
    return float(max(left.max(initial=0.0), np.abs(of_intercept).max(initial=0.0)))


def differences_of(problem: Problem, found: Solution, h: float = 1e-5) -> np.ndarray:
    """The gradient by differences of the objective in every direction; 0 for intercepts that are not there."""
    theta = np.column_stack([found.coef, found.intercept])
    gradient = np.zeros_like(theta)
    for at in np.ndindex(theta.shape):
        if at[1] < theta.shape[1] - 1 or problem.intercept:
            step = np.zeros_like(theta)
            step[at] = h
            up, down = theta + step, theta - step
            rise = objective_by_definition(problem, up[:, :-1], up[:, -1])
            rise -= objective_by_definition(problem, down[:, :-1], down[:, -1])
            gradient[at] = rise / (2 * h)
    return gradient


def solved_alike_on_any_number_of_threads(solve: Callable[[], Solution]) -> None:
    with parallel.threads(1):
        alone = solve()
    for n in (2, 3):
        with parallel.threads(n):
            together = solve()
        assert_array_equal(alone.coef, together.coef)
        assert_array_equal(alone.intercept, together.intercept)
