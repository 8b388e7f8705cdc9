"""The problem that the solvers of linear support vector machines share, and what they give back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["LinearProblem", "LinearSolution", "LinearSolver"]


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
