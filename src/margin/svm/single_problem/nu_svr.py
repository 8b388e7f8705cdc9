"""Support vector regression that is told a share of rows instead of the width of its tube."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.params import Count, Jobs, Positive
from margin.svm.kernel_machine.dual import SignedProblem
from margin.svm.kernel_machine.kernel_estimator import Iterations, KernelName, Number
from margin.svm.kernel_machine.nu_margin import filled_up
from margin.svm.kernel_machine.nu_svc import Share
from margin.svm.single_problem.single_model import Solved, spread_of, violation_in
from margin.svm.single_problem.svr import KernelRegressor
from margin.typing import Encoded

__all__ = ["NuSVR"]


class NuSVR(KernelRegressor):
    r"""Support vector regression with a share :math:`\nu` of rows outside the tube, which is as wide as that makes it.

    .. math:: \min_{w, b, \varepsilon}\ \tfrac12\|w\|^2 + C \nu W \varepsilon
              + C \sum_i w_i \max(0, |y_i - w \cdot \varphi(x_i) - b| - \varepsilon)

    with row weights :math:`w_i`, W in all. At most a share :math:`\nu` of the rows is outside the tube, and at least as
    many are support vectors. It is the machine of :class:`SVR` with the :math:`\varepsilon` that ``epsilon_`` gives,
    and ``certificate_`` is in that form.

    Parameters
    ----------
    nu
        The share of rows that may be outside the tube, above 0 and at most 1.
    C
        The price of a unit outside the tube.

    Attributes
    ----------
    epsilon_
        How wide the tube is to either side.

    References
    ----------
    Schölkopf, Smola, Williamson, Bartlett (2000).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(0, 6, 200)
    >>> y = np.sin(x) + 0.1 * rng.normal(size=200)
    >>> model = NuSVR(0.2, C=10.0).fit(x[:, None], y)
    >>> outside = np.abs(y - model.predict(x[:, None])) > model.epsilon_ * 1.001
    >>> bool(outside.mean() <= 0.2), len(model.support_) >= 40
    (True, True)
    """

    epsilon_: float

    def __init__(
        self,
        nu: Share = 0.5,
        *,
        C: Positive = 1.0,
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
        self.C = C
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
        n, unit = len(y), spread_of(y, rows.weights())
        upper = float(self.C) * rows.weights()
        # Every row twice: above the tube and below it, each side with the same sum.
        half = filled_up(upper, float(self.nu) * float(upper.sum()) / 2)
        nothing = np.zeros(n)
        problem = SignedProblem(
            np.tile(np.arange(n, dtype=np.uint32), 2),
            np.concatenate([y, y]),
            np.concatenate([nothing, -upper]),
            np.concatenate([upper, nothing]),
            np.concatenate([half, -half]),
            sum="kept_apart",
            unit=unit,
        )
        (found,) = learner.solver.run_signed([problem], violation_in(unit))
        self.epsilon_ = max(0.0, (found.bias[0] - found.bias[1]) / 2)
        b, bias = found.b[:n] + found.b[n:], (found.bias[0] + found.bias[1]) / 2
        solved = Solved(b, bias, y, (-upper, upper), self.epsilon_, steps=found.steps)
        self._keep(learner, solved)
        self._check_gap(learner, solved, found.gap)
