"""Squared errors of a linear unit: their mean, its gradient, its curvature, and a pass of small batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.typing import Encoded, TableLike

__all__ = ["SquaredErrors", "batch_pass", "cells_in", "lengths_squared", "squared_errors"]

# Up to so many columns the products of all pairs of columns are summed once, and an epoch looks at no row again.
FEW_COLUMNS = 512
# So many cells are converted at a time.
CELLS = 1 << 19
# How many times as long as one of a matrix a cell of CSR takes, which leads to any place in memory.
SPARSE_CELL = 25
# Steps of the power iteration, and the relative change of the eigenvalue that is small enough.
POWER_STEPS, POWER_TOLERANCE = 200, 1e-4


class SquaredErrors:
    r"""The mean error :math:`\frac12 \sum_i s_i (t_i - v \cdot z_i)^2` of each score, with shares s that add up to 1.

    z is a row with a constant 1 after it if there is an intercept; targets t are +1 and -1, the second of two classes
    against the first or each of several against the rest. Weights V have one row per score.
    """

    def __init__(self, X: Encoded, y: np.ndarray, share: np.ndarray, n_scores: int, intercept: bool) -> None:
        self.X, self.y, self.share, self.n_scores, self.intercept = X, y, share, n_scores, intercept
        self.width = X.shape[1] + intercept

    def cells_of_epoch(self) -> int:
        """How long an epoch takes, in products of dense cells."""
        return cells_in(self.X) * self.n_scores

    def at(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean error of each score, and its gradient."""
        loss, slope = np.zeros(self.n_scores), np.zeros((self.n_scores, self.width))
        for rows, part in blocks(self.X):
            error = _with_constant(part, V, self.intercept) - targets(self.y[rows], self.n_scores)
            weighted = self.share[rows, None] * error
            loss += 0.5 * (weighted * error).sum(axis=0)
            slope += self._back(part, weighted)
        return loss, slope

    def curvature(self, v: np.ndarray) -> np.ndarray:
        """The second derivatives of the mean error, which all scores share, times a vector."""
        found = np.zeros(self.width)
        for rows, part in blocks(self.X):
            found += self._back(part, self.share[rows, None] * _with_constant(part, v[None], self.intercept))[0]
        return found

    def _back(self, part: Any, errors: np.ndarray) -> np.ndarray:
        found = np.asarray(part.T @ errors).T
        return np.column_stack([found, errors.sum(axis=0)]) if self.intercept else found

    def largest_curvature(self) -> float:
        """The largest eigenvalue of the second derivatives, by power iteration; 0 if all cells are 0."""
        v = np.ones(self.width) / max(self.width, 1) ** 0.5
        v += np.arange(self.width) % 7 * 0.01  # at a right angle to the eigenvector by bad luck only
        found = 0.0
        for _ in range(POWER_STEPS):
            w, before = self.curvature(v), found
            largest = float(np.abs(w).max(initial=0.0))
            if not largest > 0:
                break
            w /= largest  # its square might be beyond all numbers
            found, v = largest * float(np.linalg.norm(w) / np.linalg.norm(v)), w
            if abs(found - before) <= POWER_TOLERANCE * found:
                break
        return found


class _FewColumns(SquaredErrors):
    """The same out of sums over all rows: an epoch costs O(D²) for each score, however many rows there are."""

    def __init__(self, X: TableLike, y: np.ndarray, share: np.ndarray, n_scores: int, intercept: bool) -> None:
        super().__init__(X, y, share, n_scores, intercept)
        products = _products(X, share)
        self.products = products if intercept else products[:-1, :-1]
        # the targets of a score add up its own rows twice, less all rows
        own = _sums(X, share * (y == 1))[None] if n_scores == 1 else _sums_by_class(X, y, share, n_scores)
        self.sums = (2 * own - products[-1])[:, : self.width]

    def cells_of_epoch(self) -> int:
        return self.products.size * self.n_scores

    def at(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slopes = V @ self.products
        loss = 0.5 * (1 + ((slopes - 2 * self.sums) * V).sum(axis=1))
        return np.maximum(loss, 0.0), slopes - self.sums

    def curvature(self, v: np.ndarray) -> np.ndarray:
        return self.products @ v

    def largest_curvature(self) -> float:
        """The eigenvalue to its last digits: rows that are repeated instead of weighted take the same steps."""
        largest = float(np.abs(self.products).max(initial=0.0))
        return largest * float(np.linalg.eigvalsh(self.products / largest)[-1]) if largest > 0 else 0.0


def _products(X: Encoded, share: np.ndarray) -> np.ndarray:
    """The weighted sum over the rows of the products of all pairs of columns, a constant 1 being the last."""
    d = X.shape[1]
    if isinstance(X, np.ndarray):
        return _core.linear.dense_gram(X, share, np.zeros(d), np.ones(d), parallel.n_threads())
    weighted = X.multiply(share[:, None]).tocsr()
    found = np.empty((d + 1, d + 1))
    found[:d, :d] = (X.T.astype(np.float64) @ weighted).toarray()
    found[d, :d] = found[:d, d] = _sums(X, share)[:d]
    found[d, d] = share.sum()
    return found


def _sums(X: Encoded, weight: np.ndarray) -> np.ndarray:
    """The weighted sum of the rows, with that of their constants at the end."""
    if isinstance(X, np.ndarray):  # on small parts BLAS spends its time on waking threads
        found = sum(np.einsum("i,ij->j", weight[rows], part) for rows, part in blocks(X))
    else:
        found = weight @ X.astype(np.float64, copy=False)
    return np.append(found, weight.sum())


def _sums_by_class(X: Encoded, y: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
    """The same for the rows of each class, in one pass however many classes there are."""
    found = np.empty((n_classes, X.shape[1] + 1))
    found[:, -1] = np.bincount(y, weight, n_classes)
    if isinstance(X, np.ndarray):
        for j in range(X.shape[1]):
            found[:, j] = np.bincount(y, weight * X[:, j], n_classes)
        return found
    from scipy.sparse import csr_array

    own = csr_array((weight, (y, np.arange(len(y)))), shape=(n_classes, len(y)))
    found[:, :-1] = (own @ X.astype(np.float64, copy=False)).toarray()
    return found


def squared_errors(X: Encoded, y: np.ndarray, share: np.ndarray, n_scores: int, intercept: bool) -> SquaredErrors:
    """The mean squared error of rows, in the form that is quickest for their number of columns."""
    kind = _FewColumns if X.shape[1] <= FEW_COLUMNS else SquaredErrors
    return kind(X, y, share, n_scores, intercept)


def targets(y: np.ndarray, n_scores: int) -> np.ndarray:
    """+1 and -1 for each row and score."""
    own = y[:, None] == (np.arange(n_scores) if n_scores > 1 else 1)
    return np.where(own, 1.0, -1.0)


def blocks(X: Encoded) -> Iterator[tuple[slice, Any]]:
    """Rows in float64, some at a time; of CSR all at once."""
    n, d = X.shape
    if not isinstance(X, np.ndarray):
        yield slice(0, n), X.astype(np.float64, copy=False)
        return
    step = max(1, CELLS // max(d, 1))
    for first in range(0, n, step):
        part = X[first : first + step]
        yield slice(first, first + len(part)), part.astype(np.float64, copy=False)


def cells_in(X: Encoded) -> int:
    """How long a pass over rows takes, in cells of a matrix; those that CSR stores take so many times as long."""
    return X.size if isinstance(X, np.ndarray) else SPARSE_CELL * (X.shape[0] + len(X.data))


def lengths_squared(X: Encoded, intercept: bool) -> np.ndarray:
    """The squared length of each row, with its constant."""
    if isinstance(X, np.ndarray):
        found = np.concatenate([np.einsum("ij,ij->i", part, part) for _, part in blocks(X)])
    else:
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        found = np.bincount(rows, X.data.astype(np.float64) ** 2, X.shape[0])
    return found + float(intercept)


def batch_pass(
    X: Encoded, y: np.ndarray, step: np.ndarray | None, order: np.ndarray, V: np.ndarray, eta: float, size: int
) -> np.ndarray:
    """A pass over rows in some order, one step per batch, that changes V (one row per score, the constant last).

    Gives the sum over the rows of each score's error before it was learnt from.
    """
    total = np.zeros(len(V))
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        part = X[rows]
        Z = part if isinstance(part, np.ndarray) else part.toarray()
        if Z.shape[1] < V.shape[1]:
            Z = np.column_stack([Z, np.ones(len(Z))])
        error = Z @ V.T - targets(y[rows], len(V))
        weighted = error if step is None else step[rows, None] * error
        total += 0.5 * (weighted * error).sum(axis=0)
        V -= eta / len(rows) * (weighted.T @ Z)
    return total


def _with_constant(X: Encoded, V: np.ndarray, intercept: bool) -> np.ndarray:
    d = X.shape[1]
    found = np.asarray(X @ V[:, :d].T)
    return found + V[:, d] if intercept else found
