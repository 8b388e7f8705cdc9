"""Rows as an index compares them, and distances back in the units of the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.representations.moments import unit_for
from margin.neighbors.distances import traits_of
from margin.typing import Encoded, TableLike

__all__ = ["Found", "Radius", "Space", "radii_of", "space_of"]

#: Distances and places of the neighbours of all queries; ``start[i]`` to ``start[i + 1]`` are those of query i.
Found = tuple[np.ndarray, np.ndarray, np.ndarray]
#: How far queries look: one number for all, or an array of one for each.
Radius = float | np.ndarray


def radii_of(radius: Radius) -> np.ndarray:
    """A radius as the core takes it.

    >>> radii_of(2.0)
    array([2.])
    """
    return np.array(radius, dtype=np.float64, ndmin=1)


@dataclass(frozen=True)
class Space:
    """What is done to rows before they are compared.

    If ``directions``, rows are first brought to length 1; a row of zeros stays as it is. Columns are multiplied by
    ``factors`` (their weights), everything is divided by ``unit`` (a power of two, where squares would not fit
    otherwise), and for the cosine rows are brought to length 1: of such rows half the squared Euclidean distance is one
    minus the cosine. A row of zeros then gets a direction of its own, one more column.
    """

    factors: np.ndarray | None = None
    unit: float = 1.0
    cosine: bool = False
    directions: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether rows are compared as they are."""
        return self.factors is None and self.unit == 1 and not self.cosine and not self.directions

    def queries(self, X: TableLike) -> Any:
        """Rows as the index wants them: float64, or CSR."""
        if not isinstance(X, np.ndarray):
            return self.training_rows(X)
        if self.is_plain and X.dtype == np.float64 and X.flags.c_contiguous and X.shape[1]:
            return X
        return np.ascontiguousarray(self.training_rows(X), dtype=np.float64)

    def training_rows(self, X: Encoded) -> Any:
        if X.shape[1] == 0:  # tables without a number or a category: all rows are alike
            return np.zeros((X.shape[0], 1))
        if self.directions:
            X = _directions(X)
        with np.errstate(over="ignore"):  # a search refuses what became infinite
            if self.factors is not None:
                X = _columns_times(X, self.factors)
            if self.unit != 1:
                X = X / self.unit
        return _of_length_one(X) if self.cosine else X

    def distances(self, distance: np.ndarray) -> np.ndarray:
        if self.cosine:
            return distance**2 / 2
        if self.unit == 1:
            return distance
        with np.errstate(over="ignore"):
            return distance * self.unit

    def radius(self, radius: float) -> float:
        """At least as far as ``radius`` reaches here."""
        if self.cosine:
            return float(np.sqrt(2 * radius)) * (1 + 1e-15)
        return radius / self.unit


def space_of(
    X: TableLike, magnitude: float, metric: object, p: float, factors: np.ndarray | None, directions: bool = False
) -> Space:
    """The space of training rows X with cells up to ``magnitude``."""
    if metric == "cosine":  # lengths do not matter, nor then by how much all columns are multiplied
        factors = None if factors is None else factors / factors.max()
        return Space(factors, cosine=isinstance(X, np.ndarray), directions=directions)
    traits = traits_of(metric, p)
    if traits is None or traits.order is None:
        return Space(factors, directions=directions)  # such distances need not grow with the cells
    if directions:
        magnitude = min(magnitude, 1.0)
    if factors is not None:
        magnitude *= float(factors.max())
    return Space(factors, float(unit_for(magnitude)), directions=directions)


def _of_length_one(X: np.ndarray) -> np.ndarray:
    there = (X != 0).any(axis=1)
    return np.column_stack([_directions(X), ~there])


def _directions(X: Encoded) -> Any:
    """Rows divided by their lengths; a row of zeros stays as it is."""
    if not isinstance(X, np.ndarray):
        return _sparse_directions(X)
    X = np.asarray(X, dtype=np.float64)
    # Each row by itself, so that the square of no row vanishes next to a large one; a power of two rounds nothing.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=1, initial=0.0, keepdims=True))[1])
    length = _lengths(X)
    return X / np.where(length > 0, length, 1.0)[:, None]


def _sparse_directions(X: Any) -> Any:
    """The same of CSR, to the last bit: squares are added up in the same order."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    cells = np.asarray(X.data, dtype=np.float64)
    largest = np.zeros(X.shape[0])
    np.maximum.at(largest, row, np.abs(cells))
    cells = np.ldexp(cells, -np.frexp(largest)[1][row])
    sums = np.zeros((X.shape[0], 8))
    np.add.at(sums, (row, X.indices % 8), cells * cells)
    length = _joined(sums)
    scaled = X.astype(np.float64)
    scaled.data = cells / np.where(length > 0, length, 1.0)[row]
    return scaled


def _lengths(X: np.ndarray) -> np.ndarray:
    """Euclidean lengths, the squares added up in the order in which the core adds up distances."""
    sums = np.zeros((len(X), 8))
    for first in range(0, X.shape[1], 8):
        part = X[:, first : first + 8]
        sums[:, : part.shape[1]] += part * part
    return _joined(sums)


def _joined(sums: np.ndarray) -> np.ndarray:
    for half in (4, 2, 1):
        sums[:, :half] += sums[:, half : 2 * half]
    return np.sqrt(sums[:, 0])


def _columns_times(X: Encoded, factors: np.ndarray) -> Any:
    if isinstance(X, np.ndarray):
        return X * factors
    scaled = X.copy()
    scaled.data = scaled.data * factors[scaled.indices]
    return scaled
