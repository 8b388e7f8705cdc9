r"""The soft margin with a share ν of rows that may be inside it, instead of a price of slack.

Minimise :math:`\tfrac12\|w\|^2 - \nu W \rho + \sum_i w_i \xi_i` with :math:`s_i f(x_i) \ge \rho - \xi_i`, rows
counted with their weights, W in all. Divided by ρ, the solution is that of the soft margin with :math:`C = 1/\rho`:
machines, gaps and certificates are stated in that form.

The dual has no linear term, and both classes keep the sum of their weights, :math:`\nu W / 2` each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margin.errors import DataWarning, NotSeparableWarning, warn
from margin.svm.kernel_machine.budget import constant
from margin.svm.kernel_machine.dual import DualSolution, SignedProblem, SignedSolution
from margin.svm.kernel_machine.multiclass import Weighted
from margin.svm.kernel_machine.solve import Gap, Solutions, Solver, gap_of

__all__ = ["NuMargin", "filled_up"]

# The largest violation that is left, as a share of the largest decision at the start.
VIOLATION = 1e-5
# A margin narrower than this share of the largest decision that there could be is none.
NOTHING = 1e-9


@dataclass(frozen=True)
class NuMargin:
    """A share of at most ``nu`` of the rows inside the margin, and at least ``nu`` support vectors."""

    nu: float
    who: str

    def solve(self, solver: Solver, problems: Sequence[Weighted], start: Solutions | None = None) -> Solutions:
        """All problems side by side; a start would be of another C and is not used."""
        given = [self._signed(problem) for problem in problems]
        largest = [2 * min(_sides(problem)) / float(problem.weight.sum()) for problem in problems]
        if min(largest, default=1.0) < self.nu * (1 - 1e-12):
            several = (
                f" in {sum(each < self.nu for each in largest)} of {len(largest)} problems" if len(given) > 1 else ""
            )
            warn(
                f"{self.who}(nu={self.nu:g}): nu is taken to be at most {min(largest):.3g}{several}, twice the share "
                "of the smaller class, which cannot have more weight than its rows (let nu be smaller, or classes of "
                "like weight).",
                DataWarning,
            )
        value = float(np.abs(solver.source.diagonal()).max(initial=0.0))
        solved = solver.run_signed(given, VIOLATION)
        found = [self._as_soft(problem, one, value) for problem, one in zip(problems, solved)]
        return Solutions([one for one, _, _ in found], [gap for _, gap, _ in found], np.array([C for _, _, C in found]))

    def _signed(self, problem: Weighted) -> SignedProblem:
        sides, weight = _sides(problem), problem.weight
        each = min(self.nu * float(weight.sum()) / 2, *sides)
        start = np.zeros(len(weight))
        for side in (1.0, -1.0):
            own = problem.sign == side
            start[own] = side * filled_up(weight[own], each)
        bound = problem.sign * weight
        lower, upper = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        return SignedProblem(problem.rows, np.zeros(len(weight)), lower, upper, start, sum="kept_apart", unit=0.0)

    def _as_soft(self, problem: Weighted, one: SignedSolution, largest: float) -> tuple[DualSolution, Gap, float]:
        """The solution divided by the margin ρ, its gap as that of the soft margin, and C; ``largest`` is k(x, x)."""
        rho, bias = (one.bias[1] - one.bias[0]) / 2, (one.bias[1] + one.bias[0]) / 2
        if not rho > NOTHING * largest * float(np.abs(one.b).sum()):
            if one.steps > 0:  # else all rows are alike, and there is nothing to tell apart
                warn(
                    f"{self.who}(nu={self.nu:g}): so few rows inside the margin leave none, for the classes cannot be "
                    "told apart that well, and the heavier one is always answered (let nu be larger, or take a kernel "
                    "that separates better).",
                    NotSeparableWarning,
                )
            first, second = _sides(problem)
            none = constant(problem, 1.0 if first > second else -1.0)
            return none.found[0], none.gaps[0], 0.0
        alpha, gradient = np.abs(one.b) / rho, -problem.sign * one.residual / rho - 1.0
        gap = gap_of(alpha, problem.weight / rho, gradient + 1.0, problem.sign * bias / rho)
        solution = DualSolution(
            alpha, gradient, bias / rho, -gap.dual, one.violation / rho, gap.primal, gap.relative, one.steps, False
        )
        return solution, gap, 1.0 / rho


def _sides(problem: Weighted) -> tuple[float, float]:
    return float(problem.weight[problem.sign > 0].sum()), float(problem.weight[problem.sign < 0].sum())


def filled_up(bounds: np.ndarray, total: float) -> np.ndarray:
    """Weights up to their bounds, first come, first served, until they add up to a total.

    >>> filled_up(np.array([1.0, 2.0, 1.0]), 2.5).tolist()
    [1.0, 1.5, 0.0]
    """
    return np.clip(total - (np.cumsum(bounds) - bounds), 0.0, bounds)
