"""Means and deviations of columns of any magnitude.

Squares of numbers below 1e-160 vanish and those above 1e154 overflow. A column of such numbers is looked at in
another unit, a power of two, in which no digit is lost; all other columns are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

import margin._core as _core
from margin import parallel

__all__ = ["Moments", "column_moments", "unit_for"]

# Magnitudes between 2**-300 and 2**300 can be squared and added up a few times over.
ORDINARY_EXPONENT = 300


@dataclass(frozen=True)
class Moments:
    """Of each class (row) and column: weight, squared weight, mean and squared deviations.

    Of each column: the unit in which mean and deviations are given, and whether all its cells are equal.
    """

    weight: np.ndarray
    weight2: np.ndarray
    mean: np.ndarray
    m2: np.ndarray
    unit: np.ndarray
    constant: np.ndarray


def unit_for(magnitude: ArrayLike) -> np.ndarray:
    """A power of two near each magnitude, or 1 where the magnitude is an ordinary one.

    >>> unit_for(np.array([0.0, 123.0, 2.0**-1000]))
    array([1.00000000e+000, 1.00000000e+000, 1.86652724e-301])
    """
    exponent = np.frexp(magnitude)[1]
    return np.ldexp(1.0, np.where(np.abs(exponent) > ORDINARY_EXPONENT, exponent, 0))


def column_moments(cells: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int) -> Moments:
    """Moments of the cells that are there, class by class; a column of one value has no deviation at all."""
    low, high = _core.data.ranges(cells, parallel.n_threads())
    empty = low > high
    unit = unit_for(np.where(empty, 0.0, np.maximum(np.abs(low), np.abs(high))))
    if (unit != 1).any():
        cells = cells / unit
    n, n2, mean, m2 = _core.data.moments(cells, y, weight, n_classes, parallel.n_threads())
    constant = low == high
    # The mean of equal numbers is off by a rounding, and what is left would pass for a deviation.
    mean[:, constant] = np.where(n[:, constant] > 0, (low / unit)[constant], 0.0)
    m2[:, constant] = 0.0
    return Moments(n, n2, mean, m2, unit, constant)
