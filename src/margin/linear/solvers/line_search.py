"""Steps downhill, and what a limited memory of them tells of the curvature."""

from __future__ import annotations

from collections import deque

import numpy as np

from margin.linear.solvers.curvature import Curvature
from margin.linear.solvers.dense_objective import Objective, Point, centred

__all__ = ["Memory", "descend", "is_negligible", "is_rounding"]

MOST_HALVINGS = 40
# Of the decrease that the slope promises, as much must come true (Armijo 1966).
SHARE_OF_PROMISE = 1e-4
# A further step that promises a smaller share of the tolerance is not worth a pass.
NEGLIGIBLE_BESIDE_TOLERANCE = 1e-6
ROUNDING = 1e-15


def is_negligible(point: Point, step: np.ndarray, tol: float, share: float) -> bool:
    """Whether a step promises to lower the objective by no more than a share of it, or of the tolerance."""
    promise = 0.5 * float(np.vdot(point.gradient, step))
    return promise <= max(share * point.value, NEGLIGIBLE_BESIDE_TOLERANCE * tol)


def is_rounding(point: Point, step: np.ndarray) -> bool:
    """Whether a step promises no more than the objective is rounded by, however large a gradient in large units is."""
    return float(np.vdot(point.gradient, step)) <= ROUNDING * (point.value + point.terms)


def descend(objective: Objective, point: Point, step: np.ndarray, keep: bool = False) -> Point | None:
    """The point a step away, or nearer where the whole step does not lower the objective; None if none does.

    A step that is too long is cut to the lowest point of a parabola through what is known, by 2 to 10 times. Where it
    promises less than the objective is rounded by, the gradient has to tell: it must be halved.
    """
    promise = float(np.vdot(point.gradient, step))
    if not promise > 0:
        return None
    if is_rounding(point, step):
        found = objective.at(centred(point.theta - step), keep)
        higher = found.value - point.value > ROUNDING * (point.value + point.terms)
        return None if higher or found.largest > 0.5 * point.largest else found
    length = 1.0
    for _ in range(MOST_HALVINGS):
        found = objective.at(centred(point.theta - length * step), keep)
        if found.value <= point.value - SHARE_OF_PROMISE * length * promise:
            return found
        excess = found.value - point.value + length * promise
        best = 0.5 * length * promise / excess if np.isfinite(excess) and excess > 0 else 0.1
        length *= min(0.5, max(0.1, best))
    return None


class Memory:
    """The last steps and how the gradient changed along them: L-BFGS (Nocedal 1980) around a given curvature."""

    def __init__(self, curvature: Curvature, size: int = 10) -> None:
        self.curvature = curvature
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=size)
        self.multiple = 1.0

    def remember(self, before: Point, after: Point) -> None:
        """Take in a step, unless rounding has made its curvature meaningless."""
        step, change = after.theta - before.theta, after.gradient - before.gradient
        product = float(np.vdot(step, change))
        if not product > 0:
            return
        self.pairs.append((step, change, product))
        self.multiple = product / max(float(np.vdot(change, self.curvature.solve(change))), np.finfo(float).tiny)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """The step to take from a point with this gradient (to be subtracted)."""
        rest = gradient.copy()
        shares = []
        for step, change, product in reversed(self.pairs):
            share = float(np.vdot(step, rest)) / product
            rest -= share * change
            shares.append(share)
        found = self.multiple * self.curvature.solve(rest)
        for (step, change, product), share in zip(self.pairs, reversed(shares), strict=True):
            found += (share - float(np.vdot(change, found)) / product) * step
        return found
