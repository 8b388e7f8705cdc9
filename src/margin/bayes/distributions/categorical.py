"""Categories: the shares of the levels of a column in each class."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.cell_survey import Survey
from margin.base.representations.representation import NO_LIMIT
from margin.bayes.distributions.distribution import Distribution, Place, TrainingCells, threads_for
from margin.bayes.distributions.smoothing import log_shares
from margin.bayes.sufficient_statistics import LevelCounts, NumberCounts, firsts
from margin.data.schema import Column

__all__ = ["Categorical", "CategoricalNumbers"]


class Categorical(Distribution):
    r"""Shares of the levels, with ``alpha`` virtual cases for every level:

    :math:`P(v \mid k) = (n_{vk} + \alpha) / (n_k + \alpha L)`, where :math:`n_k` counts the cells that are
    there and :math:`L` the levels of the column. Missing cells are left out. With ``alpha`` 0 a class without a
    single cell in the column takes the shares of all classes together. Every different number of a numeric column is
    a level.
    """

    name = "categorical"

    @classmethod
    def place(cls, column: Column) -> tuple[Place, type[Distribution]] | None:
        return ("numeric", CategoricalNumbers) if column.is_numeric else ("codes", Categorical)

    def count(self, rows: TrainingCells) -> Any:
        first = firsts(rows.n_levels)
        counts = _core.counts.of_columns(rows.cells, first, rows.y, rows.weight, rows.n_classes, parallel.n_threads())
        return LevelCounts(counts, first, rows.at)

    def learn(self, found: Any, repeats: bool) -> Self:
        self.first, self.level_counts = found.first, found.counts
        self.lay_out()
        return self

    def lay_out(self) -> None:
        """The logarithms of the shares that follow from the counts."""
        n_levels = np.diff(self.first)
        column = np.repeat(np.arange(len(n_levels)), n_levels)
        self.log_share = log_shares(self.level_counts, column, n_levels.astype(np.float64), self.alpha)

    def add(self, cells: Any, scores: np.ndarray) -> bool:
        return _core.counts.add_columns(cells, self.first, self.log_share, scores, threads_for(scores))

    def terms(self, cells: Any) -> np.ndarray:
        row = np.array([codes[0] for codes in cells])
        return _picked(self.log_share, self.first, row)

    def n_parameters(self) -> int:
        return int(np.maximum(np.diff(self.first) - 1, 0).sum()) * self.level_counts.shape[1]

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> Any:
        return tuple(_draw_levels(np.exp(self.log_share[start:end]), y, rng) for start, end in pairwise(self.first))


def _picked(log_share: np.ndarray, first: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The log-shares of one row's levels; 0 where there is none."""
    terms = np.zeros((len(row), log_share.shape[1]))
    there = row >= 0
    terms[there] = log_share[first[:-1][there] + row[there]]
    return terms


def _draw_levels(shares: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A level for each row by the shares of its class; -1 where a class has no levels at all."""
    reached = np.cumsum(shares, axis=0)
    if not len(reached):
        return np.full(len(y), -1, dtype=np.int32)
    drawn = rng.random(len(y)) * reached[-1, y]
    found = np.empty(len(y), dtype=np.int32)
    for k in range(shares.shape[1]):
        found[y == k] = np.searchsorted(reached[:, k], drawn[y == k], side="right")
    return np.minimum(found, len(shares) - 1)


class CategoricalNumbers(Categorical):
    """The same for numeric columns, whose different numbers are the levels.

    ``numbered`` takes whole numbers from 0 up as the numbers of categories, so that all up to the largest are levels
    whether they occur or not, and at least ``least`` of them for each column.
    """

    #: Beyond this a whole number is hardly the number of a category.
    MOST = 1 << 20
    takes_bytes = True

    def __init__(self, alpha: Any = 1.0, numbered: bool = False, least: np.ndarray | None = None) -> None:
        super().__init__(alpha)
        self.numbered = numbered
        self.least = least

    def count(self, rows: TrainingCells) -> Any:
        survey = rows.survey
        if survey is None:
            low, high, missing, _ = _core.data.survey(rows.cells, NO_LIMIT, parallel.n_threads())
            survey = Survey(low, high, missing)
            rows = replace(rows, survey=survey)
        low, high = survey.low, survey.high
        n_levels = np.where(low > high, 0, high + 1)
        room = max(1 << 20, 4 * rows.cells.size)
        small = (low >= 0).all() and (n_levels <= self.MOST).all() and n_levels.sum() * rows.n_classes <= room
        if small and _all_whole(rows.cells):
            return _count_whole_numbers(rows, n_levels.astype(np.int64))
        return _count_numbers(rows)

    def learn(self, found: Any, repeats: bool) -> Self:
        if self.numbered:
            found = self._with_all_numbers(found)
        self.values, self.level_counts = found.values, found.counts
        self.lay_out()
        return self

    def lay_out(self) -> None:
        self.first = firsts([len(numbers) for numbers in self.values])
        super().lay_out()
        self._spread_out()

    def _with_all_numbers(self, found: NumberCounts) -> NumberCounts:
        """Categories that no row had, as levels of their own."""
        first, values, counts = found.first, [], []
        for j, numbers in enumerate(found.values):
            least = 0 if self.least is None else int(self.least[j])
            known = found.counts[first[j] : first[j + 1]]
            if _are_category_numbers(numbers, self.MOST):
                wide = np.zeros((max(int(numbers[-1]) + 1 if len(numbers) else 0, least), known.shape[1]))
                wide[numbers.astype(np.intp)] = known
                numbers, known = np.arange(len(wide), dtype=np.float64), wide
            values.append(numbers)
            counts.append(known)
        return NumberCounts(tuple(values), np.concatenate(counts))

    def _spread_out(self) -> None:
        """A table in which the cell itself is the place, if the numbers are small whole ones."""
        self._by_place: tuple[np.ndarray, np.ndarray] | None = None
        tops = [int(numbers[-1]) + 1 if len(numbers) else 0 for numbers in self.values]
        if all(_are_category_numbers(numbers, self.MOST) for numbers in self.values) and sum(tops) <= self.MOST:
            first = firsts(tops)
            table = np.zeros((int(first[-1]), self.log_share.shape[1]))
            for j, numbers in enumerate(self.values):
                table[first[j] + numbers.astype(np.intp)] = self.log_share[self.first[j] : self.first[j + 1]]
            self._by_place = first, table

    def add(self, cells: np.ndarray, scores: np.ndarray) -> bool:
        if self._by_place is not None:
            return _core.counts.add_matrix(cells, *self._by_place, scores, threads_for(scores))
        return super().add(self._codes(cells), scores)

    def _codes(self, cells: np.ndarray) -> list[np.ndarray]:
        return [_codes_among(numbers, cells[:, j]) for j, numbers in enumerate(self.values)]

    def terms(self, cells: np.ndarray) -> np.ndarray:
        return super().terms(self._codes(cells))

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        drawn = super().draw(y, rng)
        columns = [np.append(numbers, np.nan)[codes] for numbers, codes in zip(self.values, drawn)]
        return np.column_stack(columns) if columns else np.empty((len(y), 0))


def _are_category_numbers(numbers: np.ndarray, most: int) -> bool:
    return not len(numbers) or bool(numbers[0] >= 0 and numbers[-1] < most and (numbers == np.floor(numbers)).all())


def _count_whole_numbers(rows: TrainingCells, n_levels: np.ndarray) -> NumberCounts:
    """Counts where the cells themselves are places in a table."""
    first = firsts(n_levels)
    counts = _core.counts.of_matrix(rows.cells, first, rows.y, rows.weight, rows.n_classes, parallel.n_threads())
    seen = np.asarray(counts.any(axis=1))
    values = tuple(np.flatnonzero(seen[start:end]).astype(np.float64) for start, end in pairwise(first))
    return NumberCounts(values, counts[seen])


def _all_whole(cells: np.ndarray) -> bool:
    """Looked at in slices that fit the cache, so that no copy of all cells is made."""
    if cells.dtype.kind != "f":
        return True
    step = max(1, 2**16 // cells.shape[1])
    for at in range(0, len(cells), step):
        part = cells[at : at + step]
        different = part != np.floor(part)
        if different.any() and not np.isnan(part[different]).all():
            return False
    return True


def _count_numbers(rows: TrainingCells) -> NumberCounts:
    values, codes = [], []
    for j in range(rows.cells.shape[1]):
        numbers = np.unique(rows.cells[:, j])
        values.append(numbers[~np.isnan(numbers)].astype(np.float64) + 0.0)
        codes.append(_codes_among(values[-1], rows.cells[:, j]))
    first = firsts([len(numbers) for numbers in values])
    counts = _core.counts.of_columns(codes, first, rows.y, rows.weight, rows.n_classes, parallel.n_threads())
    return NumberCounts(tuple(values), counts)


def _codes_among(numbers: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The place of each cell among ascending numbers, -1 where it is none of them."""
    if not len(numbers):
        return np.full(len(cells), -1, dtype=np.int32)
    at = np.minimum(np.searchsorted(numbers, cells), len(numbers) - 1)
    return np.where(numbers[at] == cells, at, -1).astype(np.int32)
