"""What logistic regression answers to each row left out: Newton's method for all rows at once, from the fit to all.

Without row i the sum of the losses lacks one term. Its second derivatives at the optimum of all rows, less those of
that term, are good enough for every step: each makes the gradient smaller by about as much as a row matters. A gradient
is one pass over the rows for each row left out, done as products of matrices, O(n² d) for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.base.leave_one_out import (
    AllRows,
    changes_scale,
    learn_from_all,
    leaves_constant,
    near_ties,
    rescaled,
)
from margin.data.predictions import Predictions
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from margin.linear.logistic.certificate import chances, curvature, evaluate_at
from margin.linear.logistic.solve import flattened, generalised_inverse, is_small, parted, polished, problem_of, ridge
from margin.linear.problem import Problem
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["logistic_left_out"]

# So many probabilities are held at once.
AT_ONCE = 1 << 21
# Rows that have not come to rest after so many steps matter much: the last steps are made for each by itself.
MOST_STEPS = 8
# At rest is a row whose scores a step moves by no more, and whose step is no longer in the norm of second derivatives.
AT_REST, NO_LONGER = 2e-11, 1e-10
# By as much a last Newton step may move a score: the next one would move it by the square of that.
ENOUGH = 1e-7


def logistic_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What L2-penalised logistic regression answers, where it is small enough to be solved to the last digits."""
    if model.l1_ratio != 0 or not np.isfinite(model.C) or isinstance(model.class_weight, str):
        return None
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or len(model.classes_) < 2 or not model.certificate_.converged:
        return None
    scales = rescaled(rows) if model.scale == "standard" and model.fit_intercept else None
    changes = changes_scale(rows)
    if (scales is None and changes is None) or (scales is not None and scales.missing.any()):
        return None
    weight = model._row_weights(rows.codes, rows.rows.weight)
    part = model._reduced(rows.data, rows.codes, model._known_ends(rows.data))
    problem = problem_of(part, weight, model._setting())
    start = part.part(model.coef_, model.intercept_)
    if start is None or not is_small(problem) or not len(part.columns):
        return None
    matrix = part.X if isinstance(part.X, np.ndarray) else part.X.toarray()
    rows.refit |= leaves_constant(matrix) if changes is None else changes | leaves_constant(matrix)
    sums = _Sum.of(problem, matrix, weight)
    if scales is not None:  # coefficients of columns on other scales are penalised by what they are there
        sums = replace(sums, times=scales.times[:, part.columns])
    scores = _scores_left_out(sums, flattened(problem, *start), rows)
    if scores is None:
        return None
    p = chances(scores)
    p = np.column_stack([1 - p, p]) if p.shape[1] == 1 else p
    rows.refit |= near_ties(np.column_stack([np.zeros(len(p)), scores]) if scores.shape[1] == 1 else scores)
    return rows.answers(p.argmax(axis=1), p, refitted_predictions)


@dataclass(frozen=True)
class _Sum:
    """The sum of weighted losses over the rows (a column of ones among their cells) and the penalty of coefficients.

    Without each row (rows) the cells of a column are ``times`` as large, where they are scaled by their deviation.
    """

    cells: np.ndarray
    truth: np.ndarray
    weight: np.ndarray
    penalty: np.ndarray
    problem: Problem
    times: np.ndarray | None = None

    @classmethod
    def of(cls, problem: Problem, matrix: np.ndarray, weight: np.ndarray | None) -> _Sum:
        matrix = matrix.astype(np.float64, copy=False)
        cells = np.column_stack([matrix, np.ones(len(matrix))]) if problem.intercept else matrix
        first = 1 if problem.n_scores == 1 else 0
        truth = (problem.y[:, None] == np.arange(first, first + problem.n_scores)).astype(np.float64)
        weight = np.ones(len(matrix)) if weight is None else weight
        return cls(cells, truth, weight, ridge(problem) * problem.total, problem)

    @property
    def n_scores(self) -> int:
        return self.problem.n_scores

    def scores(self, theta: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Of some rows, each with parameters of its own: rows by scores."""
        return np.einsum("nkd,nd->nk", theta.reshape(len(theta), self.n_scores, -1), self.cells[rows])

    def penalties(self, left_out: np.ndarray) -> np.ndarray:
        """What the penalty adds to the second derivatives, without each of some rows."""
        if self.times is None:
            return np.broadcast_to(self.penalty, (len(left_out), len(self.penalty)))
        times = np.column_stack([self.times[left_out], np.ones(len(left_out))])
        return self.penalty / np.tile(times, (1, self.n_scores)) ** 2

    def slopes(self, theta: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        """Gradients at several parameters (rows), each with a row left out."""
        n, width = self.cells.shape
        found = self.penalties(left_out) * theta
        step = max(1, AT_ONCE // (n * self.n_scores))
        for first in range(0, len(theta), step):
            at = slice(first, first + step)
            table = theta[at].reshape(-1, width)
            z = (table @ self.cells.T).reshape(-1, self.n_scores, n)
            p = _chances_across(z)
            p -= self.truth.T
            p *= self.weight
            p[np.arange(len(p)), :, left_out[at]] = 0.0
            found[at] += (p.reshape(-1, n) @ self.cells).reshape(len(p), -1)
        return found


def _chances_across(z: np.ndarray) -> np.ndarray:
    """Probabilities of the scores in the middle axis."""
    if z.shape[1] == 1:
        return np.reciprocal(1.0 + np.exp(np.minimum(-z, 700.0)))
    e = np.exp(z - z.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return e


@dataclass(frozen=True)
class _Hessian:
    """The inverse of the second derivatives of all rows, and for each row what leaving it out changes of it.

    ``toward`` (rows by scores by parameters) is the inverse times the row's cells, ``mixing`` (rows by scores by
    scores) what Woodbury's formula puts between two of them.
    """

    inverse: np.ndarray
    toward: np.ndarray
    mixing: np.ndarray

    @classmethod
    def of(cls, sums: _Sum, theta: np.ndarray) -> _Hessian:
        problem, k = sums.problem, sums.n_scores
        p = chances(sums.cells @ theta.reshape(k, -1).T)
        hessian = curvature(problem, p) * problem.total + np.diag(sums.penalty)
        inverse = generalised_inverse(hessian)[0]
        width = sums.cells.shape[1]
        blocks = inverse.reshape(k, width, -1)
        toward = np.stack([sums.cells @ blocks[a] for a in range(k)], axis=1)
        inside = np.stack(
            [np.einsum("nad,nd->na", toward[:, :, b * width : (b + 1) * width], sums.cells) for b in range(k)], axis=2
        )
        spread = (np.eye(k) * p[:, :, None] if k > 1 else p[:, :, None]) - p[:, :, None] * p[:, None, :]
        spread *= sums.weight[:, None, None]
        mixing = np.linalg.solve(np.eye(k) - spread @ inside, spread)
        return cls(inverse, toward, mixing)

    def steps(self, slopes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The inverse without each row, times its slope."""
        plain = slopes @ self.inverse
        along = np.einsum("nap,np->na", self.toward[rows], slopes)
        return plain + np.einsum("nap,nab,nb->np", self.toward[rows], self.mixing[rows], along)


def _scores_left_out(sums: _Sum, theta: np.ndarray, rows: AllRows) -> np.ndarray | None:
    """The scores of each row at the optimum without it; rows that do not come to rest are marked."""
    hessian = _Hessian.of(sums, theta)
    n = len(sums.cells)
    if not np.isfinite(hessian.mixing).all():
        return None
    p = chances(sums.cells @ theta.reshape(sums.n_scores, -1).T)
    slopes = -((p - sums.truth) * sums.weight[:, None])[:, :, None] * sums.cells[:, None, :]
    slopes = slopes.reshape(n, -1) + (sums.penalties(np.arange(n)) - sums.penalty) * theta
    found = theta - hessian.steps(slopes, np.arange(n))
    active = np.flatnonzero(~rows.refit)
    for _ in range(MOST_STEPS):
        if not active.size:
            break
        with np.errstate(over="ignore", invalid="ignore"):  # a row may matter so much that steps lead nowhere
            slope = sums.slopes(found[active], active)
            step = hessian.steps(slope, active)
            found[active] -= step
            size = np.sqrt(np.maximum((step * slope).sum(axis=1), 0.0))
            active = active[~((np.abs(sums.scores(step, active)).max(axis=1) <= AT_REST) & (size <= NO_LONGER))]
    for row in active.tolist():
        found[row], rows.refit[row] = _polished_without(sums, found[row], row)
    return sums.scores(found, np.arange(n))


def _polished_without(sums: _Sum, theta: np.ndarray, row: int) -> tuple[np.ndarray, bool]:
    """Newton steps for one row alone, and whether they did not come to rest."""
    if not np.isfinite(theta).all():
        return np.zeros_like(theta), True
    problem, others = sums.problem, np.delete(np.arange(len(sums.cells)), row)
    weight = None if problem.weight is None else problem.weight[others]
    total = problem.total - sums.weight[row]
    times = 1.0 if sums.times is None else sums.times[row]
    X = problem.X[others] if sums.times is None else problem.X[others] * times
    without = replace(problem, X=X, y=problem.y[others], weight=weight, l2=problem.l2 * problem.total / total)
    coef, intercept = (np.ascontiguousarray(part) for part in parted(problem, theta))
    found = polished(without, evaluate_at(without, coef / times, intercept))
    return flattened(problem, found.point.coef * times, found.point.intercept), not found.movement <= ENOUGH
