"""What can be promised of a perceptron before it runs, beside what it then did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.linear.hard_margin import largest_margin

__all__ = ["Certificate", "certify"]


@dataclass(frozen=True)
class Certificate:
    r"""Novikoff's bound on the mistakes of a perceptron that starts at 0, and the mistakes made.

    If a unit vector :math:`u` has :math:`y_i\,(u \cdot z_i) \ge \gamma` for all rows, and no row is longer than
    :math:`R`, there are at most :math:`(R/\gamma)^2` mistakes, in whatever order and however often the rows come and
    whatever the step :math:`\eta`. With an intercept a row is :math:`z = (x, 1)`.

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
        The vector u that γ was found with: the plane of the hard margin.

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
    intercept: float | None

    def __str__(self) -> str:
        lines = [f"separable: {'yes' if self.separable else 'no'}", f"radius R: {self.radius:.6g}"]
        if self.separable:
            lines += [f"margin γ: {self.margin:.6g}", f"bound (R/γ)²: {self.bound:.6g}"]
        else:
            lines += ["margin γ: none, no plane separates the classes", "bound (R/γ)²: none, mistakes have no end"]
        return "\n".join([*lines, f"mistakes made: {self.mistakes}"])


def certify(X: Any, sign: np.ndarray, intercept: bool, mistakes: int) -> Certificate:
    """The certificate of a run over rows X (a clean matrix or CSR) with classes +1 and -1 that made some mistakes."""
    found = largest_margin(X, np.asarray(sign, dtype=np.float64), intercept)
    if not found.separable:
        return Certificate(False, found.radius, None, None, mistakes, None, None)
    with np.errstate(over="ignore"):
        bound = float(np.square(found.radius / found.margin))
    return Certificate(True, found.radius, found.margin, bound, mistakes, found.direction, found.intercept)
