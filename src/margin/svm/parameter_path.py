"""Answers for several C of support vector machines: rows are read once, and solutions begin at the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin import parallel
from margin.base.representations.representation import TrainingRows
from margin.evaluation.predictions.from_model import Predictions, predict_all
from margin.linear.presolve import known_ends, reduced
from margin.params import Positive, rule_of
from margin.svm.kernel_machine.path import AlongC
from margin.svm.kernel_machine.svc import SVC
from margin.svm.linear_machine.linear_svc import LinearSVC
from margin.svm.linear_machine.solve import solve

__all__ = ["answers_along_linear", "answers_along_penalty"]


def answers_along_penalty(
    model: SVC, Cs: Sequence[Any], X: Any, y: Any, asked: Sequence[Any], sample_weight: Any
) -> list[list[Predictions]] | None:
    """What a kernel machine says for each C, from wide margins to narrow ones.

    Probabilities need machines of their own; so does a machine that did not come near its optimum.
    """
    other = model.probability is not None or model.budget is not None or model.hard_margin
    if other or not all(rule_of(Positive).accepts(C) for C in Cs):
        return None
    along = AlongC(**model.get_params(deep=False))
    along._Cs, at = np.unique(np.asarray(Cs, dtype=np.float64), return_inverse=True)
    along.fit(X, y, sample_weight)
    if along._machine is None:
        return [[predict_all(along, X) for X in asked]] * len(Cs)
    predictions = []
    for machine in along.machines:
        if max(gap.relative for gap in machine.solutions.gaps) > along.tol:
            return None
        along._keep(machine, along._kept)
        predictions.append([predict_all(along, X) for X in asked])
    return [predictions[place] for place in at]


class _LinearAlongC(LinearSVC):
    """Reads rows as LinearSVC does, and keeps coefficients and intercepts for several C."""

    _Cs: Sequence[Any]
    _solutions: list[tuple[np.ndarray, np.ndarray]]
    _converged: bool

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        options = self._options()
        self._note_classes(y)
        free = options.intercept and options.intercept_column is None
        part = reduced(X, y, len(self.classes_), known_ends(self._encoder, X), free, True)
        self._solutions, self._converged = [], True
        for C in self._Cs:
            self.C = C
            with parallel.threads(parallel.n_threads(self.n_jobs)):
                done = solve(part.X, part.y, len(part.classes), self._bound(y, rows.weight), options)
            self._solutions.append(part.whole(done.found.coef, done.found.intercept))
            self._converged = self._converged and done.found.converged


def answers_along_linear(
    model: LinearSVC, Cs: Sequence[Any], X: Any, y: Any, asked: Sequence[Any], sample_weight: Any
) -> list[list[Predictions]] | None:
    """What a linear machine says for each C; its solvers begin anew, from rows that were read once."""
    if not all(rule_of(Positive).accepts(C) for C in Cs):
        return None
    along = _LinearAlongC(**model.get_params(deep=False))
    along._Cs = [float(C) for C in Cs]
    along.fit(X, y, sample_weight)
    if not along._converged:
        return None
    predictions = []
    for coef, intercept in along._solutions:
        along.coef_, along.intercept_ = coef, intercept
        predictions.append([predict_all(along, X) for X in asked])
    return predictions
