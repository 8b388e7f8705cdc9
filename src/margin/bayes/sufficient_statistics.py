"""What naive Bayes keeps of the rows: sums over them, class by class, that add up when parts are put together.

Each kind of statistics has ``plus`` (those of both sets of rows), ``aligned`` (classes and levels moved to their places
in the whole) and ``scaled`` (all rows of a class counted several times, as class weights want it).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from margin.base.mergeable import Places
from margin.base.representations.moments import Moments

__all__ = [
    "ClassMoments",
    "ColumnGrids",
    "LevelCounts",
    "NumberCounts",
    "Part",
    "RowStatistics",
    "SortedCells",
    "Sums",
    "WordSums",
    "firsts",
    "in_groups",
    "merged_cells",
    "sorted_cells",
    "together",
]


class Part(Protocol):
    """The statistics of some columns."""

    def plus(self, other: Any) -> Any: ...

    def aligned(self, places: Places) -> Any: ...

    def scaled(self, factors: np.ndarray) -> Any: ...


@dataclass(frozen=True)
class RowStatistics:
    """The weight of each class, whether all weights stood for repeated rows, and a part for each block of columns."""

    totals: np.ndarray
    repeats: bool
    parts: tuple[Any, ...]

    def plus(self, other: RowStatistics) -> RowStatistics:
        parts = tuple(mine.plus(theirs) for mine, theirs in zip(self.parts, other.parts, strict=True))
        return RowStatistics(self.totals + other.totals, self.repeats and other.repeats, parts)

    def aligned(self, places: Places) -> RowStatistics:
        totals = _placed(self.totals, places)
        return RowStatistics(totals, self.repeats, tuple(part.aligned(places) for part in self.parts))

    def scaled(self, factors: np.ndarray) -> RowStatistics:
        repeats = self.repeats and bool((factors == np.floor(factors)).all())
        return RowStatistics(self.totals * factors, repeats, tuple(part.scaled(factors) for part in self.parts))


def _placed(table: np.ndarray, places: Places) -> np.ndarray:
    """One row per class, each at its place among the classes of the whole; new classes have zeros."""
    wide = np.zeros((places.n_classes, *table.shape[1:]))
    wide[places.classes] = table
    return wide


@dataclass(frozen=True)
class LevelCounts:
    """Weight of each level (rows) in each class (columns); level v of the j-th column stands in row ``first[j] + v``.

    ``at`` says which of the table's coded columns these are.
    """

    counts: np.ndarray
    first: np.ndarray
    at: tuple[int, ...]

    def plus(self, other: LevelCounts) -> LevelCounts:
        return replace(self, counts=self.counts + other.counts)

    def aligned(self, places: Places) -> LevelCounts:
        first = firsts([places.n_levels[j] for j in self.at])
        counts = np.zeros((int(first[-1]), places.n_classes))
        moved = [first[i] + places.levels[j] for i, j in enumerate(self.at)]
        counts[np.ix_(np.concatenate(moved), places.classes)] = self.counts
        return LevelCounts(counts, first, self.at)

    def scaled(self, factors: np.ndarray) -> LevelCounts:
        return replace(self, counts=self.counts * factors)


@dataclass(frozen=True)
class NumberCounts:
    """The different numbers of each column, ascending, and the weight of each (rows) in each class (columns)."""

    values: tuple[np.ndarray, ...]
    counts: np.ndarray

    @property
    def first(self) -> np.ndarray:
        return firsts([len(values) for values in self.values])

    def of_column(self, j: int) -> np.ndarray:
        first = self.first
        return self.counts[first[j] : first[j + 1]]

    def plus(self, other: NumberCounts) -> NumberCounts:
        values = tuple(np.union1d(mine, theirs) for mine, theirs in zip(self.values, other.values))
        first = firsts([len(numbers) for numbers in values])
        counts = np.zeros((int(first[-1]), self.counts.shape[1]))
        for part in (self, other):
            where = [first[j] + np.searchsorted(values[j], numbers) for j, numbers in enumerate(part.values)]
            counts[np.concatenate(where)] += part.counts
        return NumberCounts(values, counts)

    def aligned(self, places: Places) -> NumberCounts:
        return replace(self, counts=_placed(self.counts.T, places).T.copy())

    def scaled(self, factors: np.ndarray) -> NumberCounts:
        return replace(self, counts=self.counts * factors)


@dataclass(frozen=True)
class Sums:
    """Of each class (row) and column: the weighted sum of the cells, and the weight of the cells that are there.

    ``cells`` has a single column where all cells are there.
    """

    sums: np.ndarray
    cells: np.ndarray

    def plus(self, other: Sums) -> Sums:
        return Sums(self.sums + other.sums, self.cells + other.cells)

    def aligned(self, places: Places) -> Sums:
        return Sums(_placed(self.sums, places), _placed(self.cells, places))

    def scaled(self, factors: np.ndarray) -> Sums:
        return Sums(self.sums * factors[:, None], self.cells * factors[:, None])


@dataclass(frozen=True)
class WordSums:
    """How often the texts of each class (rows) have each word (columns)."""

    words: tuple[str, ...]
    sums: Sums

    def plus(self, other: WordSums) -> WordSums:
        words = tuple(sorted({*self.words, *other.words}))
        return WordSums(words, self._among(words).plus(other._among(words)))

    def _among(self, words: tuple[str, ...]) -> Sums:
        if words == self.words:
            return self.sums
        place = {word: i for i, word in enumerate(words)}
        at = [place[word] for word in self.words]
        sums = np.zeros((len(self.sums.sums), len(words)))
        sums[:, at] = self.sums.sums
        return Sums(sums, self.sums.cells)

    def aligned(self, places: Places) -> WordSums:
        return replace(self, sums=self.sums.aligned(places))

    def scaled(self, factors: np.ndarray) -> WordSums:
        return replace(self, sums=self.sums.scaled(factors))


@dataclass(frozen=True)
class ColumnGrids:
    """The different numbers of each column, ascending, and its smallest and largest (low > high: no number at all).

    Columns of more than ``MOST`` different numbers have none of them here.
    """

    numbers: tuple[np.ndarray, ...]
    low: np.ndarray
    high: np.ndarray

    #: So many tell a scale from measurements, and cost little to keep.
    MOST: ClassVar[int] = 256

    @property
    def gaps(self) -> np.ndarray:
        """The mean gap between neighbours of each column: 0 where there is one number, or none."""
        n = np.array([len(numbers) if len(numbers) else self.MOST + 1 for numbers in self.numbers], dtype=np.float64)
        several = (self.high > self.low) & (n > 1)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(several, (self.high - self.low) / np.maximum(n - 1, 1), 0.0)

    def plus(self, other: ColumnGrids) -> ColumnGrids:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        numbers = tuple(self._joined(other, j) for j in range(len(low)))
        return ColumnGrids(numbers, low, high)

    def _joined(self, other: ColumnGrids, j: int) -> np.ndarray:
        mine, theirs = self.numbers[j], other.numbers[j]
        if not (self.low[j] <= self.high[j]) or not (other.low[j] <= other.high[j]):
            return theirs if not (self.low[j] <= self.high[j]) else mine
        joined = np.union1d(mine, theirs) if len(mine) and len(theirs) else np.empty(0)
        return joined if len(joined) <= self.MOST else np.empty(0)


@dataclass(frozen=True)
class ClassMoments:
    """Moments of every column in every class; ``unweighted`` are those of all rows together, each counted once.

    ``grids`` are the different numbers, where a least deviation is read off them.
    """

    moments: Moments
    unweighted: Moments | None = None
    grids: ColumnGrids | None = None

    def plus(self, other: ClassMoments) -> ClassMoments:
        both = None
        if self.unweighted is not None and other.unweighted is not None:
            both = self.unweighted.plus(other.unweighted)
        grids = None
        if self.grids is not None and other.grids is not None:
            grids = self.grids.plus(other.grids)
        return ClassMoments(self.moments.plus(other.moments), both, grids)

    def aligned(self, places: Places) -> ClassMoments:
        return replace(self, moments=self.moments.aligned(places.classes, places.n_classes))

    def scaled(self, factors: np.ndarray) -> ClassMoments:
        f, m = factors[:, None], self.moments
        return replace(self, moments=replace(m, weight=m.weight * f, weight2=m.weight2 * f * f, m2=m.m2 * f))


def together(moments: Moments) -> Moments:
    """The moments of all classes as one."""
    tables = ("weight", "weight2", "mean", "rest", "m2")
    classes = (
        replace(moments, **{name: getattr(moments, name)[k : k + 1] for name in tables})
        for k in range(len(moments.weight))
    )
    return functools.reduce(Moments.plus, classes)


@dataclass(frozen=True)
class SortedCells:
    """The different cells of each column and class, ascending, with their weights.

    Those of column j in class k stand from ``start[j * n_classes + k]`` on. ``weight2`` (class by column) are the
    summed squares of the rows' own weights.
    """

    values: np.ndarray
    weights: np.ndarray
    start: np.ndarray
    weight2: np.ndarray

    def plus(self, other: SortedCells) -> SortedCells:
        groups = np.concatenate([self.groups(), other.groups()])
        values = np.concatenate([self.values, other.values])
        weights = np.concatenate([self.weights, other.weights])
        return sorted_cells(groups, values, weights, self.weight2 + other.weight2)

    def groups(self) -> np.ndarray:
        """Column and class of each value, as one number."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def aligned(self, places: Places) -> SortedCells:
        if np.array_equal(places.classes, np.arange(places.n_classes)):
            return self
        column, old = np.divmod(self.groups(), len(self.weight2))
        groups = column * places.n_classes + places.classes[old]
        return sorted_cells(groups, self.values, self.weights, _placed(self.weight2, places))

    def scaled(self, factors: np.ndarray) -> SortedCells:
        weights = self.weights * factors[self.groups() % len(factors)]
        return replace(self, weights=weights, weight2=self.weight2 * (factors * factors)[:, None])


def sorted_cells(groups: np.ndarray, values: np.ndarray, weights: np.ndarray, weight2: np.ndarray) -> SortedCells:
    """Cells in any order, put in order; equal cells of a group become one with the weight of all."""
    order = np.lexsort((values, groups))
    return in_groups(*merged_cells(groups[order], values[order], weights[order]), weight2)


def merged_cells(
    groups: np.ndarray, values: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells in order of group and value; equal ones as one with the weight of all."""
    new = np.ones(len(groups), dtype=bool)
    new[1:] = (groups[1:] != groups[:-1]) | (values[1:] != values[:-1])
    leading = np.flatnonzero(new)
    summed = np.add.reduceat(weights, leading) if len(leading) else weights
    return groups[leading], values[leading], summed


def in_groups(groups: np.ndarray, values: np.ndarray, weights: np.ndarray, weight2: np.ndarray) -> SortedCells:
    """Cells that are in order and different already."""
    start = np.searchsorted(groups, np.arange(weight2.size + 1))
    return SortedCells(values, weights, start.astype(np.int64), weight2)


def firsts(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each of several parts laid end to end begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
