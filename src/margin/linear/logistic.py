"""Logistic regression: two classes and softmax."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np

from margin.base.class_weight import class_factors
from margin.base.numeric import Scale
from margin.errors import ConvergenceWarning
from margin.linear.model import LinearClassifier
from margin.linear.problem import Problem
from margin.linear.solvers import SOLVERS, choose_solver
from margin.params import ClassWeight, Count, Flag, Jobs, Positive, Ratio, Seed, Strength

__all__ = ["LogisticRegression"]


class LogisticRegression(LinearClassifier):
    """Log-odds that are linear in the columns.

    Parameters
    ----------
    C
        How much the data count against the penalty; infinity for no penalty.
    l1_ratio
        Share of the L1 penalty: 0 is ridge (L2), 1 is the lasso (L1), between them the elastic net.
    """

    def __init__(
        self,
        *,
        C: Strength = 1.0,
        l1_ratio: Ratio = 0.0,
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        solver: Literal["auto", "newton"] = "auto",
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

    def _gives_probabilities(self) -> bool:
        return True

    def _fit(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
        totals = np.bincount(y, weight, len(self.classes_))
        weight = weight * class_factors(self.class_weight, self.classes_, totals, "LogisticRegression")[y]
        penalty = 1 / (self.C * weight.sum())
        problem = Problem(
            X, y, weight, len(self.classes_), self.l1_ratio * penalty, (1 - self.l1_ratio) * penalty, self.fit_intercept
        )
        name = choose_solver(problem)[0] if self.solver == "auto" else self.solver
        found = SOLVERS[name](problem, None, self.tol, self.max_iter)
        if not found.converged:
            warnings.warn(
                f"LogisticRegression: stopped after {found.n_iter} iterations.", ConvergenceWarning, stacklevel=4
            )
        self.coef_, self.intercept_, self.n_iter_ = found.coef, found.intercept, found.n_iter

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        if scores.shape[1] == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 1]])
        shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shifted / shifted.sum(axis=1, keepdims=True)
