"""What discriminant analysis counts: class means and the scatter around them, and how two such findings add up.

Columns of extreme magnitude are looked at in a unit of their own, a power of two; all others in unit 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Places
from margin.base.inputs.arrays import check_memory
from margin.base.representations.moments import sum_of_two, unit_for
from margin.data.weights import cases_per_weight, count_repeats

__all__ = ["Scatter", "measure_scatter"]

# With magnitudes up to 2**±120 even sums of fourth powers keep all their digits.
FOURTH_POWERS = 120


@dataclass(frozen=True)
class Scatter:
    """Sums over the rows of each class (K classes, d columns) around the class means.

    Attributes
    ----------
    weight, weight2
        Sum of the weights and of their squares in each class.
    mean, rest
        The class means (K × d) in twice the precision, ``mean + rest``.
    within, pooled
        Sum of w e e' over the deviations e from the class mean: K × d × d, or 1 × d × d over all classes.
    third, fourth
        Sums of w e_i² e_j and of w e_i² e_j² (K × d × d), where asked for.
    low, high
        The smallest and largest cell of each column, in plain units.
    unit
        The unit of each column in which all sums are given.
    repeats
        Whether all weights are whole numbers, and so stand for repeated rows.
    """

    weight: np.ndarray
    weight2: np.ndarray
    mean: np.ndarray
    rest: np.ndarray
    within: np.ndarray
    third: np.ndarray | None
    fourth: np.ndarray | None
    low: np.ndarray
    high: np.ndarray
    unit: np.ndarray
    repeats: bool
    pooled: bool

    @property
    def varies(self) -> np.ndarray:
        """Which columns hold more than one number."""
        return self.high > self.low

    @property
    def degrees(self) -> np.ndarray:
        """Of each class n - 1; relative weights count as many cases as they are worth, (sum w)² / sum w²."""
        n = self.weight
        one = np.ones_like(n) if self.repeats else np.divide(self.weight2, n, out=np.ones_like(n), where=n > 0)
        left = np.where(n > 0, n - one, 0.0)
        return np.where(left > 1e-12 * n, left, 0.0)

    def cases(self, of: slice = slice(None)) -> float:
        """How many cases the weights of some classes together stand for; all, unless said."""
        n = float(self.weight[of].sum())
        return n * cases_per_weight(n, self.weight2[of].sum(), self.repeats)

    def plus(self, other: Scatter) -> Scatter:
        """The sums of both sets of rows together (Chan, Golub, LeVeque 1979)."""
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        unit = _unit(low, high, self.fourth is not None)
        first, second = self.in_unit(unit), other.in_unit(unit)
        total = first.weight + second.weight
        share = np.divide(second.weight, total, out=np.zeros_like(total), where=total > 0)[:, None]
        gap = np.where(
            (share > 0) & (share < 1), (second.mean - first.mean) + (second.rest - first.rest), 0.0
        )  # a class that one part lacks moves nothing
        mean, rest = sum_of_two(first.mean, first.rest + gap * share)
        mean, rest = np.where(share == 1, second.mean, mean), np.where(share == 1, second.rest, rest)
        parts = [first._around(-gap * share), second._around(gap * (1 - share))]
        within, third, fourth = (None if a is None or b is None else a + b for a, b in zip(*parts))
        repeats = self.repeats and other.repeats
        weight2 = first.weight2 + second.weight2
        assert within is not None
        return Scatter(total, weight2, mean, rest, within, third, fourth, low, high, unit, repeats, self.pooled)

    def moments_around(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Second and fourth sums of all classes together around a point, in units."""
        here = np.where(self.weight[:, None] > 0, (self.mean - point) + self.rest, 0.0)
        within, _, fourth = self._around(here)
        return within.sum(axis=0), None if fourth is None else fourth.sum(axis=0)

    def _around(self, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """The sums when deviations are taken from class mean - gap instead of the class mean."""
        n = self.weight
        root = np.sqrt(n)[:, None] * gap
        if self.pooled:
            return self.within + root.T @ root, None, None
        S = self.within
        moved = S + root[:, :, None] * root[:, None, :]
        if self.third is None or self.fourth is None:
            return moved, None, None
        i, j, n = gap[:, :, None], gap[:, None, :], n[:, None, None]
        square = np.einsum("kii->ki", S)
        square_i, square_j = square[:, :, None], square[:, None, :]
        third = self.third + j * square_i + 2 * i * S + n * i * i * j
        turned = self.third.transpose(0, 2, 1)
        fourth = self.fourth + 2 * (j * self.third + i * turned) + j * j * square_i + i * i * square_j
        return moved, third, fourth + 4 * i * j * S + n * (i * j) ** 2

    def in_unit(self, unit: np.ndarray) -> Scatter:
        """The same sums in other units."""
        factor = self.unit / unit
        if (factor == 1).all():
            return self
        both = factor[:, None] * factor
        return replace(
            self,
            mean=self.mean * factor,
            rest=self.rest * factor,
            within=self.within * factor[:, None] * factor,
            third=None if self.third is None else self.third * factor[:, None] * both,
            fourth=None if self.fourth is None else self.fourth * both * both,
            unit=unit,
        )

    def aligned(self, places: Places) -> Scatter:
        """The same sums with classes and columns at their places in the whole; a new column holds zeros."""

        def by_class(values: np.ndarray) -> np.ndarray:
            placed = np.zeros((places.n_classes, *values.shape[1:]))
            placed[places.classes] = values
            return placed

        def by_column(values: np.ndarray, empty: float = 0.0) -> np.ndarray:
            placed = np.full((*values.shape[:-1], places.n_columns), empty)
            placed[..., places.columns] = values
            return placed

        def square(values: np.ndarray) -> np.ndarray:
            wide = by_column(values)
            return by_column(wide.swapaxes(-1, -2)).swapaxes(-1, -2).copy()

        def squares(values: np.ndarray | None) -> np.ndarray | None:
            return None if values is None else by_class(square(values))

        return Scatter(
            by_class(self.weight),
            by_class(self.weight2),
            by_class(by_column(self.mean)),
            by_class(by_column(self.rest)),
            square(self.within) if self.pooled else by_class(square(self.within)),
            squares(self.third),
            squares(self.fourth),
            by_column(self.low),
            by_column(self.high),
            by_column(self.unit, 1.0),
            self.repeats,
            self.pooled,
        )


def measure_scatter(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, n_classes: int, *, pooled: bool, fourth: bool, who: str
) -> Scatter:
    """Class means and scatter of a matrix in one pass; in two, if some columns are of extreme magnitude."""
    width = X.shape[1] * (2 if fourth else 1)
    check_memory((1 if pooled else n_classes) * width * 3, width, who, "the scatter of the columns")
    found = _core.scatter.scatter(X, y, weight, n_classes, pooled, fourth, parallel.n_threads())
    low, high = found[-2:]
    unit = _unit(low, high, fourth)
    if (unit != 1).any():
        found = _core.scatter.scatter(X / unit, y, weight, n_classes, pooled, fourth, parallel.n_threads())
    n, n2, shift, offset, products = found[:5]
    mean, rest = sum_of_two(shift, offset)
    groups = 1 if pooled else n_classes
    within, third_sums, fourth_sums = _split(products.reshape(groups, width, width), n, offset, fourth)
    repeats = weight is None or count_repeats(weight)
    return Scatter(n, n2, mean, rest, within, third_sums, fourth_sums, low, high, unit, repeats, pooled)


def _split(
    products: np.ndarray, n: np.ndarray, offset: np.ndarray, fourth: bool
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Second, third and fourth sums around the mean; the core gives squares around the point mean - offset."""
    if not fourth:
        return products, None, None
    d = offset.shape[1]
    S = products[:, :d, :d].copy()
    i, j, n = offset[:, :, None], offset[:, None, :], n[:, None, None]
    square = np.einsum("kii->ki", S)
    square_i, square_j = square[:, :, None], square[:, None, :]
    third = products[:, d:, :d] - j * square_i - 2 * i * S - n * i * i * j
    moved = 2 * (j * third + i * third.transpose(0, 2, 1)) + j * j * square_i + i * i * square_j
    return S, third, products[:, d:, d:] - moved - 4 * i * j * S - n * (i * j) ** 2


def _unit(low: np.ndarray, high: np.ndarray, fourth: bool) -> np.ndarray:
    """A power of two for each column; never so small that dividing by it overflows."""
    magnitude = np.where(low > high, 0.0, np.maximum(np.abs(low), np.abs(high)))
    unit = unit_for(magnitude)
    if fourth:
        exponent = np.frexp(magnitude)[1]
        unit = np.ldexp(1.0, np.where(np.abs(exponent) > FOURTH_POWERS, exponent, 0))
    return np.maximum(unit, 2.0**-1000)
