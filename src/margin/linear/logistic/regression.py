"""Logistic regression: two classes and softmax."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from margin import parallel
from margin.base.parameter_path import PathFunction
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.errors import ConvergenceWarning, ParameterError, SeparationWarning, listing, warn
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.logistic.certificate import OptimumCertificate, certified, evaluate_at
from margin.linear.logistic.separation import Separation, separation_at
from margin.linear.logistic.solve import Setting, Solved, problem_of, solve
from margin.linear.logistic.summary import Evidence, Summary, evidence_of, summary_of
from margin.linear.odds import Odds, odds_of
from margin.linear.presolve import Reduced, known_ends, reduced
from margin.params import ClassWeight, Count, Flag, Jobs, Positive, Ratio, Seed, Strength
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["LogisticModel", "LogisticRegression"]


class LogisticModel(LinearClassifier):
    """Coefficients of penalised cross-entropy: reading them is the same for all such models.

    Parameters
    ----------
    fit_intercept
        Whether the log-odds have a constant term.
    tol
        Largest component of the gradient of the mean objective at which a solver may stop.
    """

    class_weight: Any
    fit_intercept: bool
    certificate_: OptimumCertificate
    n_iter_: int
    solver_: str
    solver_reason_: str
    _evidence: Evidence

    def _gives_probabilities(self) -> bool:
        return True

    def odds(self, X: TableLike, reference: object = None) -> Odds:
        """Odds and log-odds of each class against a reference class (the first, unless another is named)."""
        return odds_of(self.decision_function(X), self.classes_, reference, f"{type(self).__name__}.odds")

    def summary(
        self,
        X: TableLike | None = None,
        y: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        *,
        reference: object = None,
        words: Literal["most_frequent", "missing"] = "most_frequent",
    ) -> Summary:
        """Coefficients with standard errors, z, p-values, odds ratios and 95 % intervals; deviance and AIC.

        A model keeps what this needs if it has at most 400 coefficients and the second derivatives were cheap beside
        the fit; larger ones want the training rows again: ``summary(X, y)``. With more than two classes the log-odds
        are against the ``reference`` class, the first unless another is named.

        Words are compared with the most frequent one of their column, and a missing cell is a word of its own. With
        ``words="missing"`` each is compared with a missing cell, as the coefficients of the model are.
        """
        who = f"{type(self).__name__}.summary"
        if words not in ("most_frequent", "missing"):
            raise ParameterError(f"{who}(words={words!r}): words must be 'most_frequent' or 'missing'.")
        self._fitted("summary")
        evidence = self._evidence if X is None else self._evidence_from(X, y, sample_weight, who)
        return summary_of(self, evidence, reference, words, who)

    def _evidence_from(self, X: Encoded, y: Any, sample_weight: WeightsLike | None, who: str) -> Evidence:
        from margin.base.targets.labels import encode_labels
        from margin.data.labels import codes_of
        from margin.data.weights import check_weights
        from margin.errors import LabelError

        rows = self._encoded(X, "summary")
        labels, codes = encode_labels(y, rows.shape[0], who)
        unknown = [label for label in labels.tolist() if label not in set(self.classes_.tolist())]
        if unknown:
            raise LabelError(f"{who}: label {listing(unknown)} was not there at fit; the rows must be those of fit.")
        codes = codes_of(labels, self.classes_)[codes].astype(np.int32)
        weight = check_weights(sample_weight, rows.shape[0], who)
        if weight is not None:
            kept = np.flatnonzero(weight)
            rows, codes, weight = rows[kept], codes[kept], weight[kept]
        weight = self._row_weights(codes, weight)
        part = self._reduced(rows, codes, None)
        problem = problem_of(part, weight, self._setting())
        solution = part.part(self.coef_, self.intercept_)
        if solution is None:
            raise LabelError(f"{who}: the rows hold other classes than those of fit.")
        return evidence_of(problem, part, evaluate_at(problem, *solution), None, True, self._words())

    def _setting(self) -> Setting:
        raise TypeError(f"{type(self).__name__} must say what it asks of a fit: def _setting(self).")

    def _row_weights(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray | None:
        """How much each row counts, class weights included; None where every row counts once."""
        if self.class_weight is not None:
            totals = np.bincount(y, weight, len(self.classes_))
            factors = class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[y]
            weight = factors if weight is None else weight * factors
        return None if weight is None or (weight == 1).all() else weight

    def _words(self) -> slice:
        """The columns of the matrix that stand for words."""
        first = len(self._encoder.numbered)
        return slice(first, first + sum(len(column.levels) for column in self._encoder.one_hot))

    def _reduced(self, X: Encoded, y: np.ndarray, ends: tuple[np.ndarray, np.ndarray] | None) -> Reduced:
        setting = self._setting()
        return reduced(X, y, len(self.classes_), ends, bool(setting.intercept), bool(np.isfinite(setting.C)))

    def _known_ends(self, X: Encoded) -> tuple[np.ndarray, np.ndarray] | None:
        """The smallest and largest cell of each column, out of the look that was had at the rows already."""
        return known_ends(self._encoder, X)

    def _keep(
        self, part: Reduced, weight: np.ndarray | None, start: tuple[np.ndarray, np.ndarray] | None, setting: Setting
    ) -> None:
        """Solve, and keep coefficients, certificate and what a summary needs; warn of what went wrong."""
        problem = problem_of(part, weight, setting)
        done = solve(problem, start, setting)
        self.coef_, self.intercept_ = part.whole(done.point.coef, done.point.intercept)
        self.n_iter_, self.solver_, self.solver_reason_ = done.n_iter, done.solver, done.reason
        self.certificate_ = certified(problem, done.point, setting.C, setting.tol, done)
        self._evidence = evidence_of(problem, part, done.point, done.curved, False, self._words())
        found = None if problem.is_penalised else separation_at(problem, done)
        if found is not None:
            self._warn_of_separation(found, part, setting.who)
        elif not done.converged:
            self._warn_of_convergence(done, setting)

    def _warn_of_separation(self, found: Separation, part: Reduced, who: str) -> None:
        all_names = self._encoder.names_out()
        told = found.told([all_names[j] for j in part.columns])
        warn(
            f"{who}.fit: {told}; without a penalty the coefficients grow without end, and those here are "
            f"merely where the solver stopped (give a penalty, as C=1, or leave out a column that knows the answer).",
            SeparationWarning,
        )

    def _warn_of_convergence(self, done: Solved, setting: Setting) -> None:
        gap, size = self.certificate_.duality_gap, done.point.gradient_norm
        above = "" if gap is None else f"; the mean objective is at most {gap:.2g} above its minimum"
        advice = "" if self.scale == "standard" else "scale='standard' if columns differ much in size, "
        warn(
            f"{setting.who}.fit: {done.solver} stopped after {done.n_iter} iterations with a gradient of {size:.2g}, "
            f"{size / setting.tol:.3g} times the tolerance{above} "
            f"(try {advice}max_iter={4 * setting.max_iter}, or accept it with a larger tol).",
            ConvergenceWarning,
        )


SolverName = Literal["auto", "newton", "lbfgs", "truncated_newton", "coordinate_descent"]


class LogisticRegression(LogisticModel):
    r"""Log-odds that are linear in the columns; softmax for more than two classes.

    .. math:: \min_{W, b}\; C \sum_i s_i\, \ell(y_i, W x_i + b)
        + \tfrac{1 - \rho}2 \lVert W\rVert^2 + \rho \lVert W\rVert_1

    with the cross-entropy :math:`\ell` and the share :math:`\rho` of L1. Intercepts are not penalised. The penalty has
    a unit: columns of large numbers are penalised less, ``scale="standard"`` treats all alike. Without a penalty
    (``C=inf``) classes that a plane separates have no finite best coefficients; this is found out and warned of.

    Parameters
    ----------
    C
        How much the data count against the penalty; infinity for no penalty.
    l1_ratio
        Share of the L1 penalty: 0 is ridge (L2), 1 is the lasso (L1), between them the elastic net.
    solver
        "auto" chooses by size, sparsity and penalty and says why in the certificate.
    max_iter
        Iterations after which it stops in any case, with a warning if the tolerance was not met.
    warm_start
        Begin where the last fit ended, if the classes and columns are the same.
    random_state
        Not used: every solver gives the same answer each time.

    Attributes
    ----------
    coef_, intercept_
        One row and number for two classes (the log-odds of the second), else one per class. Those of a class without
        rows are 0; it is never answered.
    certificate_
        How near the optimum the fit is: objective, gradient, duality gap (:class:`OptimumCertificate`).
    solver_, solver_reason_
        The solver and why it was chosen.
    n_iter_
        Its iterations.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = LogisticRegression(scale="standard").fit(X, y)
    >>> model.predict(X[:2]).tolist(), model.certificate_.converged
    (['Iris-setosa', 'Iris-setosa'], True)
    """

    parameters_along = ("C",)
    coef_: np.ndarray
    intercept_: np.ndarray
    certificate_: OptimumCertificate
    solver_: str
    solver_reason_: str
    n_iter_: int

    def __init__(
        self,
        *,
        C: Strength = 1.0,
        l1_ratio: Ratio = 0.0,
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        solver: SolverName = "auto",
        tol: Positive = 1e-4,
        max_iter: Count = 1000,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: TableLike, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with classes y; whole-number weights stand for repeated rows."""
        known = self.__dict__
        if "coef_" in known and known["warm_start"]:
            self._start = (known["classes_"], known["coef_"], known["intercept_"])
        try:
            return super().fit(X, y, sample_weight)
        finally:
            known.pop("_start", None)

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.linear.logistic.leave_one_out import logistic_left_out  # only here: it loads the evaluation

        return logistic_left_out(self, X, y, sample_weight)

    def _setting(self) -> Setting:
        return Setting(
            C=float(self.C),
            l1_ratio=float(self.l1_ratio),
            intercept=bool(self.fit_intercept),
            solver=self.solver,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            who=type(self).__name__,
        )

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        begin = time.perf_counter()
        weight = self._row_weights(y, rows.weight)
        part = self._reduced(X, y, self._known_ends(X))
        start = self.__dict__.get("_start")
        if start is not None:
            start = part.part(*start[1:]) if np.array_equal(start[0], self.classes_) else None
        with parallel.threads(parallel.n_threads(self.n_jobs)):
            self._keep(part, weight, start, self._setting())
        self.certificate_ = self.certificate_.timed(time.perf_counter() - begin)

    def _paths(self) -> Mapping[str, PathFunction]:
        from margin.linear.logistic.path import answers_along_penalty

        return {"C": answers_along_penalty}
