"""Means and deviations of columns, class by class, of any magnitude, and the sums of two such findings.

Squares of numbers below 1e-160 vanish and those above 1e154 overflow. A column of such numbers is looked at in
another unit, a power of two, in which no digit is lost; all other columns are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

import margin._core as _core
from margin import parallel

__all__ = ["Moments", "column_moments", "moments_from", "sum_of_two", "unit_for"]

# Magnitudes between 2**-300 and 2**300 can be squared and added up a few times over.
ORDINARY_EXPONENT = 300
NO_LIMIT = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Moments:
    """Of each class (row) and column: weight, squared weight, mean and squared deviations.

    ``mean + rest`` is the mean in twice the precision, so that parts may be added up in any order. Of each column:
    the unit in which means and deviations are given, and the smallest and largest cell.

    >>> cells, y = np.array([[1.0], [3.0], [8.0]]), np.zeros(3, dtype=np.int32)
    >>> whole = column_moments(cells, y, None, 1)
    >>> parts = column_moments(cells[:1], y[:1], None, 1).plus(column_moments(cells[1:], y[1:], None, 1))
    >>> whole.mean, whole.m2, parts.mean, parts.m2
    (array([[4.]]), array([[26.]]), array([[4.]]), array([[26.]]))
    """

    weight: np.ndarray
    weight2: np.ndarray
    mean: np.ndarray
    rest: np.ndarray
    m2: np.ndarray
    unit: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def constant(self) -> np.ndarray:
        """Which columns hold one number only."""
        return self.low == self.high

    def plus(self, other: Moments) -> Moments:
        """The moments of both sets of rows together (Chan, Golub, LeVeque 1979)."""
        unit = np.maximum(self.unit, other.unit)
        first, second = self.in_unit(unit), other.in_unit(unit)
        total = first.weight + second.weight
        share = np.divide(second.weight, total, out=np.zeros_like(total), where=total > 0)
        first_mean = np.where(first.weight > 0, first.mean, second.mean)
        first_rest = np.where(first.weight > 0, first.rest, second.rest)
        gap, gap_rest = sum_of_two(second.mean, -first_mean)
        gap_rest = gap_rest + (second.rest - first_rest)
        there = second.weight > 0
        shift = np.where(there, (gap + gap_rest) * share, 0.0)
        mean, rest = sum_of_two(first_mean, shift)
        mean, rest = sum_of_two(mean, rest + first_rest)
        between = np.where(there, (gap + gap_rest) * shift * first.weight, 0.0)
        return Moments(
            total,
            first.weight2 + second.weight2,
            mean,
            rest,
            first.m2 + second.m2 + between,
            unit,
            np.minimum(first.low, second.low),
            np.maximum(first.high, second.high),
        )

    def in_unit(self, unit: np.ndarray) -> Moments:
        """The same moments in another unit."""
        factor = self.unit / unit
        if (factor == 1).all():
            return self
        return replace(self, mean=self.mean * factor, rest=self.rest * factor, m2=self.m2 * factor * factor, unit=unit)

    def aligned(self, classes: np.ndarray, n_classes: int) -> Moments:
        """The same moments with class ``k`` at place ``classes[k]`` of ``n_classes``."""

        def placed(table: np.ndarray) -> np.ndarray:
            wide = np.zeros((n_classes, table.shape[1]))
            wide[classes] = table
            return wide

        tables = {name: placed(getattr(self, name)) for name in ("weight", "weight2", "mean", "rest", "m2")}
        return replace(self, **tables)

    def of_columns(self, at: np.ndarray) -> Moments:
        """The moments of some columns."""
        return Moments(*(getattr(self, name).take(at, axis=-1) for name in self.__dataclass_fields__))


def unit_for(magnitude: ArrayLike) -> np.ndarray:
    """A power of two near each magnitude, or 1 where the magnitude is an ordinary one.

    >>> unit_for(np.array([0.0, 123.0, 2.0**-1000]))
    array([1.00000000e+000, 1.00000000e+000, 1.86652724e-301])
    """
    exponent = np.frexp(magnitude)[1]
    return np.ldexp(1.0, np.where(np.abs(exponent) > ORDINARY_EXPONENT, exponent, 0))


def column_moments(cells: np.ndarray, y: np.ndarray, weight: np.ndarray | None, n_classes: int) -> Moments:
    """Moments of the cells that are there, class by class; a column of one value has no deviation at all."""
    *found, _, _ = _core.data.survey_moments(cells, y, weight, n_classes, NO_LIMIT, parallel.n_threads())
    return moments_from(cells, y, weight, tuple(found))


def moments_from(cells: np.ndarray, y: np.ndarray, weight: np.ndarray | None, found: tuple[np.ndarray, ...]) -> Moments:
    """What the core found, looked at again in other units where the magnitudes are extreme."""
    *tables, low, high = found
    unit = unit_for(np.where(low > high, 0.0, np.maximum(np.abs(low), np.abs(high))))
    if (unit != 1).any():
        n_classes = len(tables[0])
        scaled = cells / unit
        tables[:] = _core.data.survey_moments(scaled, y, weight, n_classes, NO_LIMIT, parallel.n_threads())[:5]
    n, n2, mean, rest, m2 = tables
    constant = low == high
    # The mean of equal numbers is off by a rounding, and what is left would pass for a deviation.
    mean[:, constant] = np.where(n[:, constant] > 0, (low / unit)[constant], 0.0)
    rest[:, constant] = m2[:, constant] = 0.0
    return Moments(n, n2, mean, rest, m2, unit, low, high)


def sum_of_two(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rounded sum and what rounding lost (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)
