"""Newton's method on the primal of linear support vector machines with dense rows and few columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from margin import parallel
from margin.linear.solvers.curvature import Factor, Units, sampled_rows
from margin.svm.linear_machine.problem import LinearProblem, LinearSolution

__all__ = ["Objective", "Point", "newton", "rounding_of", "steps_from"]

# With so many times more rows than a sample has, the sample is solved first.
ROWS_PER_SAMPLE = 8
SAMPLED_PER_PARAMETER = 40
SAMPLE_TOLERANCE = 1e-3
# Of the decrease that the slope promises, as much must come true (Armijo 1966).
SHARE_OF_PROMISE = 1e-4
# A step is long enough where the slope along it has fallen to this share; after so many trials anything lower will do.
FLAT, ENOUGH_SECANTS, MOST_CUTS = 0.1, 8, 60
ROUNDING, ROUNDING_OF_LOSSES = 1e-15, 1e-17
# Where no step leads down any more, this share of a gap is rounding.
ROUNDING_OF_GAP = 1e-9
# The corner of the hinge is rounded off over margins of this width at first; with every solution it is narrowed.
FIRST_WIDTH, NARROWER, NARROWEST = 4.0, 0.2, 1e-9
# With fewer rows on the round part than this multiple of the columns, Newton's steps lose their way.
ENOUGH_ROUND, SLOWLY = 2, 0.5
# A rounded problem is solved when its gradient leaves this share of the gap.
INNER = 0.1
NO_CURVATURE = 1e-10
# A larger share of rows is not copied before its products are made.
FEW = 0.3


@dataclass(frozen=True, eq=False)
class Point:
    """Parameters, one line (w, b) for each score, and what a pass over the rows says of them."""

    theta: np.ndarray
    loss: np.ndarray
    smooth: np.ndarray  # the objective with its corner rounded off
    dual_sum: np.ndarray
    gradient: np.ndarray  # of the rounded objective
    share: np.ndarray

    @property
    def primal(self) -> np.ndarray:
        """The objective."""
        return 0.5 * _squares(self.theta[:, :-1]) + self.loss

    @property
    def dual(self) -> np.ndarray:
        """A lower bound of the minimum; what unbalanced intercepts cost is taken off to first order."""
        inner = self.theta[:, :-1] - self.gradient[:, :-1]
        short = 2 * np.abs(self.gradient[:, -1]) * (1 + np.abs(self.theta[:, -1]))
        return self.dual_sum - 0.5 * _squares(inner) - short

    def only(self, which: np.ndarray) -> Point:
        """Some of the scores."""
        parts = {name: getattr(self, name)[which] for name in ("theta", "loss", "smooth", "dual_sum", "gradient")}
        return replace(self, share=np.ascontiguousarray(self.share[:, which]), **parts)

    def gap(self) -> np.ndarray:
        """How far the objective can be above its minimum."""
        return np.maximum(self.primal - self.dual, 0.0)


def _squares(lines: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.multiply(lines, lines).sum(axis=1)
    return found


class Objective:
    """The objective of a dense problem, its hinge rounded off by the width and the shares that are set."""

    def __init__(self, problem: LinearProblem, units: Units | None = None) -> None:
        self.problem = problem
        self.units = units or Units(problem.X, problem.intercept)
        self.width: np.ndarray | None = None if problem.squared else np.full(len(problem.target), FIRST_WIDTH)
        self.before: np.ndarray | None = None
        self.n_threads = parallel.n_threads()
        self.rounding = rounding_of(problem)

    def at(self, theta: np.ndarray) -> Point:
        """One pass over the rows."""
        p = self.problem
        coef, intercept = np.ascontiguousarray(theta[:, :-1]), np.ascontiguousarray(theta[:, -1])
        loss, smooth, dual, slope, at_zero, share = p.pass_over(
            coef, intercept, self.units.origin, self.width, self.before, self.n_threads
        )
        gradient = np.empty_like(theta)
        gradient[:, :-1] = slope + coef
        gradient[:, -1] = at_zero if p.intercept else 0.0
        return Point(theta, loss, smooth + 0.5 * _squares(coef), dual, gradient, share)

    def is_open(self, point: Point, tol: float) -> np.ndarray:
        """Whether the gap is more than asked for, and more than what is left of losses of 1 when they are rounded."""
        return point.gap() > tol * point.primal + self.rounding

    def only(self, which: np.ndarray) -> Objective:
        """That of some of the scores."""
        found = Objective(replace(self.problem, target=self.problem.target[which]), self.units)
        found.width = None if self.width is None else self.width[which]
        found.before = None if self.before is None else np.ascontiguousarray(self.before[:, which])
        return found

    def step(self, point: Point, k: int) -> np.ndarray:
        """Newton's step of one score, to be subtracted: only rows whose share moves with their margin bend it."""
        p, share = self.problem, point.share[:, k]
        curved = p.bends(share, self.width is not None)
        factor = 2.0 if self.width is None else 1 / float(self.width[k])
        count = int(np.count_nonzero(curved))
        if count < FEW * len(share):
            rows = np.flatnonzero(curved)
            weight = np.full(count, p.bound) if isinstance(p.bound, float) else p.bound[rows]
            matrix = self.units.gram(np.ascontiguousarray(p.X[rows]), weight * factor)
        else:
            matrix = self.units.gram(p.X, curved * (p.bound * factor))
        matrix[np.diag_indices(len(matrix))] += self.units.penalty(1.0)
        inner = self.units.of_gradient(point.gradient[k : k + 1])
        pull = abs(float(point.gradient[k, -1]))
        if p.intercept and matrix[-1, -1] <= NO_CURVATURE * pull:
            matrix[-1, -1] = pull  # no row says how far the intercept should go: by about one margin
        return self.units.of_step(Factor(matrix).solve(inner))[0]

    def solution(self, point: Point, n_iter: int, converged: bool) -> LinearSolution:
        """A point as what the solver gives back."""
        coef = np.ascontiguousarray(point.theta[:, :-1])
        intercept = point.theta[:, -1] - coef @ self.units.moved
        return LinearSolution(coef, intercept, point.primal, point.dual, n_iter, converged)


def rounding_of(problem: LinearProblem) -> float:
    """What is left of losses of 1 when they are rounded."""
    return ROUNDING_OF_LOSSES * float(np.sum(problem.bounds))


def newton(problem: LinearProblem, tol: float, max_iter: int) -> LinearSolution:
    r"""Solve a dense problem with few columns, all scores in each pass over the rows.

    The squared hinge is quadratic where no row changes between inside and outside of the margin: Newton's steps with
    the rows inside end after finitely many (Mangasarian 2002; Keerthi, DeCoste 2005). The hinge is rounded off by an
    augmented Lagrangian, whose minima come as near the true one as asked for; only the few rows on the round part bend
    it. With many rows a sample of them is solved first. O(n d) a pass, O(r d²) a step with r rows that bend.
    """
    objective = Objective(problem)
    theta = np.zeros((len(problem.target), problem.X.shape[1] + 1))
    sample = max(SAMPLED_PER_PARAMETER * theta.shape[1], len(problem.y) // ROWS_PER_SAMPLE // 2)
    if sample * ROWS_PER_SAMPLE <= len(problem.y):
        inner = Objective(_sample_of(problem, sample), objective.units)
        near, _, _ = steps_from(inner, theta, max(tol, SAMPLE_TOLERANCE), max_iter)
        theta = near.theta
        if inner.width is not None:
            objective.width = np.full(len(theta), 0.2)
    return objective.solution(*steps_from(objective, theta, tol, max_iter))


def _sample_of(problem: LinearProblem, count: int) -> LinearProblem:
    at = sampled_rows(len(problem.y), count)
    larger = len(problem.y) / len(at)
    bound = problem.bound * larger if isinstance(problem.bound, float) else problem.bound[at] * larger
    return replace(problem, X=problem.X[at], y=problem.y[at], bound=bound)


def steps_from(objective: Objective, theta: np.ndarray, tol: float, max_iter: int) -> tuple[Point, int, bool]:
    """Newton steps until the gap of every score is closed; the iterations they took, and whether they are."""
    point = objective.at(theta)
    ends = Ends(point)
    for n_iter in range(max_iter):
        waiting = objective.is_open(point, tol)
        if not waiting.all():
            ends.take(point, ~waiting)
            if not waiting.any():
                return ends.whole(), n_iter, True
            objective, point = objective.only(waiting), point.only(waiting)
        if objective.width is not None:
            solved = _left(point) <= INNER * point.gap()
            if solved.any():
                point = _narrow(objective, point, solved)
        moved = _descend(objective, point)
        if moved is None:
            if objective.width is None or (objective.width <= NARROWEST).all():
                tol = max(tol, ROUNDING_OF_GAP)
                break
            moved = _narrow(objective, point, np.ones(len(point.theta), dtype=bool))
        point = moved
    waiting = objective.is_open(point, tol)
    ends.take(point, np.ones(len(waiting), dtype=bool))
    return ends.whole(), n_iter + 1, not waiting.any()


class Ends:
    """Where each score ended; those that have ended are left out of further passes."""

    def __init__(self, point: Point) -> None:
        self.point = replace(point, share=np.empty((0, len(point.theta))))
        self.running = np.arange(len(point.theta))

    def take(self, point: Point, which: np.ndarray) -> None:
        """Note some of the scores that are still running, and let them end."""
        at = self.running[which]
        for name in ("theta", "loss", "smooth", "dual_sum", "gradient"):
            getattr(self.point, name)[at] = getattr(point, name)[which]
        self.running = self.running[~which]

    def whole(self) -> Point:
        """All scores."""
        return self.point


def _left(point: Point) -> np.ndarray:
    """What the gradient leaves of the gap of the rounded problem."""
    short = 2 * np.abs(point.gradient[:, -1]) * (1 + np.abs(point.theta[:, -1]))
    return 0.5 * _squares(point.gradient[:, :-1]) + short


def _narrow(objective: Objective, point: Point, which: np.ndarray) -> Point:
    """The same parameters where the corner of some scores is rounded off less, around the shares found so far."""
    assert objective.width is not None
    before = (
        np.full_like(point.share, objective.problem.middle) if objective.before is None else objective.before.copy()
    )
    before[:, which] = point.share[:, which]
    objective.before = before
    on_round = objective.problem.bends(point.share, True).sum(axis=0)
    narrower = np.where(on_round > ENOUGH_ROUND * point.theta.shape[1], NARROWER, SLOWLY)
    objective.width = np.where(which, np.maximum(objective.width * narrower, NARROWEST), objective.width)
    return objective.at(point.theta)


def _descend(objective: Objective, point: Point) -> Point | None:
    """The point a Newton step away, or where the objective along it is lowest; None if no step leads down.

    A step is fine where the slope along it has fallen to a small share. Otherwise the place is looked for by secants:
    the objective is convex, and its slope at each place says on which side the lowest one is.
    """
    step = np.stack([objective.step(point, k) for k in range(len(point.theta))])
    promise = np.multiply(point.gradient, step).sum(axis=1)
    moves = promise > ROUNDING * np.abs(point.smooth)
    if not moves.any():
        return None
    low, high = np.zeros(len(step)), np.full(len(step), np.inf)
    slope_low, slope_high = -promise, np.zeros(len(step))
    length = np.where(moves, 1.0, 0.0)
    for n in range(MOST_CUTS):
        found = objective.at(point.theta - length[:, None] * step)
        slope = -np.multiply(found.gradient, step).sum(axis=1)
        down = found.smooth <= point.smooth - SHARE_OF_PROMISE * length * promise + 4 * ROUNDING * np.abs(point.smooth)
        fine = ~moves | (down & ((np.abs(slope) <= FLAT * promise) | (n >= ENOUGH_SECANTS)))
        if fine.all():
            return found
        far = ~down | (slope > 0)
        low, slope_low = np.where(far, low, length), np.where(far, slope_low, slope)
        high, slope_high = np.where(far, length, high), np.where(far, np.maximum(slope, 0), slope_high)
        length = np.where(fine, length, _between(low, high, slope_low, slope_high))
    return None


def _between(low: np.ndarray, high: np.ndarray, slope_low: np.ndarray, slope_high: np.ndarray) -> np.ndarray:
    """Where a line through the slopes at both ends is 0, well inside; twice as far where there is no upper end."""
    with np.errstate(all="ignore"):
        share = slope_low / (slope_low - slope_high)
        share = np.clip(np.where(np.isfinite(share), share, 0.5), 0.1, 0.9)
        return np.where(np.isfinite(high), low + share * (high - low), 2 * low)
