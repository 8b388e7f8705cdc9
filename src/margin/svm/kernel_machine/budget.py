r"""The soft margin with a budget: the widest margin whose slacks add up to at most B.

Minimise :math:`\tfrac12\|w\|^2` with :math:`\sum_i w_i \xi_i \le B`, rows counted with their weights. C is what a unit
of the budget is worth at the optimum: the slacks shrink as C grows, and the C at which they just keep to the budget is
found by bracketing and the secant rule, each solution begun at the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from margin.errors import NotSeparableError
from margin.svm.kernel_machine.dual import DualSolution
from margin.svm.kernel_machine.multiclass import Signed, Weighted
from margin.svm.kernel_machine.solve import Gap, SoftMargin, Solutions, Solver

__all__ = ["SlackBudget", "constant"]

# From one C to the next in search of one on either side, and how often.
FACTOR, MOST_BRACKETS = 8.0, 12
MOST_SECANTS = 60
# How much of the budget may be left, as a share of it, and how exactly problems are solved on the way.
LEFT, EXACT = 1e-3, 1e-4
# Slacks that shrink by less than this share from one C to the next have come to their end.
STILL = 1e-4

#: The solution for a C, begun at another, and its slacks.
At = Callable[[float, Solutions | None], tuple[Solutions, float]]


@dataclass(frozen=True)
class SlackBudget:
    """The slacks of each problem may add up to ``budget``; ``who`` is named where they cannot be kept to it."""

    budget: float
    who: str

    def solve(self, solver: Solver, problems: Sequence[Weighted], start: Solutions | None = None) -> Solutions:
        """Each problem by itself, with a C of its own; a start would be of another C and is not used."""
        exact = replace(solver, tol=min(solver.tol, EXACT))
        parts = [_within(exact, problem, self.budget, self.who) for problem in problems]
        return Solutions(
            [found for part in parts for found in part.found],
            [gap for part in parts for gap in part.gaps],
            np.array([C for part in parts for C in part.C.tolist()]),
        )


def _within(solver: Solver, problem: Weighted, budget: float, who: str) -> Solutions:
    """One problem."""
    sides = [float(problem.weight[problem.sign == side].sum()) for side in (1.0, -1.0)]
    if budget >= 2 * min(sides):
        return constant(problem, 1.0 if sides[0] > sides[1] else -1.0)

    def at(C: float, start: Solutions | None) -> tuple[Solutions, float]:
        found = SoftMargin(C).solve(solver, [problem], start)
        return found, _slack(problem, found.found[0])

    (low, over), (high, under) = _bracket(at, budget, who)
    for turn in range(MOST_SECANTS):
        if budget * (1 - LEFT) <= under:
            break
        a, b = np.log(low.C[0]), np.log(high.C[0])
        share = (over - budget) / (over - under) if turn % 3 < 2 else 0.5
        C = float(np.exp(a + min(max(share, 0.01), 0.99) * (b - a)))
        if not low.C[0] < C < high.C[0]:
            break
        found, slack = at(C, high)
        if slack <= budget:
            high, under = found, slack
        else:
            low, over = found, slack
    return high


def _bracket(at: At, budget: float, who: str) -> tuple[tuple[Solutions, float], tuple[Solutions, float]]:
    """A C whose slacks exceed the budget, and one whose slacks keep to it."""
    found, slack = at(1.0, None)
    first, still = slack <= budget, 0
    for _ in range(MOST_BRACKETS):
        before, slack_before = found, slack
        found, slack = at(float(found.C[0]) * (1 / FACTOR if first else FACTOR), found)
        if (slack <= budget) != first:
            return ((found, slack), (before, slack_before)) if first else ((before, slack_before), (found, slack))
        still = still + 1 if slack > slack_before * (1 - STILL) else 0
        if not first and still == 3:
            break
    if first:
        return (found, 2 * budget + 1), (found, slack)
    raise NotSeparableError(
        f"{who}(budget={budget:g}): the slacks cannot be kept to this budget; with C={found.C[0]:.3g} they still "
        f"add up to {slack:.4g} (a larger budget, or a kernel that separates better)."
    )


def _slack(problem: Weighted, found: DualSolution) -> float:
    return float(problem.weight @ np.maximum(0.0, -found.gradient - problem.sign * found.bias))


def constant(problem: Signed, side: float) -> Solutions:
    """One side is always answered: a budget that pays for it has a margin without bounds, and others have none."""
    n = len(problem.rows)
    found = DualSolution(np.zeros(n), np.full(n, -1.0), side, 0.0, 0.0, 0.0, 0.0, 0, False)
    return Solutions([found], [Gap(0.0, 0.0)], np.zeros(1))
