"""Newton's method on the primal of squared losses with sparse rows: steps by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import margin._core as _core
from margin import parallel
from margin.linear.solvers.sparse_objective import inner
from margin.svm.linear_machine.newton import Objective, Point, rounding_of, steps_from
from margin.svm.linear_machine.problem import LinearSolution, TubeProblem

__all__ = ["sparse_newton"]

# A step is solved for until this share of the gradient is left, or so many products have been made.
LEFT, MOST_PRODUCTS = 0.05, 300


class SparseObjective(Objective):
    """The objective of a quantity with CSR rows and the squared loss; it is bent along directions only."""

    def __init__(self, problem: TubeProblem) -> None:
        X = problem.X
        self.problem: TubeProblem = problem
        self.width = self.before = None
        self.rounding = rounding_of(problem)
        self.cells = (X.data, X.indices, X.indptr.astype(np.int64, copy=False))
        self.n_threads = parallel.n_threads()

    def at(self, theta: np.ndarray) -> Point:
        """One pass over the rows: to the core their scores are a table of one column."""
        p, coef = self.problem, theta[0, :-1]
        scores = replace(p, X=np.ascontiguousarray(p.X @ coef, dtype=np.float64)[:, None])
        asked = (np.ones((1, 1)), theta[:, -1].copy(), None, None, None, self.n_threads)
        loss, smooth, dual, _, _, share = scores.pass_over(*asked)
        ones = np.zeros(theta.shape[1])
        ones[-1] = 1.0
        gradient = self.weighted(-2 * p.bound * share[:, 0], ones)
        gradient[:-1] += coef
        gradient[-1] *= p.intercept
        return Point(theta, loss, smooth + 0.5 * inner(coef, coef), dual, gradient[None], share)

    def weighted(self, weight: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The sum over the rows of weight · (x, 1) · ((x, 1) · direction)."""
        state = np.ascontiguousarray(weight)[:, None]
        return _core.linear.sparse_product(*self.cells, None, 1.0, state, direction[:, None], self.n_threads)[:, 0]

    def step(self, point: Point, k: int) -> np.ndarray:
        p, (gradient,) = self.problem, point.gradient
        curve = 2 * p.bound * p.bends(point.share[:, 0], False)
        width = len(gradient) - 1
        scale = _core.linear.sparse_diagonal(*self.cells, width, None, 1.0, curve[:, None], self.n_threads)[:, 0]
        free = p.intercept and scale[-1] > 0
        scale[:-1] += 1
        if not free:  # no intercept, or no row says how far it should go: by about one unit
            scale[-1] = max(1.0, abs(float(gradient[-1])))

        def bend(v: np.ndarray) -> np.ndarray:
            found = self.weighted(curve, v)
            found[:-1] += v[:-1]
            if not free:
                found[-1] = scale[-1] * v[-1]
            return found

        return conjugate_gradients(bend, gradient, scale)


def conjugate_gradients(
    bend: Callable[[np.ndarray], np.ndarray], gradient: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """About the step s with bend(s) = gradient; ``scale`` is the diagonal of the positive definite map ``bend``."""
    step, left = np.zeros_like(gradient), gradient.copy()
    along = left / scale
    size = first = inner(left, along)
    for _ in range(MOST_PRODUCTS):
        if size <= LEFT**2 * first:
            break
        bent = bend(along)
        length = size / inner(along, bent)
        step += length * along
        left -= length * bent
        before, size = size, inner(left, left / scale)
        along = left / scale + (size / before) * along
    return step


def sparse_newton(problem: TubeProblem, tol: float, max_iter: int) -> LinearSolution:
    """Solve a problem with CSR rows and the squared loss, which is quadratic where no row enters or leaves the tube.

    O(stored cells) a product, a few products a step, a handful of steps, whatever C is.
    """
    point, n_iter, converged = steps_from(
        SparseObjective(problem), np.zeros((1, problem.X.shape[1] + 1)), tol, max_iter
    )
    theta = point.theta
    return LinearSolution(theta[:, :-1].copy(), theta[:, -1], point.primal, point.dual, n_iter, converged)
