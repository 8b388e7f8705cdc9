r"""The problems of a support vector machine solved, and how far from the optimum their solutions are.

A problem of two classes is :math:`\min \tfrac12\|w\|^2 + \sum_i c_i \xi_i` with
:math:`s_i f(x_i) \ge 1 - \xi_i`, :math:`\xi_i \ge 0` and :math:`c_i = C \cdot` the weight of row i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from margin.svm.kernel_machine.dual import (
    DualProblem,
    DualSolution,
    SignedProblem,
    SignedSolution,
    solve_all,
    solve_signed,
)
from margin.svm.kernel_machine.multiclass import Signed, Weighted
from margin.svm.kernel_machine.polish import polished

__all__ = ["Gap", "MarginPolicy", "SoftMargin", "Solutions", "Solver", "gap_of", "solve_problems", "steepened"]

# Rows up to which solutions are polished to the last digits: there it costs nothing that anyone could notice.
FEW = 256
# Steps after which the solution of few rows is polished in any case: columns of very unlike size make steps tiny.
FEW_STEPS = 20_000
# Steps in which anything that has an end comes to it, of few rows and of many.
ENOUGH_FOR_FEW, ENOUGH = 1_000_000, 10_000_000
# Largest violation at which a solver stops, the same as LIBSVM's; as the last round here aims at half of it, objectives
# end several times nearer to their optimum.
VIOLATION = 1e-3
# The same for few rows, where no polishing comes after.
EXACTLY = 1e-11
# So often a solution is begun again, with a tenth of the violation each time, until the gap is as small as was asked.
AGAIN = 2


@dataclass(frozen=True)
class Solver:
    """Where kernel values come from, and what is asked of solutions."""

    source: Any
    tol: float
    max_iter: int
    cache_size: float
    n_threads: int
    few: bool

    @property
    def violation(self) -> float:
        return min(self.tol, VIOLATION)

    def run(
        self, problems: Sequence[DualProblem], violation: float, max_steps: int | None = None
    ) -> list[DualSolution]:
        """Solutions with at most this violation, or what ``max_steps`` lead to (``max_iter``, where it is set)."""
        steps = self._steps(max_steps)
        return solve_all(self.source, problems, violation, steps, self.cache_size, self.n_threads, self.tol)

    def run_signed(self, problems: Sequence[SignedProblem], violation: float) -> list[SignedSolution]:
        """Solutions with at most this violation, in units; of few rows to the last digits."""
        violation = EXACTLY if self.few else min(self.tol, violation)
        return solve_signed(
            self.source, problems, violation, self._steps(None), self.cache_size, self.n_threads, self.tol
        )

    def _steps(self, wanted: int | None) -> int:
        if self.max_iter > 0:
            return self.max_iter
        return wanted or (ENOUGH_FOR_FEW if self.few else ENOUGH)


@dataclass(frozen=True)
class Gap:
    """What a solution costs (primal), what no solution can cost less than (dual), and the difference."""

    primal: float
    dual: float

    @property
    def absolute(self) -> float:
        known = np.isfinite(self.primal) and np.isfinite(self.dual)
        return max(0.0, self.primal - self.dual) if known else np.inf

    @property
    def relative(self) -> float:
        """The difference as a share of the cost."""
        if np.isinf(self.absolute):
            return np.inf
        return self.absolute / max(abs(self.primal), abs(self.dual), 1e-300)


def gap_of(alpha: np.ndarray, upper: np.ndarray, values: np.ndarray, bias_term: np.ndarray) -> Gap:
    r"""The gap of weights alpha; ``values`` are :math:`s_i (f(x_i) - b)` and ``bias_term`` :math:`s_i b`."""
    with np.errstate(over="ignore", invalid="ignore"):
        half = 0.5 * float(alpha @ values)
        slack = np.maximum(0.0, 1.0 - values - bias_term)
        return Gap(half + float(upper @ slack), float(alpha.sum()) - half)


def steepened(half: float, nearest: float, dual: float) -> Gap:
    """The gap of a hard margin: the machine, ½‖w‖² as it is, made as much steeper as its nearest row needs."""
    return Gap(half / min(nearest, 1.0) ** 2 if nearest > 0 else np.inf, dual)


def _gap(problem: DualProblem, found: DualSolution) -> Gap:
    return gap_of(found.alpha, problem.upper, found.gradient + 1.0, problem.sign * found.bias)


@dataclass(frozen=True)
class Solutions:
    """A solution, a gap and C for each problem."""

    found: list[DualSolution]
    gaps: list[Gap]
    C: np.ndarray


class MarginPolicy(Protocol):
    """How rows may lie inside the margin, and so which problem is solved."""

    def solve(self, solver: Solver, problems: Sequence[Weighted], start: Solutions | None = None) -> Solutions:
        """Solve problems, beginning at solutions that are given, if any."""
        ...


@dataclass(frozen=True)
class SoftMargin:
    """Slack costs C a unit."""

    C: float

    def solve(self, solver: Solver, problems: Sequence[Weighted], start: Solutions | None = None) -> Solutions:
        """Solutions for another C are brought to this one to begin with."""
        uppers = [self.C * each.weight for each in problems]
        starts = None
        if start is not None:
            starts = [
                np.minimum(each.alpha * (self.C / before), upper)
                for each, before, upper in zip(start.found, start.C, uppers)
            ]
        found, gaps = solve_problems(solver, problems, uppers, starts)
        return Solutions(found, gaps, np.full(len(problems), self.C))


def solve_problems(
    solver: Solver, problems: Sequence[Signed], uppers: Sequence[np.ndarray], starts: Sequence[np.ndarray] | None = None
) -> tuple[list[DualSolution], list[Gap]]:
    """The solution of each problem, to the tolerance that is asked or as near as it gets, and its gap."""
    nothing = np.empty(0)
    given = [
        DualProblem(each.rows, each.sign, upper, nothing if starts is None else starts[i])
        for i, (each, upper) in enumerate(zip(problems, uppers))
    ]
    violation = solver.violation
    found = solver.run(given, violation, FEW_STEPS if solver.few else None)
    if solver.few:
        found = [s if _spent(solver, s) else polished(solver.source, p, s) for p, s in zip(given, found)]
    gaps = [_gap(each, solution) for each, solution in zip(given, found)]
    for _ in range(AGAIN):
        short = [i for i, gap in enumerate(gaps) if gap.relative > solver.tol and not _spent(solver, found[i])]
        if not short:
            break
        again = solver.run([replace(given[i], start=found[i].alpha) for i in short], violation)
        violation /= 10
        for i, solution in zip(short, again):
            found[i] = replace(solution, steps=found[i].steps + solution.steps)
            gaps[i] = _gap(given[i], solution)
    return found, gaps


def _spent(solver: Solver, solution: DualSolution) -> bool:
    """Whether all steps that were allowed are done."""
    return 0 < solver.max_iter <= solution.steps
