"""The largest margin that a plane can leave between two classes, with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from margin.base import Numeric
from margin.base.inputs.arrays import row_count
from margin.base.inputs.columns import learn_columns
from margin.base.inputs.observed_levels import keep_observed_levels
from margin.base.representations.representation import TrainingRows
from margin.base.targets.labels import encode_labels
from margin.data.table import Table
from margin.errors import LabelError, ParameterError
from margin.linear.geometry.class_hulls import HullDifferences, SignedRows
from margin.linear.geometry.min_norm import Nearest, nearest_point
from margin.typing import Encoded, LabelsLike, TableLike

__all__ = ["HardMargin", "hard_margin", "largest_margin", "widest_gap"]

# The two bounds of the margin are brought together to this share of it, and rows this near to it are on it.
TOLERANCE, NEAR = 1e-10, 1e-7
# A weight of a proof that is mere rounding.
NOTHING = 1e-14
# More steps than this are never needed for data of a size that one would ask about.
MOST_STEPS = 100_000


@dataclass(frozen=True)
class HardMargin:
    """The plane that keeps the largest distance from all rows of two classes.

    Attributes
    ----------
    separable
        Whether there is a plane with both classes on its two sides, none of their rows on it.
    margin
        The distance γ that ``direction`` and ``intercept`` keep; 0 if the classes cannot be separated.
    upper_bound
        No plane keeps a larger distance. The two agree within rounding.
    radius
        The largest length R of a row; with its constant 1, where the plane goes through the origin that way.
    direction, intercept
        The plane's unit normal, towards the second class. Through the origin of the rows with a constant 1 after them,
        the two together have length 1; otherwise the direction alone.
    rows
        The rows on the margin; if the classes cannot be separated, those of the proof.
    weights
        The proof: with these weights, the rows (turned to one side by the sign of their class) add up to a vector
        no longer than ``upper_bound``, and a unit vector's smallest product with them can be no larger. That is the
        zero vector where the classes cannot be separated. Where the plane need not go through the origin, the weights
        of each class add up to 1, and what is left between the two sums is twice ``upper_bound``.
    """

    separable: bool
    margin: float
    upper_bound: float
    radius: float
    direction: np.ndarray
    intercept: float
    rows: np.ndarray
    weights: np.ndarray

    def __str__(self) -> str:
        if not self.separable:
            return (
                f"No plane separates the classes: a combination of {len(self.rows)} rows of both has length "
                f"{self.upper_bound:.3g}."
            )
        return f"A plane separates the classes with margin {self.margin:.6g}, and {len(self.rows)} rows on it."


def hard_margin(X: TableLike, y: LabelsLike, *, intercept: bool = True, through_origin: bool = True) -> HardMargin:
    r"""The largest margin of a plane between two classes: :math:`\gamma = \max_{\|w\|=1} \min_i y_i\, w \cdot z_i`.

    It is the length of the shortest vector in the convex hull of the points :math:`y_i z_i`, found exactly by Wolfe's
    method; a step costs one look at the rows that are near the plane, and now and then one at all rows.

    Parameters
    ----------
    X, y
        Rows and labels of two classes; the second in sorted order is the positive one.
    intercept
        Whether the plane may be anywhere, or must go through the origin of the columns.
    through_origin
        With an intercept: True measures the margin among the rows with a constant 1 after them, :math:`z = (x, 1)`,
        where the plane goes through the origin; this is the margin of the perceptron's mistake bound
        :math:`(R/\gamma)^2`. False measures it among the rows themselves, which is half the distance of the two
        hulls and the :math:`1/\|w\|` of the support vector machine with a hard margin.

    References
    ----------
    Wolfe (1976), "Finding the nearest point in a polytope". Novikoff (1962). Vapnik (1982).

    Examples
    --------
    >>> found = hard_margin([[0, 0], [0, 1], [4, 0], [4, 1]], ["left", "left", "right", "right"], through_origin=False)
    >>> found.margin, found.direction.tolist(), found.intercept
    (2.0, [1.0, 0.0], -2.0)
    >>> print(hard_margin([[0], [1], [2]], ["a", "b", "a"]))
    No plane separates the classes: a combination of 3 rows of both has length 0.
    """
    who = "hard_margin"
    for name, value in (("intercept", intercept), ("through_origin", through_origin)):
        if not isinstance(value, bool | np.bool_):
            raise ParameterError(f"{who}({name}={value!r}): {name} must be True or False.")
    if not (intercept or through_origin):
        raise ParameterError(
            f"{who}(intercept=False, through_origin=False): without an intercept the plane goes through the origin."
        )
    columns, source = learn_columns(X, who, False, Numeric().largest)
    classes, codes = encode_labels(y, row_count(source), who)
    if len(classes) != 2:
        raise LabelError(f"{who}: y must hold two classes, but holds {len(classes)}.")
    if isinstance(source, Table):
        columns, source = keep_observed_levels(columns, source)
    form = Numeric(sparse=True, keep_float32=True, largest=1e100)
    matrix = form.learn(columns, TrainingRows(source, row_count(source), None, None), who).data
    sign = np.where(codes == 1, 1.0, -1.0)
    return largest_margin(matrix, sign, bool(intercept)) if through_origin else widest_gap(matrix, sign)


def largest_margin(
    X: Encoded, sign: np.ndarray, intercept: bool, tol: float = TOLERANCE, max_iter: int = MOST_STEPS
) -> HardMargin:
    """The largest margin of a plane through the origin of the rows, with a constant 1 after each for an intercept.

    X is a clean matrix (float64, float32 or CSR), ``sign`` the class of each row as +1 or -1. If ``max_iter`` steps are
    not enough, ``margin`` and ``upper_bound`` are still what they say.
    """
    points = SignedRows(X, sign, intercept)
    found = nearest_point(points, tol, max_iter)
    values = np.zeros(len(sign)) if found.holds_origin else points.products(found.plane)
    lowest = float(values.min())
    if lowest <= 0:
        refused = _not_separable(points.radius, points.unit, X.shape[1], found, found.keys, found.weights)
        return _by_the_gap(X, sign, refused) if intercept and (sign != sign[0]).any() else refused
    length = float(np.linalg.norm(found.plane))
    unit = found.plane / length
    rows = np.union1d(np.flatnonzero(values <= lowest + NEAR), found.keys)
    return HardMargin(
        True,
        lowest / length * points.unit,
        max(1.0, lowest) / length * points.unit,
        points.radius,
        unit[: X.shape[1]],
        float(unit[-1]) if intercept else 0.0,
        rows,
        _weights_at(rows, found.keys, found.weights),
    )


def widest_gap(X: Encoded, sign: np.ndarray, tol: float = TOLERANCE, max_iter: int = MOST_STEPS) -> HardMargin:
    """The largest margin of a plane anywhere: half the distance between the hulls of both classes.

    As :func:`largest_margin`; there must be rows of both signs.
    """
    pairs = HullDifferences(X, sign)
    found = nearest_point(pairs, tol, max_iter)
    keys = [row for pair in found.keys for row in pair]
    weights = np.repeat(found.weights, 2)
    radius = float(SignedRows(X, sign, False).radius)
    if found.holds_origin:
        return _not_separable(radius, pairs.rows.unit, X.shape[1], found, keys, weights)
    products = sign * pairs.rows.products(found.plane)
    low, high = float(products[sign < 0].max()), float(products[sign > 0].min())
    if high <= low:
        return _not_separable(radius, pairs.rows.unit, X.shape[1], found, keys, weights)
    length, unit = float(np.linalg.norm(found.plane)), pairs.rows.unit
    direction = found.plane / length
    center = pairs.rows.center
    offset = -(low + high) / 2 / length * unit - (0.0 if center is None else float(direction @ center))
    values = sign * (products - (low + high) / 2)
    rows = np.union1d(np.flatnonzero(values <= values.min() + NEAR), keys)
    half = (high - low) / 2
    return HardMargin(
        True,
        half / length * unit,
        max(1.0, half) / length * unit,
        radius,
        direction,
        offset + 0.0,
        rows,
        _weights_at(rows, keys, weights),
    )


def _not_separable(
    radius: float, unit: float, width: int, found: Nearest, keys: list[int], weights: np.ndarray
) -> HardMargin:
    length = 0.0 if found.holds_origin else unit / float(np.linalg.norm(found.plane))
    needed = weights > NOTHING
    keys, weights = np.asarray(keys)[needed].tolist(), weights[needed]
    rows = np.unique(keys)
    return HardMargin(False, 0.0, length, radius, np.zeros(width), 0.0, rows, _weights_at(rows, keys, weights))


def _by_the_gap(X: Encoded, sign: np.ndarray, refused: HardMargin) -> HardMargin:
    """The plane of the widest gap, where there is one too narrow to be seen beside the constant 1."""
    gap = widest_gap(X, sign)
    if not gap.separable:
        return refused
    length = float(np.hypot(1.0, gap.intercept))
    return replace(
        gap,
        margin=gap.margin / length,
        upper_bound=max(refused.upper_bound, gap.margin / length),
        radius=refused.radius,
        direction=gap.direction / length,
        intercept=gap.intercept / length,
    )


def _weights_at(rows: np.ndarray, keys: list[int], weights: np.ndarray) -> np.ndarray:
    """The weights of some rows; a row that is there more than once has the sum of its weights."""
    found = np.zeros(len(rows))
    np.add.at(found, np.searchsorted(rows, keys), weights)
    return found
