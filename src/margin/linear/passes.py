"""Looks at the rows of a problem, whatever solver has the word: scores, loss, gradient, curvature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.linear.problem import Problem

__all__ = ["chances", "curvature", "gradient", "mean_loss", "scores", "smallest_subgradient"]

# Rows looked at together: few enough for the cache, enough for the products to be quick.
BLOCK = 4096


def _blocks(n: int) -> Iterator[slice]:
    for first in range(0, n, BLOCK):
        yield slice(first, min(first + BLOCK, n))


def _rows(problem: Problem, block: slice) -> Any:
    """Some rows in float64; float32 is never converted as a whole."""
    return problem.X[block].astype(np.float64, copy=False)


def scores(problem: Problem, coef: np.ndarray) -> np.ndarray:
    """W x of every row, without the intercepts: n × ``n_scores``. O(n d) per score."""
    if problem.is_sparse:
        return np.ascontiguousarray(problem.X @ coef.T)
    found = np.empty((problem.X.shape[0], len(coef)))
    for block in _blocks(len(found)):
        found[block] = _rows(problem, block) @ coef.T
    return found


def chances(z: np.ndarray) -> np.ndarray:
    """The probability of each score's class (n × ``n_scores``): of the second class where there is one score."""
    if z.shape[1] == 1:
        e = np.exp(-np.abs(z))
        return np.where(z >= 0, 1.0, e) / (1.0 + e)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def mean_loss(problem: Problem, z: np.ndarray) -> float:
    """The mean cross-entropy at scores z, intercepts included."""
    if z.shape[1] == 1:
        m = np.where(problem.y == 1, -z[:, 0], z[:, 0])
        loss = np.maximum(m, 0.0) + np.log1p(np.exp(-np.abs(m)))
    else:
        top = z.max(axis=1)
        loss = np.log(np.exp(z - top[:, None]).sum(axis=1)) + top - z[np.arange(len(z)), problem.y]
    return float((loss.sum() if problem.weight is None else problem.weight @ loss) / problem.total)


def residuals(problem: Problem, p: np.ndarray) -> np.ndarray:
    """Each row's share of the slope of the mean loss along its scores: s (p - [y is the class]) / S."""
    r = p.copy()
    if p.shape[1] == 1:
        r[:, 0] -= problem.y == 1
    else:
        r[np.arange(len(r)), problem.y] -= 1.0
    r *= 1.0 / problem.total if problem.weight is None else (problem.weight / problem.total)[:, None]
    return r


def gradient(problem: Problem, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gradient of the mean loss along coefficients and intercepts, from :func:`residuals`."""
    if problem.is_sparse:
        return np.ascontiguousarray((problem.X.T @ r).T), r.sum(axis=0)
    found = np.zeros((r.shape[1], problem.X.shape[1]))
    for block in _blocks(len(r)):
        found += r[block].T @ _rows(problem, block)
    return found, r.sum(axis=0)


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
    share = np.full(len(p), 1.0) if problem.weight is None else problem.weight
    k, width = p.shape[1], problem.X.shape[1] + problem.intercept
    found = np.zeros((k, width, k, width))
    for block in _blocks(len(p)):
        rows = _rows(problem, block)
        rows = np.asarray(rows.todense()) if problem.is_sparse else rows
        if problem.intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        some, s = p[block], share[block]
        for a in range(k):
            for b in range(a, k):
                bend = s * some[:, a] * ((1.0 if a == b else 0.0) - some[:, b])
                found[a, :, b] += rows.T @ (rows * bend[:, None])
    for a in range(k):
        for b in range(a):
            found[a, :, b] = found[b, :, a].T
    return found.reshape(k * width, k * width) / problem.total
