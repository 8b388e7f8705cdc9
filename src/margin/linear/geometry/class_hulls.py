"""Rows turned to one side by the sign of their class: the points whose hull says how far the classes are apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.typing import Encoded

__all__ = ["ClassDifferences", "HullDifferences", "SignedRows"]

# So many cells are converted or shifted at a time.
CELLS = 1 << 19
# Between two looks at all rows the lowest are asked alone: so many, but not more cells than these.
FEW, PER_COLUMN, FEW_CELLS = 256, 4, 1 << 22


class SignedRows:
    """The points y z / unit, with z the row (and a constant 1 after it), y = +1 or -1, and lengths of at most 1.

    ``center`` is taken from every row of an array first. X is neither copied nor converted as a whole.
    """

    def __init__(self, X: Encoded, sign: np.ndarray, constant: bool, center: np.ndarray | None = None) -> None:
        self.X, self.sign, self.constant, self.center = X, sign, constant, center
        self.width = X.shape[1] + constant
        largest = max([float(constant), *(_largest(part) for _, part in self._blocks())])
        # a power of two, so that changing to it rounds nothing; the root makes room for the sum of squares
        exponent = int(np.frexp(largest * self.width**0.5)[1])
        self.unit = 2.0 ** max(exponent, -1000) if largest > 0 else 1.0
        lengths = [_squares(part, 1 / self.unit) for _, part in self._blocks()]
        self.lengths = np.sqrt(np.concatenate(lengths) + constant / self.unit / self.unit)
        self.few, self.points = np.arange(0), np.zeros((0, self.width))

    @property
    def radius(self) -> float:
        """The largest length of a row (its constant included), in the unit of the data."""
        return float(self.lengths.max()) * self.unit

    def shortest(self) -> tuple[int, np.ndarray]:
        """The row nearest to the origin."""
        row = int(self.lengths.argmin())
        return row, self.take(np.array([row]))[0]

    def lowest(self, w: np.ndarray, enough: float) -> tuple[int, np.ndarray, float]:
        """A row whose product with w is below ``enough``; the lowest of all if there is none."""
        if len(self.few):
            values = self.points @ w
            at = int(values.argmin())
            if values[at] < enough:
                return int(self.few[at]), self.points[at], float(values[at])
        values = self.products(w)
        self.few = _some_lowest(values, self.width)
        self.points = self.take(self.few)
        return int(self.few[0]), self.points[0], float(values[self.few[0]])

    def products(self, w: np.ndarray) -> np.ndarray:
        """The product of every point with w."""
        d = self.X.shape[1]
        found = np.concatenate([part @ w[:d] for _, part in self._blocks()]) / self.unit
        return self.sign * (found + w[d] / self.unit if self.constant else found)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Some of the points, one after another."""
        part = self.X[rows]
        part = self._clean(part if isinstance(part, np.ndarray) else part.toarray())
        if self.constant:
            part = np.column_stack([part, np.ones(len(part))])
        return self.sign[rows, None] * (part / self.unit)

    def _blocks(self) -> Iterator[tuple[int, Any]]:
        n, d = self.X.shape
        if not isinstance(self.X, np.ndarray) or (self.X.dtype == np.float64 and self.center is None):
            yield 0, self.X
            return
        step = max(1, CELLS // max(d, 1))
        for first in range(0, n, step):
            yield first, self._clean(self.X[first : first + step])

    def _clean(self, part: np.ndarray) -> np.ndarray:
        part = part.astype(np.float64, copy=False)
        return part if self.center is None else part - self.center


class HullDifferences:
    """The points x - x' / unit for every row x of the first kind and every row x' of the other.

    Their hull is the difference of the hulls of both kinds: its nearest point to the origin joins their nearest points.
    """

    def __init__(self, X: Encoded, sign: np.ndarray) -> None:
        center = None
        if isinstance(X, np.ndarray):  # far from the origin the products of rows would round away what tells them apart
            center = X[0].astype(np.float64)
        self.rows = SignedRows(X, sign, False, center)
        self.sides = tuple(np.flatnonzero(sign == s) for s in (1, -1))
        self.width = X.shape[1]
        self.few: tuple[np.ndarray, ...] = ()
        self.points: list[np.ndarray] = []

    def shortest(self) -> tuple[tuple[int, int], np.ndarray]:
        """Any pair will do."""
        first, second = (int(side[self.rows.lengths[side].argmin()]) for side in self.sides)
        return (first, second), self.rows.take(np.array([first, second])).sum(axis=0) / 2

    def lowest(self, w: np.ndarray, enough: float) -> tuple[tuple[int, int], np.ndarray, float]:
        """A pair whose product with w is below ``enough``; the lowest of all if there is none."""
        if self.few:
            values = [points @ w / 2 for points in self.points]
            if sum(value.min() for value in values) < enough:
                return self._pair(values)
        products = self.rows.products(w) / 2
        values = [products[side] for side in self.sides]
        picked = [_some_lowest(value, self.width) for value in values]
        self.few = tuple(side[at] for side, at in zip(self.sides, picked))
        self.points = [self.rows.take(rows) for rows in self.few]
        return self._pair([value[at] for value, at in zip(values, picked)])

    def _pair(self, values: list[np.ndarray]) -> tuple[tuple[int, int], np.ndarray, float]:
        first, second = (int(value.argmin()) for value in values)
        point = (self.points[0][first] + self.points[1][second]) / 2
        pair = int(self.few[0][first]), int(self.few[1][second])
        return pair, point, float(values[0][first] + values[1][second])


class ClassDifferences:
    """Kesler's points: for each row and each class other than its own, the row in the place of its class, and its
    opposite in the place of the other, all other places 0.

    A plane through the origin with all of them on one side is a set of weights, one vector per class, that gives the
    class of each row its largest score. Points are divided by the unit of the rows and by √2.
    """

    def __init__(self, X: Encoded, y: np.ndarray, n_classes: int, constant: bool) -> None:
        self.rows = SignedRows(X, np.ones(len(y)), constant)
        self.y, self.n_classes = y, n_classes
        self.unit = self.rows.unit * 2**0.5
        self.few, self.points = np.arange(0), np.zeros((0, self.rows.width))

    @property
    def radius(self) -> float:
        """The largest length of a point, in the unit of the data."""
        return self.rows.radius * 2**0.5

    def shortest(self) -> tuple[tuple[int, int], np.ndarray]:
        """The shortest row, against the first class that is not its own."""
        row, point = self.rows.shortest()
        return self._point(row, int(self.y[row] == 0), point)

    def lowest(self, w: np.ndarray, enough: float) -> tuple[tuple[int, int], np.ndarray, float]:
        """A row and a class whose point has a product with w below ``enough``; the lowest of all if there is none."""
        W = w.reshape(self.n_classes, -1)
        if len(self.few):
            values, other = self._against_best_other(self.points @ W.T, self.y[self.few])
            at = int(values.argmin())
            if values[at] < enough:
                return *self._point(int(self.few[at]), int(other[at]), self.points[at]), float(values[at])
        values, other = self.products(w)
        self.few = _some_lowest(values, self.rows.width * self.n_classes)
        self.points = self.rows.take(self.few)
        row = int(self.few[0])
        return *self._point(row, int(other[row]), self.points[0]), float(values[row])

    def products(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lowest product of each row's points with w, and the class that it is against."""
        scores = np.column_stack([self.rows.products(v) for v in w.reshape(self.n_classes, -1)])
        return self._against_best_other(scores, self.y)

    def _against_best_other(self, scores: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own = scores[np.arange(len(y)), y]
        scores[np.arange(len(y)), y] = -np.inf
        other = scores.argmax(axis=1)
        return (own - scores[np.arange(len(y)), other]) / 2**0.5, other

    def _point(self, row: int, other: int, point: np.ndarray) -> tuple[tuple[int, int], np.ndarray]:
        found = np.zeros((self.n_classes, len(point)))
        found[self.y[row]], found[other] = point / 2**0.5, -point / 2**0.5
        return (row, other), found.ravel()


def _largest(part: Any) -> float:
    cells = part if isinstance(part, np.ndarray) else part.data
    return float(max(cells.max(initial=0.0), -cells.min(initial=0.0)))


def _squares(part: Any, factor: float) -> np.ndarray:
    """The squared length of each row times a factor."""
    if isinstance(part, np.ndarray):
        return np.concatenate(
            [
                np.einsum("ij,ij->i", scaled, scaled)
                for first in range(0, len(part), 4096)
                for scaled in [part[first : first + 4096] * factor]
            ]
        )
    rows = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
    return np.bincount(rows, (part.data.astype(np.float64) * factor) ** 2, part.shape[0])


def _some_lowest(values: np.ndarray, width: int) -> np.ndarray:
    """The places of some of the lowest values, the lowest first; of equal ones the first."""
    few = min(len(values), max(FEW, min(PER_COLUMN * width, FEW_CELLS // width)))
    places = np.arange(len(values)) if few == len(values) else np.sort(np.argpartition(values, few - 1)[:few])
    return places[np.argsort(values[places], kind="stable")]
