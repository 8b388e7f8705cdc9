r"""The hard margin: every row on its side, or a proof that this cannot be.

Minimise :math:`\tfrac12\|w\|^2` with :math:`s_i f(x_i) \ge 1`. The margin is as wide as the distance between the hulls
of the two classes in the space of the kernel; so any two points of the hulls bound it from above, and the hulls of
classes that cannot be separated meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import NotSeparableError
from margin.linear.geometry.hard_margin import widest_gap
from margin.svm.kernel_machine.dual import DualProblem, DualSolution
from margin.svm.kernel_machine.multiclass import Signed, Weighted
from margin.svm.kernel_machine.polish import polished
from margin.svm.kernel_machine.solve import Gap, Solutions, Solver, steepened

__all__ = ["HardMargin"]

# Bounds on the weights, in units of 1 / the largest k(x, x), that are tried one after another until none is met.
BOUNDS = (1e2, 1e4, 1e6, 1e8, 1e10)
# Steps of the solver for each of them, and as many more as 20 times the rows.
MOST_STEPS = 200_000
# Hulls nearer than this share of the longest row meet.
NEAR = 1e-7
# Rows of a proof that are named.
NAMED = 6


@dataclass(frozen=True, eq=False)
class HardMargin:
    """No row may be inside the margin.

    Parameters
    ----------
    X
        The rows as they are; None where only kernel values are known.
    linear
        Whether the kernel is linear.
    kept
        What the rows are called in a proof, if not by their places.
    names
        What each problem is called.
    who
        Who refuses classes that cannot be separated.
    """

    X: Any
    linear: bool
    kept: np.ndarray | None
    names: list[str]
    who: str

    def solve(self, solver: Solver, problems: Sequence[Weighted], start: Solutions | None = None) -> Solutions:
        """One problem after another; weights of rows do not matter where none may be wrong."""
        found = []
        for i, problem in enumerate(problems):
            _refuse_twins(self, i, problem)
            found.append(_of_planes(self, i, problem) if self.linear else _of_kernel(self, i, problem, solver))
        gaps = [_gap(problem, each) for problem, each in zip(problems, found)]
        return Solutions(found, gaps, np.full(len(found), np.inf))

    def called(self, rows: np.ndarray) -> str:
        """The numbers of some rows, the first of them."""
        numbers = rows if self.kept is None else self.kept[rows]
        listed = ", ".join(str(row) for row in numbers[:NAMED].tolist())
        return listed if len(numbers) <= NAMED else f"{listed}, … ({len(numbers)} in all)"

    def refusal(self, i: int, proof: str) -> NotSeparableError:
        about = "" if len(self.names) == 1 else f" ({self.names[i]})"
        return NotSeparableError(
            f"{self.who}(hard_margin=True): the classes cannot be separated{about}: {proof} (a soft margin with C or "
            "budget lets rows be wrong at a price)."
        )


def _refuse_twins(policy: HardMargin, i: int, problem: Signed) -> None:
    """Two rows at the same place and in different classes are proof enough."""
    if policy.X is None:
        return
    rows = policy.X[problem.rows]
    cells = [_key(rows, r) for r in range(rows.shape[0])]
    first: dict[bytes, int] = {}
    for r, key in enumerate(cells):
        before = first.setdefault(key, r)
        if problem.sign[before] != problem.sign[r]:
            both = policy.called(problem.rows[[before, r]])
            raise policy.refusal(i, f"rows {both} are at the same place and of different classes")


def _key(rows: Any, r: int) -> bytes:
    """What is in a row, as something that can be looked up; -0 is 0."""
    if isinstance(rows, np.ndarray):
        return (rows[r] + 0.0).tobytes()
    begin, end = rows.indptr[r], rows.indptr[r + 1]
    there = rows.data[begin:end] != 0
    return rows.indices[begin:end][there].tobytes() + rows.data[begin:end][there].tobytes()


def _of_planes(policy: HardMargin, i: int, problem: Signed) -> DualSolution:
    """The linear kernel: the nearest points of both hulls, exactly."""
    gap = widest_gap(policy.X[problem.rows], problem.sign)
    if not gap.separable:
        shown = policy.called(problem.rows[gap.rows])
        raise policy.refusal(
            i, f"a mixture of rows of one class and a mixture of rows of the other, rows {shown}, are at most "
            f"{2 * gap.upper_bound:.3g} apart, so that no plane passes between them",
        )  # fmt: skip
    alpha = np.zeros(len(problem.rows))
    alpha[gap.rows] = gap.weights / (2 * gap.margin**2)
    w, bias = gap.direction / gap.margin, gap.intercept / gap.margin
    gradient = problem.sign * np.asarray(policy.X[problem.rows] @ w).ravel() - 1.0
    squared = 1 / gap.margin**2
    objective = 0.5 * squared - float(alpha.sum())
    return DualSolution(alpha, gradient, bias, objective, 0.0, 0.5 * squared, 0.0, len(gap.rows), False)


def _of_kernel(policy: HardMargin, i: int, problem: Signed, solver: Solver) -> DualSolution:
    """Other kernels: the dual with bounds so large that none is met."""
    longest = float(np.sqrt(np.abs(solver.source.diagonal()[problem.rows]).max())) or 1.0
    n = len(problem.rows)
    start = np.empty(0)
    for size in BOUNDS:
        given = DualProblem(problem.rows, problem.sign, np.full(n, size / longest**2), start)
        found = solver.run([given], solver.violation, MOST_STEPS + 20 * n)[0]
        if solver.few:
            found = polished(solver.source, given, found)
        met = bool((found.alpha >= given.upper).any())
        if not met and found.violation <= solver.violation:
            return found
        if _apart(found) < NEAR * longest:
            break
        start = found.alpha
    if met or _nearest(problem, found) <= 0:
        raise policy.refusal(i, _meeting(policy, problem, found, longest))
    return found


def _apart(found: DualSolution) -> float:
    """The distance of two points of the hulls, which is nowhere less than the width of a margin.

    The weights of each class add up to half of the total; divided by that, they mix rows.
    """
    total = float(found.alpha.sum())
    return 2.0 * float(np.sqrt(max(0.0, float(found.alpha @ (found.gradient + 1.0))))) / total if total > 0 else 0.0


def _nearest(problem: Signed, found: DualSolution) -> float:
    """The smallest s f(x)."""
    return float((found.gradient + 1.0 + problem.sign * found.bias).min())


def _gap(problem: Signed, found: DualSolution) -> Gap:
    nearest = _nearest(problem, found)
    half = 0.5 * max(0.0, float(found.alpha @ (found.gradient + 1.0)))
    return steepened(half, nearest, -found.objective)


def _meeting(policy: HardMargin, problem: Signed, found: DualSolution, longest: float) -> str:
    """How near the hulls come to each other, in words."""
    if not found.alpha.any():
        return "the kernel tells no two rows apart"
    needed = np.flatnonzero(found.alpha > 1e-3 * found.alpha.max())
    return (
        "in the space of the kernel a mixture of rows of one class and a mixture of rows of the other, rows "
        f"{policy.called(problem.rows[needed])}, are {_apart(found):.3g} apart, where the longest row is {longest:.3g} "
        "long, and no margin is wider than that"
    )
