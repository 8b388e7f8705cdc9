"""Rows of codes, counted by combination: the statistics of a joint table, and finding rows in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from margin.data.weights import LARGEST_COUNT

if TYPE_CHECKING:
    from margin.base.mergeable import Places

__all__ = ["FITS", "Combinations", "codes_of_numbers", "row_keys"]

#: Tables of so many times the cells that there are rows are laid out in full.
ROOMY = 4
#: Keys below this can be multiplied out in 64 bits.
FITS = 2**62


def row_keys(columns: Sequence[np.ndarray], n_levels: Sequence[int], n_rows: int) -> np.ndarray:
    """One whole number per row, equal for equal rows and in the rows' lexicographic order. Codes run from 0.

    Columns are the digits of a number, each of its own base. Where that outgrows 64 bits, the numbers so far are
    replaced by their ranks; so rows of any width can be compared as numbers, but only with rows of the same call.
    """
    keys, distinct = np.zeros(n_rows, dtype=np.int64), 1
    for codes, levels in zip(columns, n_levels):
        if distinct * levels >= FITS:
            found, keys = np.unique(keys, return_inverse=True)
            distinct = len(found)
        keys = keys * levels + codes
        distinct *= levels
    return keys


def codes_of_numbers(levels: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The place of each cell among levels in ascending order, -1 where it is missing or none of them.

    >>> codes_of_numbers(np.array([1.0, 2.5]), np.array([2.5, np.nan, 2.0, 1.0]))
    array([ 1, -1, -1,  0], dtype=int32)
    """
    if not len(levels):
        return np.full(len(cells), -1, dtype=np.int32)
    at = np.minimum(np.searchsorted(levels, cells), len(levels) - 1).astype(np.int32)
    at[levels[at] != cells] = -1
    return at


@dataclass(eq=False)
class Combinations:
    """Every combination of cells that was seen, with the weight of each class in it; exactly additive.

    ``cells`` has a row for each combination and a column for each column of the data, numeric ones first: places among
    ``numbers`` or codes of levels, -1 for a missing cell. ``weight`` and ``weight2`` are the sums of weights and of
    their squares for each class, over all rows; ``repeats`` says whether weights stand for repeated rows.
    """

    numbers: tuple[np.ndarray, ...]
    n_levels: tuple[int, ...]
    cells: np.ndarray
    counts: np.ndarray
    weight: np.ndarray
    weight2: np.ndarray
    repeats: bool

    @property
    def sizes(self) -> list[int]:
        """The number of levels of each column."""
        return [len(levels) for levels in self.numbers] + list(self.n_levels)

    @classmethod
    def of(
        cls,
        numeric: np.ndarray,
        codes: Sequence[np.ndarray],
        n_levels: tuple[int, ...],
        y: np.ndarray,
        weight: np.ndarray,
        n_classes: int,
        repeats: bool,
    ) -> Combinations:
        """Count rows of numbers and codes, of classes y."""
        coded = [_coded(column) for column in numeric.T]
        numbers = tuple(levels for levels, _ in coded)
        columns = [places for _, places in coded] + list(codes)
        seen = cls(
            numbers,
            n_levels,
            np.empty((0, len(columns)), dtype=np.int32),
            np.empty((0, n_classes)),
            np.bincount(y, weight, n_classes),
            np.bincount(y, weight**2, n_classes),
            repeats,
        )
        sizes = [size + 1 for size in seen.sizes]
        keys = row_keys([column + 1 for column in columns], sizes, len(y))
        if (n_cells := math.prod(sizes)) * n_classes <= ROOMY * len(y):
            # The whole table fits: a place for every combination is quicker than sorting the rows.
            counts = np.bincount(keys * n_classes + y, weight, n_cells * n_classes).reshape(n_cells, n_classes)
            there = np.flatnonzero(counts.any(axis=1))
            seen.cells = np.column_stack(np.unravel_index(there, sizes)).astype(np.int32) - np.int32(1)
            seen.counts = counts[there]
            return seen
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        seen.cells = np.column_stack([column[first] for column in columns]).astype(np.int32)
        counts = np.bincount(group * n_classes + y, weight, len(first) * n_classes)
        seen.counts = counts.reshape(len(first), n_classes)
        return seen

    def plus(self, other: Combinations) -> Combinations:
        """The combinations of both, whose classes and levels of words are the same."""
        numbers = tuple(np.union1d(mine, theirs) for mine, theirs in zip(self.numbers, other.numbers))
        cells = np.vstack([self._recoded(numbers), other._recoded(numbers)])
        counts = np.vstack([self.counts, other.counts])
        both = Combinations(
            numbers,
            self.n_levels,
            cells,
            counts,
            self.weight + other.weight,
            self.weight2 + other.weight2,
            self.repeats and other.repeats and float(self.weight.sum() + other.weight.sum()) <= LARGEST_COUNT,
        )
        keys = row_keys(list(cells.T + 1), [size + 1 for size in both.sizes], len(cells))
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        both.cells = cells[first]
        both.counts = np.zeros((len(first), counts.shape[1]))
        np.add.at(both.counts, group, counts)
        return both

    def aligned(self, places: Places) -> Combinations:
        """The same with classes and levels in the places where a larger table has them."""
        cells = self.cells.copy()
        for i, moved in enumerate(places.levels, start=len(self.numbers)):
            there = cells[:, i] >= 0
            cells[there, i] = np.asarray(moved)[cells[there, i]]
        return Combinations(
            self.numbers,
            tuple(places.n_levels),
            cells,
            _moved(self.counts, places),
            _moved(self.weight, places),
            _moved(self.weight2, places),
            self.repeats,
        )

    def _recoded(self, numbers: tuple[np.ndarray, ...]) -> np.ndarray:
        cells = self.cells.copy()
        for i, (mine, all_) in enumerate(zip(self.numbers, numbers)):
            there = cells[:, i] >= 0
            cells[there, i] = np.searchsorted(all_, mine)[cells[there, i]]
        return cells


def _coded(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different numbers of a column in ascending order, and the place of each cell among them, -1 if missing."""
    low, high = column.min(initial=np.inf), column.max(initial=-np.inf)
    if high / 2 - low / 2 < ROOMY * len(column) / 2:  # not where a cell is missing
        step = (column - low).astype(np.intp)
        if (step + low == column).all():  # steps of one from the lowest: counting is quicker than sorting
            there = np.bincount(step) > 0
            return np.flatnonzero(there) + low, (np.cumsum(there, dtype=np.int32) - np.int32(1))[step]
    levels = np.unique(column[~np.isnan(column)]) + 0.0  # one zero, whatever its sign
    return levels, codes_of_numbers(levels, column)


def _moved(values: np.ndarray, places: Places) -> np.ndarray:
    """Values of each class (last axis) in the classes' new places."""
    moved = np.zeros((*values.shape[:-1], places.n_classes))
    moved[..., places.classes] = values
    return moved
