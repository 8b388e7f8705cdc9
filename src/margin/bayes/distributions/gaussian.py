"""Normal densities: the means and deviations of a column in each class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.cell_survey import Survey
from margin.base.representations.moments import column_moments, unit_for
from margin.base.representations.representation import NO_LIMIT, SQUARABLE
from margin.bayes.distributions.distribution import VARIANCE_FLOOR, Distribution, TrainingCells, threads_for
from margin.bayes.distributions.smoothing import pooled_variance, safe_ratio, unbiased, whole_column
from margin.bayes.sufficient_statistics import ClassMoments, ColumnGrids, together

__all__ = ["LEAST_DEVIATION", "Gaussian"]


#: Of a mean gap: three deviations reach from a number to where its neighbour's begin.
LEAST_DEVIATION = 1 / 6


class Gaussian(Distribution):
    r"""A normal density with the class's mean and its n-1 standard deviation.

    A class's deviation is at least ``least`` times the mean gap between the column's different numbers (of at most 256;
    more are taken for 257), unless the classes vary less than that on average: what is written in steps cannot vary
    less than they tell, and a class that happens to be constant would otherwise win by an endlessly high density.
    Beyond that its variance is at least :math:`10^{-9}` of the column's whole variance; a class with a single case
    takes the whole variance, one without any also the whole mean. A constant column says nothing. Missing cells
    are left out. Means and variances are kept in ``unit``, 1 for all but columns of extreme magnitude.
    With ``smoothing`` it follows scikit-learn instead: variances are divided by n, and that share of the largest
    variance of all columns (of the rows without their weights) is added to each.
    """

    name = "gaussian"
    moments = True

    def __init__(self, alpha: Any = 1.0, smoothing: float | None = None, least: float = LEAST_DEVIATION) -> None:
        super().__init__(alpha)
        self.smoothing = smoothing
        self.least = least

    def counted_by(self) -> tuple[Any, ...]:
        return (self.smoothing is None,)

    def count(self, rows: TrainingCells) -> ClassMoments:
        moments = None if rows.survey is None else rows.survey.moments
        cells = rows.cells if rows.cells.dtype.kind == "f" else rows.cells.astype(np.float64)
        if moments is None:
            moments = column_moments(cells, rows.y, rows.weight, rows.n_classes)
        if self.smoothing is None:
            return ClassMoments(moments, grids=_grids(cells, rows.survey))
        if rows.weight is None:
            return ClassMoments(moments, together(moments))
        return ClassMoments(moments, column_moments(cells, np.zeros_like(rows.y), None, 1))

    def learn(self, found: ClassMoments, repeats: bool) -> Self:
        moments = found.moments
        if self.smoothing is None:
            center, whole = whole_column(moments, repeats)
            variance = unbiased(moments.weight, moments.weight2, moments.m2, repeats)
            self.mean = np.where(moments.weight > 0, moments.mean, center)
            pooled = pooled_variance(moments, repeats)
            least = np.minimum(self._least_variance(found.grids, moments.unit, whole), pooled)
            self.floor = np.maximum(least, VARIANCE_FLOOR * whole)
            self.variance = np.maximum(np.where(np.isnan(variance), whole, variance), self.floor)
        else:
            deviation = self._largest_deviation(found)
            self.epsilon = self.smoothing * deviation**2
            if self.smoothing > 0:  # what is added must not overflow in the unit of a column of tiny numbers
                moments = moments.in_unit(np.maximum(moments.unit, unit_for(deviation)))
            self.mean = moments.mean
            added = self.smoothing * (deviation / moments.unit) ** 2
            self.variance = safe_ratio(moments.m2, moments.weight, 0.0) + added
        self.unit = moments.unit
        self.lay_out()
        return self

    def _least_variance(self, grids: ColumnGrids | None, unit: np.ndarray, whole: np.ndarray) -> np.ndarray | float:
        """Of each column in its unit; 0 where it is constant, or where its numbers were not kept."""
        if grids is None or self.least == 0:
            return 0.0
        with np.errstate(over="ignore"):
            return np.where(whole > 0, np.minimum((self.least * (grids.gaps / unit)) ** 2, SQUARABLE), 0.0)

    def at_least(self) -> np.ndarray:
        """The least deviation of each column (columns) where a class (rows) has no more; 0 elsewhere."""
        floor = vars(self).get("floor")
        if floor is None:
            return np.zeros_like(self.variance)
        return np.where((self.variance == floor) & (floor > 0), np.sqrt(floor) * self.unit, 0.0)

    def lay_out(self) -> None:
        """What scores are added up from, all of it from means, variances and units."""
        says_something = self.variance > 0
        safe = np.where(says_something, self.variance, 1.0)
        self.steep = np.where(says_something, 0.5 / safe, 0.0)
        self.off = np.where(says_something, -0.5 * np.log(2 * np.pi * safe) - np.log(self.unit), 0.0)
        self.peak = self.off.sum(axis=1)
        self._plain = bool((self.unit == 1).all())

    def _largest_deviation(self, found: ClassMoments) -> float:
        assert found.unweighted is not None
        rows = found.unweighted
        return float((np.sqrt(safe_ratio(rows.m2[0], rows.weight[0], 0.0)) * rows.unit).max())

    def add(self, cells: np.ndarray, scores: np.ndarray) -> bool:
        cells = cells if self._plain and cells.dtype.kind == "f" else self._in_units(cells)
        return _core.bayes.add_normal(cells, self.mean, self.steep, self.off, self.peak, scores, threads_for(scores))

    def terms(self, cells: np.ndarray) -> np.ndarray:
        row = cells[0].astype(np.float64)
        with np.errstate(over="ignore"):
            terms = self.off - self.steep * (self._in_units(row) - self.mean) ** 2
        return np.where(np.isnan(row), 0.0, terms).T

    def n_parameters(self) -> int:
        return 2 * self.mean.size

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        noise = rng.standard_normal((len(y), self.mean.shape[1]))
        return (self.mean[y] + np.sqrt(self.variance[y]) * noise) * self.unit

    def _in_units(self, cells: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.clip(cells / self.unit, -SQUARABLE, SQUARABLE)


def _grids(cells: np.ndarray, survey: Survey | None) -> ColumnGrids:
    if survey is None:
        low, high, _, _ = _core.data.survey(cells, NO_LIMIT, parallel.n_threads())
    else:
        low, high = survey.low, survey.high
    numbers = _core.data.distinct(cells, ColumnGrids.MOST, parallel.n_threads())
    return ColumnGrids(tuple(numbers), low, high)
