r"""A point of the problem looked at, whatever solver led there: loss, gradient, curvature, duality gap, certificate.

How far a solution of penalised cross-entropy can be from the best one: the duality gap.

Any distributions :math:`q_i` over the classes give a lower bound of the mean objective (Fenchel):

.. math:: D(q) = \frac1S \sum_i s_i H(q_i) - g^*(-G), \qquad G = \frac1S \sum_i s_i (q_i - e_{y_i}) x_i^\top

with the entropy H and the conjugate of the penalty, :math:`g^*(V) = \sum (|V| - \lambda_1)_+^2 / 2\lambda_2`. For
the probabilities of a model the mean entropy is the mean loss less :math:`\langle G, W\rangle`: no pass of its own.
Unpenalised intercepts ask that the :math:`q_i` give every class its share; the probabilities of the model do so after
the intercepts alone were made optimal. Without :math:`\lambda_2` no entry of G may exceed :math:`\lambda_1`, which
moving the :math:`q_i` towards the true classes brings about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.readout import shown_in_notebooks
from margin.data.rows import row_blocks
from margin.linear.problem import Problem
from margin.linear.solvers.sparse_objective import SparsePasses

__all__ = [
    "OptimumCertificate",
    "Point",
    "balanced",
    "balanced_intercepts",
    "certified",
    "chances",
    "curvature",
    "dual_value",
    "duality_gap",
    "evaluate_at",
    "intercept_step",
    "loss_and_gradient",
    "scores",
    "smallest_subgradient",
]

#: The mean loss, its gradient along coefficients and intercepts, and the probability of each score's class.
Evaluated = tuple[float, np.ndarray, np.ndarray, np.ndarray]


def scores(problem: Problem, coef: np.ndarray) -> np.ndarray:
    """W x of every row, without the intercepts: n × ``n_scores``. O(n d) per score."""
    if problem.is_sparse:
        return np.ascontiguousarray(problem.X @ coef.T)
    found = np.empty((problem.X.shape[0], len(coef)))
    for block in row_blocks(len(found)):  # float32 is never converted as a whole
        found[block] = problem.X[block].astype(np.float64, copy=False) @ coef.T
    return found


def loss_and_gradient(problem: Problem, coef: np.ndarray, intercept: np.ndarray, keep: bool = True) -> Evaluated:
    """One pass over the rows, the penalty left out; without ``keep`` the probabilities are not written down."""
    coef, intercept = np.ascontiguousarray(coef), np.ascontiguousarray(intercept)
    if problem.is_sparse:
        passes = SparsePasses(problem)
        value, table, _ = passes.smooth(passes.table((coef, intercept)))
        slope, at_zero = passes.parts(table)
        value -= 0.5 * problem.l2 * float(np.multiply(coef, coef).sum())
        p = chances(scores(problem, coef) + intercept) if keep else np.empty((0, len(coef)))
        return value, slope - problem.l2 * coef, at_zero, p
    share = None if problem.weight is None else problem.weight / problem.total
    loss, slope, at_zero, p = _core.linear.dense_pass(
        problem.X, problem.y, share, coef, intercept, keep, parallel.n_threads()
    )
    unit = 1 / problem.total if share is None else 1.0
    return loss * unit, slope * unit, at_zero * unit, p


def chances(z: np.ndarray) -> np.ndarray:
    """The probability of each score's class (n × ``n_scores``): of the second class where there is one score."""
    if z.shape[1] == 1:
        e = np.exp(-np.abs(z))
        return np.where(z >= 0, 1.0, e) / (1.0 + e)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def smallest_subgradient(problem: Problem, coef: np.ndarray, slope: np.ndarray, at_zero: np.ndarray) -> float:
    """The largest component of the smallest subgradient of the objective, given the gradient of the loss."""
    inside = slope + problem.l2 * coef
    size = np.where(
        coef == 0, np.maximum(np.abs(inside) - problem.l1, 0.0), np.abs(inside + problem.l1 * np.sign(coef))
    )
    intercepts = np.abs(at_zero).max(initial=0.0) if problem.intercept else 0.0
    return float(max(size.max(initial=0.0), intercepts))


def curvature(problem: Problem, p: np.ndarray) -> np.ndarray:
    """Second derivatives of the mean loss, score after score: the coefficients, then the intercept if there is one.

    O(n (d K)²) time.
    """
    share = np.full(len(p), 1 / problem.total) if problem.weight is None else problem.weight / problem.total
    k, width = p.shape[1], problem.X.shape[1] + problem.intercept
    if k == 1:
        return _gram(problem, share * p[:, 0] * (1 - p[:, 0]))[:width, :width]
    found = np.zeros((k, width, k, width))
    for a in range(k):
        for b in range(a):
            product = _gram(problem, share * p[:, a] * p[:, b])[:width, :width]
            found[a, :, b] = found[b, :, a] = -product
            found[a, :, a] += product  # the probabilities of a row add up to 1
            found[b, :, b] += product
    return found.reshape(k * width, k * width)


def _gram(problem: Problem, weight: np.ndarray) -> np.ndarray:
    """The sum of weight (x, 1)ᵀ(x, 1) over the rows."""
    d = problem.X.shape[1]
    none, ones, threads = np.zeros(d), np.ones(d), parallel.n_threads()
    if not problem.is_sparse:
        return _core.linear.dense_gram(problem.X, weight, none, ones, threads)
    found = np.zeros((d + 1, d + 1))
    for block in row_blocks(len(weight)):
        rows = np.ascontiguousarray(problem.X[block].toarray(), dtype=np.float64)
        found += _core.linear.dense_gram(rows, np.ascontiguousarray(weight[block]), none, ones, threads)
    return found


# Two sums that differ by less are the same number.
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Point:
    """Coefficients and intercepts with all that one look at the rows says of them.

    ``p`` are the probabilities of the scores' classes, ``slope`` the gradient of the mean loss along coefficients and
    intercepts.
    """

    coef: np.ndarray
    intercept: np.ndarray
    p: np.ndarray
    loss: float
    objective: float
    slope: tuple[np.ndarray, np.ndarray]
    gradient_norm: float

    def gap(self, problem: Problem) -> float | None:
        """The duality gap, or None without a penalty; for a point whose intercepts are (nearly) balanced."""
        if not problem.is_penalised:
            return None
        slope, at_zero = self.slope
        # Intercepts that are not quite balanced: what it would take, to first order.
        short = float(np.multiply(np.abs(at_zero), 1 + np.abs(self.intercept)).sum()) if problem.intercept else 0.0
        apart = self.objective - dual_value(problem, self.coef, self.loss, slope)
        return max(apart, 0.0) + 2 * short + ROUNDING * self.objective


def evaluate_at(problem: Problem, coef: np.ndarray, intercept: np.ndarray, keep: bool = True) -> Point:
    """One pass over the rows; the probabilities are empty unless they are to be kept."""
    loss, slope, at_zero, p = loss_and_gradient(problem, coef, intercept, keep)
    norm = smallest_subgradient(problem, coef, slope, at_zero)
    return Point(coef, intercept, p, loss, loss + problem.penalty(coef), (slope, at_zero), norm)


def balanced(problem: Problem, point: Point) -> Point:
    """The point with intercepts that give every class its share: a step or two, if they do not lead up."""
    for _ in range(2):
        if not problem.intercept or np.abs(point.slope[1]).max() <= 1e-13:
            break
        moved = point.intercept - intercept_step(problem, point.p, point.slope[1])
        there = evaluate_at(problem, point.coef, moved)
        if there.objective > point.objective * (1 + 1e-14):
            break
        point = there
    return point


@shown_in_notebooks
@dataclass(frozen=True)
class OptimumCertificate:
    """How near the optimum a fit came, found by a look at the rows of its own, not by the word of the solver.

    Attributes
    ----------
    objective
        As scikit-learn writes it: C times the sum of the losses, plus the penalty; without a penalty the sum.
    mean_objective
        The same divided by C times the sum of the weights: mean loss plus penalty.
    gradient_norm
        Largest component of the smallest (sub)gradient of the mean objective.
    duality_gap
        At most so much is the mean objective above its minimum; None without a penalty.
    distance
        At most so far (Euclidean) the coefficients are from the best ones, where the penalty has a share of L2;
        otherwise None.
    tol
        What the gradient was asked to come below.
    n_iter, solver, reason, converged
        Iterations, who made them, why that solver was chosen, and whether the tolerance was met.
    seconds
        Time of the fit on the machine where it happened; None in a model that was copied or loaded.
    """

    objective: float
    mean_objective: float
    gradient_norm: float
    duality_gap: float | None
    distance: float | None
    tol: float
    n_iter: int
    solver: str
    reason: str
    converged: bool
    seconds: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Two fits of the same rows are the same model, however long they took.
        return {**self.__dict__, "seconds": None}

    def __str__(self) -> str:
        end = "converged" if self.converged else "did not converge"
        took = "" if self.seconds is None else f", {self.seconds:.3g} s"
        lines = [
            f"{self.solver} ({self.reason}): {end} in {self.n_iter} iteration{'s' * (self.n_iter != 1)}{took}",
            f"  objective    {self.objective:<14.10g} mean {self.mean_objective:.10g}",
            f"  gradient     {self.gradient_norm:<14.3g} asked for at most {self.tol:g}",
        ]
        if self.duality_gap is None:
            lines.append("  duality gap  none          there is no penalty")
        else:
            lines.append(f"  duality gap  {self.duality_gap:<14.3g} at most so much is the mean above its minimum")
        if self.distance is not None:
            lines.append(
                f"  distance     {self.distance:<14.3g} at most so far are the coefficients from the best ones"
            )
        return "\n".join(lines)

    def timed(self, seconds: float) -> OptimumCertificate:
        """The same with the time that was taken."""
        return replace(self, seconds=seconds)


class Ended(Protocol):
    """What a certificate says of the way a solver went."""

    @property
    def solver(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def n_iter(self) -> int: ...

    @property
    def converged(self) -> bool: ...


def certified(problem: Problem, point: Point, C: float, tol: float, end: Ended) -> OptimumCertificate:
    """The certificate of a point that a solver came to."""
    gap = point.gap(problem)
    scale = problem.total * (C if math.isfinite(C) else 1.0)
    return OptimumCertificate(
        objective=point.objective * scale,
        mean_objective=point.objective,
        gradient_norm=point.gradient_norm,
        duality_gap=gap,
        distance=None if gap is None or problem.l2 == 0 else math.sqrt(2 * gap / problem.l2),
        tol=tol,
        n_iter=end.n_iter,
        solver=end.solver,
        reason=end.reason,
        converged=end.converged,
    )


def duality_gap(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float | None:
    """How much the mean objective at a point is above its minimum, at most; None without a penalty.

    Costs a few passes over the rows. Exact up to rounding, some 1e-15 of the objective.

    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 1], dtype=np.int32)
    >>> problem = Problem(X, y, None, 2, l1=0.0, l2=1.0, intercept=True)
    >>> round(duality_gap(problem, np.zeros((1, 1)), np.zeros(1)), 4)
    0.1122
    """
    if not problem.is_penalised:
        return None
    value = loss_and_gradient(problem, coef, intercept)[0] + problem.penalty(coef)
    if problem.intercept:
        intercept = balanced_intercepts(problem, scores(problem, coef), intercept)
    loss, slope, _, _ = loss_and_gradient(problem, coef, intercept)
    return max(0.0, value - dual_value(problem, coef, loss, slope))


def dual_value(problem: Problem, coef: np.ndarray, loss: float, slope: np.ndarray) -> float:
    """A lower bound of the mean objective from the mean loss and its gradient, where the intercepts are balanced."""
    entropy = loss - float(np.multiply(slope, coef).sum())
    if problem.l2 > 0:
        beyond = np.maximum(np.abs(slope) - problem.l1, 0.0)
        return entropy - float((beyond**2).sum() / (2 * problem.l2))
    steepest = float(np.abs(slope).max(initial=0.0))
    # Entropy is concave and 0 where a class is certain: on the way there at least its share is left.
    return entropy * min(1.0, problem.l1 / steepest if steepest > 0 else 1.0)


def intercept_step(problem: Problem, p: np.ndarray, at_zero: np.ndarray) -> np.ndarray:
    """The Newton step of the intercepts alone, cut to at most 2 so that none goes astray."""
    s = np.full(len(p), 1.0) if problem.weight is None else problem.weight
    s = s / problem.total
    if len(at_zero) == 1:
        return np.clip(at_zero / max(float((s * p[:, 0] * (1 - p[:, 0])).sum()), 1e-300), -2.0, 2.0)
    hessian = np.diag(s @ p) - (p * s[:, None]).T @ p
    return np.clip(np.linalg.lstsq(hessian, at_zero, rcond=1e-13)[0], -2.0, 2.0)


def balanced_intercepts(problem: Problem, z: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The intercepts that are best for given coefficients: every class then gets its share on average.

    Newton steps; needs every class to have a row.
    """
    share = np.full(len(z), 1 / problem.total) if problem.weight is None else problem.weight / problem.total
    counts = np.bincount(problem.y, share, max(problem.n_classes, 2))
    wanted = counts[1:] if z.shape[1] == 1 else counts
    b = start.astype(np.float64, copy=True)
    for _ in range(100):
        p = chances(z + b)
        slope = share @ p - wanted
        if np.abs(slope).max() < 1e-15:
            break
        step = intercept_step(problem, p, slope)
        b = b - step
        if np.abs(step).max() <= 4e-16 * np.abs(b).max(initial=1.0):
            break
    return b
