"""LogitBoost: Newton's steps on the log loss."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin.base.softmax import log_softmax, softmax
from margin.boosting.additive.additive_classifier import AdditiveClassifier, AutoBins, Shrinkage
from margin.boosting.additive.steps import Part, Step
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed, Share

__all__ = ["LogitBoostClassifier"]


class LogitBoostClassifier(AdditiveClassifier):
    r"""Logistic regression on shallow trees, added one at a time by Newton's method.

    With :math:`p = 1/(1 + e^{-2F})` the working response of a row is :math:`z = (y - p)/(p(1-p))` for y = 0 or 1, its
    weight :math:`w = p(1-p)`; the tree fitted to z by weighted least squares is added by half. A row pulls by
    :math:`wz = y - p`, never more than 1 however far it is on the wrong side, so that wrong labels count less than for
    AdaBoost and GentleBoost. z is clipped at ``z_max`` as in the paper; w z is kept at y - p there, which the paper
    does not do, for without that the score of a class rarer than 1 row in ``z_max`` + 1 falls without end.

    With J classes each round fits a tree to every class, and adds :math:`\frac{J-1}{J}` of what it says beyond the
    mean of all J; :math:`p_j \propto e^{F_j}`. Nothing is lost by that for two classes: it is the same model.

    Parameters
    ----------
    z_max
        Largest magnitude of a working response; numbers from 2 to 4 do, says the paper.

    References
    ----------
    Friedman, Hastie, Tibshirani (2000), "Additive logistic regression", algorithms 3 and 6.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = LogitBoostClassifier(n_estimators=20).fit(X, y)
    >>> float(model.score(X, y)), model.predict_proba(X[:1]).round(3).tolist()
    (1.0, [[1.0, 0.0, 0.0]])
    """

    def __init__(
        self,
        *,
        n_estimators: Count = 100,
        learning_rate: Shrinkage = 1.0,
        max_depth: Count = 1,
        z_max: Positive = 4.0,
        max_bins: AutoBins | None = "auto",
        n_iter_no_change: Count | None = None,
        validation_fraction: Share = 0.1,
        tol: NonNegative = 0.0,
        warm_start: Flag = False,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.z_max = z_max
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _factor(self) -> float:
        n = max(len(self.classes_), 2)
        return (n - 1) / n

    def _from_sums(self, sums: np.ndarray) -> np.ndarray:
        if sums.shape[1] == 1:
            return np.hstack([-sums, sums])
        return sums - sums.mean(axis=1, keepdims=True)

    def _step(self, part: Part, n_threads: int) -> Step:
        return Step(*_core.boosting.logit_step(part.sums, part.y, part.weight, float(self.z_max), n_threads))

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores)

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        return log_softmax(scores)
