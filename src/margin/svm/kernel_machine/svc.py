"""The support vector machine with a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from margin.base.parameter_path import PathFunction
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.errors import ParameterError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive
from margin.svm.kernel_machine.budget import SlackBudget
from margin.svm.kernel_machine.hard_margin import HardMargin
from margin.svm.kernel_machine.kernel_classifier import KernelClassifier
from margin.svm.kernel_machine.kernel_estimator import Iterations, KernelName, Number
from margin.svm.kernel_machine.learner import Learner
from margin.svm.kernel_machine.multiclass import Multiclass
from margin.svm.kernel_machine.solve import MarginPolicy, SoftMargin

__all__ = ["SVC"]


class SVC(KernelClassifier):
    r"""Support vector machine: the boundary with the widest margin between two classes, in the space of a kernel.

    .. math:: \min_{w, b, \xi}\ \tfrac12\|w\|^2 + \sum_i c_i \xi_i, \qquad
              s_i\,(w \cdot \varphi(x_i) + b) \ge 1 - \xi_i,\ \xi_i \ge 0

    with :math:`c_i = C` times the weights of row and class. The dual is solved to a stated gap, and every fitted
    model carries the proof (``certificate_``). More than two classes are answered by machines for every pair, or for
    each class against the rest. Training costs between :math:`O(n^2)` and :math:`O(n^3)` kernel values; from some
    hundred thousand rows on think of :class:`margin.svm.LinearSVC`.

    Distances and products need columns of like size: ``scale="standard"`` is a good idea wherever columns have
    different units. As in scikit-learn it is not the default.

    Parameters
    ----------
    C
        The price of slack: large C wants every row right, small C a wide margin.
    budget
        Instead of C, what the slacks of a problem may add up to: the widest margin within that budget. The more there
        is, the wider; 0 is the hard margin. ``C_`` says what C comes to the same.
    hard_margin
        Whether no row may be inside the margin; data that cannot be separated are refused with the proof.

    References
    ----------
    Cortes, Vapnik (1995). Platt (1998). Fan, Chen, Lin (2005). Wu, Lin, Weng (2004) for probabilities.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = SVC().fit(X, y)
    >>> model.n_support_.tolist(), model.score(X, y) > 0.97
    ([7, 29, 24], True)
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    parameters_along = ("C",)

    def __init__(
        self,
        C: Positive = 1.0,
        *,
        budget: NonNegative | None = None,
        hard_margin: Flag = False,
        kernel: KernelName | Callable[..., Any] = "rbf",
        degree: Count = 3,
        gamma: Literal["scale", "auto"] | Positive = "scale",
        sigma: Positive | None = None,
        coef0: Number = 0.0,
        scale: Scale | None = None,
        multiclass: Multiclass = "one_vs_one",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: Flag = False,
        class_weight: ClassWeight = None,
        probability: Literal["sigmoid", "isotonic"] | None = None,
        tol: Positive = 1e-3,
        max_iter: Iterations = -1,
        cache_size: Positive = 200.0,
        n_jobs: Jobs = None,
    ) -> None:
        self.C = C
        self.budget = budget
        self.hard_margin = hard_margin
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.sigma = sigma
        self.coef0 = coef0
        self.scale = scale
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.class_weight = class_weight
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def _margin_policy(self, learner: Learner, rows: TrainingRows) -> MarginPolicy:
        who = type(self).__name__
        if self.hard_margin or (self.budget is not None and self.budget == 0):
            known = None if self._chosen_kernel.is_matrix else learner.X
            names = self._problem_names(learner.layout)
            return HardMargin(known, learner.kernel.name == "linear", rows.kept, names, who)
        return SoftMargin(float(self.C)) if self.budget is None else SlackBudget(float(self.budget), who)

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.hard_margin and self.budget:
            name = type(self).__name__
            raise ParameterError(f"{name}(budget={self.budget!r}): a hard margin has no budget for slack.")

    def _paths(self) -> Mapping[str, PathFunction]:
        from margin.svm.parameter_path import answers_along_penalty

        return {"C": answers_along_penalty}
