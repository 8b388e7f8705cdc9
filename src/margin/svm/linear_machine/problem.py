"""The problem that the solvers of linear support vector machines share, and what they give back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import margin._core as _core

__all__ = ["LinearProblem", "LinearSolution", "LinearSolver", "TubeProblem"]


@dataclass(frozen=True, eq=False)
class LinearProblem:
    r"""For each score k by itself, over its weights w and intercept b:

    .. math:: \min\; \tfrac12 \lVert w\rVert^2 + \sum_i c_i\, \ell(s_{ik}\,(w \cdot x_i + b)), \qquad
        \ell(m) = \max(0, 1 - m) \text{ or } \max(0, 1 - m)^2

    with the sign :math:`s_{ik} = 1` for the rows of class ``target[k]`` and -1 for the others, or with
    :math:`\lVert w\rVert_1` where ``l1``. Intercepts are not penalised.

    Attributes
    ----------
    X
        n × d rows: a C-contiguous array of float64 or float32 (never converted), or canonical CSR.
    y
        Classes as int32 codes.
    target
        The class that each score tells from the others (int32).
    bound
        c of each row (float64, above 0), or one number for all.
    squared
        Whether the hinge is squared.
    intercept
        Whether there are intercepts; otherwise they are 0.
    """

    X: Any
    y: np.ndarray
    target: np.ndarray
    bound: np.ndarray | float
    squared: bool
    intercept: bool
    l1: bool = False

    @property
    def is_sparse(self) -> bool:
        """Whether X is CSR."""
        return not isinstance(self.X, np.ndarray)

    @property
    def bounds(self) -> np.ndarray:
        """c of each row."""
        return np.full(len(self.y), self.bound) if isinstance(self.bound, float) else self.bound

    def signs(self, k: int) -> np.ndarray:
        """The sign of each row in score k."""
        return np.where(self.y == self.target[k], 1.0, -1.0)

    #: The share of a row, in units of its bound, before anything is known of it.
    middle = 0.5

    def bends(self, share: np.ndarray, rounded: bool) -> np.ndarray:
        """Rows whose share moves with their score: inside the margin, or on a corner that is rounded off."""
        return (share > 0) & (share < 1) if rounded else share > 0

    def pass_over(self, coef: np.ndarray, intercept: np.ndarray, *how: Any) -> tuple[Any, ...]:
        """One pass over dense rows: ``_core.svm.margin_pass``."""
        return _core.svm.margin_pass(self.X, self.y, *self._prices(), self.target, coef, intercept, *how)

    def descend(self, *how: Any) -> tuple[Any, ...]:
        """Coordinate descent on the dual: ``_core.svm.linear_dual``."""
        if self.is_sparse:
            return _core.svm.linear_dual_csr(*self._stored(), self.y, self.bounds, self.target, self.squared, *how)
        return _core.svm.linear_dual(self.X, self.y, self.bounds, self.target, self.squared, *how)

    def _prices(self) -> tuple[np.ndarray | None, float]:
        return (None, self.bound) if isinstance(self.bound, float) else (self.bound, 1.0)

    def _stored(self) -> tuple[Any, Any, Any, int]:
        return self.X.data, self.X.indices, self.X.indptr, self.X.shape[1]


@dataclass(frozen=True, eq=False)
class TubeProblem(LinearProblem):
    r"""The same for a quantity :math:`y` and one score f, without signs:

    .. math:: \min\; \tfrac12 \lVert w\rVert^2 + \sum_i c_i\, \ell(|y_i - f(x_i)| - t), \qquad
        \ell(r) = \max(0, r) \text{ or } \max(0, r)^2

    ``y`` is float64 and of about the size of 1, which is the unit in which the solvers round; ``target`` has one entry
    that says nothing. A share is above 0 where a row pulls the score up, and below 0 where it pulls it down.
    """

    tube: float = 0.0

    middle = 0.0

    def bends(self, share: np.ndarray, rounded: bool) -> np.ndarray:
        """Rows outside of the tube, or on a corner that is rounded off; without a tube 0 is no corner."""
        size = np.abs(share)
        outside = size > 0 if self.tube > 0 else size >= 0
        return outside & (size < 1) if rounded else outside

    def pass_over(self, coef: np.ndarray, intercept: np.ndarray, *how: Any) -> tuple[Any, ...]:
        return _core.svm.tube_pass(self.X, self.y, *self._prices(), self.tube, coef, intercept, *how)

    def descend(self, *how: Any) -> tuple[Any, ...]:
        if self.is_sparse:
            return _core.svm.tube_dual_csr(*self._stored(), self.y, self.bounds, self.tube, self.squared, *how)
        return _core.svm.tube_dual(self.X, self.y, self.bounds, self.tube, self.squared, *how)


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """Coefficients (one row per score) and intercepts, and for each score how near the optimum they are.

    ``primal`` is the objective, ``dual`` a lower bound of its minimum.
    """

    coef: np.ndarray
    intercept: np.ndarray
    primal: np.ndarray
    dual: np.ndarray
    n_iter: int
    converged: bool


#: ``solver(problem, tol, max_iter)``; it stops when primal - dual <= tol primal for every score.
LinearSolver = Callable[[LinearProblem, float, int], LinearSolution]
