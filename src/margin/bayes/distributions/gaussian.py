"""Normal densities: the means and deviations of a column in each class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import margin._core as _core
from margin.base.representations.moments import column_moments, unit_for
from margin.base.representations.representation import SQUARABLE
from margin.bayes.distributions.distribution import VARIANCE_FLOOR, Distribution, TrainingCells, threads_for
from margin.bayes.distributions.smoothing import safe_ratio, unbiased, whole_column
from margin.bayes.sufficient_statistics import ClassMoments, together

__all__ = ["Gaussian"]


class Gaussian(Distribution):
    r"""A normal density with the class's mean and its n-1 standard deviation.

    A class's variance is at least :math:`10^{-9}` of the column's whole variance; a class with a single case
    takes the whole variance, one without any also the whole mean. A constant column says nothing. Missing cells
    are left out. Means and variances are kept in ``unit``, 1 for all but columns of extreme magnitude.
    With ``smoothing`` it follows scikit-learn instead: variances are divided by n, and that share of the largest
    variance of all columns (of the rows without their weights) is added to each.
    """

    name = "gaussian"
    moments = True

    def __init__(self, alpha: Any = 1.0, smoothing: float | None = None) -> None:
        super().__init__(alpha)
        self.smoothing = smoothing

    def counted_by(self) -> tuple[Any, ...]:
        return (self.smoothing is None,)

    def count(self, rows: TrainingCells) -> ClassMoments:
        moments = None if rows.survey is None else rows.survey.moments
        cells = rows.cells if rows.cells.dtype.kind == "f" else rows.cells.astype(np.float64)
        if moments is None:
            moments = column_moments(cells, rows.y, rows.weight, rows.n_classes)
        if self.smoothing is None:
            return ClassMoments(moments)
        if rows.weight is None:
            return ClassMoments(moments, together(moments))
        return ClassMoments(moments, column_moments(cells, np.zeros_like(rows.y), None, 1))

    def learn(self, found: ClassMoments, repeats: bool) -> Self:
        moments = found.moments
        if self.smoothing is None:
            center, whole = whole_column(moments, repeats)
            variance = unbiased(moments.weight, moments.weight2, moments.m2, repeats)
            self.mean = np.where(moments.weight > 0, moments.mean, center)
            self.variance = np.where(np.isnan(variance), whole, np.maximum(variance, VARIANCE_FLOOR * whole))
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
