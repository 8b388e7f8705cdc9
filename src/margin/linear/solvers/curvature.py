"""Second derivatives, exact or nearly so, the steps they lead to, and the units of columns that both are in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from scipy.linalg import lapack

import margin._core as _core
from margin import parallel
from margin.linear.problem import Problem

__all__ = [
    "Blocks",
    "Curvature",
    "Diagonal",
    "Factor",
    "Units",
    "Whole",
    "class_blocks",
    "sampled_rows",
    "whole_curvature",
]

# Up to so many columns products are kept in double; beyond, they are a preconditioner only, and float32 is faster.
DOUBLE_COLUMNS = 200
LOOKED_AT = 512
ROWS_AT_ONCE = 4096
LARGEST_EXPONENT = 500
# A mean of so many deviations costs scores three digits.
FAR = 1e3


def sampled_rows(n_rows: int, count: int) -> np.ndarray:
    """About ``count`` rows in ascending order, one drawn from each of equally long windows: the same in every run.

    >>> sampled_rows(10, 20)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    >>> len(sampled_rows(1000, 10))
    10
    """
    if count >= n_rows:
        return np.arange(n_rows)
    edges = np.linspace(0, n_rows, count + 1).astype(np.int64)
    place = np.random.default_rng(0).random(count)
    rows: np.ndarray = edges[:-1] + (place * np.diff(edges)).astype(np.int64)
    return rows


class Units:
    """Columns in units of their own, z = (x - shift) scale, found from a sample of the rows.

    A step is the same in every unit; products of z neither overflow nor lose their digits to a large mean. Scales are
    powers of two. Where means are so large that scores would lose their digits, passes over the rows take the shift
    off as well: ``origin`` then is the shift, otherwise None. Without an intercept nothing may be shifted.
    """

    def __init__(self, X: np.ndarray, intercept: bool) -> None:
        some = X[sampled_rows(len(X), LOOKED_AT)].astype(np.float64)
        self.intercept = intercept
        self.largest = np.abs(some).max(axis=0, initial=0.0)
        self.shift = some.mean(axis=0) if intercept else np.zeros(some.shape[1])
        some -= self.shift
        size = np.abs(some).max(axis=0, initial=0.0)
        # Squares of small numbers would vanish: relative to the largest.
        spread = size * np.sqrt(np.mean((some / np.where(size > 0, size, 1.0)) ** 2, axis=0))
        alike = np.flatnonzero(spread == 0)
        if len(X) > LOOKED_AT and len(alike):
            spread[alike] = _largest_deviations(X, alike, self.shift[alike]) / np.sqrt(LOOKED_AT)
        exponent = np.where(spread > 0, np.frexp(spread)[1], 0)
        self.scale = np.ldexp(1.0, -np.clip(exponent, -LARGEST_EXPONENT, LARGEST_EXPONENT))
        far = bool((np.abs(self.shift) > FAR * spread).any())
        self.origin = self.shift if far else None
        self.moved = self.shift if far else np.zeros(len(self.shift))
        self.rest = self.shift - self.moved
        self.largest = np.minimum(self.largest, size) if far else self.largest

    @property
    def size(self) -> int:
        """Free parameters of one score."""
        return len(self.scale) + self.intercept

    def of_gradient(self, gradient: np.ndarray) -> np.ndarray:
        """Derivatives by the parameters of z."""
        inner = (gradient[:, :-1] - gradient[:, -1:] * self.rest) * self.scale
        return np.column_stack([inner, gradient[:, -1]]) if self.intercept else inner

    def of_step(self, step: np.ndarray) -> np.ndarray:
        """A step of the parameters of z as one of those of x."""
        found = np.zeros((len(step), len(self.scale) + 1))
        found[:, :-1] = step[:, : len(self.scale)] * self.scale
        if self.intercept:
            found[:, -1] = step[:, -1] - found[:, :-1] @ self.rest
        return found

    def penalty(self, l2: float) -> np.ndarray:
        """The penalty of each parameter of z."""
        found = np.zeros(self.size)
        found[: len(self.scale)] = l2 * self.scale**2
        return found

    def terms(self, theta: np.ndarray) -> float:
        """How large the numbers are that a score is summed up from."""
        return float((np.abs(theta[:, :-1]) @ self.largest).max(initial=0.0))

    def squares(self, X: np.ndarray) -> np.ndarray:
        """The means of the squares of z, and of 1 where there is an intercept."""
        found = np.ones(self.size)
        found[: len(self.scale)] = np.mean(((X - self.shift) * self.scale) ** 2, axis=0)
        return found

    def gram(self, X: np.ndarray, weight: np.ndarray | None, rows: np.ndarray | None = None) -> np.ndarray:
        """The sum of weight [z 1]'[z 1] over all or some rows; 1 only where there is an intercept.

        ``weight`` has one number for each row that is summed over.
        """
        if X.shape[1] > DOUBLE_COLUMNS:
            at = np.arange(len(X)) if rows is None else rows
            found: np.ndarray = _core.linear.dense_gram_single(
                X, at, weight, self.shift, self.scale, parallel.n_threads()
            )
        else:
            some = X if rows is None or len(rows) == len(X) else X[rows]
            found = _core.linear.dense_gram(some, weight, self.shift, self.scale, parallel.n_threads())
        return found[: self.size, : self.size]


def _largest_deviations(X: np.ndarray, columns: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Of columns that a sample shows as constant: how far any cell is from that."""
    found = np.zeros(len(columns))
    for first in range(0, len(X), ROWS_AT_ONCE):
        part = X[first : first + ROWS_AT_ONCE, columns]
        found = np.maximum(found, np.abs(part - middle).max(axis=0, initial=0.0))
    return found


class Curvature(Protocol):
    """Something that turns a gradient into a step downhill, (curvature)^-1 gradient."""

    def solve(self, gradient: np.ndarray) -> np.ndarray: ...


class Factor:
    """A Cholesky factor of a symmetric matrix, made positive definite by as little as it takes."""

    def __init__(self, matrix: np.ndarray) -> None:
        # Products beyond float32, of cells that no sample has shown, are as good as the largest there.
        diagonal = np.minimum(matrix.diagonal(), np.finfo(matrix.dtype).max).astype(np.float64)
        self.root = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        inverse = (1 / self.root).astype(matrix.dtype)
        scaled = matrix * inverse * inverse[:, None]
        if not np.isfinite(scaled).all():
            scaled = np.where(np.isfinite(scaled), scaled, 0)
        ridge = float(np.finfo(scaled.dtype).eps) * 4
        while True:
            scaled[np.diag_indices(len(scaled))] = 1 + ridge
            factorise = lapack.spotrf if scaled.dtype == np.float32 else lapack.dpotrf
            self.factor, failed = factorise(scaled, lower=1, clean=0)
            if not failed:
                return
            ridge *= 100

    def solve(self, right: np.ndarray) -> np.ndarray:
        """The solution for each line of ``right``."""
        backward = lapack.spotrs if self.factor.dtype == np.float32 else lapack.dpotrs
        scaled = right / self.root
        size = float(np.abs(scaled).max(initial=0.0)) or 1.0  # what float32 has room for
        found = backward(self.factor, (scaled / size).T.astype(self.factor.dtype), lower=1)[0]
        return found.T.astype(np.float64) / self.root * size


class Diagonal:
    """Each parameter by itself."""

    def __init__(self, units: Units, diagonal: np.ndarray, l2: float) -> None:
        self.units = units
        raised = diagonal + units.penalty(l2)
        self.diagonal = np.where(raised > 0, raised, 1.0)

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        return self.units.of_step(self.units.of_gradient(gradient) / self.diagonal)


class Blocks:
    """The parameters of each score by themselves: one factor each, or one for all with a multiple for each."""

    def __init__(self, units: Units, factors: list[Factor], multiple: np.ndarray) -> None:
        self.units, self.factors, self.multiple = units, factors, multiple

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        inner = self.units.of_gradient(gradient)
        if len(self.factors) == 1:
            found = self.factors[0].solve(inner)
        else:
            found = np.concatenate([f.solve(line[None]) for f, line in zip(self.factors, inner, strict=True)])
        return self.units.of_step(found / self.multiple[:, None])


class Whole:
    """All parameters together."""

    def __init__(self, units: Units, factor: Factor) -> None:
        self.units, self.factor = units, factor

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        inner = self.units.of_gradient(gradient)
        return self.units.of_step(self.factor.solve(inner.reshape(1, -1)).reshape(inner.shape))


def whole_curvature(problem: Problem, units: Units, share: np.ndarray, probability: np.ndarray) -> Curvature:
    r"""The exact second derivatives, :math:`\sum_i s_i p_{ik}(\delta_{kl} - p_{il}) [z\,1][z\,1]'` and the penalty.

    Between different classes all weights :math:`p_k p_l` are positive, and a class's own block is minus the sum of
    its others: K (K - 1) / 2 products for K > 2 scores, one for two classes.
    """
    k, size = probability.shape[1], units.size
    if k == 1:
        p = probability[:, 0]
        matrix = units.gram(problem.X, share * p * (1 - p))
    else:
        blocks = np.zeros((k, size, k, size))
        for a, b in _pairs(k):
            product = units.gram(problem.X, share * probability[:, a] * probability[:, b])
            blocks[a, :, b] = blocks[b, :, a] = -product
            blocks[a, :, a] += product
            blocks[b, :, b] += product
        matrix = blocks.reshape(k * size, k * size)
    matrix[np.diag_indices(len(matrix))] += np.tile(units.penalty(problem.l2), k).astype(matrix.dtype)
    return Whole(units, Factor(matrix))


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return ((a, b) for a in range(count) for b in range(a))


def class_blocks(problem: Problem, units: Units, share: np.ndarray, probability: np.ndarray, n_rows: int) -> Curvature:
    """For each class the curvature of its own parameters, from about ``n_rows`` rows, chosen where there is most."""
    factors = []
    everything = np.arange(len(problem.X))
    for p in probability.T:
        at, weight = _likely_rows(everything, share * p * (1 - p), n_rows)
        matrix = units.gram(problem.X, weight, at)
        matrix[np.diag_indices(len(matrix))] += units.penalty(problem.l2).astype(matrix.dtype)
        factors.append(Factor(matrix))
    return Blocks(units, factors, np.ones(len(factors)))


def _likely_rows(rows: np.ndarray, weight: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """About ``count`` rows, those of large weight for sure and others by chance, and weights that make up for it."""
    if count >= len(rows):
        return rows, weight
    total = float(weight.sum())
    if not total > 0:
        return rows[:1], weight[:1]
    chance = np.minimum(1.0, weight * (count / total))
    # Systematic sampling: evenly spaced marks along the running sum of chances.
    marks = np.floor(np.cumsum(chance) + np.random.default_rng(0).random())
    taken = np.diff(marks, prepend=0.0) > 0
    return rows[taken], weight[taken] / chance[taken]
