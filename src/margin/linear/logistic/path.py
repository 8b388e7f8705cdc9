"""Coefficients and answers along the penalty, from strong to weak, each fit begun where the last one ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from margin import parallel, params
from margin.base.parameter_path import PathTask
from margin.errors import ParameterError
from margin.evaluation.predictions.from_model import Predictions, predict_each, with_learnt
from margin.linear.logistic.regression import LogisticRegression
from margin.linear.logistic.solve import Setting, Solved, problem_of, solve
from margin.linear.presolve import Reduced
from margin.params import Positive, Rule, is_list_of, is_real, is_whole, rule_of
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["LogisticPath", "Strengths", "answers_along_penalty", "logistic_path", "solved_along", "strengths"]


def _are_strengths(value: Any) -> bool:
    if is_whole(value):
        return int(value) >= 1
    return is_list_of(value, lambda each: is_real(each) and float(each) > 0)


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


def solved_along(part: Reduced, weight: np.ndarray | None, Cs: np.ndarray, setting: Setting) -> list[Solved]:
    """A solution for each C (ascending), each begun at the one before."""
    found: list[Solved] = []
    for C in Cs.tolist():
        start = (found[-1].point.coef, found[-1].point.intercept) if found else None
        found.append(solve(problem_of(part, weight, replace(setting, C=C)), start, replace(setting, C=C)))
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


def _solved_from(
    model: LogisticRegression, Cs: np.ndarray, X: Encoded, y: LabelsLike, sample_weight: WeightsLike | None, who: str
) -> tuple[Reduced, list[Solved], float]:
    """Rows as the model reads them, their solutions along C, and the sum of their weights."""
    params.check(model)
    X, y, rows = model._read_rows(X, y, sample_weight, f"{type(model).__name__}.fit")
    weight = model._row_weights(y, rows.weight)
    part = model._reduced(X, y, model._known_ends(X))
    with parallel.threads(parallel.n_threads(model.n_jobs)):
        found = solved_along(part, weight, Cs, replace(model._setting(), who=who))
    return part, found, float(len(y)) if weight is None else float(weight.sum())


def logistic_path(
    X: TableLike, y: LabelsLike, Cs: Any = 10, *, sample_weight: WeightsLike | None = None, **settings: Any
) -> LogisticPath:
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
    model = LogisticRegression(C=weakest if math.isfinite(weakest) else math.inf, **settings)
    part, found, total = _solved_from(model, along, X, y, sample_weight, "logistic_path")
    scale = np.where(np.isfinite(along), along, 1.0) * total
    whole = [part.whole(each.point.coef, each.point.intercept) for each in found]
    return LogisticPath(
        C=along,
        coef=np.array([coef for coef, _ in whole]),
        intercept=np.array([intercept for _, intercept in whole]),
        objective=np.array([each.point.objective for each in found]) * scale,
        n_iter=np.array([each.n_iter for each in found]),
        converged=np.array([each.converged for each in found]),
        nonzero=np.array([int((coef != 0).any(axis=0).sum()) for coef, _ in whole]),
        classes=model.classes_,
        columns=tuple(model._encoder.names_out()),
    )


def answers_along_penalty(model: LogisticRegression, task: PathTask) -> list[list[Predictions]] | None:
    """What logistic regression says for each C, from the strongest penalty to the weakest in one go.

    Without a penalty, or where a solver stops early, each C is better fitted by itself, with its own warnings.
    """
    Cs = task.values
    if not all(rule_of(Positive).accepts(C) for C in Cs):
        return None
    along = LogisticRegression(**{**model.get_params(deep=False), "C": float(max(Cs)), "warm_start": False})
    values, at = np.unique(np.asarray(Cs, dtype=np.float64), return_inverse=True)
    part, found, _ = _solved_from(along, values, task.X, task.y, task.sample_weight, type(along).__name__)
    if not all(each.converged for each in found):
        return None
    layers = (part.whole(each.point.coef, each.point.intercept) for each in found)
    predictions = predict_each((with_learnt(along, coef_=coef, intercept_=b) for coef, b in layers), task.queries)
    return [predictions[place] for place in at]
