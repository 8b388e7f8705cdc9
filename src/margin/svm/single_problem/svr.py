"""Support vector regression: a tube around the quantity, and a price for what lies outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from margin.base import Regressor
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.params import Count, Jobs, NonNegative, Positive
from margin.svm.kernel_machine.dual import SignedProblem
from margin.svm.kernel_machine.kernel_estimator import Iterations, KernelName, Number
from margin.svm.single_problem.single_model import SingleKernelModel, Solved, spread_of, violation_in
from margin.typing import Encoded

__all__ = ["SVR", "KernelRegressor"]


class KernelRegressor(SingleKernelModel, Regressor):
    """A regressor whose answers are a sum of kernels over support vectors, and a constant."""

    def _values(self, X: Encoded) -> np.ndarray:
        return self._sums(X)


class SVR(KernelRegressor):
    r"""Support vector regression: a quantity within a tube of :math:`\pm\varepsilon`, as flat as that allows.

    .. math:: \min_{w, b}\ \tfrac12\|w\|^2 + \sum_i c_i \max(0, |y_i - w \cdot \varphi(x_i) - b| - \varepsilon)

    with :math:`c_i = C` times the weight of the row. Rows inside the tube say nothing and are no support vectors: the
    larger :math:`\varepsilon`, the fewer there are. The dual has one variable for each row and is solved to a stated
    gap (``certificate_``).

    C and :math:`\varepsilon` are in units of y: a quantity of other size wants others. Distances and products need
    columns of like size (``scale="standard"``).

    Parameters
    ----------
    C
        The price of a unit outside the tube.
    epsilon
        How far from the quantity nothing is lost.

    References
    ----------
    Drucker, Burges, Kaufman, Smola, Vapnik (1996). Smola, Schölkopf (2004).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 6, 60)
    >>> model = SVR(10.0, epsilon=0.05).fit(x[:, None], np.sin(x))
    >>> float(abs(model.predict(x[:, None]) - np.sin(x)).max()) < 0.06, len(model.support_) < 20
    (True, True)
    """

    def __init__(
        self,
        C: Positive = 1.0,
        *,
        epsilon: NonNegative = 0.1,
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
        self.C = C
        self.epsilon = epsilon
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

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        learner = self._begin(X, rows)
        weight, unit = rows.weights(), spread_of(y, rows.weights())
        upper = float(self.C) * weight
        places = np.arange(len(y), dtype=np.uint32)
        problem = SignedProblem(places, y, -upper, upper, tube=float(self.epsilon), unit=unit)
        (found,) = learner.solver.run_signed([problem], violation_in(unit))
        solved = Solved(found.b, found.bias[0], y, (-upper, upper), float(self.epsilon), steps=found.steps)
        self._keep(learner, solved)
        self._check_gap(learner, solved, found.gap)
