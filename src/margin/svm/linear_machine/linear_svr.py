"""Linear support vector regression."""

from __future__ import annotations

from typing import Literal

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Regressor
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.errors import InputError
from margin.linear.linear_layer import SMALL, LinearLayer, careful_scores, pass_rows
from margin.linear.presolve import known_ends, reduced
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed
from margin.svm.linear_machine.certificate import LinearCertificate, warn_of_convergence
from margin.svm.linear_machine.solve import LARGEST_BOUND, SolverOptions, solve_tube
from margin.typing import Encoded, TableLike

__all__ = ["LinearSVR"]


class LinearSVR(LinearLayer, Regressor):
    r"""A linear quantity within a tube of :math:`\pm\varepsilon`, as flat as that allows.

    .. math:: \min_{w, b}\; \tfrac12 \lVert w\rVert^2 + C \sum_i s_i\, \ell(|y_i - w \cdot x_i - b| - \varepsilon),
        \qquad \ell(r) = \max(0, r) \text{ or } \max(0, r)^2

    over the rows with weights :math:`s`: the problem of :class:`SVR` with a linear kernel, by the solvers of
    :class:`LinearSVC`, whose time grows with the cells and not with pairs of rows. With the first loss and
    :math:`\varepsilon = 0` it goes through the middle of the rows, not their mean, and outliers pull it no more than
    others.

    C and :math:`\varepsilon` are in units of y, and the penalty has the unit of the columns (``scale="standard"``
    treats all alike).

    Parameters
    ----------
    epsilon
        How far from the quantity nothing is lost.
    tol
        Relative duality gap at which the solver may stop: the objective is then at most this share above its minimum.
    C
        The price of a unit outside the tube.
    loss
        "epsilon_insensitive", or "squared_epsilon_insensitive", which outliers pull more.
    dual
        True solves the dual problem by coordinate descent, False the primal one by Newton's method; "auto" chooses by
        shape and says why in the certificate. The answer is the same.
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
        One coefficient for each column, and the constant as an array of one.
    certificate_
        Primal and dual objective and the gap between them (:class:`LinearCertificate`).
    n_iter_
        Iterations of the solver.

    References
    ----------
    Drucker, Burges, Kaufman, Smola, Vapnik (1996); Ho, Lin (2012).

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 40.0]
    >>> model = LinearSVR(C=10.0).fit(X, y)
    >>> model.coef_.round(3).tolist(), model.predict([[10.0]]).round(3).tolist(), model.certificate_.converged
    ([1.0], [10.0], True)
    """

    coef_: np.ndarray
    intercept_: np.ndarray
    certificate_: LinearCertificate
    n_iter_: int

    def __init__(
        self,
        *,
        epsilon: NonNegative = 0.0,
        tol: Positive = 1e-5,
        C: Positive = 1.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        fit_intercept: Flag = True,
        intercept_scaling: Positive | None = None,
        dual: Literal["auto"] | Flag = "auto",
        scale: Scale | None = None,
        random_state: Seed = None,
        max_iter: Count = 1000,
        n_jobs: Jobs = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.scale = scale
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        options = self._options()
        free = options.intercept and options.intercept_column is None
        part = reduced(X, np.zeros(len(y), dtype=np.int32), 1, known_ends(self._encoder, X), free, True)
        C = float(self.C)
        bound = min(C, LARGEST_BOUND) if rows.weight is None else np.minimum(rows.weight * C, LARGEST_BOUND)
        with parallel.threads(self._n_threads()):
            done = solve_tube(part.X, y, float(self.epsilon), bound, options)
        coef, self.intercept_ = part.whole(done.found.coef, done.found.intercept)
        self.coef_ = coef[0]
        self.certificate_ = LinearCertificate.of(done.found, options.tol, done.solver, done.reason, wide=False)
        self.n_iter_ = done.found.n_iter
        if not done.found.converged:
            warn_of_convergence(self.certificate_, options.who, options.max_iter, self.scale)

    def _options(self) -> SolverOptions:
        return SolverOptions(
            penalty="l2",
            squared=self.loss == "squared_epsilon_insensitive",
            together=False,
            dual=self.dual,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            intercept=bool(self.fit_intercept),
            intercept_column=None if self.intercept_scaling is None else float(self.intercept_scaling),
            random_state=self.random_state,
            who=type(self).__name__,
        )

    def predict(self, X: TableLike) -> np.ndarray:
        """The quantity expected of each row."""
        encoder = self._fitted("predict")._encoder
        if self._columns.schema is None and type(X) is np.ndarray and X.ndim == 2:
            found, scaled = np.empty(len(X)), encoder.form.scale is not None
            if _core.linear.answer(
                X, *self._layer("predict"), encoder.center if scaled else None, encoder.spread if scaled else None, 2,
                encoder.largest, "scores", found, 1 if X.size < SMALL else self._n_threads(),
            ):  # fmt: skip
                return found
        return self._values(self._encoded(X, "predict"))

    def _values(self, X: Encoded) -> np.ndarray:
        coef, intercept = self._layer("predict")
        found, threads = np.empty(X.shape[0]), self._n_threads()
        if pass_rows(X, coef, intercept, 2, "scores", found, threads):
            return found
        return careful_scores(X, coef, threads)[:, 0] + intercept[0]

    def _layer(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients as one row and the constant as they stand now, in the form the core reads."""
        coef = np.ascontiguousarray(self.coef_, dtype=np.float64).reshape(1, -1)
        intercept = np.ascontiguousarray(self.intercept_, dtype=np.float64).reshape(-1)
        width = len(self.coef_names_)
        if coef.shape[1] != width or len(intercept) != 1 or not np.isfinite([*coef[0], *intercept]).all():
            raise InputError(
                f"{type(self).__name__}.{method}: coef_ must hold {width} finite numbers and intercept_ one, but they "
                f"have the shapes {np.shape(self.coef_)} and {np.shape(self.intercept_)}."
            )
        return coef, intercept
