"""Small dual problems, and a slow solver for them that shares nothing with the fast one."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.svm.kernel_machine.dual import DualProblem
from margin.svm.kernels.function import KernelFunction

__all__ = ["conditions", "objective", "problem_of", "random_problem", "slow_dual"]


def problem_of(sign: np.ndarray, upper: Any, start: Any = ()) -> DualProblem:
    """A problem over all rows of a source."""
    n = len(sign)
    upper = np.broadcast_to(np.asarray(upper, dtype=np.float64), n).copy()
    return DualProblem(
        np.arange(n, dtype=np.uint32), np.asarray(sign, dtype=np.float64), upper, np.array(start, dtype=np.float64)
    )


def objective(K: np.ndarray, sign: np.ndarray, alpha: np.ndarray) -> float:
    """1/2 b'Kb - sum of alpha, with b = sign alpha."""
    b = sign * alpha
    return float(0.5 * b @ K @ b - alpha.sum())


def conditions(K: np.ndarray, problem: DualProblem, alpha: np.ndarray) -> float:
    """The largest violation of the conditions of optimality, by their definition."""
    residual = problem.sign - K @ (problem.sign * alpha)
    up = np.where(problem.sign > 0, alpha < problem.upper, alpha > 0)
    down = np.where(problem.sign > 0, alpha > 0, alpha < problem.upper)
    if not up.any() or not down.any():
        return 0.0
    return max(0.0, float(residual[up].max() - residual[down].min()))


def slow_dual(K: np.ndarray, sign: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The best alpha, by an interior point method in float64: Newton steps along the central path.

    With b = sign alpha the problem is min 1/2 b'Kb - sign'b, lo <= b <= hi, sum b = 0; the steps solve its optimality
    conditions with a barrier that goes to 0 (Mehrotra's predictor and corrector left out).
    """
    n = len(sign)
    c = upper
    Q = K * np.outer(sign, sign)
    x = c / 2
    # A feasible inside point: the side with the larger sum comes down.
    sums = [x[sign > 0].sum(), x[sign < 0].sum()]
    for side, (own, other) in ((1, sums), (-1, sums[::-1])):
        if own > other:
            x = np.where(sign == side, x * other / own, x)
    z, w, y = np.ones(n), np.ones(n), 0.0
    for _ in range(200):
        gap = z @ x + w @ (c - x)
        slope = Q @ x - 1
        dual_error = slope - z + w + y * sign
        if gap < 1e-11 * max(1.0, abs(x.sum())) and np.abs(dual_error).max() < 1e-9:
            break
        mu = 0.1 * gap / (2 * n)
        H = Q + np.diag(z / x + w / (c - x))
        right = -(slope + y * sign) + mu / x - mu / (c - x)
        solved = np.linalg.solve(H, np.column_stack([right, sign]))
        dy = (sign @ solved[:, 0] + sign @ x) / (sign @ solved[:, 1])
        dx = solved[:, 0] - dy * solved[:, 1]
        dz = mu / x - z - z / x * dx
        dw = mu / (c - x) - w + w / (c - x) * dx
        step = 1.0
        for value, change in ((x, dx), (c - x, -dx), (z, dz), (w, dw)):
            if (change < 0).any():
                step = min(step, 0.995 * float((-value[change < 0] / change[change < 0]).min()))
        x, y, z, w = x + step * dx, y + step * dy, z + step * dz, w + step * dw
    return x


def random_problem(seed: int) -> tuple[KernelFunction, np.ndarray, DualProblem]:
    """Rows, a kernel and bounds: any of the kernels, with and without weights, C from 1e-2 to 1e3."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    if seed % 5 == 0:
        X[n // 2 :] = X[: n - n // 2]  # the same rows again, with labels of their own
    sign = np.where(X[:, 0] + rng.normal(size=n) * rng.choice([0.1, 1.0]) > 0, 1.0, -1.0)
    sign[0], sign[-1] = 1.0, -1.0
    C = 10.0 ** rng.uniform(-2, 3)
    upper = C * (rng.uniform(0.2, 3, n) if seed % 3 == 0 else np.ones(n))
    kernel = [
        KernelFunction("linear"),
        KernelFunction("poly", gamma=1 / d, coef0=1.0, degree=float(rng.integers(2, 4))),
        KernelFunction("rbf", gamma=10.0 ** rng.uniform(-1.5, 1)),
    ][seed % 3 if seed % 4 else 2]
    return kernel, X, problem_of(sign, upper)
