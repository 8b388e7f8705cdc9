"""Where a solver ended, looked at once more: objective, gradient, duality gap, and the certificate that says so."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from margin.linear.gap import dual_value, intercept_step
from margin.linear.passes import loss_and_gradient, smallest_subgradient
from margin.linear.problem import Problem

__all__ = ["OptimumCertificate", "Point", "balanced", "certified", "look_at"]


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


def look_at(problem: Problem, coef: np.ndarray, intercept: np.ndarray, keep: bool = True) -> Point:
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
        there = look_at(problem, point.coef, moved)
        if there.objective > point.objective * (1 + 1e-14):
            break
        point = there
    return point


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
