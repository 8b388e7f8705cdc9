"""Linear support vector machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from margin import parallel
from margin.base.parameter_path import PathFunction
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.errors import ParameterError
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.presolve import Reduced, known_ends, reduced
from margin.params import ClassWeight, Count, Flag, Jobs, Positive, Seed, Strength
from margin.svm.linear_machine.certificate import LinearCertificate, warn_of_convergence
from margin.svm.linear_machine.solve import LARGEST_BOUND, Solved, SolverOptions, solve
from margin.typing import Encoded

__all__ = ["LinearSVC"]


class LinearSVC(LinearClassifier):
    r"""The plane with the widest margin between classes, rows on its wrong side paid for.

    .. math:: \min_{w, b}\; \tfrac12 \lVert w\rVert^2 + C \sum_i s_i\, \ell(y_i\,(w \cdot x_i + b)), \qquad
        \ell(m) = \max(0, 1 - m)^2 \text{ or } \max(0, 1 - m)

    over the rows with weights :math:`s`; more than two classes have one such problem each, the class against the rest,
    or share one (Crammer and Singer 2001). The penalty has a unit: columns of large numbers are penalised less,
    ``scale="standard"`` treats all alike.

    Few columns are solved by Newton's method on the primal problem, :math:`O(n d)` to :math:`O(n d^2)` an iteration
    and a handful of iterations; sparse or wide rows by coordinate descent on the dual, which goes through the rows and
    leaves those aside that have found their place.

    Parameters
    ----------
    penalty
        "l2", or "l1" for coefficients many of which are exactly 0.
    loss
        "squared_hinge", or "hinge", which outliers pull less.
    dual
        True solves the dual problem by coordinate descent, False the primal one by Newton's method; "auto" chooses by
        shape and says why in the certificate. The answer is the same.
    tol
        Relative duality gap at which the solver may stop: the objective is then at most this share above its minimum.
    C
        What a row on the wrong side costs; infinity for a hard margin, which no row may be inside of.
    multi_class
        "ovr" for one problem per class, "crammer_singer" for one objective over all of them.
    fit_intercept
        Whether the plane may be anywhere, or must go through the origin.
    intercept_scaling
        None leaves the intercept out of the penalty, as the problem is written above. A number makes it the
        coefficient of a column of that number, penalised like the others, as liblinear does.
    random_state
        Draws the order in which coordinate descent visits the rows; None is one order, the same in every run.
    max_iter
        Iterations after which a solver stops in any case, with a warning if the tolerance was not met.

    Attributes
    ----------
    coef_, intercept_
        One row and number for two classes (positive for the second), else one per class.
    certificate_
        Primal and dual objective and the gap between them (:class:`LinearCertificate`).
    n_iter_
        Iterations of the solver.
    lambda_
        λ of the same problem as λ/2 ‖w‖² + the mean loss: 1 / (N C), N being the sum of the rows' weights.

    References
    ----------
    Cortes, Vapnik (1995); Crammer, Singer (2001); Keerthi, DeCoste (2005); Hsieh, Chang, Lin, Keerthi, Sundararajan
    (2008).

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [4, 0], [4, 1]], ["left", "left", "right", "right"]
    >>> model = LinearSVC(loss="hinge", C=10).fit(X, y)
    >>> model.intercept_.round(3).tolist(), model.predict([[1, 9]]).tolist(), model.certificate_.converged
    ([-1.0], ['left'], True)
    """

    parameters_along = ("C",)
    certificate_: LinearCertificate
    n_iter_: int
    lambda_: float

    def __init__(
        self,
        *,
        penalty: Literal["l2", "l1"] = "l2",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        dual: Literal["auto"] | Flag = "auto",
        tol: Positive = 1e-5,
        C: Strength = 1.0,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        fit_intercept: Flag = True,
        intercept_scaling: Positive | None = None,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        random_state: Seed = None,
        max_iter: Count = 1000,
        n_jobs: Jobs = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.scale = scale
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        options = self._options()
        part = self._reduced(X, y, options)
        done = self._solved(part, y, rows.weight, options)
        self.coef_, self.intercept_ = part.whole(done.found.coef, done.found.intercept)
        wide = options.penalty == "l2" and not options.together
        self.certificate_ = LinearCertificate.of(done.found, options.tol, done.solver, done.reason, wide)
        self.n_iter_ = done.found.n_iter
        bound = self._bound(y, rows.weight)
        self.lambda_ = 1.0 / float(np.sum(bound) if isinstance(bound, np.ndarray) else bound * len(y))
        if not done.found.converged:
            warn_of_convergence(self.certificate_, options.who, options.max_iter, self.scale)

    def _reduced(self, X: Encoded, y: np.ndarray, options: SolverOptions) -> Reduced:
        free = options.intercept and options.intercept_column is None
        return reduced(X, y, len(self.classes_), known_ends(self._encoder, X), free, True)

    def _solved(self, part: Reduced, y: np.ndarray, weight: np.ndarray | None, options: SolverOptions) -> Solved:
        with parallel.threads(parallel.n_threads(self.n_jobs)):
            return solve(part.X, part.y, len(part.classes), self._bound(y, weight), options)

    def _bound(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray | float:
        """What a row on the wrong side costs: one number, or one for each row."""
        if self.class_weight is not None:
            totals = np.bincount(y, weight, len(self.classes_))
            factors = class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[y]
            weight = factors if weight is None else weight * factors
        if weight is None or not np.isfinite(self.C):
            return float(min(self.C, LARGEST_BOUND)) if np.isfinite(self.C) else float(self.C)
        return np.minimum(weight * float(self.C), LARGEST_BOUND)

    def _options(self) -> SolverOptions:
        who = type(self).__name__
        if self.penalty == "l1":
            for name, value, needed in (
                ("loss", self.loss, "squared_hinge"),
                ("multi_class", self.multi_class, "ovr"),
            ):
                if value != needed:
                    raise ParameterError(
                        f"{who}(penalty='l1', {name}={value!r}): an L1 penalty needs {name}={needed!r}."
                    )
            if self.dual is True:
                raise ParameterError(
                    f"{who}(penalty='l1', dual=True): an L1 penalty is solved in the primal (dual=False)."
                )
        if not np.isfinite(self.C) and (self.penalty == "l1" or self.multi_class != "ovr"):
            given = "penalty='l1'" if self.penalty == "l1" else f"multi_class={self.multi_class!r}"
            raise ParameterError(f"{who}(C=inf, {given}): a hard margin needs penalty='l2' and multi_class='ovr'.")
        return SolverOptions(
            penalty=self.penalty,
            squared=self.loss == "squared_hinge",
            together=self.multi_class == "crammer_singer",
            dual=self.dual,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            intercept=bool(self.fit_intercept),
            intercept_column=None if self.intercept_scaling is None else float(self.intercept_scaling),
            random_state=self.random_state,
            who=who,
        )

    def _paths(self) -> Mapping[str, PathFunction]:
        from margin.svm.parameter_path import answers_along_linear

        return {"C": answers_along_linear}
