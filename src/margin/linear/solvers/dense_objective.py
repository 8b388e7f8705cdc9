"""The objective of a dense problem as the solvers see it: one fused pass over the rows for each point."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import margin._core as _core
from margin import parallel
from margin.linear.problem import Problem, Solution
from margin.linear.solvers.column_units import Units, sampled_rows

__all__ = ["Objective", "Point", "centred", "sample_of"]


@dataclass(frozen=True)
class Point:
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

    def at(self, theta: np.ndarray, keep: bool = False) -> Point:
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
        return Point(theta, float(value), whole, kept if keep else None, self.units.terms(theta))

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
        return centred(theta)

    def solution(self, point: Point, n_iter: int, converged: bool) -> Solution:
        """A point as what the solver gives back."""
        coef = np.ascontiguousarray(point.theta[:, :-1])
        intercept = point.theta[:, -1] - coef @ self.units.moved
        return Solution(coef, intercept, point.value, point.largest, n_iter, converged)


def centred(theta: np.ndarray) -> np.ndarray:
    """The same answers with parameters that add up to 0 over the classes: softmax does not see their mean.

    >>> centred(np.array([[1.0], [2.0], [6.0]])).ravel()
    array([-2., -1.,  3.])
    """
    return theta if len(theta) == 1 else theta - theta.mean(axis=0)


def sample_of(problem: Problem, count: int) -> Problem:
    """The problem of a sample of the rows: its mean objective is an estimate of the whole one's."""
    at = sampled_rows(problem.X.shape[0], count)
    weight = None if problem.weight is None else problem.weight[at]
    return replace(problem, X=problem.X[at], y=problem.y[at], weight=weight)
