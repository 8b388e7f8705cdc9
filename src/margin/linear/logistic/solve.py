"""From a penalty and rows to coefficients: the solver chosen, run, its end looked at, and the last digits polished."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from margin.linear.logistic.certificate import Point, balanced, curvature, evaluate_at, scores
from margin.linear.presolve import Reduced
from margin.linear.problem import Problem
from margin.linear.solvers import SOLVERS, check_solver, choose_solver, shaped_for

__all__ = [
    "Curved",
    "Setting",
    "Solved",
    "flattened",
    "generalised_inverse",
    "is_cheap",
    "is_small",
    "parted",
    "polished",
    "problem_of",
    "ridge",
    "solve",
]

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
    max_iter: int = 1000
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


# The curvature at a solution, and the last Newton steps with it (of an L1 penalty only on what is not 0).

#: Up to so many parameters the curvature is kept with a model.
MOST_PARAMETERS = 400
# Multiplications that second derivatives may take: less than a few passes of most solvers.
CHEAP = 5e8
# So few that several rounds are not noticed.
SMALL = 2e8


@dataclass(frozen=True, eq=False)
class Curved:
    """A point, the second derivatives of the mean loss there, and how much a Newton step would move any score."""

    point: Point
    curvature: np.ndarray
    movement: float


def is_cheap(problem: Problem) -> bool:
    """Whether second derivatives cost little beside the fit, in time and memory."""
    width = problem.n_scores * (problem.X.shape[1] + problem.intercept)
    return width <= MOST_PARAMETERS and _multiplications(problem) <= CHEAP


def is_small(problem: Problem) -> bool:
    """Whether second derivatives may be found several times over."""
    return is_cheap(problem) and _multiplications(problem) <= SMALL


def _multiplications(problem: Problem) -> float:
    n, d = problem.X.shape
    return n * d * d * problem.n_scores * (problem.n_scores + 1) / 2


def centred(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Softmax is the same if all scores move together: intercepts, and free coefficients, add up to 0."""
    if problem.n_scores == 1:
        return coef, intercept
    if problem.intercept:
        intercept = intercept - intercept.mean()
    return (coef if problem.is_penalised else coef - coef.mean(axis=0)), intercept


def flattened(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Coefficients and intercepts in one vector, in the order of the curvature."""
    return (np.column_stack([coef, intercept]) if problem.intercept else coef).ravel()


def parted(problem: Problem, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The way back from :func:`flattened`."""
    d = problem.X.shape[1]
    table = flat.reshape(problem.n_scores, -1)
    return table[:, :d], table[:, d] if problem.intercept else np.zeros(problem.n_scores)


def ridge(problem: Problem) -> np.ndarray:
    """What the L2 penalty adds to the diagonal of the curvature."""
    return flattened(problem, np.full((problem.n_scores, problem.X.shape[1]), problem.l2), np.zeros(problem.n_scores))


def generalised_inverse(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A symmetric generalised inverse, and the directions (columns) in which the matrix is flat.

    Columns are put on one scale before small eigenvalues are told from rounding.
    """
    diagonal = np.diag(matrix)
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(matrix * scale * scale[:, None])
    flat = values <= max(len(values), 10) * 2e-15 * max(values.max(initial=0.0), 1e-300)
    kept = vectors[:, ~flat]
    inverse = (kept / values[~flat]) @ kept.T * scale * scale[:, None]
    return inverse, vectors[:, flat] * scale[:, None]


def polished(problem: Problem, point: Point) -> Curved:
    """Newton steps from a point that is near the optimum, while they lead down; for problems without L1.

    Small problems are brought to the last digits, so that what is read from them does not depend on the solver; large
    ones get one step, or a second if the first moved scores much.
    """
    enough = 1e-7 if _multiplications(problem) <= SMALL else 1e-2
    for _ in range(6):
        found = _stepped(problem, point)
        if found.point is point or found.movement <= enough:
            break
        point = found.point
    return found


def moved(problem: Problem, here: Point, there: Point) -> float:
    """By how much the scores of the rows differ at most between two points."""
    return float(np.abs(scores(problem, there.coef - here.coef) + (there.intercept - here.intercept)).max(initial=0.0))


def _stepped(problem: Problem, point: Point) -> Curved:
    hessian = curvature(problem, point.p)
    slope = flattened(problem, point.slope[0] + problem.l2 * point.coef, point.slope[1])
    step = generalised_inverse(hessian + np.diag(ridge(problem)))[0] @ slope
    if not np.isfinite(step).all():
        return Curved(point, hessian, np.inf)
    coef, intercept = parted(problem, flattened(problem, point.coef, point.intercept) - step)
    there = evaluate_at(problem, *centred(problem, np.ascontiguousarray(coef), np.ascontiguousarray(intercept)))
    movement = moved(problem, point, there)
    better = there.objective < point.objective
    same = there.objective <= point.objective * (1 + 1e-15) and there.gradient_norm < point.gradient_norm
    return Curved(there if better or same else point, hessian, movement)


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
        there = _stepped_on_support(problem, point)
        if there is None:
            break
        change = moved(problem, point, there)
        point = there
        if change <= 1e-9:
            break
    return point


def _stepped_on_support(problem: Problem, point: Point) -> Point | None:
    """The next point, or None where no step leads down."""
    slope = point.slope[0] + problem.l2 * point.coef
    side = np.where(point.coef != 0, np.sign(point.coef), -np.sign(slope))
    free = (point.coef != 0) | (np.abs(slope) > problem.l1)
    gradient = flattened(problem, np.where(free, slope + problem.l1 * side, 0.0), point.slope[1])
    used = flattened(problem, free.astype(float), np.ones(problem.n_scores)) > 0
    hessian = (curvature(problem, point.p) + np.diag(ridge(problem)))[np.ix_(used, used)]
    step = np.zeros(len(used))
    step[used] = generalised_inverse(hessian)[0] @ gradient[used]
    start = flattened(problem, point.coef, point.intercept)
    for _ in range(30):
        coef, intercept = parted(problem, start - step)
        coef = np.where(free & (coef * side > 0), coef, 0.0)
        there = evaluate_at(problem, *centred(problem, coef, np.ascontiguousarray(intercept)))
        if there.objective < point.objective:
            return there
        step = step / 2
        if np.abs(step).max(initial=0.0) <= 1e-14 * np.abs(start).max(initial=1.0):
            break
    return None
