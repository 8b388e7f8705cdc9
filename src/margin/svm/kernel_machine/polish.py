r"""The exact solution of a small dual problem, by linear algebra from one that is near.

Where it is known which weights are 0, which are at their bounds and which are free, the optimum is the solution of

.. math:: \sum_{j} \alpha_j s_i s_j k_{ij} + s_i b = 1 \quad (i\ \text{free}), \qquad \sum_j s_j \alpha_j = 0.

Weights that this would lead beyond a bound stop there, and those at a bound that want to leave it become free, one at
a time (an active-set method).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.svm.kernel_machine.dual import DualProblem, DualSolution

__all__ = ["conditions", "polished"]

# Changes of what is free, at most; each costs the eigenvectors of a matrix of the free rows.
MOST_CHANGES = 200
# More free weights than this would take too long.
MOST_FREE = 200
# Weights this near to a bound, as a share of it, are at the bound.
NEAR = 1e-10
# Eigenvalues below this share of the largest are taken for 0, and violations below it for rounding.
NOTHING = 1e-12


def conditions(problem: DualProblem, alpha: np.ndarray, gradient: np.ndarray) -> tuple[float, float]:
    """The bias that fits best, and the largest violation of the conditions of optimality."""
    s = problem.sign
    value = -s * gradient
    rises = np.where(s > 0, alpha < problem.upper, alpha > 0)
    falls = np.where(s > 0, alpha > 0, alpha < problem.upper)
    high = float(value[rises].max(initial=-np.inf))
    low = float(value[falls].min(initial=np.inf))
    if not (np.isfinite(high) and np.isfinite(low)):
        return 0.0, 0.0
    return high / 2 + low / 2, max(0.0, high - low)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is not taken
def polished(source: Any, problem: DualProblem, found: DualSolution) -> DualSolution:
    """A solution with smaller violations, or the same where none comes out."""
    if not (found.alpha > 0).any() or not np.isfinite(problem.upper).all():
        return found
    Q = source.block(problem.rows, problem.rows, 1) * np.outer(problem.sign, problem.sign)
    if not np.isfinite(Q).all():
        return found
    # Weights are measured in units in which kernel values are at most about 1.
    unit = float(np.abs(np.diag(Q)).max()) or 1.0
    scaled = replace(problem, upper=problem.upper * unit)
    alpha = _optimum(Q / unit, scaled, found.alpha * unit)
    if alpha is None:
        return found
    gradient = Q @ (alpha / unit) - 1.0
    bias, violation = conditions(scaled, alpha, gradient)
    alpha = np.where(alpha >= scaled.upper, problem.upper, alpha / unit)
    objective = float(0.5 * alpha @ (gradient - 1.0))
    better = violation < found.violation and objective <= found.objective + 1e-9 * abs(found.objective)
    done = replace(found, alpha=alpha, gradient=gradient, bias=bias, violation=violation, objective=objective)
    return done if better else found


def _optimum(Q: np.ndarray, problem: DualProblem, alpha: np.ndarray) -> np.ndarray | None:
    """Weights without violations, or the best that the allowed number of changes led to."""
    upper, s = problem.upper, problem.sign
    alpha = np.where(alpha <= NEAR * upper, 0.0, np.where(alpha >= (1 - NEAR) * upper, upper, alpha))
    free = (alpha > 0) & (alpha < upper)
    for _ in range(MOST_CHANGES):
        if free.sum() > MOST_FREE:
            return None
        if free.any():
            step, endless = _step(Q, s, alpha, free)
            if not np.isfinite(step).all():
                return None
            length, blocked = _reach(alpha, step, upper, free, np.inf if endless else 1.0)
            alpha = np.where(free, np.clip(alpha + length * step, 0.0, upper), alpha)
            if blocked.any():
                alpha = np.where(blocked, np.where(step > 0, upper, 0.0), alpha)
                free &= ~blocked
                continue
        wanting = _most_wanting(Q, problem, alpha, free)
        if wanting is None:
            return alpha
        free[wanting] = True
    return alpha


def _step(Q: np.ndarray, s: np.ndarray, alpha: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, bool]:
    """From alpha to the optimum over the free weights; or a way down that has no end but the bounds."""
    rows = np.flatnonzero(free)
    m = len(rows)
    system = np.zeros((m + 1, m + 1))
    system[:m, :m] = Q[np.ix_(rows, rows)]
    system[:m, m] = system[m, :m] = s[rows]
    left = np.append(1.0 - Q[rows] @ alpha, -(s @ alpha))
    values, vectors = np.linalg.eigh(system)
    parts = vectors.T @ left
    flat = np.abs(values) <= NOTHING * np.abs(values).max()
    step = np.zeros(len(alpha))
    down = vectors[:, flat] @ parts[flat]
    if np.linalg.norm(down[:m]) > 1e-9 * (1.0 + np.linalg.norm(left)):
        step[rows] = down[:m]
        return step, True
    step[rows] = (vectors[:, ~flat] @ (parts[~flat] / values[~flat]))[:m]
    return step, False


def _reach(
    alpha: np.ndarray, step: np.ndarray, upper: np.ndarray, free: np.ndarray, longest: float
) -> tuple[float, np.ndarray]:
    """How far one can go until a weight meets its bound, and which do."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(step > 0, (upper - alpha) / step, np.where(step < 0, -alpha / step, np.inf))
    room = np.where(free & (step != 0), np.maximum(room, 0.0), np.inf)
    length = min(longest, float(room.min()))
    if not np.isfinite(length):
        return 0.0, np.zeros(len(alpha), dtype=bool)
    return length, room <= length * (1 + 1e-12) if length < longest else np.zeros(len(alpha), dtype=bool)


def _most_wanting(Q: np.ndarray, problem: DualProblem, alpha: np.ndarray, free: np.ndarray) -> int | None:
    """The row at a bound that gains most by leaving it; None at the optimum."""
    gradient = Q @ alpha - 1.0
    s = problem.sign
    bias = float(-(s * gradient)[free].mean()) if free.any() else conditions(problem, alpha, gradient)[0]
    drive = gradient + s * bias
    wish = np.where(alpha <= 0, -drive, drive)
    wish[free] = -np.inf
    best = int(np.argmax(wish))
    size = max(1.0, float(np.abs(gradient).max()))
    return best if wish[best] > NOTHING * size * len(s) else None
