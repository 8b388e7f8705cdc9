"""The support vector machine with a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from margin import parallel
from margin.base.inputs.columns import Columns
from margin.base.parameter_path import PathFunction
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.errors import ConvergenceWarning, InputError, ParameterError, warn
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive, Rule, choice, is_number, is_whole
from margin.svm.kernel_machine.budget import SlackBudget
from margin.svm.kernel_machine.certificate import Evidence
from margin.svm.kernel_machine.hard_margin import HardMargin
from margin.svm.kernel_machine.learner import Learner, Learnt
from margin.svm.kernel_machine.model import KernelModel, refuse_missing
from margin.svm.kernel_machine.multiclass import Layout, Multiclass
from margin.svm.kernel_machine.probabilities import cross_fitted_map
from margin.svm.kernel_machine.solve import FEW, MarginPolicy, SoftMargin, Solver
from margin.svm.kernels.function import KERNELS, KernelFunction, traits_of, unheard_below
from margin.svm.kernels.matrix import values_of
from margin.svm.kernels.spectrum import SpectrumKernel
from margin.typing import Encoded, WeightsLike

__all__ = ["SVC"]


def _is_iterations(value: object) -> bool:
    return is_whole(value) and (value == -1 or value >= 1)


Iterations = Annotated[int, Rule("a whole number of at least 1, or -1 for no limit", _is_iterations, int)]
Number = Annotated[float, Rule("a number", is_number, float)]
# Gaps below this want kernel values in double precision.
SINGLE = 1e-5
KernelName = Annotated[str, choice(*KERNELS)]


class SVC(KernelModel):
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
    kernel
        "linear", "poly", "rbf", "sigmoid"; "gaussian" is "rbf" with sigma; "precomputed" where X holds kernel values
        (at fit among the training rows, later of new rows with them); a function of two sets of rows that gives the
        matrix of kernel values; or a :class:`SpectrumKernel`, and then X is a list of texts or of lists of tokens.
    degree
        Of the polynomial kernel :math:`(\gamma\, x \cdot z + r)^d`.
    gamma
        Of poly, rbf :math:`e^{-\gamma \|x - z\|^2}` and sigmoid: a number, "auto" (1 / columns) or "scale"
        (1 / (columns · variance of all cells, with their rows' weights)).
    sigma
        Another way to say gamma: the width of the Gaussian :math:`e^{-\|x - z\|^2 / 2\sigma^2}`.
    coef0
        r of the polynomial kernel and of the sigmoid :math:`\tanh(\gamma\, x \cdot z + r)`.
    scale
        "standard" or "range" to put numeric columns on one scale first; None takes them as they are.
    multiclass
        "one_vs_one" or "one_vs_rest".
    decision_function_shape
        "ovr" gives a score for each class, "ovo" the decisions of all pairs.
    break_ties
        Whether equal votes of pairs are decided by how clear the pairs were; else the first class wins.
    class_weight
        Factors for the rows of each class; "balanced" lets all classes count the same.
    probability
        None, or the curve that makes probabilities of decisions: "sigmoid" (Platt's) or "isotonic". It is learnt from
        the decisions of five machines about rows that they have not seen, which costs five more fits. Answers stay
        those of the machine, which need not be the most probable class where the two are close.
    tol
        Largest share of the objective by which it may miss the optimum (the duality gap).
    max_iter
        Pairs of weights that are changed at most; -1 for no limit but the solver's own.
    cache_size
        Megabytes for kernel values.
    n_jobs
        Threads; None for all cores. The answer does not depend on it.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        Rows with a weight above 0, class by class: their numbers, themselves, and how many of each class.
    dual_coef_
        Signed weights. One-versus-one has a row less than classes, in scikit-learn's layout; else one row for each
        problem.
    intercept_
        The constant of each problem.
    coef_
        With the linear kernel, the coefficients of each problem.
    gamma_, C_
        The values in use.
    n_iter_
        Steps of the solver, for each problem.

    References
    ----------
    Cortes, Vapnik (1995). Platt (1998). Fan, Chen, Lin (2005).

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

    dual_coef_: np.ndarray
    intercept_: np.ndarray
    gamma_: float
    C_: float | np.ndarray
    n_iter_: np.ndarray

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

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        codes, weight = self._weighed(y, rows)
        if len(self._places) > 1:
            self._train(X, codes, weight, rows)
        else:
            self._keep_nothing()

    def _weighed(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray, np.ndarray]:
        """Codes of the classes that have rows, and how much each row counts, class weights included."""
        self._check_settings()
        self._places, codes = np.unique(y, return_inverse=True)
        totals = np.bincount(y, rows.weight, len(self.classes_))
        factors = class_factors(self.class_weight, self.classes_, totals, type(self).__name__)
        self._machine = self._evidence = self._map = None
        self._kept, self._n_given = rows.kept, rows.n_given
        return codes.astype(np.int32), rows.weights() * factors[y]

    def _warn_of_constant_columns(self, constant: list[str], n_rows: int, who: str) -> None:
        if self.kernel != "precomputed":  # kernel values are no columns
            super()._warn_of_constant_columns(constant, n_rows, who)

    def _train(self, X: Encoded, y: np.ndarray, weight: np.ndarray, rows: TrainingRows) -> None:
        learner = self._learner(X, rows, Layout(len(self._places), self.multiclass))
        policy = self._margin_policy(learner, rows)
        learnt = learner.learn(policy, y, weight)
        self._keep(learnt)
        kept_rows = learner.X if self._machine_is_quick(learnt) else learner.X.copy()
        names = self._problem_names(learner.layout)
        self._evidence = Evidence(learnt.machine, learnt.alphas, kept_rows, y, weight, learnt.solutions.C, names)
        gaps = learnt.solutions.gaps
        if kept_rows is learner.X or learner.loses_digits(learnt):  # nor is a square matrix of values kept then
            gaps = self._evidence.gaps()
        if self.probability is not None:
            self._map = cross_fitted_map(learner, policy, learnt, y, weight, rows.weights(), self.probability)
        self._warn_of_gaps([gap.relative for gap in gaps])

    def _machine_is_quick(self, learnt: Learnt) -> bool:
        """Whether deciding on the training rows costs hardly anything: planes, and kernel values that are there."""
        return learnt.machine.planes is not None or learnt.machine.columns is not None

    def _open_rows(
        self, X: Encoded, sample_weight: WeightsLike | None, who: str, like: Columns | None = None
    ) -> TrainingRows:
        if isinstance(self.kernel, SpectrumKernel):
            self._spectrum = SpectrumKernel(**self.kernel.get_params())
            X = self._spectrum.fit_transform(X)
        return super()._open_rows(X, sample_weight, who, like)

    def _learner(self, X: Encoded, rows: TrainingRows, layout: Layout) -> Learner:
        chosen = self._chosen_kernel
        self.gamma_ = self._gamma_of(X, rows.weight)
        kernel = KernelFunction(chosen.name, self.gamma_, float(self.coef0), float(self.degree))
        if chosen.is_matrix:
            X = self._square(X, rows)
        values = X if chosen.function is None else values_of(chosen.function, X, X, type(self).__name__)
        source = kernel.source(values, "auto" if self.tol >= SINGLE else False)
        threads = parallel.n_threads(self.n_jobs)
        few = X.shape[0] <= FEW
        solver = Solver(source, float(self.tol), int(self.max_iter), float(self.cache_size), threads, few)
        return Learner(kernel, X, chosen.function, solver, layout)

    def _margin_policy(self, learner: Learner, rows: TrainingRows) -> MarginPolicy:
        who = type(self).__name__
        if self.hard_margin or (self.budget is not None and self.budget == 0):
            known = None if self._chosen_kernel.is_matrix else learner.X
            names = self._problem_names(learner.layout)
            return HardMargin(known, learner.kernel.name == "linear", rows.kept, names, who)
        return SoftMargin(float(self.C)) if self.budget is None else SlackBudget(float(self.budget), who)

    def _problem_names(self, layout: Layout) -> list[str]:
        """What each problem is about, in words."""
        classes = self.classes_[self._places].tolist()
        return [f"{classes[a]!r} against {'the rest' if b is None else repr(classes[b])}" for a, b in layout.sides()]

    def _keep(self, learnt: Learnt) -> None:
        machine, table, solutions = learnt.machine, learnt.table, learnt.solutions
        self.support_ = table.support if self._kept is None else self._kept[table.support]
        # New rows have kernel values with all training rows, those of weight 0 included.
        self._machine = machine if machine.columns is None else replace(machine, columns=self.support_)
        self.n_support_ = np.zeros(len(self.classes_), dtype=np.int32)
        self.n_support_[self._places] = table.n_support
        self.dual_coef_, self.intercept_ = table.coef, learnt.machine.intercept
        self.n_iter_ = np.array([each.steps for each in solutions.found])
        self.C_ = float(solutions.C[0]) if len(solutions.C) == 1 else solutions.C

    def _with_machine(self, learnt: Learnt) -> SVC:
        """A copy of this model that answers with another machine of the same rows."""
        other = copy(self)
        other._keep(learnt)
        return other

    def _keep_nothing(self) -> None:
        """A single class has rows: there is nothing to separate."""
        self.n_support_ = np.zeros(len(self.classes_), dtype=np.int32)
        self.support_, self.n_iter_ = np.zeros((2, 0), dtype=np.int64)
        self.dual_coef_, self.intercept_ = np.zeros((0, 0)), np.zeros(0)
        self.gamma_, self.C_ = 1.0, float(self.C)

    def _check_settings(self) -> None:
        name = type(self).__name__
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                f"{name}(break_ties=True): ties are broken by scores of classes (decision_function_shape='ovr')."
            )
        if self.multiclass == "one_vs_rest" and self.decision_function_shape == "ovo":
            raise ParameterError(f"{name}(decision_function_shape='ovo'): one_vs_rest has no decisions of pairs.")
        if self.hard_margin and self.budget:
            raise ParameterError(f"{name}(budget={self.budget!r}): a hard margin has no budget for slack.")
        if self.kernel == "gaussian" and self.sigma is None:
            raise ParameterError(
                f"{name}(kernel='gaussian'): a Gaussian needs its width sigma (or kernel='rbf' gamma)."
            )
        if self.sigma is not None and (self._chosen_kernel.name != "rbf" or self.gamma != "scale"):
            raise ParameterError(f"{name}(sigma={self.sigma!r}): sigma is for a Gaussian kernel without gamma.")

    def _square(self, X: Encoded, rows: TrainingRows) -> np.ndarray:
        """The kernel values among the rows that count."""
        who = f"{type(self).__name__}.fit"
        if X.shape[1] != rows.n_given:
            raise InputError(
                f"{who}: a precomputed kernel must be square at fit, the values of all rows with each other, but X has "
                f"{rows.n_given} rows and {X.shape[1]} columns."
            )
        if not isinstance(X, np.ndarray):
            refuse_missing(rows.source, who)
            X = X.toarray()
        elif self._encoder.filled:
            raise InputError(f"{who}: a precomputed kernel must have no missing values.")
        return np.ascontiguousarray(X if rows.kept is None else X[:, rows.kept], dtype=np.float64)

    def _unheard_below(self) -> float:
        gamma = self.gamma if self.sigma is None else 0.5 / float(self.sigma) ** 2
        return 0.0 if self.scale is not None else unheard_below(self._chosen_kernel.name, gamma, float(self.C))

    def _gamma_of(self, X: Encoded, weight: np.ndarray | None) -> float:
        if self.sigma is not None:
            return 0.5 / float(self.sigma) ** 2
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if "gamma" not in traits_of(self._chosen_kernel.name).parameters:
            return 1.0
        spread = X.shape[1] * (1.0 if self.gamma == "auto" else variance_of_cells(X, weight, self.scale == "standard"))
        return 1.0 / spread if spread > 0 else 1.0

    def _paths(self) -> Mapping[str, PathFunction]:
        from margin.svm.parameter_path import answers_along_penalty

        return {"C": answers_along_penalty}

    def _warn_of_gaps(self, gaps: list[float]) -> None:
        worst = max(gaps)
        if worst > self.tol:
            several = f" in {sum(gap > self.tol for gap in gaps)} of {len(gaps)} problems" if len(gaps) > 1 else ""
            warn(
                f"{type(self).__name__}.fit: the objective may be {worst:.2g} of itself above its optimum{several}, "
                f"where tol={self.tol:g} was asked for (let max_iter be larger, put the columns on one scale with "
                "scale='standard', or let C be smaller).",
                ConvergenceWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def variance_of_cells(X: Encoded, weight: np.ndarray | None, within_columns: bool = False) -> float:
    """The variance of all cells together, every row with its weight; or the mean of the variances of columns.

    The latter does not depend on the means of columns, which sparse rows keep where dense ones are moved to 0.
    """
    n, d = X.shape
    if n == 0 or d == 0:
        return 0.0
    w = np.ones(n) if weight is None else weight
    total = float(w.sum())
    means = np.asarray(w @ X, dtype=np.float64).ravel() / total
    if not within_columns:
        means = np.full(d, means.mean())
    if isinstance(X, np.ndarray):
        return float(w @ np.square(X - means).sum(axis=1, dtype=np.float64)) / (total * d)
    per_cell = np.repeat(w, np.diff(X.indptr))
    away = float(per_cell @ np.square(X.data - means[X.indices]))
    unstored = total - np.bincount(X.indices, per_cell, d)
    return (away + float(unstored @ np.square(means))) / (total * d)
