"""One step of BrownBoost: how far to go with a weak classifier, and how much time that takes.

With margins r, time left s and steps b = y h of 1 or -1 the step (alpha, t) solves

    dt/dalpha = sum w b / sum w,   w = exp(-(r + alpha b + s - t)^2 / c),   t = 0 at alpha = 0,

until the right side is 0, the classifier no longer tells anything, or t = s, time has run out. Along the solution the
potential, the mean of (1 - erf((r + alpha b + s - t) / sqrt c)) / 2, stays as it is: for each alpha this gives t, which
is found by bracketing and needs no integration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, erfinv

__all__ = ["Position", "Step", "step_of", "time_for"]

#: Of sqrt c: how far alpha goes between two looks at the correlation, whose first zero is the end of the step.
LOOK = 0.05
#: Looks after which a step ends where it is.
MOST_LOOKS = 2000
#: Steps of Newton's method before time is found by halving.
MOST_NEWTON = 20
#: The longest that alpha and t can be wrong by, relative to sqrt c.
TOLERANCE = 1e-12


def time_for(target_error: float) -> float:
    """The time c after which at most this share of the training rows is wrong: 1 - erf(sqrt c) is that share.

    >>> round(time_for(0.1), 3)
    1.353
    """
    return float(erfinv(1.0 - target_error)) ** 2


@dataclass(eq=False)
class Position:
    """Margins r of the rows, their own weights, the time c and what is left of it."""

    margins: np.ndarray
    weight: np.ndarray
    c: float
    left: float

    def each(self) -> np.ndarray:
        """What rows count for the next weak classifier, for each unit they weigh; with weights it adds up to 1."""
        # The largest exponent is taken off first: far from the end all of them may be too small for a number.
        exponent = -((self.margins + self.left) ** 2) / self.c
        found = np.exp(exponent - exponent.max())
        return found / float(self.weight @ found)

    def potential(self) -> float:
        """The mean potential of the rows, which does not change from round to round."""
        return _potential(self.margins + self.left, self.weight, self.c)


@dataclass(frozen=True)
class Step:
    """How far to go, and the time that it takes."""

    alpha: float
    time: float


def step_of(position: Position, right: np.ndarray) -> Step:
    """The step for a weak classifier with y h = ``right``, whose correlation with the weights must be above 0."""
    here, weight, c, left = position.margins + position.left, position.weight, position.c, position.left
    start, unit, total = _potential(here, weight, c), math.sqrt(c), float(weight.sum())

    def rise(alpha: float, time: float) -> float:
        """How much the potential is above that at the start; rises with time."""
        return _potential(here + alpha * right - time, weight, c) - start

    def correlation(alpha: float, time: float) -> float:
        away = (here + alpha * right - time) ** 2 / c
        pull = weight * np.exp(away.min() - away)
        return float(pull @ right / pull.sum())

    def time_at(alpha: float, least: float) -> float:
        """The time that keeps the potential, by Newton's method; between that of a smaller alpha and all that is
        left."""
        moved, time = here + alpha * right, least
        for _ in range(MOST_NEWTON):
            above = _potential(moved - time, weight, c) - start
            slope = float(weight @ np.exp(-((moved - time) ** 2) / c)) / (total * unit * math.sqrt(math.pi))
            then = min(max(time - above / slope, least), left) if slope > 0 else left
            if abs(then - time) <= TOLERANCE * unit:
                return then
            time = then
        if rise(alpha, least) >= 0:
            return least
        return float(brentq(lambda each: rise(alpha, each), least, left, xtol=TOLERANCE * unit))

    alpha = time = 0.0
    for _ in range(MOST_LOOKS):
        further = alpha + LOOK * unit
        if rise(further, left) <= 0:  # even all the time does not use this up: it runs out before
            if rise(alpha, left) <= 0:
                return Step(alpha, left)
            return Step(float(brentq(lambda a: rise(a, left), alpha, further, xtol=TOLERANCE * unit)), left)
        then = time_at(further, time)
        if correlation(further, then) <= 0:
            break
        alpha, time = further, then
    else:
        return Step(alpha, time)
    end = float(brentq(lambda a: correlation(a, time_at(a, time)), alpha, further, xtol=TOLERANCE * unit))
    return Step(end, time_at(end, time))


def _potential(z: np.ndarray, weight: np.ndarray, c: float) -> float:
    return float(weight @ (1.0 - erf(z / math.sqrt(c))) / (2.0 * weight.sum()))
