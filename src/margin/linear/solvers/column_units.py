"""Units of columns in which steps are computed, and products of columns in these units."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel

__all__ = ["Units", "sampled_rows"]

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
