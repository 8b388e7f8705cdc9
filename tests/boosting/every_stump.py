"""Slow definitions that the tests of boosting share: stumps by trying every split."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def least_squares_stump(X: np.ndarray, weight: np.ndarray, z: np.ndarray) -> np.ndarray:
    """What the stump of the smallest weighted squared error says of its own rows; the first column wins a tie."""
    best, said = np.inf, np.full(len(z), np.average(z, weights=weight))
    for column in X.T:
        values = np.unique(column)
        for low, high in pairwise(values):
            left = column <= (low + high) / 2
            answer = np.where(left, _mean(z, weight, left), _mean(z, weight, ~left))
            error = float(weight @ (z - answer) ** 2)
            if error < best * (1 - 1e-12):
                best, said = error, answer
    return said


def _mean(z: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> float:
    return float(np.average(z[rows], weights=weight[rows]))


def all_stumps(X: np.ndarray) -> np.ndarray:
    """What every stump says of every row, as 1 and -1: rows x stumps, both ways round, the two constants first."""
    found = [np.ones(len(X)), -np.ones(len(X))]
    for column in X.T:
        values = np.unique(column)
        for low, high in pairwise(values):
            side = np.where(column <= (low + high) / 2, 1.0, -1.0)
            found += [side, -side]
    return np.column_stack(found)
