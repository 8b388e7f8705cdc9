"""Looks at the rows of a problem, whatever solver has the word: scores, loss, gradient, curvature."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.data.rows import row_blocks
from margin.linear.problem import Problem
from margin.linear.solvers.sparse_objective import SparsePasses

__all__ = ["chances", "curvature", "loss_and_gradient", "scores", "smallest_subgradient"]

#: The mean loss, its gradient along coefficients and intercepts, and the probability of each score's class.
Evaluated = tuple[float, np.ndarray, np.ndarray, np.ndarray]


def scores(problem: Problem, coef: np.ndarray) -> np.ndarray:
    """W x of every row, without the intercepts: n × ``n_scores``. O(n d) per score."""
    if problem.is_sparse:
        return np.ascontiguousarray(problem.X @ coef.T)
    found = np.empty((problem.X.shape[0], len(coef)))
    for block in row_blocks(len(found)):  # float32 is never converted as a whole
        found[block] = problem.X[block].astype(np.float64, copy=False) @ coef.T
    return found


def loss_and_gradient(problem: Problem, coef: np.ndarray, intercept: np.ndarray, keep: bool = True) -> Evaluated:
    """One pass over the rows, the penalty left out; without ``keep`` the probabilities are not written down."""
    coef, intercept = np.ascontiguousarray(coef), np.ascontiguousarray(intercept)
    if problem.is_sparse:
        passes = SparsePasses(problem)
        value, table, _ = passes.smooth(passes.table((coef, intercept)))
        slope, at_zero = passes.parts(table)
        value -= 0.5 * problem.l2 * float(np.multiply(coef, coef).sum())
        p = chances(scores(problem, coef) + intercept) if keep else np.empty((0, len(coef)))
        return value, slope - problem.l2 * coef, at_zero, p
    share = None if problem.weight is None else problem.weight / problem.total
    loss, slope, at_zero, p = _core.linear.dense_pass(
        problem.X, problem.y, share, coef, intercept, keep, parallel.n_threads()
    )
    unit = 1 / problem.total if share is None else 1.0
    return loss * unit, slope * unit, at_zero * unit, p


def chances(z: np.ndarray) -> np.ndarray:
    """The probability of each score's class (n × ``n_scores``): of the second class where there is one score."""
    if z.shape[1] == 1:
        e = np.exp(-np.abs(z))
        return np.where(z >= 0, 1.0, e) / (1.0 + e)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def smallest_subgradient(problem: Problem, coef: np.ndarray, slope: np.ndarray, at_zero: np.ndarray) -> float:
    """The largest component of the smallest subgradient of the objective, given the gradient of the loss."""
    inside = slope + problem.l2 * coef
    size = np.where(
        coef == 0, np.maximum(np.abs(inside) - problem.l1, 0.0), np.abs(inside + problem.l1 * np.sign(coef))
    )
    intercepts = np.abs(at_zero).max(initial=0.0) if problem.intercept else 0.0
    return float(max(size.max(initial=0.0), intercepts))


def curvature(problem: Problem, p: np.ndarray) -> np.ndarray:
    """Second derivatives of the mean loss, score after score: the coefficients, then the intercept if there is one.

    O(n (d K)²) time.
    """
    share = np.full(len(p), 1 / problem.total) if problem.weight is None else problem.weight / problem.total
    k, width = p.shape[1], problem.X.shape[1] + problem.intercept
    if k == 1:
        return _gram(problem, share * p[:, 0] * (1 - p[:, 0]))[:width, :width]
    found = np.zeros((k, width, k, width))
    for a in range(k):
        for b in range(a):
            product = _gram(problem, share * p[:, a] * p[:, b])[:width, :width]
            found[a, :, b] = found[b, :, a] = -product
            found[a, :, a] += product  # the probabilities of a row add up to 1
            found[b, :, b] += product
    return found.reshape(k * width, k * width)


def _gram(problem: Problem, weight: np.ndarray) -> np.ndarray:
    """The sum of weight (x, 1)ᵀ(x, 1) over the rows."""
    d = problem.X.shape[1]
    none, ones, threads = np.zeros(d), np.ones(d), parallel.n_threads()
    if not problem.is_sparse:
        return _core.linear.dense_gram(problem.X, weight, none, ones, threads)
    found = np.zeros((d + 1, d + 1))
    for block in row_blocks(len(weight)):
        rows = np.ascontiguousarray(problem.X[block].toarray(), dtype=np.float64)
        found += _core.linear.dense_gram(rows, np.ascontiguousarray(weight[block]), none, ones, threads)
    return found
