r"""L-BFGS: steps along :math:`-H g`, with H the curvature that the last ten steps have shown.

Nocedal, Wright (2006), algorithms 7.4, 7.5 (directions) and 3.5, 3.6 (steps that keep the strong conditions of Wolfe).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["Point", "descend"]

MEMORY = 10
#: A step must win this share of what the slope promises, and leave at most that share of the slope.
ENOUGH, FLAT = 1e-4, 0.9
#: Values to try along one direction at most.
TRIALS = 20
#: An objective that falls by less than this share of itself has only its last digits left.
LAST_DIGITS = 2.2e-9

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Point:
    """Where a descent is: the place, its objective and gradient, the values tried so far, the step that led there."""

    x: np.ndarray
    value: float
    gradient: np.ndarray
    n_values: int
    step: float
    done: bool = False


def descend(objective: Objective, start: np.ndarray, tol: float, max_values: int) -> Iterator[Point]:
    """One point a turn, until no slope is above ``tol`` or nothing more is to be won; the last one says so.

    >>> *_, last = descend(lambda x: (float(x @ x), 2 * x), np.array([3.0, -4.0]), 1e-8, 100)
    >>> last.done, bool(abs(last.x).max() < 1e-8)
    (True, True)
    """
    value, gradient = objective(start)
    here, pairs = Point(start, value, gradient, 1, 0.0), deque[tuple[np.ndarray, np.ndarray]](maxlen=MEMORY)
    while np.abs(here.gradient).max(initial=0.0) > tol and here.n_values < max_values:
        direction = -_times_curvature(here.gradient, pairs)
        if not direction @ here.gradient < 0:
            pairs.clear()
            direction = -here.gradient
        first = 1.0 if pairs else min(1.0, 1.0 / float(np.linalg.norm(here.gradient)))
        there = _along(objective, here, direction, first)
        if there is None:
            break
        s, y = there.x - here.x, there.gradient - here.gradient
        if s @ y > 1e-10 * (y @ y):
            pairs.append((s, y))
        little = here.value - there.value <= LAST_DIGITS * max(abs(here.value), abs(there.value), 1.0)
        here = there
        if little:
            break
        yield here
    settled = here.n_values < max_values
    yield Point(here.x, here.value, here.gradient, here.n_values, here.step, settled)


def _times_curvature(g: np.ndarray, pairs: deque[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    q, shares = g.copy(), []
    for s, y in reversed(pairs):
        a = (s @ q) / (s @ y)
        q -= a * y
        shares.append(a)
    if pairs:
        s, y = pairs[-1]
        q *= (s @ y) / (y @ y)
    for (s, y), a in zip(pairs, reversed(shares)):
        q += s * (a - (y @ q) / (s @ y))
    return q


def _along(objective: Objective, here: Point, direction: np.ndarray, step: float) -> Point | None:
    """A step that lowers the objective enough and leaves little slope; None if there is none."""
    slope, n = float(direction @ here.gradient), here.n_values
    low, low_value, low_slope, high = 0.0, here.value, slope, np.inf
    best: Point | None = None
    for _ in range(TRIALS):
        x = here.x + step * direction
        value, gradient = objective(x)
        n += 1
        now = float(direction @ gradient) if np.isfinite(value) else np.nan
        if not value <= here.value + ENOUGH * step * slope or value >= low_value > here.value + ENOUGH * low * slope:
            high, step = step, _between(low, low_value, low_slope, step, value)
            continue
        best = Point(x, value, gradient, n, step)
        if abs(now) <= -FLAT * slope:
            return best
        if now > 0:
            high, step = step, 0.5 * (low + step)
            continue
        low, low_value, low_slope = step, value, now
        step = 2.0 * step if np.isinf(high) else 0.5 * (low + high)
    return best


def _between(low: float, value: float, slope: float, high: float, other: float) -> float:
    """The bottom of the parabola through two values and a slope, kept away from both ends."""
    width = high - low
    curve = other - value - slope * width
    at = -0.5 * slope * width**2 / curve if np.isfinite(curve) and curve > 0 else 0.1 * width
    return low + min(max(at, 0.1 * width), 0.5 * width)
