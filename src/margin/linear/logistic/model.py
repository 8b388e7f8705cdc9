"""What logistic regression is, however its penalty was chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.targets.class_weight import class_factors
from margin.errors import ConvergenceWarning, SeparationWarning, listing, warn
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.logistic.certificate import OptimumCertificate, certified, evaluate_at
from margin.linear.logistic.separation import Separation, separation_at
from margin.linear.logistic.solve import Setting, Solved, problem_of, solve
from margin.linear.logistic.summary import Evidence, Summary, evidence_of, summary_of
from margin.linear.odds import Odds, odds_of
from margin.linear.presolve import Reduced, known_ends, reduced

__all__ = ["LogisticModel"]


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

    def odds(self, X: Any, reference: Any = None) -> Odds:
        """Odds and log-odds of each class against a reference class (the first, unless another is named)."""
        return odds_of(self.decision_function(X), self.classes_, reference, f"{type(self).__name__}.odds")

    def summary(self, X: Any = None, y: Any = None, sample_weight: Any = None, *, reference: Any = None) -> Summary:
        """Coefficients with standard errors, z, p-values, odds ratios and 95 % intervals; deviance and AIC.

        A model keeps what this needs if it has at most 400 coefficients and the second derivatives were cheap beside
        the fit; larger ones want the training rows again: ``summary(X, y)``. With more than two classes the log-odds
        are against the ``reference`` class, the first unless another is named.
        """
        who = f"{type(self).__name__}.summary"
        self._fitted("summary")
        evidence = self._evidence if X is None else self._evidence_from(X, y, sample_weight, who)
        return summary_of(self, evidence, reference, who)

    def _evidence_from(self, X: Any, y: Any, sample_weight: Any, who: str) -> Evidence:
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
        return evidence_of(problem, part, evaluate_at(problem, *solution), None, True)

    def _setting(self) -> Setting:
        raise TypeError(f"{type(self).__name__} must say what it asks of a fit: def _setting(self).")

    def _row_weights(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray | None:
        """How much each row counts, class weights included; None where every row counts once."""
        if self.class_weight is not None:
            totals = np.bincount(y, weight, len(self.classes_))
            factors = class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[y]
            weight = factors if weight is None else weight * factors
        return None if weight is None or (weight == 1).all() else weight

    def _reduced(self, X: Any, y: np.ndarray, ends: tuple[np.ndarray, np.ndarray] | None) -> Reduced:
        setting = self._setting()
        return reduced(X, y, len(self.classes_), ends, bool(setting.intercept), bool(np.isfinite(setting.C)))

    def _known_ends(self, X: Any) -> tuple[np.ndarray, np.ndarray] | None:
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
        self._evidence = evidence_of(problem, part, done.point, done.curved, False)
        found = separation_at(problem, done)
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
