"""Means and squared deviations with a row taken out again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.base.moments import Moments

__all__ = ["MOST_TAKEN", "Taken"]

# How many times more there may have been with the row than is left without it: the digits beyond that are lost.
MOST_TAKEN = 2e4


@dataclass
class Taken:
    """Moments without each of some rows (rows) in each column; ``times`` as much deviation was there with it."""

    weight: np.ndarray
    weight2: np.ndarray
    mean: np.ndarray
    m2: np.ndarray
    times: np.ndarray

    @classmethod
    def out_of(cls, moments: Moments, k: np.ndarray, x: np.ndarray, w: np.ndarray) -> Taken:
        """The moments of class k without rows x of weights w, 0 where a cell is missing: adding up, backwards."""
        mean, m2, before = moments.mean[k], moments.m2[k], moments.weight[k]
        weight, weight2 = np.maximum(before - w, 0.0), moments.weight2[k] - w * w
        off = np.where(w > 0, (x - mean) - moments.rest[k], 0.0)
        there = weight > 0
        step = np.divide(w * off, weight, out=np.zeros_like(off), where=there)
        left = np.where(there, np.maximum(m2 - before * step * off, 0.0), 0.0)
        times = np.divide(m2, left, out=np.where(there & (m2 > 0), np.inf, 1.0), where=there & (left > 0))
        return cls(
            weight,
            weight2,
            mean - step,
            left,
            np.maximum(times, np.divide(before, weight, out=np.ones_like(off), where=there)),
        )
