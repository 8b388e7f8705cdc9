"""From rows, classes and weights to a machine: the problems laid out, solved and put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.multiclass import LaidOut, Layout, Signed, Weighted, laid_out
from margin.svm.kernel_machine.solve import MarginPolicy, Solutions, Solver
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import KernelFunction

__all__ = ["Learner", "Learnt"]

# Rounding in sums of kernel values, in units of the margin, beyond which the solver's own account is not relied on.
NOISE = 1e-5


@dataclass(frozen=True, eq=False)
class Learnt:
    """A machine, and how it came about. Rows in ``table`` and ``problems`` are places among those learnt from."""

    machine: Machine
    table: LaidOut
    problems: list[Signed]
    solutions: Solutions

    @property
    def largest_total(self) -> float:
        """The largest sum of weights of a problem."""
        return max(float(alpha.sum()) for alpha in self.alphas)

    @property
    def alphas(self) -> list[np.ndarray]:
        return [each.alpha for each in self.solutions.found]


@dataclass(frozen=True, eq=False)
class Learner:
    """Everything about a fit that stays the same for any part of the rows.

    ``X`` are all rows; of a precomputed kernel the square matrix of values. ``function`` is a user's kernel.
    """

    kernel: KernelFunction
    X: Any
    function: Callable[[Any, Any], Any] | None
    solver: Solver
    layout: Layout

    def learn(
        self,
        policy: MarginPolicy,
        y: np.ndarray,
        weight: np.ndarray,
        rows: np.ndarray | None = None,
        start: Solutions | None = None,
    ) -> Learnt:
        """Learn from all rows, or some, of classes y with these weights."""
        problems = self.layout.problems(y)
        places = [each.rows if rows is None else rows[each.rows].astype(np.uint32) for each in problems]
        given = [Weighted(at, each.sign, weight[each.rows]) for at, each in zip(places, problems)]
        solutions = policy.solve(self.solver, given, start)
        table = laid_out(self.layout, y, problems, [each.alpha for each in solutions.found])
        bias = np.array([each.bias for each in solutions.found])
        return Learnt(self.machine(table, bias, rows), table, problems, solutions)

    def loses_digits(self, total: float) -> bool:
        """Whether kernel values are so large that running sums of them may be off by a share of the margin.

        ``total`` is what the sizes of the weights add up to.
        """
        largest = float(np.abs(self.solver.source.diagonal()).max(initial=0.0))
        return not largest * total * np.finfo(np.float64).eps <= NOISE

    def machine(self, table: LaidOut, bias: np.ndarray, rows: np.ndarray | None = None) -> Machine:
        """The machine of such weights; ``rows`` are those that places in the table stand for, if not all."""
        support = table.support if rows is None else rows[table.support]
        precomputed = self.kernel.name == "precomputed"
        vectors = np.empty((0, 0)) if precomputed and self.function is None else self.X[support]
        return Machine(
            self.layout,
            Expansion(self.kernel, len(support) if precomputed else vectors, table.coef, table.bounds),
            bias,
            _planes(self.layout, table, vectors) if self.kernel.name == "linear" else None,
            self.function,
            vectors,
            support if precomputed and self.function is None else None,
        )


def _planes(layout: Layout, table: LaidOut, vectors: Any) -> np.ndarray:
    """The coefficients of each problem with the linear kernel."""
    if not layout.in_pairs:
        return np.ascontiguousarray((vectors.T @ table.coef.T).T, dtype=np.float64)
    parts = [
        (vectors[begin:end].T @ table.coef[:, begin:end].T).T for begin, end in zip(table.bounds[:-1], table.bounds[1:])
    ]
    return np.ascontiguousarray([parts[a][b - 1] + parts[b][a] for a, b in zip(*layout.pairs)], dtype=np.float64)
