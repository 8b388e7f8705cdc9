"""What can be promised of a perceptron before it runs, beside what it then did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.base.readout import shown_in_notebooks
from margin.linear.geometry.class_hulls import ClassDifferences
from margin.linear.geometry.hard_margin import MOST_STEPS, TOLERANCE, largest_margin
from margin.linear.geometry.min_norm import nearest_point
from margin.typing import Encoded, TableLike

__all__ = ["Certificate", "certify", "certify_classes"]


@shown_in_notebooks
@dataclass(frozen=True)
class Certificate:
    r"""Novikoff's bound on the mistakes of a perceptron that starts at 0, and the mistakes made.

    If a unit vector :math:`u` has :math:`y_i\,(u \cdot z_i) \ge \gamma` for all rows, and no row is longer than
    :math:`R`, there are at most :math:`(R/\gamma)^2` mistakes, in whatever order and however often the rows come and
    whatever the step :math:`\eta`. With an intercept a row is :math:`z = (x, 1)`.

    More than two classes have a vector each, all in one of length 1, and :math:`\gamma` is the least by which the score
    of a row's class exceeds the others; a mistake then moves two vectors, and :math:`R` is :math:`\sqrt2` times the
    longest row (Kesler's construction: Duda, Hart 1973, section 5.12).

    Attributes
    ----------
    separable
        Whether there is such a vector; if not, the perceptron makes mistakes without end.
    radius, margin
        R, and the largest γ there is; None where the classes cannot be separated.
    bound
        (R/γ)², or None.
    mistakes
        The updates made.
    direction, intercept
        The vector u that γ was found with: the plane of the hard margin. Of more than two classes, one row and one
        number each.

    References
    ----------
    Novikoff (1962), "On convergence proofs on perceptrons".

    Examples
    --------
    >>> import numpy as np
    >>> print(certify(np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([1, -1]), False, mistakes=1))
    separable: yes
    radius R: 5
    margin γ: 5
    bound (R/γ)²: 1
    mistakes made: 1
    """

    separable: bool
    radius: float
    margin: float | None
    bound: float | None
    mistakes: int
    direction: np.ndarray | None
    intercept: float | np.ndarray | None

    def __str__(self) -> str:
        lines = [f"separable: {'yes' if self.separable else 'no'}", f"radius R: {self.radius:.6g}"]
        if self.separable:
            lines += [f"margin γ: {self.margin:.6g}", f"bound (R/γ)²: {self.bound:.6g}"]
        else:
            lines += ["margin γ: none, no plane separates the classes", "bound (R/γ)²: none, mistakes have no end"]
        return "\n".join([*lines, f"mistakes made: {self.mistakes}"])


def certify(X: TableLike, sign: np.ndarray, intercept: bool, mistakes: int) -> Certificate:
    """The certificate of a run over rows X (a clean matrix or CSR) with classes +1 and -1 that made some mistakes."""
    found = largest_margin(X, np.asarray(sign, dtype=np.float64), intercept)
    if not found.separable:
        return Certificate(False, found.radius, None, None, mistakes, None, None)
    bound = _bound(found.radius, found.margin)
    return Certificate(True, found.radius, found.margin, bound, mistakes, found.direction, found.intercept)


def certify_classes(X: Encoded, y: np.ndarray, n_classes: int, intercept: bool, mistakes: int) -> Certificate:
    """The same for classes 0 … ``n_classes`` - 1 with weights each, which a mistake adds to and takes from."""
    points = ClassDifferences(X, y, n_classes, intercept)
    found = nearest_point(points, TOLERANCE, MOST_STEPS)
    lowest = 0.0 if found.holds_origin else float(points.products(found.plane)[0].min())
    if lowest <= 0:
        return Certificate(False, points.radius, None, None, mistakes, None, None)
    length = float(np.linalg.norm(found.plane))
    margin = lowest / length * points.unit
    W = (found.plane / length).reshape(n_classes, -1)
    direction, at_zero = W[:, : X.shape[1]], W[:, -1] if intercept else np.zeros(n_classes)
    return Certificate(True, points.radius, margin, _bound(points.radius, margin), mistakes, direction, at_zero)


def _bound(radius: float, margin: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.square(np.float64(radius) / margin))
