"""The objective of a dense problem as the solvers see it: one fused pass over the rows for each point.

Steps downhill on it, and what a limited memory of them tells of the curvature.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

import margin._core as _core
from margin import parallel
from margin.linear.problem import Problem, Solution
from margin.linear.solvers.curvature import Curvature, Units, sampled_rows

__all__ = ["History", "Iterate", "Objective", "descend", "sample_of", "zero_sum"]

# A further step that promises a smaller share of the tolerance is not worth a pass.
NEGLIGIBLE_BESIDE_TOLERANCE = 1e-6
ROUNDING = 1e-15


@dataclass(frozen=True)
class Iterate:
    """Parameters, one line (w, b) for each score, and the objective there.

    The intercepts belong to columns whose origin is that of the objective's :class:`Units`.

    ``probability`` holds the probabilities of the rows, where they were asked for.
    """

    theta: np.ndarray
    value: float
    gradient: np.ndarray
    probability: np.ndarray | None = None
    #: How large the numbers are that the scores were summed up from.
    terms: float = 0.0

    @property
    def largest(self) -> float:
        """The largest component of the gradient."""
        return float(np.abs(self.gradient).max(initial=0.0))

    def is_negligible(self, step: np.ndarray, tol: float, share: float) -> bool:
        """Whether a step promises to lower the objective by no more than a share of it, or of the tolerance."""
        promise = 0.5 * float(np.vdot(self.gradient, step))
        return promise <= max(share * self.value, NEGLIGIBLE_BESIDE_TOLERANCE * tol)

    def is_rounding(self, step: np.ndarray) -> bool:
        """Whether a step promises no more than the objective is rounded by, however large a gradient in large units."""
        return float(np.vdot(self.gradient, step)) <= ROUNDING * (self.value + self.terms)


class Objective:
    """The mean objective of :class:`~margin.linear.problem.Problem` without l1, and its gradient.

    >>> X, y = np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.int32)
    >>> objective = Objective(Problem(X, y, None, 2, 0.0, 0.0, True))
    >>> point = objective.at(np.zeros((1, 2)))
    >>> round(point.value, 6), point.gradient
    (0.693147, array([[-0.25,  0.  ]]))
    """

    def __init__(self, problem: Problem, units: Units | None = None) -> None:
        self.problem = problem
        self.units = units or Units(problem.X, problem.intercept)
        self.total = problem.total
        # Weights as shares of their sum: sums over rows stay ordinary numbers, however small or large weights are.
        self.share = None if problem.weight is None else problem.weight / self.total
        self.factor = 1 / self.total if problem.weight is None else 1.0

    @property
    def shares(self) -> np.ndarray:
        """The weight of each row in the mean."""
        return np.full(len(self.problem.X), self.factor) if self.share is None else self.share

    @property
    def shape(self) -> tuple[int, int]:
        """Scores, and parameters of each."""
        return self.problem.n_scores, self.problem.X.shape[1] + 1

    def at(self, theta: np.ndarray, keep: bool = False) -> Iterate:
        """Value and gradient at a point, in one pass; ``keep`` also keeps the probabilities of the rows."""
        problem = self.problem
        coef, intercept = np.ascontiguousarray(theta[:, :-1]), np.ascontiguousarray(theta[:, -1])
        loss, gradient, slope, kept = _core.linear.dense_pass(
            problem.X, problem.y, self.share, coef, intercept, keep, parallel.n_threads(), self.units.origin
        )
        value = loss * self.factor + 0.5 * problem.l2 * float(np.vdot(coef, coef))
        whole = np.empty_like(theta)
        whole[:, :-1] = gradient * self.factor + problem.l2 * coef
        whole[:, -1] = slope * self.factor if problem.intercept else 0.0
        return Iterate(theta, float(value), whole, kept if keep else None, self.units.terms(theta))

    def start(self, start: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
        """Where to begin: as given, or no coefficients and intercepts that answer the shares of the classes."""
        theta = np.zeros(self.shape)
        if start is not None:
            theta[:, :-1] = start[0]
            theta[:, -1] = start[1] + theta[:, :-1] @ self.units.moved if self.problem.intercept else 0.0
        elif self.problem.intercept:
            counts = np.bincount(self.problem.y, self.share, max(2, self.problem.n_classes)) * self.factor
            logs = np.log(counts + 0.5 / (1 + len(self.problem.y)))
            theta[:, -1] = logs[1:] - logs[0] if len(theta) == 1 else logs
        return zero_sum(theta)

    def solution(self, point: Iterate, n_iter: int, converged: bool) -> Solution:
        """A point as what the solver gives back."""
        coef = np.ascontiguousarray(point.theta[:, :-1])
        intercept = point.theta[:, -1] - coef @ self.units.moved
        return Solution(coef, intercept, point.value, point.largest, n_iter, converged)


def zero_sum(theta: np.ndarray) -> np.ndarray:
    """The same answers with parameters that add up to 0 over the classes: softmax does not see their mean.

    >>> zero_sum(np.array([[1.0], [2.0], [6.0]])).ravel()
    array([-2., -1.,  3.])
    """
    return theta if len(theta) == 1 else theta - theta.mean(axis=0)


def sample_of(problem: Problem, count: int) -> Problem:
    """The problem of a sample of the rows: its mean objective is an estimate of the whole one's."""
    at = sampled_rows(problem.X.shape[0], count)
    weight = None if problem.weight is None else problem.weight[at]
    return replace(problem, X=problem.X[at], y=problem.y[at], weight=weight)


MOST_HALVINGS = 40
# Of the decrease that the slope promises, as much must come true (Armijo 1966).
SHARE_OF_PROMISE = 1e-4


def descend(objective: Objective, point: Iterate, step: np.ndarray, keep: bool = False) -> Iterate | None:
    """The point a step away, or nearer where the whole step does not lower the objective; None if none does.

    A step that is too long is cut to the lowest point of a parabola through what is known, by 2 to 10 times. Where it
    promises less than the objective is rounded by, the gradient has to tell: it must be halved.
    """
    promise = float(np.vdot(point.gradient, step))
    if not promise > 0:
        return None
    if point.is_rounding(step):
        found = objective.at(zero_sum(point.theta - step), keep)
        higher = found.value - point.value > ROUNDING * (point.value + point.terms)
        return None if higher or found.largest > 0.5 * point.largest else found
    length = 1.0
    for _ in range(MOST_HALVINGS):
        found = objective.at(zero_sum(point.theta - length * step), keep)
        if found.value <= point.value - SHARE_OF_PROMISE * length * promise:
            return found
        excess = found.value - point.value + length * promise
        best = 0.5 * length * promise / excess if np.isfinite(excess) and excess > 0 else 0.1
        length *= min(0.5, max(0.1, best))
    return None


class History:
    """The last steps and how the gradient changed along them: L-BFGS (Nocedal 1980) around a given curvature."""

    def __init__(self, curvature: Curvature, size: int = 10) -> None:
        self.curvature = curvature
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=size)
        self.multiple = 1.0

    def remember(self, before: Iterate, after: Iterate) -> None:
        """Take in a step, unless rounding has made its curvature meaningless."""
        step, change = after.theta - before.theta, after.gradient - before.gradient
        product = float(np.vdot(step, change))
        if not product > 0:
            return
        self.pairs.append((step, change, product))
        self.multiple = product / max(float(np.vdot(change, self.curvature.solve(change))), np.finfo(float).tiny)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """The step to take from a point with this gradient (to be subtracted)."""
        rest = gradient.copy()
        shares = []
        for step, change, product in reversed(self.pairs):
            share = float(np.vdot(step, rest)) / product
            rest -= share * change
            shares.append(share)
        found = self.multiple * self.curvature.solve(rest)
        for (step, change, product), share in zip(self.pairs, reversed(shares), strict=True):
            found += (share - float(np.vdot(change, found)) / product) * step
        return found
