"""Newton's method for few columns (iteratively reweighted least squares)."""

from __future__ import annotations

import numpy as np

from margin.linear.problem import Problem, Solution
from margin.linear.solvers.curvature import whole_curvature
from margin.linear.solvers.dense_objective import History, Iterate, Objective, descend, sample_of

__all__ = ["newton", "suits_newton"]

# With so many times more rows than a sample has, the sample is solved first: its solution is near, and its
# curvature stands for that of all rows.
ROWS_PER_SAMPLE = 16
SAMPLED_PER_PARAMETER = 40
SAMPLE_TOLERANCE = 1e-3
# Steps with the curvature of a sample before that of all rows is looked at.
CHEAP_STEPS = 12
MOST_COLUMNS = 300
# Products of K (K - 1) / 2 pairs of classes cost K^2 d / (8 (K + 3)) passes; 8 passes are what one step may cost.
MOST_PAIRS = 64
# Once the gradient is within the tolerance, one more step takes most of what is left: a smaller share is not worth it.
NEGLIGIBLE = 1e-9


def newton(problem: Problem, start: tuple[np.ndarray, np.ndarray] | None, tol: float, max_iter: int) -> Solution:
    r"""Solve a dense problem without l1 by Newton steps, with halving where a step goes too far.

    A step solves :math:`H \delta = g` with the exact curvature :math:`H` by Cholesky, in units in which columns are
    about as large as each other; where :math:`H` is singular, as with a column that is there twice, its diagonal is
    raised by as little as it takes. With many rows the first steps look at a sample of them. A step costs
    :math:`O(n d^2)` for two classes, :math:`O(n d^2 K^2)` for more.
    """
    objective = Objective(problem)
    sample = sample_size(problem)
    theta = objective.start(start)
    if sample * ROWS_PER_SAMPLE > len(problem.X):
        return objective.solution(*_newton_steps(objective, objective.at(theta, keep=True), tol, max_iter))
    return _from_sample(objective, theta, sample, tol, max_iter)


def suits_newton(problem: Problem) -> bool:
    """Whether the second derivatives of all parameters are worth their making: few columns, and few pairs of classes.

    >>> X, y = np.zeros((10, 50)), np.zeros(10, dtype=np.int32)
    >>> [suits_newton(Problem(X, y, None, k, 0.0, 0.0, True)) for k in (2, 3, 10)]
    [True, False, False]
    """
    k, d = problem.n_scores, problem.X.shape[1]
    return d <= MOST_COLUMNS if k == 1 else k * k * d <= MOST_PAIRS * (k + 3)


def sample_size(problem: Problem) -> int:
    """Rows that tell the curvature to a few per cent."""
    parameters = problem.n_scores * (problem.X.shape[1] + 1)
    return max(SAMPLED_PER_PARAMETER * parameters, len(problem.X) // ROWS_PER_SAMPLE // 2)


def _newton_steps(
    objective: Objective, point: Iterate, tol: float, max_iter: int, n_iter: int = 0
) -> tuple[Iterate, int, bool]:
    """The point reached, the iterations taken, and whether it is the solution."""
    share = objective.shares
    while n_iter < max_iter:
        assert point.probability is not None
        step = whole_curvature(objective.problem, objective.units, share, point.probability).solve(point.gradient)
        if point.largest <= tol and point.is_negligible(step, tol, NEGLIGIBLE):
            return point, n_iter, True
        found = descend(objective, point, step, keep=True)
        if found is None:
            return point, n_iter, point.is_rounding(step) or point.largest <= tol
        point, n_iter = found, n_iter + 1
    return point, n_iter, point.largest <= tol


def _from_sample(objective: Objective, theta: np.ndarray, sample: int, tol: float, max_iter: int) -> Solution:
    """Solve a sample, then take steps on all rows with the sample's curvature, which they correct."""
    inner = Objective(sample_of(objective.problem, sample), objective.units)
    beginning = inner.at(theta, keep=True)
    near = _newton_steps(inner, beginning, max(tol, SAMPLE_TOLERANCE), max_iter)[0]
    point = objective.at(near.theta)
    if point.value > beginning.value:  # a sample that misleads
        point = min(point, objective.at(theta), key=lambda p: p.value)
    kept = inner.at(point.theta, keep=True).probability
    assert kept is not None
    history = History(whole_curvature(inner.problem, inner.units, inner.shares, kept))
    n_iter = 0
    while n_iter < min(max_iter, CHEAP_STEPS):
        step = history.step(point.gradient)
        if point.largest <= tol and point.is_negligible(step, tol, NEGLIGIBLE):
            return objective.solution(point, n_iter, True)
        found = descend(objective, point, step)
        if found is None:
            break
        history.remember(point, found)
        point, n_iter = found, n_iter + 1
    return objective.solution(*_newton_steps(objective, objective.at(point.theta, keep=True), tol, max_iter, n_iter))
