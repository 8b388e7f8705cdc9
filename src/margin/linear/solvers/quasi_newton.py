"""L-BFGS around a curvature that is worth its price: for many columns, and for many classes."""

from __future__ import annotations

import numpy as np

from margin.linear.problem import Problem, Solution
from margin.linear.solvers.curvature import (
    Blocks,
    Curvature,
    Diagonal,
    Factor,
    class_blocks,
    sampled_rows,
    whole_curvature,
)
from margin.linear.solvers.dense_objective import History, Iterate, Objective, descend, sample_of

__all__ = ["gram_price", "lbfgs", "pass_price"]

# Rows that tell the products of d columns well enough to begin with, and well enough to end with, in multiples of d.
ROWS_TO_BEGIN = 8
ROWS_TO_END = 20
# A problem with so many times more rows than parameters is solved for a part of its rows first.
ROWS_PER_PARAMETER = 40
ROWS_PER_SAMPLE = 16
SAMPLE_TOLERANCE = 1e-3
# As many parameters have second derivatives all together rather than class by class.
WHOLE_PARAMETERS = 600
FEWEST_PASSES = 4
# Passes until the next curvature, beside those until the last: where classes are nearly separated it changes all the
# way, and one that is fourfold as old each time took twice as many passes.
GROWTH = 1.5
# Once the gradient is within the tolerance, one more step for every four goes on to lower the objective, unless it
# promises a smaller share than this.
NEGLIGIBLE = 1e-9
STEPS_PER_EXTRA = 4
FEWEST_ROWS = 2000
# Products that cost more passes than this wait until it is clear that they are needed.
PASSES_FOR_PRODUCTS = 8


def pass_price(problem: Problem) -> float:
    """What one pass over the rows costs, in multiplications; reading a row costs as much as three scores of it."""
    n, d = problem.X.shape
    return n * d * (2.0 * problem.n_scores + 6)


def gram_price(n_rows: int, n_columns: int) -> float:
    """What the products of columns cost, and the factor of a matrix of them."""
    return 0.3 * n_rows * n_columns**2 + 0.2 * n_columns**3


def lbfgs(problem: Problem, start: tuple[np.ndarray, np.ndarray] | None, tol: float, max_iter: int) -> Solution:
    r"""Solve a dense problem without l1 by L-BFGS whose initial matrix is a factor of (nearly) the curvature.

    The first steps take products of all columns, :math:`[X\,1]'[X\,1]`, of a sample with one weight for all rows
    (Böhning 1992), or the diagonal where those would cost more than many passes. When the passes since have cost half
    as much as the curvature at the point reached, that is made: at most a third is ever spent in vain, and columns of
    any scale and correlation take few passes. A pass costs :math:`O(n d K)`.
    """
    objective = Objective(problem)
    theta = objective.start(start)
    if len(problem.X) > ROWS_PER_SAMPLE * ROWS_PER_PARAMETER * theta.size:
        return _from_sample(objective, theta, tol, max_iter)
    return objective.solution(*_solve(objective, objective.at(theta), _first_curvature(objective), tol, max_iter)[:3])


def _from_sample(objective: Objective, theta: np.ndarray, tol: float, max_iter: int) -> Solution:
    """Solve a sample first: its solution is near, and its curvature there stands for that of all rows."""
    inner = Objective(sample_of(objective.problem, len(objective.problem.X) // ROWS_PER_SAMPLE), objective.units)
    beginning = inner.at(theta)
    near, n_iter, _, curvature = _solve(inner, beginning, _first_curvature(inner), max(tol, SAMPLE_TOLERANCE), max_iter)
    point = objective.at(near.theta)
    if point.value > beginning.value:  # a sample that misleads
        point = min(point, objective.at(theta), key=lambda p: p.value)
    if n_iter <= _budget(inner.problem):  # it never came to the curvature at its point
        curvature = _curvature_at(inner, point.theta)
    return objective.solution(*_solve(objective, point, curvature, tol, max_iter)[:3])


def _solve(
    objective: Objective, point: Iterate, curvature: Curvature, tol: float, max_iter: int
) -> tuple[Iterate, int, bool, Curvature]:
    """Steps with a curvature until they have cost as much as a better one; the last one is given back as well."""
    budget = _budget(objective.problem)
    n_iter = 0
    while True:
        point, n_iter, end = _steps(objective, point, History(curvature), tol, n_iter, min(max_iter, n_iter + budget))
        if end is not None or n_iter >= max_iter:
            return point, n_iter, end or point.largest <= tol, curvature
        curvature = _curvature_at(objective, point.theta)
        budget = int(GROWTH * budget)


def _budget(problem: Problem) -> int:
    """Passes to take before the curvature at the point reached is looked at."""
    return max(FEWEST_PASSES, int(0.5 * _curvature_price(problem) / pass_price(problem)))


def _steps(
    objective: Objective, point: Iterate, history: History, tol: float, n_iter: int, last: int
) -> tuple[Iterate, int, bool | None]:
    """The point reached, the iterations so far, and how it ended: solved, stuck, or None where one may go on."""
    extra = 0
    while n_iter < last:
        step = history.step(point.gradient)
        if point.largest <= tol:
            if extra > n_iter // STEPS_PER_EXTRA or point.is_negligible(step, tol, NEGLIGIBLE):
                return point, n_iter, True
            extra += 1
        found = descend(objective, point, step)
        if found is None:
            # With another curvature there may be a way down, unless this one was made here.
            return point, n_iter, None if history.pairs else point.is_rounding(step)
        history.remember(point, found)
        point, n_iter = found, n_iter + 1
    return point, n_iter, None


def _curvature_price(problem: Problem) -> float:
    """What the curvature at a point costs: products for each pair of classes, or of some rows for each class."""
    (n, d), k = problem.X.shape, problem.n_scores
    if k * (d + 1) <= WHOLE_PARAMETERS:
        return max(1, k * (k - 1) // 2) * gram_price(n, d)
    return k * gram_price(min(n, ROWS_TO_END * d), d)


def _first_curvature(objective: Objective) -> Curvature:
    """With one weight for all rows, that of answering the shares of the classes."""
    problem, units = objective.problem, objective.units
    n, d = problem.X.shape
    counts = np.bincount(problem.y, objective.share, problem.n_classes) * objective.factor
    shares = np.full(1, 0.5) if problem.n_scores == 1 else np.maximum(counts, 1 / (1 + n))
    weights = shares * (1 - shares)
    mean = float(weights.mean())
    rows = sampled_rows(n, max(FEWEST_ROWS, ROWS_TO_BEGIN * d))
    if gram_price(len(rows), d) > PASSES_FOR_PRODUCTS * pass_price(problem):
        return Diagonal(units, mean * units.squares(problem.X[rows[:: max(1, len(rows) // FEWEST_ROWS)]]), problem.l2)
    matrix = units.gram(problem.X, None, rows)
    matrix *= mean / len(rows)
    matrix[np.diag_indices(len(matrix))] += units.penalty(problem.l2).astype(matrix.dtype)
    return Blocks(units, [Factor(matrix)], weights / mean)


def _curvature_at(objective: Objective, theta: np.ndarray) -> Curvature:
    """The curvature at a point: whole where there are few parameters, else of each class by itself."""
    kept = objective.at(theta, keep=True).probability
    assert kept is not None
    n_rows = max(FEWEST_ROWS, ROWS_TO_END * theta.shape[1])
    if theta.size <= WHOLE_PARAMETERS:
        return whole_curvature(objective.problem, objective.units, objective.shares, kept)
    return class_blocks(objective.problem, objective.units, objective.shares, kept, n_rows)
