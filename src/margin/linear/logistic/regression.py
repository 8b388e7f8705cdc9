"""Logistic regression: two classes and softmax."""

from __future__ import annotations

import time
from typing import Any, Literal, Self

import numpy as np

from margin import parallel
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.linear.logistic.certificate import OptimumCertificate
from margin.linear.logistic.model import LogisticModel
from margin.linear.logistic.solve import Setting
from margin.params import ClassWeight, Count, Flag, Jobs, Positive, Ratio, Seed, Strength

__all__ = ["LogisticRegression"]

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
        max_iter: Count = 100,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with classes y; whole-number weights stand for repeated rows."""
        known = self.__dict__
        if "coef_" in known and known["warm_start"]:
            self._start = (known["classes_"], known["coef_"], known["intercept_"])
        try:
            return super().fit(X, y, sample_weight)
        finally:
            known.pop("_start", None)

    def left_out_answers(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
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

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        begin = time.perf_counter()
        self._note_classes(y)
        weight = self._row_weights(y, rows.weight)
        part = self._reduced(X, y, self._known_ends(X))
        start = self.__dict__.get("_start")
        if start is not None:
            start = part.part(*start[1:]) if np.array_equal(start[0], self.classes_) else None
        with parallel.threads(parallel.n_threads(self.n_jobs)):
            self._keep(part, weight, start, self._setting())
        self.certificate_ = self.certificate_.timed(time.perf_counter() - begin)

    def answers_along(
        self, parameter: str, values: Any, X: Any, y: Any, queries: Any, sample_weight: Any = None
    ) -> Any:
        """What the model would say for several C, from one path (:mod:`margin.evaluation.predictions.from_model`)."""
        from margin.linear.logistic.path import answers_along_penalty

        return answers_along_penalty(self, values, X, y, queries, sample_weight) if parameter == "C" else None
