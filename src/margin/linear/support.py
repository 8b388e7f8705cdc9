"""The last steps under an L1 penalty: Newton's method on the coefficients that are not 0."""

from __future__ import annotations

import numpy as np

from margin.linear.optimum import Point, look_at
from margin.linear.passes import curvature
from margin.linear.polish import centred, flattened, generalised_inverse, moved, parted, ridge
from margin.linear.problem import Problem

__all__ = ["polished_support"]

# Steps at most; near the optimum each doubles the digits.
MOST_STEPS = 60


def polished_support(problem: Problem, point: Point) -> Point:
    """Newton steps within the signs that the coefficients have, while they lead down.

    Coordinate descent finds out which coefficients are 0, but crawls where scores of several classes move together;
    with signs given the penalty is linear and Newton's method is quick. A coefficient that would change its sign
    becomes 0; one that is 0 and pulled harder than the penalty holds it may move. Andrew, Gao (2007), with second
    derivatives.
    """
    for _ in range(MOST_STEPS):
        there = _stepped(problem, point)
        if there is None:
            break
        change = moved(problem, point, there)
        point = there
        if change <= 1e-9:
            break
    return point


def _stepped(problem: Problem, point: Point) -> Point | None:
    """The next point, or None where no step leads down."""
    slope = point.slope[0] + problem.l2 * point.coef
    side = np.where(point.coef != 0, np.sign(point.coef), -np.sign(slope))
    free = (point.coef != 0) | (np.abs(slope) > problem.l1)
    gradient = flattened(problem, np.where(free, slope + problem.l1 * side, 0.0), point.slope[1])
    used = flattened(problem, free.astype(float), np.ones(problem.n_scores)) > 0
    bend = (curvature(problem, point.p) + np.diag(ridge(problem)))[np.ix_(used, used)]
    step = np.zeros(len(used))
    step[used] = generalised_inverse(bend)[0] @ gradient[used]
    start = flattened(problem, point.coef, point.intercept)
    for _ in range(30):
        coef, intercept = parted(problem, start - step)
        coef = np.where(free & (coef * side > 0), coef, 0.0)
        there = look_at(problem, *centred(problem, coef, np.ascontiguousarray(intercept)))
        if there.objective < point.objective:
            return there
        step = step / 2
        if np.abs(step).max(initial=0.0) <= 1e-14 * np.abs(start).max(initial=1.0):
            break
    return None
