"""The support vector machine that is told a share of rows instead of a price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.params import Count, Flag, Jobs, Positive, Rule, is_number
from margin.svm.kernel_machine.kernel_classifier import KernelClassifier
from margin.svm.kernel_machine.kernel_estimator import Iterations, KernelName, Number
from margin.svm.kernel_machine.learner import Learner
from margin.svm.kernel_machine.multiclass import Multiclass
from margin.svm.kernel_machine.nu_margin import NuMargin
from margin.svm.kernel_machine.solve import MarginPolicy

__all__ = ["NuSVC", "Share"]

Share = Annotated[
    float, Rule("a number above 0 and at most 1", lambda value: is_number(value) and 0 < value <= 1, float)
]


class NuSVC(KernelClassifier):
    r"""Support vector machine with a share :math:`\nu` of rows instead of a price of slack.

    .. math:: \min_{w, b, \rho, \xi}\ \tfrac12\|w\|^2 - \nu W \rho + \sum_i w_i \xi_i, \qquad
              s_i\,(w \cdot \varphi(x_i) + b) \ge \rho - \xi_i,\ \xi_i \ge 0

    with row weights :math:`w_i`, W in all. At most a share :math:`\nu` of the rows is inside the margin, and at
    least as many are support vectors. Divided by :math:`\rho` it is the machine of :class:`SVC` with
    :math:`C = 1/\rho`, which ``C_`` gives; ``certificate_`` is in that form. More than twice the
    share of the smaller class cannot be had: there the largest share that can is taken, with a warning.

    Parameters
    ----------
    nu
        The share of rows that may be inside the margin, above 0 and at most 1.

    References
    ----------
    Schölkopf, Smola, Williamson, Bartlett (2000). Chang, Lin (2001).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = NuSVC(0.2).fit(X, y)
    >>> model.score(X, y) > 0.96, model.certificate_.relative_gap < 1e-3
    (True, True)
    """

    class_weight = None  # both classes have the same sum of weights, whatever their rows count

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
        multiclass: Multiclass = "one_vs_one",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: Flag = False,
        probability: Literal["sigmoid", "isotonic"] | None = None,
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
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def _margin_policy(self, learner: Learner, rows: TrainingRows) -> MarginPolicy:
        return NuMargin(float(self.nu), type(self).__name__)
