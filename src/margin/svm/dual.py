r"""The dual of the support vector machine, solved.

Minimise :math:`D(\alpha) = \tfrac12 \sum_{ij} \alpha_i \alpha_j s_i s_j k_{ij} - \sum_i \alpha_i` over
:math:`0 \le \alpha_i \le c_i` with :math:`\sum_i s_i \alpha_i = 0`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import margin._core as _core

__all__ = ["DualProblem", "DualSolution", "solve", "solve_all"]

# One pair of variables is changed at a time; more changes than this are never needed for a sensible problem.
MOST_STEPS = 100_000_000


@dataclass(frozen=True)
class DualProblem:
    """Rows of a source (uint32) with their sign (+1.0 or -1.0) and the upper bound of their weight.

    ``start`` is a feasible first point for a warm start, or empty for zeros.
    """

    rows: np.ndarray
    sign: np.ndarray
    upper: np.ndarray
    start: np.ndarray = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class DualSolution:
    """What the solver ends with; f(x) = Σ alpha_j s_j k(x_j, x) + bias."""

    alpha: np.ndarray
    #: The derivative of D by each alpha: s_i (f(x_i) - bias) - 1.
    slope: np.ndarray
    bias: float
    #: D, at most 0.
    objective: float
    #: The largest violation of the conditions of optimality that is left, in units of f.
    violation: float
    steps: int


def solve(
    source: Any,
    problem: DualProblem,
    tol: float = 1e-3,
    max_steps: int = MOST_STEPS,
    cache_size: float = 200.0,
    n_threads: int = 0,
) -> DualSolution:
    """The solution of one problem, with all threads. ``cache_size`` is in megabytes."""
    return DualSolution(
        *_core.svm.solve(
            source,
            problem.rows,
            problem.sign,
            problem.upper,
            problem.start,
            tol,
            max_steps,
            int(cache_size * 2**20),
            n_threads,
        )
    )


def solve_all(
    source: Any,
    problems: Sequence[DualProblem],
    tol: float = 1e-3,
    max_steps: int = MOST_STEPS,
    cache_size: float = 200.0,
    n_threads: int = 0,
) -> list[DualSolution]:
    """The solutions of several problems over the same rows, as of the pairs of classes; the cache is for all."""
    return [solve(source, problem, tol, max_steps, cache_size, n_threads) for problem in problems]
