"""Support vector machines by sub-gradient descent, in the columns themselves or with a kernel."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

import numpy as np

from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.errors import ConvergenceWarning, InputError, ParameterError, warn
from margin.linear.online.row_order import rows_and_weights
from margin.linear.online.streaming import StreamingClassifier
from margin.linear.presolve import known_ends, reduced
from margin.params import ClassWeight, Count, Flag, NonNegative, Positive, Seed, choice
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import FAMILY, unheard_below
from margin.svm.pegasos.certificate import PegasosCertificate
from margin.svm.pegasos.kernel import KernelDescent, KernelMemory, expansion, kernel_of
from margin.svm.pegasos.primal import PrimalDescent, of_all_columns
from margin.svm.pegasos.rule import Memory, Rule, Visits
from margin.typing import Encoded

__all__ = ["PegasosClassifier"]

#: The objective is looked at after passes 1, 2, 3, 4, 6, 9, …: each time after half as many again.
AGAIN = 1.5
#: Below so many cells one thread is quicker than asking how many there are.
SMALL = 2_000
KernelName = Annotated[str, choice(*FAMILY)]


class PegasosClassifier(StreamingClassifier):
    r"""Support vector machine by sub-gradient descent: a random row, and a step if it is too close.

    .. math:: \min_{w, b}\; \frac\lambda2 \lVert w\rVert^2 + \frac1N \sum_i \max\bigl(0, 1 - y_i f(x_i)\bigr),
        \qquad f(x) = w \cdot x + b,\quad \lambda = \frac2{N C}

    the same as :math:`\lVert w\rVert^2 + C \sum_i \xi_i`, so that this C is twice that of :class:`margin.SVC`. In step
    t a row with :math:`y_i f(x_i) < 1` moves the weights,
    :math:`w \leftarrow w - \eta (\lambda w - y_i x_i)`, and any other only shrinks them, with
    :math:`\eta = 1 / (\lambda t)`; the intercept moves likewise and is not regularised. With a kernel β counts how
    often each row was too close, with its sign: :math:`f(x) = \sum_j \alpha_j k(x_j, x) + b` and
    :math:`\alpha = \beta / (\lambda t)`. More than two classes are learnt one against the rest, all in the same pass.

    A pass is :math:`O(n d)`, with a kernel one row of kernel values for each row that is too close. Good for a quick
    first answer and for streams (``partial_fit``); :class:`margin.SVC` and :class:`margin.LinearSVC` find the optimum
    itself. ``certificate_`` says how far the answer is from it.

    Parameters
    ----------
    C
        How much rows that are too close cost, λ = 2 / (N C). N is the number of rows (the sum of their weights), of the
        first call where rows come in parts.
    lambda_
        λ itself, in place of C.
    kernel
        "linear" works in the columns themselves. "rbf" is exp(-gamma ‖x - z‖²), "poly" (gamma x·z + coef0)^degree,
        "sigmoid" tanh(gamma x·z + coef0).
    gamma
        A number, "scale" for 1 / (columns · variance of all cells) or "auto" for 1 / columns.
    degree, coef0
        Parameters of "poly" and "sigmoid".
    max_iter
        Passes over the rows at most.
    tol
        Training ends when the objective is proved to be within this share of the smallest one (``certificate_``);
        None makes all passes.
    batch_size
        Rows in one step; None for all of them.
    eta
        A step size for all steps in place of 1 / (λ t).
    average
        Which mean of the weights of all steps answers: "weighted", where step t counts t times; "last_half" of
        ``max_iter`` passes; "all"; or None for the last weights alone.
    project
        Whether weights beyond the ball :math:`\lVert w\rVert \le 1 / \sqrt\lambda`, in which the optimum lies, are put
        back onto it after every step.
    replace
        Draw the row of every step from all rows, rather than all rows in a random order in every pass.
    shuffle
        False visits the rows as they stand.
    fit_intercept
        Whether there is an intercept.
    cache_size
        Megabytes for kernel values that are kept from one pass to the next.

    Attributes
    ----------
    coef_, intercept_
        One row for two classes (the score of the second), else one per class; coefficients for "linear" alone.
    support_, support_vectors_, dual_coef_, beta_
        With a kernel: the rows that were ever too close, α (averaged) and β, one row per score. Rows of ``partial_fit``
        have no numbers, ``support_`` is then that of the last ``fit``.
    objective_, objective_passes_
        The objective of the model that answers (the mean over the scores), and after how many passes it was so.
    certificate_
        The objective beside what it is at least (:class:`margin.svm.PegasosCertificate`); None after ``partial_fit``.
    lambda_used_
        λ.
    n_iter_, t_
        Passes, and steps plus one.

    Notes
    -----
    Whole-number sample weights are further visits to a row, other weights and class weights multiply its step. Steps of
    the intercept are at most 1 / √t: weights forget their first steps as they shrink, an intercept would not. Of more
    than 16 million rows times scores nothing is proved, to save memory.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro, Cotter (2011), "Pegasos: primal estimated sub-gradient solver for SVM";
    Shalev-Shwartz, Ben-David (2014), ch. 16, for kernels; Lacoste-Julien, Schmidt, Bach (2012) for the weighted mean.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = PegasosClassifier(kernel="rbf", C=2.0, tol=0.1).fit(X, y)
    >>> round(model.score(X, y), 2), model.certificate_.relative_gap < 0.1
    (0.96, True)
    """

    objective_: np.ndarray
    objective_passes_: np.ndarray
    certificate_: PegasosCertificate | None
    lambda_used_: float
    n_iter_: int
    t_: float
    _memory: Memory | KernelMemory
    _expansion: Expansion | None = None  # for the columns themselves

    def __init__(
        self,
        *,
        C: Positive = 1.0,
        lambda_: Positive | None = None,
        kernel: KernelName = "linear",
        gamma: Positive | Literal["scale", "auto"] = "scale",
        degree: Count = 3,
        coef0: NonNegative = 0.0,
        max_iter: Count = 2000,
        tol: NonNegative | None = 0.005,
        batch_size: Count | None = 1,
        eta: Positive | None = None,
        average: Literal["weighted", "last_half", "all"] | None = "weighted",
        project: Flag = False,
        replace: Flag = False,
        shuffle: Flag = True,
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        cache_size: Positive = 200.0,
        random_state: Seed = 0,
    ) -> None:
        self.C = C
        self.lambda_ = lambda_
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.eta = eta
        self.average = average
        self.project = project
        self.replace = replace
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale = scale
        self.cache_size = cache_size
        self.random_state = random_state

    def _unheard_below(self) -> float:
        return 0.0 if self.scale is not None else unheard_below(self.kernel, self.gamma, float(self.C))

    @property
    def support_vectors_(self) -> Any:
        return self._sum_of_kernels("support_vectors_").vectors

    @property
    def dual_coef_(self) -> np.ndarray:
        return self._sum_of_kernels("dual_coef_").coef

    def _has_planes(self) -> bool:
        return bool(self.kernel == "linear")

    def _sum_of_kernels(self, asked: str) -> Expansion:
        if self._fitted(asked)._expansion is None:
            raise AttributeError(f"PegasosClassifier.{asked}: kernel='linear' has weights of columns (coef_).")
        return cast(Expansion, self._expansion)

    def _rule(self, n_visits: int, ends: bool) -> Rule:
        """The rule of steps; ``ends`` says whether it is known how many there will be."""
        batch = n_visits if self.batch_size is None else min(int(self.batch_size), n_visits)
        average, first = self.average, 1.0
        if average == "last_half":
            average, first = ("all", -(-n_visits // batch) * self.max_iter // 2 + 1.0) if ends else ("weighted", 1.0)
        if self.eta is not None and self.eta * self.lambda_used_ >= 1:
            raise ParameterError(
                f"PegasosClassifier(eta={self.eta:g}): eta must be below 1 / lambda = {1 / self.lambda_used_:.4g}, "
                "or every step forgets the ones before (eta=None takes steps of 1 / (lambda t))."
            )
        return Rule(
            self.lambda_used_,
            0.0 if self.eta is None else float(self.eta),
            batch,
            bool(self.fit_intercept),
            bool(self.project),
            average,
            float(first),
        )

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight = rows.weights()
        weighted = self._with_class_weight(y, weight)
        total = float(weighted.sum())
        self.lambda_used_ = 2 / (self.C * total) if self.lambda_ is None else float(self.lambda_)
        repeats, factor = rows_and_weights(weight)
        if factor is not None or self.class_weight is not None:
            n_visits = len(y) if repeats is None else float(weight.sum())
            factor = np.ascontiguousarray(weighted if repeats is None else weighted / weight) * (n_visits / total)
        visits = Visits.of(len(y), repeats, bool(self.shuffle), bool(self.replace), self.random_state)
        rule = self._rule(visits.passes.n, ends=True)
        if self.kernel == "linear":
            self._fit_columns(rule, visits, X, y, factor, weighted / total)
            return
        descent = KernelDescent.begin(
            rule,
            kernel_of(self, X, weight),
            X,
            y,
            self._n_scores(),
            factor,
            weighted / total,
            self.cache_size,
            self._n_threads(),
        )
        self._run(descent, visits)
        self._keep_kernel(descent)
        self.support_ = rows.as_given(descent.support())

    def _fit_columns(
        self, rule: Rule, visits: Visits, X: Encoded, y: np.ndarray, factor: np.ndarray | None, share: np.ndarray
    ) -> None:
        # Classes without rows are no trouble here; constant columns would be an intercept that is regularised.
        part = reduced(X, np.zeros_like(y), 1, known_ends(self._encoder, X), rule.intercept, True)
        descent = PrimalDescent.begin(rule, part.X, y, self._n_scores(), factor, share)
        if len(part.columns) == 0 or y.min() == y.max():
            shares = np.bincount(y, share, max(2, len(self.classes_)))
            descent.memory.scalars[0] = 2 * (shares[1:] if self._n_scores() == 1 else shares) - 1
            self._note([], [], None, 0, descent.memory)
        else:
            self._run(descent, visits)
        self.coef_, self.intercept_ = part.whole(*descent.layer())
        self._memory = of_all_columns(descent.memory, part)

    def _run(self, descent: PrimalDescent | KernelDescent, visits: Visits) -> None:
        """Passes until the objective is near enough to the smallest; the trace is kept."""
        objectives: list[float] = []
        passes: list[int] = []
        bound = np.full(descent.memory.scalars.shape[1], -np.inf)
        number, next_check = 0, 1
        while number < self.max_iter:
            descent.make_pass(visits.order(number))
            number += 1
            if number < next_check and number < self.max_iter:
                continue
            next_check = max(number + 1, int(AGAIN * number))
            with np.errstate(over="ignore", invalid="ignore"):
                objectives.append(float(descent.objective().mean()))
                passes.append(number)
                self._refuse_divergence(bool(np.isfinite(objectives[-1])), number)
                if self.tol is not None or number == self.max_iter:
                    bound = np.fmax(bound, descent.lower_bound())
                descent.note()
            certificate = PegasosCertificate(
                objectives[-1], self._bound(bound), int(descent.memory.t) - 1, self._guarantee(descent)
            )
            if self.tol is not None and certificate.relative_gap <= self.tol:
                break
        self._note(objectives, passes, certificate, number, descent.memory)
        if self.tol is not None and not certificate.relative_gap <= self.tol:
            self._warn_of_gap(certificate)

    def _bound(self, bounds: np.ndarray) -> float:
        """No objective is below 0; without a product of some space nothing is known."""
        return float(np.maximum(bounds, 0.0).mean()) if FAMILY[self.kernel].positive_definite else float("nan")

    def _guarantee(self, descent: PrimalDescent | KernelDescent) -> float | None:
        r = descent.rule
        plain = r.average == "all" and r.average_from == 1 and self.replace and not r.intercept and r.eta == 0
        proved = plain and descent.weight is None and r.batch <= 1 and not r.project
        if not proved or not FAMILY[self.kernel].positive_definite:
            return None
        t = descent.memory.t - 1
        return 2 * descent.longest() ** 2 * (1 + np.log(t)) / (r.lambda_ * t)

    def _note(
        self,
        objectives: list[float],
        passes: list[int],
        certificate: PegasosCertificate | None,
        n_passes: int,
        memory: Memory,
    ) -> None:
        self.objective_, self.objective_passes_ = np.array(objectives), np.array(passes, dtype=np.int64)
        self.certificate_, self.n_iter_, self.t_ = certificate, n_passes, memory.t

    def _refuse_divergence(self, is_finite: bool, number: int) -> None:
        if not is_finite:
            scaled = "" if self.scale is not None else "scale='standard' or "
            raise InputError(
                f"PegasosClassifier.fit: the weights grew beyond all numbers in pass {number}; {scaled}a larger "
                "lambda_ keeps them in."
            )

    def _warn_of_gap(self, certificate: PegasosCertificate) -> None:
        if np.isnan(certificate.lower_bound):
            return  # nothing is known, and so nothing is missed
        warn(
            f"PegasosClassifier.fit: after {self.n_iter_} passes up to {certificate.relative_gap:.1%} of the objective "
            f"{certificate.objective:.4g} may be too much, more than tol={self.tol:g}; raise max_iter or lambda_ "
            f"(or lower C), or let {'LinearSVC' if self.kernel == 'linear' else 'SVC'} find the optimum.",
            ConvergenceWarning,
        )

    def _keep_kernel(self, descent: KernelDescent) -> None:
        self._expansion, self.intercept_ = descent.answers(), descent.memory.intercepts()
        self.beta_, self._memory = descent.signed_beta(), descent.remembered()

    def _begin(self, n_columns: int) -> None:
        self.objective_, self.objective_passes_ = np.zeros(0), np.zeros(0, dtype=np.int64)
        self.n_iter_ = 0

    def _go_on(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight = rows.weights()
        repeats, factor = rows_and_weights(weight)
        weighted = self._with_class_weight(y, weight)
        if self.class_weight is not None:
            factor = np.ascontiguousarray(weighted / weight if factor is None else weighted)
        if "lambda_used_" not in self.__dict__:
            self.lambda_used_ = 2 / (self.C * float(weighted.sum())) if self.lambda_ is None else float(self.lambda_)
        visits = Visits.of(len(y), repeats, bool(self.shuffle), bool(self.replace), self.random_state)
        rule, order = self._rule(visits.passes.n, ends=False), visits.order(self.n_iter_)
        y = np.ascontiguousarray(y if len(self.classes_) > 1 else y + 1)
        if self._expansion is None and (self.kernel == "linear" or "_memory" in self.__dict__):
            self._go_on_with_columns(rule, order, X, y, factor)
        else:
            if "_memory" not in self.__dict__:
                self._begin_with_kernel(X, weight)
            self._go_on_with_kernel(rule, order, X, y, factor)
        self.certificate_, self.n_iter_ = None, self.n_iter_ + 1

    def _go_on_with_columns(
        self, rule: Rule, order: np.ndarray | None, X: Encoded, y: np.ndarray, factor: np.ndarray | None
    ) -> None:
        descent = PrimalDescent.begin(rule, X, y, self._n_scores(), factor, None)
        if "_memory" in self.__dict__:
            descent.memory = cast(Memory, self._memory).copy()
        descent.make_pass(order)
        self._refuse_divergence(descent.is_finite(), self.n_iter_ + 1)
        self._memory, self.t_ = descent.memory, descent.memory.t
        self.coef_, self.intercept_ = descent.layer()

    def _begin_with_kernel(self, X: Encoded, weight: np.ndarray) -> None:
        self._expansion = expansion(kernel_of(self, X, weight), X[:0], np.zeros((self._n_scores(), 0)))
        empty = Memory.empty(self._n_scores(), 0, 0, late=1)
        self._memory = KernelMemory(empty, np.zeros(0, dtype=np.int32))

    def _go_on_with_kernel(
        self, rule: Rule, order: np.ndarray | None, X: Encoded, y: np.ndarray, factor: np.ndarray | None
    ) -> None:
        kept, before = cast(KernelMemory, self._memory), cast(Expansion, self._expansion)
        descent = KernelDescent.resume(
            rule, before.kernel, before.vectors, kept, X, y, factor, self.cache_size, self._n_threads()
        )
        behind = np.arange(X.shape[0], dtype=np.uint32) if order is None else order
        descent.make_pass(behind + np.uint32(len(kept.y)))
        self._refuse_divergence(descent.is_finite(), self.n_iter_ + 1)
        self.t_ = descent.memory.t
        self._keep_kernel(descent)

    def _answer(self, X: Encoded, what: str, method: str) -> np.ndarray:
        if self._expansion is None:
            return super()._answer(X, what, method)
        return self._answer_encoded(self._encoded(X, method), what, method)

    def _answer_encoded(self, X: Encoded, what: str, method: str) -> np.ndarray:
        if self._expansion is None or len(self.classes_) == 1:
            return super()._answer_encoded(X, what, method)
        intercept = self.intercept_ if self._bars is None else self._intercept(self.intercept_)
        small = X.shape[0] * X.shape[1] < SMALL
        scores = self._expansion.sums(X, 1 if small else self._n_threads())[:, 0] + intercept
        return self._made_of(np.ascontiguousarray(scores[:, 0] if self._n_scores() == 1 else scores), what)
