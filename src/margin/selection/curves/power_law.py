"""How scores grow with the rows: a power law, fitted to a learning curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from margin.evaluation.intervals.interval import Interval, Score, corrected_t_interval
from margin.random import generator

__all__ = ["PowerLaw", "fit_power_law", "gain_from_twice"]

#: Exponents that are tried: from a curve that hardly flattens to one that is flat at once.
EXPONENTS = np.geomspace(0.1, 4.0, 80)
#: A change of the score over all rows below which it is taken for none: sums in another order differ by as much.
FLAT = 1e-12
#: Draws of folds for an interval.
DRAWS = 400


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """Score(n) = a + b·n^(-c): ``a`` is what endless rows would bring, c how soon it is reached.

    >>> law = PowerLaw(0.95, -1.0, 0.5)
    >>> round(law(100), 3), round(law(400), 3)
    (0.85, 0.9)
    """

    a: float
    b: float
    c: float

    def __call__(self, n: float) -> float:
        """The score expected of n rows."""
        return self.a + self.b * float(n) ** -self.c

    def __str__(self) -> str:
        return f"{self.a:.4g} {'-' if self.b < 0 else '+'} {abs(self.b):.4g}·n^(-{self.c:.3g})"


def fit_power_law(n: np.ndarray, scores: np.ndarray, rises: bool, bounds: tuple[float, float]) -> PowerLaw | None:
    """The power law of least squares through scores at n rows; None where they do not get better with the rows.

    A law that leads nowhere, or away from the better side, says nothing about more rows: the curve may turn.

    >>> n = np.array([10, 20, 40, 80])
    >>> print(fit_power_law(n, 0.9 - n**-0.5, True, (0, 1)))
    0.9 - 1·n^(-0.5)
    >>> fit_power_law(n, 0.5 + n**-0.5, True, (0, 1)) is None
    True
    """
    n = np.asarray(n, dtype=np.float64)
    unit = n / n[-1]
    _, slopes, freely = _fits(unit, scores[None, :], EXPONENTS, rises, bounds, either=True)
    slope = float(slopes[0, int(np.argmin(freely[0]))])
    if abs(slope) <= FLAT or (slope < 0) != rises:
        return None
    losses = _fits(unit, scores[None, :], EXPONENTS, rises, bounds)[2][0]
    at = int(np.argmin(losses))
    low, high = EXPONENTS[max(at - 1, 0)], EXPONENTS[min(at + 1, len(EXPONENTS) - 1)]
    minimum = minimize_scalar(
        lambda c: float(_fits(unit, scores[None, :], np.array([c]), rises, bounds)[2][0, 0]),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-9},
    )
    c = float(minimum.x) if minimum.fun <= losses[at] else float(EXPONENTS[at])
    a, b, _ = _fits(unit, scores[None, :], np.array([c]), rises, bounds)
    return PowerLaw(float(a[0, 0]), float(b[0, 0]) * float(n[-1]) ** c, c)


def _fits(
    unit: np.ndarray,
    scores: np.ndarray,
    exponents: np.ndarray,
    rises: bool,
    bounds: tuple[float, float],
    either: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every curve (rows of ``scores``) and exponent: a, b and the sum of squares that is left.

    b may not lead away from the better side (but ``either`` way on demand), nor a beyond the best score there is.
    """
    z = unit ** -exponents[:, None]
    away = z - z.mean(axis=1, keepdims=True)
    mean = scores.mean(axis=1, keepdims=True)
    b = (scores - mean) @ away.T / np.maximum((away**2).sum(axis=1), 1e-300)
    if not either:
        b = np.minimum(b, 0.0) if rises else np.maximum(b, 0.0)
    a = mean - b * z.mean(axis=1)
    best = bounds[1] if rises else bounds[0]
    beyond = a > best if rises else a < best
    through = (scores - best) @ z.T / (z**2).sum(axis=1)  # a fixed at the best score
    a, b = np.where(beyond, best, a), np.where(beyond, through, b)
    left = scores[:, None, :] - a[:, :, None] - b[:, :, None] * z[None, :, :]
    return a, b, (left**2).sum(axis=2)


def gain_from_twice(
    n: np.ndarray,
    fold_scores: np.ndarray,
    rises: bool,
    bounds: tuple[float, float],
    test_to_train: float,
    confidence: float,
    seed: int = 0,
) -> Score | None:
    """By how much the score would change with twice the rows, from power laws through resampled folds.

    ``fold_scores`` are folds × sizes. The interval of independent folds is widened as that of a mean over folds with
    shared training rows is (Nadeau, Bengio 2003). Laws through resampled folds may lead either way: where chance could
    have made the curve rise, the interval reaches below no gain. It is never shorter than that of the change over the
    last doubling. None where the curve does not rise at all.
    """
    n = np.asarray(n, dtype=np.float64)
    law = fit_power_law(n, fold_scores.mean(axis=0), rises, bounds)
    if law is None:
        return None
    value, folds = law(2 * n[-1]) - law(n[-1]), len(fold_scores)
    if folds < 2:
        return Score(value, None, "one fold; no interval")
    drawn = generator(seed, "folds").integers(folds, size=(DRAWS, folds))
    curves = fold_scores[drawn].mean(axis=1)
    _, b, losses = _fits(n / n[-1], curves, EXPONENTS, rises, bounds, either=True)
    best = losses.argmin(axis=1)
    b = b[np.arange(DRAWS), best]
    gains = b * (2.0 ** -EXPONENTS[best] - 1.0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(gains, [tail, 1 - tail])
    wider = float(np.sqrt(1 + folds * test_to_train))
    # What the next doubling brings is not known better than what the last one brought.
    half = int(np.argmin(np.abs(np.log(n[:-1]) - np.log(n[-1] / 2))))
    last = corrected_t_interval((fold_scores[:, -1] - fold_scores[:, half]).tolist(), test_to_train, confidence)
    least = 0.0 if last is None else last.half_width
    below, above = (max(wider * each, least) for each in (value - low, high - value))
    interval = Interval(value - below, value + above, confidence, "folds drawn anew")
    now = law(n[-1])
    how = f"power law {law}; {100 * confidence:g} % interval, folds drawn anew"
    return Score(value, interval.clipped(bounds[0] - now, bounds[1] - now), how)
