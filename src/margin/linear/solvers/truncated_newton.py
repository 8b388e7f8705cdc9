"""Truncated Newton for sparse rows: each Newton step is solved only as well as it deserves."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from margin.linear.problem import Problem, Solution
from margin.linear.solvers.sparse_objective import SparsePasses, inner, negligible

__all__ = ["FINEST", "newton_step", "truncated_newton"]

#: A step must win this share of what the slope promises (Armijo).
SUFFICIENT = 1e-4
#: A step is never solved better than this: what is left to win still falls by its square.
FINEST = 0.01
#: The loss is known to about this share of itself.
ROUNDING = 4e-16


def truncated_newton(
    problem: Problem, start: tuple[np.ndarray, np.ndarray] | None, tol: float, max_iter: int
) -> Solution:
    """Solve a problem without l1 on CSR, two classes or softmax.

    Steps H p = -g are found by conjugate gradients under a diagonal preconditioner, roughly at first and better as the
    gradient falls, and halved where they go too far. With many rare columns every component of the mean gradient is
    small long before the objective is: so it goes on until the decrease still to be had, g · diag(H)⁻¹ g / 2, is below
    ``tol`` / 100 of the objective as well. One product with H is one pass over the rows.

    >>> from scipy.sparse import csr_matrix
    >>> X, y = csr_matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 2.0]]), np.array([0, 1, 0, 1], dtype=np.int32)
    >>> found = truncated_newton(Problem(X, y, None, 2, 0.0, 0.1, True), None, 1e-6, 100)
    >>> found.converged, found.coef.round(2)
    (True, array([[-1.3 ,  0.89]]))
    """
    passes = SparsePasses(problem)
    table = passes.table(start)
    value, gradient, state = passes.smooth(table)
    first = None
    for n_iter in range(max_iter + 1):
        diagonal = passes.diagonal(state)
        diagonal[diagonal <= 0] = 1.0
        largest = float(np.abs(gradient).max(initial=0.0))
        left = 0.5 * inner(gradient, gradient / diagonal)
        first = first or left
        converged = (largest <= tol and negligible(left, value, tol)) or left <= ROUNDING * value
        if converged or n_iter == max_iter:
            break
        forcing = min(0.1, max(math.sqrt(left / first), FINEST))
        step = newton_step(partial(passes.product, state), gradient, diagonal, forcing)
        found = descend(passes, table, value, step, inner(gradient, step))
        if found is None:
            break
        table, value, gradient, state = found
    coef, intercept = passes.parts(table)
    return Solution(coef, intercept, value, largest, n_iter, converged)


def newton_step(
    product_with: Callable[[np.ndarray], np.ndarray], gradient: np.ndarray, diagonal: np.ndarray, forcing: float
) -> np.ndarray:
    """Conjugate gradients on H p = -g; ``product_with`` gives H times a direction.

    They end when the residual has fallen to the share ``forcing`` in the norm of the preconditioner and another
    iteration would win little of what the model has won so far (Nash and Sofer 1990): where one stiff direction stands
    before the others, as with columns far from 0, the residual alone would end them before anything is won.
    """
    step = np.zeros_like(gradient)
    residual = -gradient
    scaled = residual / diagonal
    direction = scaled.copy()
    square = inner(residual, scaled)
    enough, won = forcing**2 * square, 0.0
    for n in range(1, max(10, min(gradient.size, 250)) + 1):
        product = product_with(direction)
        curvature = inner(direction, product)
        if not curvature > 1e-14 * inner(direction, diagonal * direction):
            break
        length = square / curvature
        step += length * direction
        residual -= length * product
        scaled = residual / diagonal
        gain = 0.5 * length * square
        won += gain
        before, square = square, inner(residual, scaled)
        if square <= enough and (n * gain <= 0.5 * won or square <= 1e-24 * won):
            break
        direction = scaled + (square / before) * direction
    return step if step.any() else -gradient / diagonal


def descend(
    passes: SparsePasses, table: np.ndarray, value: float, step: np.ndarray, slope: float
) -> tuple[np.ndarray, float, np.ndarray, np.ndarray] | None:
    """The step, halved until it wins enough; None if rounding leaves nothing to win."""
    length = 1.0
    for _ in range(40):
        there = table + length * step
        reached, gradient, state = passes.smooth(there)
        if reached <= value * (1 + 4 * ROUNDING) + SUFFICIENT * length * slope:
            return there, reached, gradient, state
        if -length * slope <= ROUNDING * value:
            return None
        length /= 2
    return None
