"""The knee of a curve: where more stops paying."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.errors import InputError, ParameterError, closest
from margin.typing import LabelsLike

__all__ = ["Knee", "below_chord", "knee", "knee_of_falling"]

CURVES = ("auto", "concave", "convex")
DIRECTIONS = ("auto", "increasing", "decreasing")


@dataclass(frozen=True, slots=True)
class Knee:
    """A bend of a curve: the point, its place among the points given, and how clear it is.

    ``clearness`` is the distance from the chord between the ends, both axes brought to 0 … 1, measured upright: 0 for a
    straight line, near 1 for a right angle.
    """

    x: float
    y: float
    index: int
    clearness: float

    def __str__(self) -> str:
        return f"knee at {self.x:g} (value {self.y:g}, clearness {self.clearness:.2f})"


def knee(
    x: Any,
    y: LabelsLike,
    *,
    curve: Literal["auto", "concave", "convex"] = "auto",
    direction: Literal["auto", "increasing", "decreasing"] = "auto",
    log_x: bool = False,
    sensitivity: float = 1.0,
) -> Knee | None:
    """Where a curve bends most, or None where it does not bend (Kneedle: Satopää, Albrecht, Irwin, Raghavan 2011).

    Both axes are brought to 0 … 1; the knee is the point farthest from the chord between the ends. It must lie farther
    from the chord than ``sensitivity`` times the mean distance between neighbouring x, so that a line with a little
    noise has no knee. Of points equally far the one nearest to the steep end is taken. O(n log n).

    Parameters
    ----------
    x, y
        The points, in any order; every x once.
    curve
        ``"convex"`` bends below its chord, ``"concave"`` above it; ``"auto"`` is the side it is farther on.
    direction
        Whether the curve rises or falls; ``"auto"`` compares its ends.
    log_x
        Whether distances along x are those of the logarithm, for values that double from point to point.
    sensitivity
        How much bending it takes; 0 takes any.

    Examples
    --------
    >>> print(knee([1, 2, 3, 4, 5, 6], [10, 6, 3, 2.5, 2.2, 2]))
    knee at 3 (value 3, clearness 0.47)
    >>> knee([1, 2, 3], [1, 2, 3]) is None
    True
    """
    _check(curve, direction, sensitivity)
    x, y = _points(x, y, log_x)
    order = np.argsort(x, kind="stable")
    along, height = (np.log(x[order]) if log_x else x[order]), y[order]
    if len(x) < 3 or height.max() == height.min():
        return None
    across = (along - along[0]) / (along[-1] - along[0])
    level = (height - height.min()) / (height.max() - height.min())
    rises = height[-1] > height[0] if direction == "auto" else direction == "increasing"
    found = _bend(across, level, bool(rises), curve)
    if found is None or found[1] <= sensitivity / (len(x) - 1):
        return None
    at, clearness = found
    return Knee(float(x[order[at]]), float(height[at]), int(order[at]), clearness)


def _bend(across: np.ndarray, level: np.ndarray, rises: bool, curve: str) -> tuple[int, float] | None:
    """Place and distance of the point farthest from the chord, on the side asked for."""
    found = []
    for side in ("convex", "concave") if curve == "auto" else (curve,):
        # A falling convex curve is what the others are turned into: mirrored at one axis or at both.
        upright = rises == (side == "convex")  # run through from the other end
        down = 1.0 - level if side == "concave" else level
        down = down[::-1] if upright else down
        steps = 1.0 - across[::-1] if upright else across
        distance = below_chord(steps, down)
        at = int(np.argmax(distance))
        if distance[at] > 0:
            found.append((float(distance[at]), len(down) - 1 - at if upright else at))
    if not found:
        return None
    clearness, at = max(found, key=lambda each: each[0])
    return at, clearness


def below_chord(across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """How far points of a falling curve lie below the line from (0, 1) to (1, 0), measured upright."""
    return 1 - across - down


def knee_of_falling(error: np.ndarray) -> int:
    """The place of the knee of an error that was measured at evenly spaced places; the last place where there is none.

    The curve is the smallest error so far, from the first place to where it is smallest.

    >>> knee_of_falling(np.array([0.5, 0.2, 0.15, 0.13, 0.12, 0.3]))
    1
    """
    falling = np.minimum.accumulate(error[: int(error.argmin()) + 1])
    if len(falling) < 3:
        return len(falling) - 1
    down = (falling - falling[-1]) / (falling[0] - falling[-1])
    return int(np.argmax(below_chord(np.linspace(0.0, 1.0, len(falling)), down)))


def _points(x: Any, y: LabelsLike, log_x: bool) -> tuple[np.ndarray, np.ndarray]:
    try:
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("knee: x and y must hold numbers.") from None
    if x.ndim != 1 or x.shape != y.shape:
        raise InputError(f"knee: x and y must be two lists of the same length, not of the shapes {x.shape}, {y.shape}.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("knee: every x and y must be finite (leave out points that are not known).")
    if len(np.unique(x)) < len(x):
        raise InputError("knee: every x must stand once.")
    if log_x and (x <= 0).any():
        raise ParameterError("knee(log_x=True): every x must be above 0 to have a logarithm.")
    return x, y


def _check(curve: Any, direction: Any, sensitivity: Any) -> None:
    for name, value, known in (("curve", curve, CURVES), ("direction", direction, DIRECTIONS)):
        if value not in known:
            shown = ", ".join(map(repr, known))
            raise ParameterError(f"knee({name}={value!r}): {name} must be one of {shown}{closest(value, known)}.")
    if not (isinstance(sensitivity, (int, float)) and sensitivity >= 0):
        raise ParameterError(f"knee(sensitivity={sensitivity!r}): sensitivity must be a number of at least 0.")
