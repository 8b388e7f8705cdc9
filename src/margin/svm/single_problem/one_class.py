"""The machine of one class: where most of the rows are, and what lies outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from margin import params
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import whole_or_not_at_all
from margin.base.sklearn_classes import OutlierMixin
from margin.params import Count, Jobs, Positive
from margin.svm.kernel_machine.dual import SignedProblem
from margin.svm.kernel_machine.kernel_estimator import Iterations, KernelName, Number
from margin.svm.kernel_machine.nu_margin import VIOLATION, filled_up
from margin.svm.kernel_machine.nu_svc import Share
from margin.svm.single_problem.single_model import SingleKernelModel, Solved
from margin.typing import Encoded, TableLike, WeightsLike

__all__ = ["EDGE", "OneClassSVM"]

# Rows nearer to the edge than this share of the offset are on it: free support vectors are, but for rounding.
EDGE = 1e-9


class OneClassSVM(OutlierMixin, SingleKernelModel):
    r"""Support vector machine of one class: the region where all but a share :math:`\nu` of the rows are.

    .. math:: \min_{w, \rho}\ \tfrac12\|w\|^2 - \nu W \rho + \sum_i w_i \max(0, \rho - w \cdot \varphi(x_i))

    with row weights :math:`w_i`, W in all. Rows whose decision :math:`w \cdot \varphi(x) - \rho` is not below 0 are
    answered 1, the others -1. At most a share :math:`\nu` of the training rows is outside, and at least as many are
    support vectors. It needs no labels; ``fit`` takes a ``y`` and does not look at it.

    With the default kernel it is an estimate of where rows are dense. Distances need columns of like size
    (``scale="standard"``).

    Parameters
    ----------
    nu
        The share of rows that may be outside, above 0 and at most 1.

    Attributes
    ----------
    offset_
        :math:`\rho`: what ``decision_function`` takes from ``score_samples``.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola, Williamson (2001).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    [1, -1]
    >>> bool((model.decision_function(X) < -1e-6).mean() <= 0.1)  # the edge is at 0, but for rounding
    True
    """

    _target = "region"
    offset_: float

    def __init__(
        self,
        nu: Share = 0.5,
        *,
        kernel: KernelName | Callable[..., Any] = "rbf",
        degree: Count = 3,
        gamma: Literal["scale", "auto"] | Positive = "scale",
        sigma: Positive | None = None,
        coef0: Number = 0.0,
        scale: Scale | None = None,
        tol: Positive = 1e-3,
        max_iter: Iterations = -1,
        cache_size: Positive = 200.0,
        n_jobs: Jobs = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.sigma = sigma
        self.coef0 = coef0
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def fit(self, X: TableLike, y: Any = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn where rows X are; whole-number weights stand for repeated rows. ``y`` is not looked at."""
        with whole_or_not_at_all(self):
            params.check(self)
            self._fit(*self._read_rows(X, y, sample_weight, f"{type(self).__name__}.fit"))
        return self

    def _read_targets(self, y: Any, n_rows: int, who: str) -> np.ndarray:
        return np.zeros(n_rows)

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        learner = self._begin(X, rows)
        weight = rows.weights()
        total = float(self.nu) * float(weight.sum())
        places, bounds = np.arange(len(y), dtype=np.uint32), (np.zeros(len(y)), weight)
        problem = SignedProblem(places, y, *bounds, filled_up(weight, total), sum="kept", unit=0.0)
        (found,) = learner.solver.run_signed([problem], VIOLATION)
        solved = Solved(found.b, found.bias[0], y, bounds, total=total, steps=found.steps)
        self._keep(learner, solved)
        self.offset_ = -found.bias[0]
        self._check_gap(learner, solved, found.gap)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """How far inside the region each row is; below 0 it is outside, and 0 on its edge, whatever rounding says."""
        return self._inside(X, "decision_function")

    def _inside(self, X: TableLike, method: str) -> np.ndarray:
        found = self._sums(self._encoded(X, method))
        found[np.abs(found) <= EDGE * abs(self.offset_)] = 0.0
        return found

    def score_samples(self, X: TableLike) -> np.ndarray:
        """The sum of kernels at each row, without the constant: the larger, the denser are rows around it."""
        return self._sums(self._encoded(X, "score_samples")) + self.offset_

    def predict(self, X: TableLike) -> np.ndarray:
        """1 for each row inside the region, -1 for each outside."""
        return np.where(self._inside(X, "predict") >= 0, 1, -1)
