"""How far two collections of cases are from each other, in numbers of features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from margin.evaluation.intervals.interval import Interval

__all__ = ["frechet_distance", "jackknife", "kernel_distance", "nearest_distances", "two_sample_accuracy"]

#: Parts of the cases that are left out in turn.
PARTS = 20
#: Rows whose distances are worked out at once.
PIECE = 512


def frechet_distance(a: np.ndarray, b: np.ndarray) -> float:
    r"""The distance of two normal distributions with the means and covariances of two collections.

    :math:`|m_a - m_b|^2 + tr(S_a + S_b - 2 (S_a S_b)^{1/2})` (Heusel et al. 2017). Few cases make it larger: only
    distances between equally many are to be compared.

    >>> round(frechet_distance(np.array([[0.0], [2.0]]), np.array([[3.0], [5.0]])), 9)
    9.0
    """
    means = a.mean(axis=0) - b.mean(axis=0)
    first, second = ((each - each.mean(axis=0)) / np.sqrt(max(len(each) - 1, 1)) for each in (a, b))
    if len(a) + len(b) > 2 * a.shape[1]:
        first, second = (
            np.linalg.qr(each, mode="r") for each in (first, second)
        )  # with the same covariance, and short
    # The trace of the root of a product of covariances is the sum of the singular values of this one.
    shared = np.linalg.svd(first @ second.T, compute_uv=False).sum()
    return float(max(means @ means + (first**2).sum() + (second**2).sum() - 2 * shared, 0.0))


def kernel_distance(a: np.ndarray, b: np.ndarray) -> float:
    """The squared distance of means under a cubic kernel, without bias (Binkowski et al. 2018); it may be below 0.

    >>> kernel_distance(np.zeros((3, 1)), np.zeros((3, 1)))
    0.0
    """
    d = a.shape[1]
    within = []
    for each in (a, b):
        kernel = (each @ each.T / d + 1) ** 3
        within.append((kernel.sum() - np.trace(kernel)) / (len(each) * (len(each) - 1)))
    return float(sum(within) - 2 * ((a @ b.T / d + 1) ** 3).mean())


def two_sample_accuracy(a: np.ndarray, b: np.ndarray) -> float:
    """How often the nearest other case is of the same collection: a half where nothing tells them apart.

    Lopez-Paz, Oquab (2017). Above a half they differ; below, one side repeats the other.

    >>> two_sample_accuracy(np.array([[0.0], [0.1]]), np.array([[5.0], [5.1]]))
    1.0
    """
    cases, side = np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)])
    _, nearest = _nearest(cases, cases, same=True)
    return float((side == side[nearest]).mean())


def nearest_distances(cases: np.ndarray, among: np.ndarray, same: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The distance of each case to the nearest of others, and which that is; with ``same`` none is its own nearest."""
    return _nearest(cases, among, same)


def _nearest(cases: np.ndarray, among: np.ndarray, same: bool) -> tuple[np.ndarray, np.ndarray]:
    lengths, squared, which = (among**2).sum(axis=1), np.empty(len(cases)), np.empty(len(cases), np.int64)
    for first in range(0, len(cases), PIECE):
        some = cases[first : first + PIECE]
        far = lengths - 2 * some @ among.T
        rows = np.arange(len(some))
        if same:
            far[rows, first + rows] = np.inf
        which[first : first + PIECE] = at = far.argmin(axis=1)
        # Anew, and exactly: a copy has a distance of nothing.
        squared[first : first + PIECE] = ((some - among[at]) ** 2).sum(axis=1)
    return np.sqrt(squared), which


def jackknife(
    measure: Callable[[np.ndarray, np.ndarray], float],
    a: np.ndarray,
    b: np.ndarray,
    confidence: float,
    *,
    lowest: float = -np.inf,
    highest: float = np.inf,
) -> Interval:
    """A normal interval whose deviation is that of the measure with a twentieth of the cases left out in turn.

    Cases drawn anew with replacement would not do: those that are there twice look like a difference.
    """
    value, parts = measure(a, b), min(PARTS, len(a), len(b))
    without = [
        measure(a[np.arange(len(a)) % parts != part], b[np.arange(len(b)) % parts != part]) for part in range(parts)
    ]
    spread = np.sqrt((parts - 1) / parts * ((np.array(without) - np.mean(without)) ** 2).sum())
    half = float(special.ndtri((1 + confidence) / 2) * spread)
    return Interval(value - half, value + half, confidence, "jackknife").clipped(lowest, highest)
