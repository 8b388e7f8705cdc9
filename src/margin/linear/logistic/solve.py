"""From a penalty and rows to coefficients: the solver chosen, run, and its end looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from margin.linear.logistic.certificate import Point, balanced, evaluate_at
from margin.linear.logistic.polish import Curved, centred, is_cheap, is_small, polished, polished_support
from margin.linear.presolve import Reduced
from margin.linear.problem import Problem
from margin.linear.solvers import SOLVERS, check_solver, choose_solver, shaped_for

__all__ = ["Setting", "Solved", "problem_of", "solve"]

# A penalty beyond this leaves coefficients of 0, and its own square must stay a number.
STRONGEST = 1e100


@dataclass(frozen=True)
class Setting:
    """What is asked of a fit; ``who`` asks is for messages, ``polish`` for the last digits of small problems."""

    C: float = 1.0
    l1_ratio: float = 0.0
    intercept: bool = True
    solver: str = "auto"
    tol: float = 1e-4
    max_iter: int = 100
    who: str = "LogisticRegression"
    polish: bool = True


@dataclass(frozen=True, eq=False)
class Solved:
    """Where a solver ended, with its name and why it was chosen; the curvature there, where it is cheap."""

    point: Point
    solver: str
    reason: str
    n_iter: int
    converged: bool
    curved: Curved | None = None


def problem_of(part: Reduced, weight: np.ndarray | None, setting: Setting) -> Problem:
    """The mean objective for scikit-learn's C: penalties are divided by C times the sum of the weights."""
    total = float(len(part.y)) if weight is None else float(weight.sum())
    strength = min(1 / max(setting.C * total, 1 / STRONGEST), STRONGEST)
    l1 = setting.l1_ratio * strength
    return Problem(part.X, part.y, weight, len(part.classes), l1, strength - l1, bool(setting.intercept))


def solve(problem: Problem, start: tuple[np.ndarray, np.ndarray] | None, setting: Setting) -> Solved:
    """Coefficients and intercepts of least objective."""
    if setting.solver != "auto":
        check_solver(setting.solver, problem, setting.who)
    if problem.n_classes < 2:
        return Solved(_nothing_to_tell(problem), "none", "one class only", 0, True)
    if problem.X.shape[1] == 0:
        point = evaluate_at(problem, np.zeros((problem.n_scores, 0)), _log_shares(problem))
        return Solved(point, "none", "no column that varies: the shares of the classes", 0, True)
    name, reason = choose_solver(problem) if setting.solver == "auto" else (setting.solver, "as asked for")
    found = SOLVERS[name](shaped_for(name, problem, setting.who), start, setting.tol, setting.max_iter)
    coef, intercept = centred(problem, found.coef, found.intercept)
    point = evaluate_at(problem, coef, intercept, keep=is_cheap(problem) or not problem.is_penalised)
    curved = None
    if setting.polish and problem.l1 == 0 and is_cheap(problem):
        curved = polished(problem, point)
        point = curved.point
    elif setting.polish and problem.l1 > 0 and is_small(problem):
        point = balanced(problem, polished_support(problem, point))
    done = Solved(point, name, reason, found.n_iter, found.converged, curved)
    return replace(done, converged=done.converged or _is_there(problem, done, setting))


def _is_there(problem: Problem, done: Solved, setting: Setting) -> bool:
    """Whether a point is the optimum as well as numbers can tell, whatever the unit of its gradient."""
    if done.point.gradient_norm <= setting.tol:
        return True
    if done.curved is not None:
        return problem.is_penalised and done.curved.movement < 1e-6
    gap = done.point.gap(problem)
    at_rest = done.n_iter < setting.max_iter  # no step led down any more
    return gap is not None and gap <= (1e-6 if at_rest else 1e-10) * done.point.objective


def _nothing_to_tell(problem: Problem) -> Point:
    d, n = problem.X.shape[1], problem.X.shape[0]
    zeros = np.zeros((1, d)), np.zeros(1)
    return Point(*zeros, np.zeros((n, 1)), 0.0, 0.0, zeros, 0.0)


def _log_shares(problem: Problem) -> np.ndarray:
    if not problem.intercept:
        return np.zeros(problem.n_scores)
    shares = np.log(np.bincount(problem.y, problem.weight, problem.n_classes))
    return shares[1:] - shares[:1] if problem.n_scores == 1 else shares - shares.mean()
