"""Intervals: numbers cut where the classes change, and the shares of the intervals in each class."""

from __future__ import annotations

from typing import Self

import numpy as np

import margin._core as _core
from margin.bayes.distributions.categorical import Categorical
from margin.bayes.distributions.distribution import Distribution, Place, TrainingCells, ascending, count_cells
from margin.bayes.sufficient_statistics import SortedCells, firsts
from margin.data.schema import Column

__all__ = ["MdlIntervals"]


class MdlIntervals(Categorical):
    r"""Shares of intervals, cut where that shortens the description of the classes (Fayyad, Irani 1993).

    Intervals are levels with ``alpha`` virtual cases each, :math:`P(v \mid k) = (n_{vk} + \alpha) / (n_k + \alpha L)`.
    A number belongs below a cut c if :math:`x \le c`; whatever lies beyond all numbers of the training rows is in the
    first or the last interval. A column in which no cut pays has one interval and says nothing; missing cells are left
    out. Weights that do not stand for repeated rows are put on the scale at which they count as many cases as they are
    worth before cuts are priced. New cells lie evenly between the smallest and the largest number of their interval.
    """

    name = "mdl"

    @classmethod
    def place(cls, column: Column) -> tuple[Place, type[Distribution]] | None:
        return ("numeric", cls) if column.is_numeric else None

    def count(self, rows: TrainingCells) -> SortedCells:
        return count_cells(rows)

    def learn(self, found: SortedCells, repeats: bool) -> Self:
        n_columns = found.weight2.shape[1]
        columns = [_cut_column(found, j, repeats) for j in range(n_columns)]
        cuts, counts, low, high = zip(*columns, strict=True)
        self.cuts = tuple(cuts)
        self.level_counts = np.concatenate(counts)
        self.low, self.high = np.concatenate(low), np.concatenate(high)
        self.lay_out()
        return self

    def lay_out(self) -> None:
        self.first = firsts([len(cuts) + 1 for cuts in self.cuts])
        super().lay_out()

    def add(self, cells: np.ndarray, scores: np.ndarray) -> bool:
        return super().add(self._codes(cells), scores)

    def terms(self, cells: np.ndarray) -> np.ndarray:
        return super().terms(self._codes(cells))

    def _codes(self, cells: np.ndarray) -> list[np.ndarray]:
        return [_interval_of(cuts, cells[:, j].astype(np.float64)) for j, cuts in enumerate(self.cuts)]

    def n_parameters(self) -> int:
        """The cuts, and one share less than there are intervals in each class."""
        return super().n_parameters() + sum(map(len, self.cuts))

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        at = np.column_stack(super().draw(y, rng)) + self.first[:-1]
        share = rng.random(at.shape)
        return self.low[at] * (1 - share) + self.high[at] * share  # high - low might be beyond all doubles


def _cut_column(found: SortedCells, j: int, repeats: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cuts of a column; of each of its intervals the weight in each class, and its smallest and largest number."""
    n_classes = len(found.weight2)
    start = found.start[j * n_classes : (j + 1) * n_classes + 1]
    values, weights = found.values[start[0] : start[-1]], found.weights[start[0] : start[-1]]
    y = np.repeat(np.arange(n_classes, dtype=np.int32), np.diff(start))
    order = ascending(values)
    order = order[weights[order] > 0]  # class weights may leave a class none
    if not len(order):
        return np.empty(0), np.zeros((1, n_classes)), np.array([np.nan]), np.array([np.nan])
    values, weights, y = values[order], weights[order], y[order]
    worth = 1.0 if repeats else weights.sum() / found.weight2[:, j].sum()
    cuts = _core.tree.mdl_cuts(values, y, weights * worth, n_classes)
    at = _interval_of(cuts, values)
    counts = np.bincount(at * np.int64(n_classes) + y, weights, (len(cuts) + 1) * n_classes)
    first = np.searchsorted(at, np.arange(len(cuts) + 2))
    return cuts, counts.reshape(-1, n_classes), values[first[:-1]], values[first[1:] - 1]


def _interval_of(cuts: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The number of the interval of each cell, -1 where it is missing."""
    return np.where(np.isnan(cells), -1, np.searchsorted(cuts, cells, "left")).astype(np.int32)
