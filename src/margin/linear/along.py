"""Answers for several C of logistic regression, each solution begun at the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin import parallel
from margin.base.representation import TrainingRows
from margin.evaluation.along import Said, said_to_all
from margin.linear.logistic import LogisticRegression
from margin.linear.path import solved_along
from margin.params import Positive, rule_of

__all__ = ["answers_along_penalty"]


class _AlongC(LogisticRegression):
    """Reads rows as logistic regression does, and keeps coefficients and intercepts for several C."""

    _Cs: np.ndarray
    _solutions: list[tuple[np.ndarray, np.ndarray]]
    _converged: bool

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        self._note_classes(y)
        weight = self._row_weights(y, rows.weight)
        part = self._reduced(X, y, self._known_ends(X))
        with parallel.threads(parallel.n_threads(self.n_jobs)):
            found = solved_along(part, weight, self._Cs, self._setting())
        self._solutions = [part.whole(each.point.coef, each.point.intercept) for each in found]
        self._converged = all(each.converged for each in found)


def answers_along_penalty(
    model: LogisticRegression, Cs: Sequence[Any], X: Any, y: Any, asked: Sequence[Any], sample_weight: Any
) -> list[list[Said]] | None:
    """What logistic regression says for each C, from the strongest penalty to the weakest in one go.

    Without a penalty, or where a solver stops early, each C is better fitted by itself, with its own warnings.
    """
    if not all(rule_of(Positive).accepts(C) for C in Cs):
        return None
    along = _AlongC(**{**model.get_params(deep=False), "C": float(max(Cs)), "warm_start": False})
    along._Cs, at = np.unique(np.asarray(Cs, dtype=np.float64), return_inverse=True)
    along.fit(X, y, sample_weight)
    if not along._converged:
        return None
    said = []
    for coef, intercept in along._solutions:
        along.coef_, along.intercept_ = coef, intercept
        said.append(said_to_all(along, asked))
    return [said[place] for place in at]
