"""The range of several normal numbers with known spread, which Nemenyi's critical difference rests on."""

from __future__ import annotations

import numpy as np
from scipy import special

__all__ = ["range_above", "range_quantile"]


def range_above(q: float, k: int) -> float:
    """The chance that of k standard normal numbers the largest and the smallest lie more than q apart.

    1 - k ∫ φ(z) (Φ(z) - Φ(z - q))^(k-1) dz, with z the largest. The trapezoidal rule is exact to rounding, since the
    integrand is smooth and falls to nothing at both ends.

    >>> round(range_above(3.3145, 3), 4)
    0.05
    """
    if q <= 0:
        return 1.0
    z = np.linspace(-9.0, 9.0 + q, 1200)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    within = k * np.trapezoid(density * (special.ndtr(z) - special.ndtr(z - q)) ** (k - 1), z)
    return float(min(1.0, max(0.0, 1 - within)))


def range_quantile(confidence: float, k: int) -> float:
    """The range that k standard normal numbers stay within with this confidence; by halving.

    >>> round(range_quantile(0.95, 4) / 2**0.5, 3)  # the figure of Nemenyi's test for four models
    2.569
    """
    low, high = 0.0, 1.0
    while range_above(high, k) > 1 - confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_above(middle, k) > 1 - confidence else (low, middle)
    return (low + high) / 2
