"""The squared hinge under an L1 penalty: the descent of logistic regression with other losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import margin._core as _core
from margin.linear.problem import Problem
from margin.linear.solvers.coordinate_descent import Point, Steps, descend, look, subgradient
from margin.linear.solvers.gram_steps import GramSteps
from margin.linear.solvers.sparse_objective import inner
from margin.linear.solvers.sparse_steps import SparseSteps
from margin.svm.linear_machine.problem import LinearProblem, LinearSolution

__all__ = ["l1_descent"]

# The gap is of the first order in the slopes, the objective, by which steps are judged, of the second: where no step
# leads down any more, this much of a gap is rounding.
ROUNDING, ROUNDING_OF_PRODUCTS = 1e-7, 1e-14


class DenseSteps(GramSteps):
    """One score of a dense problem; the state of a row is how much it bends the loss."""

    def __init__(self, problem: Problem, of: LinearProblem, k: int) -> None:
        super().__init__(problem)
        self.of, self.target = of, of.target[k : k + 1]

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        each = None if isinstance(self.of.bound, float) else self.of.bound
        loss, _, _, slope, at_zero, share = _core.svm.margin_pass(
            self.of.X, self.of.y, each, self.of.bound if isinstance(self.of.bound, float) else 1.0, self.target,
            np.ascontiguousarray(table[:-1].T), table[-1].copy(), None, None, None, self.n_threads,
        )  # fmt: skip
        gradient = np.vstack([slope.T, at_zero if self.problem.intercept else np.zeros(1)])
        return float(loss[0]), gradient, (share > 0) * np.reshape(2.0 * self.of.bounds, (-1, 1))

    def _shares(self, state: np.ndarray, k: int, other: int) -> np.ndarray:
        return np.ascontiguousarray(state[:, 0])


class CsrSteps(SparseSteps):
    """The same for CSR."""

    def __init__(self, problem: Problem, of: LinearProblem, k: int) -> None:
        super().__init__(problem)
        self.of, self.sign, self.bounds = of, of.signs(k), of.bounds

    def smooth(self, table: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        scores = self.of.X @ table[:-1, 0] + table[-1, 0]
        short = np.maximum(1 - self.sign * scores, 0.0)
        pull = -2 * self.bounds * short * self.sign
        at_zero = pull.sum() if self.problem.intercept else 0.0
        gradient = np.append(self.of.X.T @ pull, at_zero)[:, None]
        curvatures = 2 * self.bounds * (short > 0)
        return inner(self.bounds * short, short), gradient, curvatures[:, None]


@dataclass(frozen=True)
class Sides:
    """Both objectives at a point."""

    primal: float
    dual: float

    @classmethod
    def at(cls, point: Point) -> Sides:
        r"""The multipliers :math:`\alpha = 2 c (1 - m)_+` shrunk until no column pulls harder than the penalty.

        Their sum is what loss and gradient tell: :math:`\sum \alpha = 2\,loss - w \cdot g`.
        """
        slope, at_zero = point.gradient[:-1], float(np.abs(point.gradient[-1]).max())
        loss = point.value - float(np.abs(point.table[:-1]).sum())
        total = 2 * loss - inner(point.table, point.gradient)
        steepest = float(np.abs(slope).max(initial=0.0))
        share = min(1.0, 1 / steepest if steepest > 0 else 1.0)
        short = 2 * at_zero * (1 + float(np.abs(point.table[-1]).max()))
        return cls(point.value, share * total - share**2 * loss - short)

    @property
    def gap(self) -> float:
        return max(self.primal - self.dual, 0.0)


def l1_descent(problem: LinearProblem, tol: float, max_iter: int) -> LinearSolution:
    """Solve min ‖w‖₁ + Σ c max(0, 1 - m)², dense or CSR, one score after another.

    Each iteration brings down the second-order model of the loss by coordinate descent over the columns that are not 0
    or should not stay so (Yuan, Ho, Lin 2012). Coefficients that are 0 are exactly 0.
    """
    found = [_one_score(problem, k, tol, max_iter) for k in range(len(problem.target))]
    parts = [steps.parts(point.table) for steps, point, _, _, _ in found]
    return LinearSolution(
        np.vstack([coef[:1] for coef, _ in parts]),
        np.concatenate([intercept[:1] for _, intercept in parts]),
        np.array([sides.primal for _, _, sides, _, _ in found]),
        np.array([sides.dual for _, _, sides, _, _ in found]),
        max(n_iter for _, _, _, n_iter, _ in found),
        all(converged for *_, converged in found),
    )


def _least_curvature(problem: LinearProblem) -> float:
    """What rounding leaves of the largest curvature: added to all, so that a column without any goes to 0."""
    squares = problem.X.multiply(problem.X) if problem.is_sparse else np.square(problem.X, dtype=np.float64)
    return ROUNDING_OF_PRODUCTS * float(np.max(squares.T @ (2 * problem.bounds), initial=0.0)) + np.finfo(float).tiny


def _one_score(problem: LinearProblem, k: int, tol: float, max_iter: int) -> tuple[Steps, Point, Sides, int, bool]:
    alone = Problem(problem.X, problem.y, None, 2, 1.0, _least_curvature(problem), problem.intercept)
    steps: Steps = CsrSteps(alone, problem, k) if problem.is_sparse else DenseSteps(alone, problem, k)
    point = look(steps, steps.table(None), 1.0)
    for n_iter in range(max_iter + 1):
        sides = Sides.at(point)
        converged = sides.gap <= tol * sides.primal
        if converged or n_iter == max_iter:
            break
        smallest = subgradient(point.table, point.gradient, 1.0)
        step, keeps_signs = steps.propose(point.table, point.gradient, smallest, point.state)
        found = descend(steps, point, step, 1.0, keeps_signs)
        if found is not None:
            point = found
        elif not keeps_signs:
            converged = sides.gap <= max(tol, ROUNDING) * sides.primal
            break
    return steps, point, sides, n_iter, converged
