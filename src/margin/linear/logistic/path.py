"""Coefficients along the penalty, from strong to weak, each fit begun where the last one ended.

Answers for several C of logistic regression, each solution begun at the one before.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from margin import parallel
from margin.base.representations.representation import TrainingRows
from margin.errors import ParameterError
from margin.evaluation.predictions.from_model import Predictions, predict_all
from margin.linear.logistic.regression import LogisticRegression
from margin.linear.logistic.solve import Setting, Solved, problem_of, solve
from margin.linear.presolve import Reduced
from margin.params import Positive, Rule, rule_of

__all__ = ["LogisticPath", "Strengths", "answers_along_penalty", "logistic_path", "solved_along", "strengths"]


def _is_strength(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and float(value) > 0


def _are_strengths(value: Any) -> bool:
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value) >= 1
    listed = isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))
    return listed and np.ndim(value) == 1 and len(value) > 0 and all(_is_strength(each) for each in value)


def _strengths_from(text: str) -> Any:
    parts = [float(part) for part in text.strip("[]()").replace(",", " ").split()]
    return int(parts[0]) if len(parts) == 1 and parts[0].is_integer() else parts


Strengths = Annotated[
    Any, Rule("a whole number of at least 1 or a list of numbers above 0", _are_strengths, _strengths_from)
]


def strengths(Cs: Any) -> np.ndarray:
    """The values of C that a number or a list stands for, ascending: from the strongest penalty to the weakest.

    >>> strengths(3), strengths([10, 0.1])
    (array([1.e-04, 1.e+00, 1.e+04]), array([ 0.1, 10. ]))
    """
    return np.logspace(-4, 4, int(Cs)) if np.ndim(Cs) == 0 else np.unique(np.asarray(Cs, dtype=np.float64))


def solved_along(part: Reduced, weight: np.ndarray | None, Cs: np.ndarray, asked: Setting) -> list[Solved]:
    """A solution for each C (ascending), each begun at the one before."""
    found: list[Solved] = []
    for C in Cs.tolist():
        start = (found[-1].point.coef, found[-1].point.intercept) if found else None
        found.append(solve(problem_of(part, weight, replace(asked, C=C)), start, replace(asked, C=C)))
    return found


@dataclass(frozen=True, eq=False)
class LogisticPath:
    """Coefficients for each C, from the strongest penalty to the weakest.

    Attributes
    ----------
    C
        Ascending.
    coef, intercept
        Coefficients (C × scores × columns) and intercepts (C × scores), as in ``LogisticRegression.coef_``.
    objective
        C times the sum of the losses, plus the penalty, as scikit-learn writes it.
    n_iter, converged
        Iterations from the solution before, and whether the tolerance was met.
    nonzero
        Columns with a coefficient other than 0 in any score.
    classes, columns
        What the rows and columns of ``coef`` stand for.
    """

    C: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray
    nonzero: np.ndarray
    classes: np.ndarray
    columns: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.C)

    def __str__(self) -> str:
        lines = [f"{'C':>10}  {'columns':>7}  {'objective':>14}  {'iterations':>10}"]
        rows = zip(self.C, self.nonzero, self.objective, self.n_iter, self.converged)
        for C, used, value, n_iter, good in rows:
            lines.append(f"{C:10.4g}  {used:7d}  {value:14.8g}  {n_iter:10d}" + ("" if good else "  not converged"))
        return "\n".join(lines)


class _AlongC(LogisticRegression):
    """Reads rows as logistic regression does, and solves for several C."""

    path: LogisticPath
    _Cs: np.ndarray

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        Cs, asked = self._Cs, replace(self._setting(), who="logistic_path")
        weight = self._row_weights(y, rows.weight)
        part = self._reduced(X, y, self._known_ends(X))
        with parallel.threads(parallel.n_threads(self.n_jobs)):
            found = solved_along(part, weight, Cs, asked)
        total = float(len(y)) if weight is None else float(weight.sum())
        scale = np.where(np.isfinite(Cs), Cs, 1.0) * total
        whole = [part.whole(each.point.coef, each.point.intercept) for each in found]
        self.path = LogisticPath(
            C=Cs,
            coef=np.array([coef for coef, _ in whole]),
            intercept=np.array([intercept for _, intercept in whole]),
            objective=np.array([each.point.objective for each in found]) * scale,
            n_iter=np.array([each.n_iter for each in found]),
            converged=np.array([each.converged for each in found]),
            nonzero=np.array([int((coef != 0).any(axis=0).sum()) for coef, _ in whole]),
            classes=self.classes_,
            columns=tuple(self._encoder.names_out()),
        )


def logistic_path(X: Any, y: Any, Cs: Any = 10, *, sample_weight: Any = None, **settings: Any) -> LogisticPath:
    """Coefficients of logistic regression for several C: a number of them between 1e-4 and 1e4, or a list.

    Other settings are those of :class:`LogisticRegression`. With a share of L1 columns come in one after another as the
    penalty grows weaker.

    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> path = logistic_path(X, y, Cs=[0.01, 1.0], scale="standard")
    >>> path.coef.shape, path.nonzero.tolist()
    ((2, 3, 4), [4, 4])
    """
    if not _are_strengths(Cs):
        raise ParameterError(
            f"logistic_path(Cs={Cs!r}): Cs must be a whole number of at least 1 or a list of numbers above 0."
        )
    if "C" in settings:
        raise ParameterError("logistic_path(C=…): C runs along the path; name its values in Cs.")
    along = strengths(Cs)
    weakest = float(along[-1])
    unknown = [name for name in settings if name not in LogisticRegression().get_params()]
    if unknown:
        raise ParameterError(f"logistic_path({unknown[0]}=…): is not a setting of LogisticRegression.")
    model = _AlongC(C=weakest if math.isfinite(weakest) else math.inf, **settings)
    model._Cs = along
    return model.fit(X, y, sample_weight).path


class _RegressionAlongC(LogisticRegression):
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
) -> list[list[Predictions]] | None:
    """What logistic regression says for each C, from the strongest penalty to the weakest in one go.

    Without a penalty, or where a solver stops early, each C is better fitted by itself, with its own warnings.
    """
    if not all(rule_of(Positive).accepts(C) for C in Cs):
        return None
    along = _RegressionAlongC(**{**model.get_params(deep=False), "C": float(max(Cs)), "warm_start": False})
    along._Cs, at = np.unique(np.asarray(Cs, dtype=np.float64), return_inverse=True)
    along.fit(X, y, sample_weight)
    if not along._converged:
        return None
    predictions = []
    for coef, intercept in along._solutions:
        along.coef_, along.intercept_ = coef, intercept
        predictions.append([predict_all(along, X) for X in asked])
    return [predictions[place] for place in at]
