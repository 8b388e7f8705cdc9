"""Kernel densities: a normal bump on every cell that was seen."""

from __future__ import annotations

from typing import Self

import numpy as np

import margin._core as _core
from margin.base.representations.moments import unit_for
from margin.base.representations.representation import SQUARABLE
from margin.bayes.distributions.distribution import (
    VARIANCE_FLOOR,
    Distribution,
    TrainingCells,
    ascending,
    count_cells,
    threads_for,
)
from margin.bayes.distributions.smoothing import quantiles, unbiased
from margin.bayes.sufficient_statistics import SortedCells

__all__ = ["KernelDensity"]


class KernelDensity(Distribution):
    r"""A normal bump on every cell of the class: densities of any shape (John, Langley 1995).

    The width is Silverman's :math:`0.9 \min(s, \mathrm{IQR}/1.34)\, n^{-1/5}` with the n-1 deviation :math:`s` of the
    class (:math:`s` alone where the quartiles are equal, and never below :math:`\sqrt{10^{-9}}` of the whole column's
    deviation). A class of equal cells takes the width of the whole column, a class without cells all its cells. A
    constant column says nothing; missing cells are left out.
    """

    name = "kernel"

    def count(self, rows: TrainingCells) -> SortedCells:
        return count_cells(rows)

    def learn(self, found: SortedCells, repeats: bool) -> Self:
        n_classes, n_columns = found.weight2.shape
        largest = np.zeros(n_columns)
        np.maximum.at(largest, found.groups() // n_classes, np.abs(found.values))
        self.unit = unit_for(largest)
        self.width, self.constant = np.zeros((n_columns, n_classes)), np.full(n_columns, np.nan)
        blocks = [self._learn_column(found, j, repeats) for j in range(n_columns)]
        values, weights = zip(*(block for column in blocks for block in column), strict=True)
        self.start = np.concatenate([[0], np.cumsum([len(part) for part in values])]).astype(np.int64)
        self.values, self.log_weight = np.concatenate(values), np.log(np.concatenate(weights))
        self.lay_out()
        return self

    def lay_out(self) -> None:
        """What scores are added up from, all of it from widths and units."""
        safe = np.where(self.width > 0, self.width, 1.0)
        self.steep = 0.5 / safe**2
        self.off = -np.log(safe * np.sqrt(2 * np.pi)) - np.log(self.unit)[:, None]
        self._plain = bool((self.unit == 1).all())

    def _learn_column(self, found: SortedCells, j: int, repeats: bool) -> list[tuple[np.ndarray, np.ndarray]]:
        """The bumps of each class and their weights, which add up to 1; none at all for a constant column."""
        n_classes = len(found.weight2)
        start = found.start[j * n_classes : (j + 1) * n_classes + 1]
        values, weights = found.values[start[0] : start[-1]] / self.unit[j], found.weights[start[0] : start[-1]]
        order = ascending(values)
        whole: tuple[np.ndarray, np.ndarray] = (values[order], weights[order])
        spread = _spread(*whole, found.weight2[:, j].sum(), repeats)
        if spread is None:
            self.constant[j] = values[0] if len(values) else np.nan
            return [(np.empty(0), np.empty(0))] * n_classes
        least = np.sqrt(VARIANCE_FLOOR) * _deviation(*whole, found.weight2[:, j].sum(), repeats)
        bumps = []
        for k in range(n_classes):
            part = slice(start[k] - start[0], start[k + 1] - start[0])
            own: tuple[np.ndarray, np.ndarray] = (values[part], weights[part]) if start[k + 1] > start[k] else whole
            width = _spread(*own, found.weight2[k, j], repeats) if start[k + 1] > start[k] else spread
            self.width[j, k] = max(spread if width is None else width, least)
            bumps.append((own[0], own[1] / own[1].sum()))
        return bumps

    def add(self, cells: np.ndarray, scores: np.ndarray) -> bool:
        cells = self._in_units(cells)
        tables = (self.values, self.log_weight, self.start, self.steep.reshape(-1), self.off.reshape(-1))
        return _core.density.add_kernels(cells, *tables, scores, threads_for(scores))

    def _in_units(self, cells: np.ndarray) -> np.ndarray:
        cells = cells.astype(np.float64, copy=False)
        if self._plain:
            return cells
        with np.errstate(over="ignore"):
            return np.clip(cells / self.unit, -SQUARABLE, SQUARABLE)

    def terms(self, cells: np.ndarray) -> np.ndarray:
        row, n_classes = self._in_units(cells)[0], self.width.shape[1]
        terms = np.zeros(self.width.shape)
        for group in np.flatnonzero(np.diff(self.start)):
            j, k = divmod(int(group), n_classes)
            part = slice(self.start[group], self.start[group + 1])
            if not np.isnan(row[j]):
                exponents = self.log_weight[part] - self.steep[j, k] * (row[j] - self.values[part]) ** 2
                terms[j, k] = self.off[j, k] + np.logaddexp.reduce(exponents)
        return terms

    def n_parameters(self) -> int:
        """A place and a weight of every bump, and a width for every class of a column."""
        return 2 * len(self.values) + self.width.size

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One of the bumps by its weight, then a cell from it."""
        n_columns, n_classes = self.width.shape
        drawn = np.empty((len(y), n_columns))
        for j in range(n_columns):
            for k in np.unique(y):
                rows, part = y == k, slice(*self.start[j * n_classes + k :][:2])
                chosen = self.constant[j]
                if part.stop > part.start:
                    reached = np.cumsum(np.exp(self.log_weight[part]))
                    at = np.searchsorted(reached, rng.random(rows.sum()) * reached[-1], side="right")
                    chosen = self.values[part][np.minimum(at, len(reached) - 1)]
                drawn[rows, j] = chosen + self.width[j, k] * rng.standard_normal(rows.sum())
        return drawn * self.unit


def _deviation(values: np.ndarray, weights: np.ndarray, weight2: float, repeats: bool) -> float:
    total = np.atleast_1d(weights.sum())
    mean = (weights * values).sum() / total
    m2 = (weights * (values - mean) ** 2).sum()
    variance = unbiased(total, np.atleast_1d(weight2), np.atleast_1d(m2), repeats)[0]
    return 0.0 if np.isnan(variance) else float(np.sqrt(variance))


def _spread(values: np.ndarray, weights: np.ndarray, weight2: float, repeats: bool) -> float | None:
    """Silverman's width for ascending values; None if they are all equal or none."""
    if not len(values) or values[0] == values[-1]:
        return None
    deviation = _deviation(values, weights, weight2, repeats)
    low, high = quantiles(values, weights, (0.25, 0.75))
    scale = min(deviation, (high - low) / 1.34) if high > low else deviation
    n = weights.sum() if repeats else weights.sum() ** 2 / weight2
    return float(0.9 * scale * n**-0.2) if scale > 0 else None
