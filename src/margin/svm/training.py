r"""The problems of a support vector machine solved, and how far from the optimum their solutions are.

A problem of two classes is :math:`\min \tfrac12\|w\|^2 + \sum_i c_i \xi_i` with
:math:`s_i f(x_i) \ge 1 - \xi_i`, :math:`\xi_i \ge 0` and :math:`c_i = C \cdot` the weight of row i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.svm.dual import MOST_STEPS, DualProblem, DualSolution, solve_all
from margin.svm.multiclass import Signed
from margin.svm.polish import polished

__all__ = ["Gap", "Solver", "gap_of", "solved"]

# Rows up to which solutions are polished to the last digits: there it costs nothing that anyone could notice.
FEW = 256
# How far solutions of few rows are brought before they are polished.
TIGHT = 1e-4
# Largest violation at which a solver stops by itself. LIBSVM stops at 1e-3; so its objective is never below ours.
VIOLATION = 5e-4
# So often a solution is begun again with a tolerance of a tenth, until the gap is as small as was asked.
AGAIN = 4


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
        return min(self.tol, TIGHT if self.few else VIOLATION)

    def run(self, problems: Sequence[DualProblem], violation: float) -> list[DualSolution]:
        most = MOST_STEPS if self.max_iter < 0 else self.max_iter
        return solve_all(self.source, problems, violation, most, self.cache_size, self.n_threads)


@dataclass(frozen=True)
class Gap:
    """What a solution costs (primal), what no solution can cost less than (dual), and the difference."""

    primal: float
    dual: float

    @property
    def absolute(self) -> float:
        return max(0.0, self.primal - self.dual)

    @property
    def relative(self) -> float:
        """The difference as a share of the cost."""
        return self.absolute / max(abs(self.primal), abs(self.dual), 1e-300)


def gap_of(alpha: np.ndarray, upper: np.ndarray, values: np.ndarray, bias_term: np.ndarray) -> Gap:
    r"""The gap of weights alpha; ``values`` are :math:`s_i (f(x_i) - b)` and ``bias_term`` :math:`s_i b`."""
    half = 0.5 * float(alpha @ values)
    slack = np.maximum(0.0, 1.0 - values - bias_term)
    return Gap(half + float(upper @ slack), float(alpha.sum()) - half)


def _gap(problem: DualProblem, found: DualSolution) -> Gap:
    return gap_of(found.alpha, problem.upper, found.slope + 1.0, problem.sign * found.bias)


def solved(
    solver: Solver, problems: Sequence[Signed], uppers: Sequence[np.ndarray], starts: Sequence[np.ndarray] | None = None
) -> tuple[list[DualSolution], list[Gap]]:
    """The solution of each problem, to the tolerance that is asked or as near as it gets, and its gap."""
    nothing = np.empty(0)
    given = [
        DualProblem(each.rows, each.sign, upper, nothing if starts is None else starts[i])
        for i, (each, upper) in enumerate(zip(problems, uppers))
    ]
    violation = solver.violation
    found = solver.run(given, violation)
    gaps = [_gap(each, solution) for each, solution in zip(given, found)]
    for _ in range(AGAIN):
        open_ = [i for i, gap in enumerate(gaps) if gap.relative > solver.tol and not _spent(solver, found[i])]
        if not open_:
            break
        violation /= 10
        again = solver.run([replace(given[i], start=found[i].alpha) for i in open_], violation)
        for i, solution in zip(open_, again):
            found[i] = replace(solution, steps=found[i].steps + solution.steps)
            gaps[i] = _gap(given[i], solution)
    if solver.few:
        found = [polished(solver.source, problem, solution) for problem, solution in zip(given, found)]
        gaps = [_gap(problem, solution) for problem, solution in zip(given, found)]
    return found, gaps


def _spent(solver: Solver, solution: DualSolution) -> bool:
    """Whether all steps that were allowed are done."""
    return 0 < solver.max_iter <= solution.steps
