r"""The duals of support vector machines, solved.

Minimise :math:`D(b) = \tfrac12 \sum_{ij} b_i b_j k_{ij} - \sum_i p_i b_i + \varepsilon \sum_i |b_i|` over
:math:`l_i \le b_i \le u_i` (:math:`l_i \le 0 \le u_i`), with :math:`\sum_i b_i` as it is at the start. Of two classes,
:math:`b_i = s_i \alpha_i` and :math:`p_i = s_i`:
:math:`D(\alpha) = \tfrac12 \sum_{ij} \alpha_i \alpha_j s_i s_j k_{ij} - \sum_i \alpha_i` over
:math:`0 \le \alpha_i \le c_i` with :math:`\sum_i s_i \alpha_i = 0`.

Sequential minimal optimisation in rounds, each on a working set whose kernel values have room in the cache: first a
sample, then all rows that are free, violate the conditions of optimality, or nearly do. What stops it is computed over
all rows. Same results, to the last bit, for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import margin._core as _core

__all__ = [
    "DualProblem",
    "DualSolution",
    "SignedProblem",
    "SignedSolution",
    "solve",
    "solve_all",
    "solve_signed",
]

# One pair of variables is changed at a time; more changes than this are never needed for a sensible problem.
MOST_STEPS = 100_000_000


@dataclass(frozen=True)
class SignedProblem:
    """Rows of a source (uint32), one for each variable b, with their targets p and the bounds of b around 0.

    ``tube`` is ε. ``start`` is a first b, or empty for zeros. ``sum`` says what the b add up to: "zero"; "kept", what
    those of the start do; "kept_apart", the positive ones what they do there, and the negative ones what they do (and
    every b may be of one sign alone). ``unit`` is what residuals are measured in, for two classes the margin of 1; 0
    stands for the largest residual at the start.
    """

    rows: np.ndarray
    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray = field(default_factory=lambda: np.empty(0))
    tube: float = 0.0
    sum: str = "zero"
    unit: float = 1.0


@dataclass(frozen=True)
class SignedSolution:
    """What the solver ends with; f(x) = Σ b_j k(x_j, x) + bias."""

    b: np.ndarray
    #: p_i - Σ b_j k(x_j, x_i).
    residual: np.ndarray
    #: The mean of what the free rows ask for; without any, the middle of what the conditions of optimality allow. With
    #: sums kept apart, one for the positive and one for the negative ones, else twice the same.
    bias: tuple[float, float]
    objective: float
    #: The largest violation of the conditions of optimality that is left.
    violation: float
    #: ½‖w‖² + the losses of all rows + Σ b_i times the bias, where the sum of b is not 0.
    primal: float
    gap: float
    steps: int
    unbounded: bool


@dataclass(frozen=True)
class DualProblem:
    """Rows of a source (uint32) with their sign (+1.0 or -1.0) and the upper bound of their weight.

    A row with the bound 0 takes no part; the bound may be infinite (a hard margin). ``start`` is a first point for a
    warm start, or empty for zeros. One that is not feasible is made so: it is clipped to the bounds, and the side with
    the larger sum is scaled down to that of the other.
    """

    rows: np.ndarray
    sign: np.ndarray
    upper: np.ndarray
    start: np.ndarray = field(default_factory=lambda: np.empty(0))

    def signed(self) -> SignedProblem:
        """The same in b = s α."""
        bound = self.sign * self.upper
        start = self.start * self.sign if len(self.start) else self.start
        return SignedProblem(self.rows, self.sign, np.minimum(bound, 0.0), np.maximum(bound, 0.0), start)


@dataclass(frozen=True)
class DualSolution:
    """What the solver ends with; f(x) = Σ alpha_j s_j k(x_j, x) + bias."""

    alpha: np.ndarray
    #: The derivative of D by each alpha: s_i (f(x_i) - bias) - 1.
    gradient: np.ndarray
    #: The mean of what the free rows ask for; without any, the middle of what the conditions of optimality allow.
    bias: float
    #: D, at most 0.
    objective: float
    #: The largest violation of the conditions of optimality that is left, in units of f.
    violation: float
    #: ½‖w‖² + Σ c_i max(0, 1 - s_i f(x_i)), with this bias. Rows whose bound is infinite may have no loss: the machine
    #: is made as much steeper as they need.
    primal: float
    #: (primal + objective) / |primal|: how far from the best the machine can be at most.
    gap: float
    steps: int
    #: With infinite bounds: D falls without end, so that no machine separates the rows.
    unbounded: bool


def solve(
    source: _core.svm.KernelSource,
    problem: DualProblem,
    tol: float = 1e-3,
    max_steps: int = MOST_STEPS,
    cache_size: float = 200.0,
    n_threads: int = 0,
    gap_tol: float = math.inf,
) -> DualSolution:
    """The solution of one problem, with all threads.

    Stops when the largest violation is at most ``tol`` and the relative duality gap at most ``gap_tol``, or after
    ``max_steps``. ``cache_size`` is in megabytes.

    >>> from margin.svm.kernels.function import KernelFunction
    >>> X, sign = np.array([[-1.0], [0.0], [2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> problem = DualProblem(np.arange(3, dtype=np.uint32), sign, np.full(3, 10.0))
    >>> found = solve(KernelFunction("linear").source(X), problem, tol=1e-9)
    >>> found.alpha.round(6), round(found.bias, 6)  # f(x) = x - 1
    (array([0. , 0.5, 0.5]), -1.0)
    """
    return solve_all(source, [problem], tol, max_steps, cache_size, n_threads, gap_tol)[0]


def solve_all(
    source: _core.svm.KernelSource,
    problems: Sequence[DualProblem],
    tol: float = 1e-3,
    max_steps: int = MOST_STEPS,
    cache_size: float = 200.0,
    n_threads: int = 0,
    gap_tol: float = math.inf,
) -> list[DualSolution]:
    """The solutions of several problems over the same rows, as of the pairs of classes; the cache is for all."""
    given = [problem.signed() for problem in problems]
    return [
        DualSolution(
            np.abs(one.b),
            -problem.sign * one.residual,
            one.bias[0],
            one.objective,
            one.violation,
            one.primal,
            one.gap,
            one.steps,
            one.unbounded,
        )
        for problem, one in zip(problems, solve_signed(source, given, tol, max_steps, cache_size, n_threads, gap_tol))
    ]


def solve_signed(
    source: _core.svm.KernelSource,
    problems: Sequence[SignedProblem],
    tol: float = 1e-3,
    max_steps: int = MOST_STEPS,
    cache_size: float = 200.0,
    n_threads: int = 0,
    gap_tol: float = math.inf,
) -> list[SignedSolution]:
    """The solutions of several problems that have tube, kind of sum and unit in common; ``tol`` is in units.

    >>> from margin.svm.kernels.function import KernelFunction
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])
    >>> problem = SignedProblem(np.arange(3, dtype=np.uint32), y, np.full(3, -9.0), np.full(3, 9.0), tube=0.5)
    >>> (found,) = solve_signed(KernelFunction("linear").source(X), [problem], tol=1e-9)
    >>> found.b.round(6), round(found.bias[0], 6)  # f(x) = x / 2 + 1 / 2
    (array([-0.25,  0.  ,  0.25]), 0.5)
    """
    if not problems:
        return []
    first = problems[0]
    bounds = np.zeros(len(problems) + 1, dtype=np.int64)
    np.cumsum([len(problem.rows) for problem in problems], out=bounds[1:])
    warm = any(len(problem.start) for problem in problems)
    b, residual, numbers = _core.svm.solve_all(
        source,
        np.concatenate([problem.rows for problem in problems]),
        np.concatenate([problem.target for problem in problems]),
        np.concatenate([problem.lower for problem in problems]),
        np.concatenate([problem.upper for problem in problems]),
        np.concatenate([_full_start(problem) for problem in problems]) if warm else np.empty(0),
        bounds,
        first.tube,
        first.sum,
        first.unit,
        tol,
        gap_tol,
        max_steps,
        int(cache_size * 2**20),
        n_threads,
    )
    found = []
    for p, (one, other, objective, violation, primal, gap, steps, unbounded) in enumerate(numbers.tolist()):
        own = slice(bounds[p], bounds[p + 1])
        bias = (one, other)
        found.append(
            SignedSolution(b[own], residual[own], bias, objective, violation, primal, gap, int(steps), bool(unbounded))
        )
    return found


def _full_start(problem: SignedProblem) -> np.ndarray:
    return problem.start if len(problem.start) else np.zeros(len(problem.rows))
