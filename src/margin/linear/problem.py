"""The problem that the solvers of logistic regression share, and what they give back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Problem", "Solution", "Solver"]


@dataclass(frozen=True)
class Problem:
    r"""Penalised cross-entropy over weights w (one row per score) and intercepts b:

    .. math:: \frac1S \sum_i s_i\, \ell(y_i, W x_i + b)
        + \tfrac12 \lambda_2 \lVert W\rVert^2 + \lambda_1 \lVert W\rVert_1

    with S the sum of the weights s. Two classes have one score, the log-odds of the second against the first; more
    have one each (softmax). Intercepts are not penalised.

    Attributes
    ----------
    X
        n × d rows: a C-contiguous array of float64 or float32 (never converted), or canonical CSR of float64 or float32
        with int32 or int64 indices.
    y
        Classes as int32 codes 0 … ``n_classes`` - 1; every class may be absent.
    weight
        How much each row counts (float64, above 0), class weights included; None where every row counts once.
    l1, l2
        The penalties λ₁ and λ₂ of the mean loss: with scikit-learn's C, ``l1_ratio / (C S)`` and
        ``(1 - l1_ratio) / (C S)``; 0 for none.
    intercept
        Whether there are intercepts; otherwise they are 0.
    """

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    n_classes: int
    l1: float
    l2: float
    intercept: bool

    @property
    def n_scores(self) -> int:
        """Rows of coefficients: one for two classes, else one per class."""
        return 1 if self.n_classes <= 2 else self.n_classes

    @property
    def total(self) -> float:
        """S, the sum of the weights."""
        return float(self.X.shape[0]) if self.weight is None else float(self.weight.sum())

    @property
    def is_sparse(self) -> bool:
        """Whether X is CSR."""
        return not isinstance(self.X, np.ndarray)

    @property
    def is_penalised(self) -> bool:
        """Whether large coefficients cost anything."""
        return self.l1 > 0 or self.l2 > 0

    def penalty(self, coef: np.ndarray) -> float:
        """What the coefficients cost: λ₂/2 ‖W‖² + λ₁ ‖W‖₁."""
        return float(0.5 * self.l2 * np.vdot(coef, coef) + self.l1 * np.abs(coef).sum())


@dataclass(frozen=True)
class Solution:
    """Coefficients (``n_scores`` × d) and intercepts, both float64, and how the solver came to them.

    ``gradient_norm`` is the largest component of the (sub)gradient of smallest size at the solution, of the mean
    objective of :class:`Problem`; ``converged`` says whether the tolerance was met within the iterations allowed.
    """

    coef: np.ndarray
    intercept: np.ndarray
    objective: float
    gradient_norm: float
    n_iter: int
    converged: bool


#: ``solver(problem, start, tol, max_iter)``; ``start`` holds coefficients and intercepts to begin with, or is None.
#: It stops when ``gradient_norm <= tol``.
Solver = Callable[[Problem, "tuple[np.ndarray, np.ndarray] | None", float, int], Solution]
