"""Shares from counts, with virtual cases, and the spread of cells with weights: the arithmetic of the distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.moments import Moments

__all__ = [
    "log_counts",
    "log_of",
    "log_shares",
    "poisson_draws",
    "pooled_variance",
    "quantiles",
    "safe_ratio",
    "sums_of_others",
    "unbiased",
    "whole_column",
    "with_virtual",
]


def log_of(table: np.ndarray) -> np.ndarray:
    """Logarithms, minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.log(table)


def safe_ratio(top: np.ndarray, bottom: np.ndarray, otherwise: np.ndarray | float) -> np.ndarray:
    """top / bottom where bottom is above 0."""
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    found = np.broadcast_to(np.asarray(otherwise, dtype=np.float64), shape).copy()
    return np.divide(top, bottom, out=found, where=np.broadcast_to(bottom, shape) > 0)


def log_shares(counts: np.ndarray, column: np.ndarray, n_levels: np.ndarray, alpha: Any) -> np.ndarray:
    """log (n + alpha) / (N + alpha L) of each level (rows) in each class (columns).

    ``column`` says to which column a level belongs, ``n_levels`` how many each column has. Where nothing is known
    (no cell and no virtual case), the shares of all classes together.
    """
    alpha = np.broadcast_to(np.asarray(alpha, dtype=np.float64), n_levels.shape)
    there = np.zeros((len(n_levels), counts.shape[1]))
    np.add.at(there, column, counts)
    with np.errstate(over="ignore"):  # virtual cases without end leave only the priors
        whole = (there + (alpha * n_levels)[:, None])[column]
    overall = safe_ratio(counts.sum(axis=1), there.sum(axis=1)[column], 1.0)
    return log_of(safe_ratio(counts + alpha[column, None], whole, overall[:, None]))


def unbiased(n: np.ndarray, n2: np.ndarray, m2: np.ndarray, repeats: bool) -> np.ndarray:
    """The n-1 variance; NaN where a single case says nothing of it.

    Repeated rows count as often as they are given; weights that say how much a row matters are first put on
    the scale at which they count as many cases as they are worth, :math:`(\\sum w)^2 / \\sum w^2`.
    """
    degrees = n - 1 if repeats else n - safe_ratio(n2, n, 0.0)
    enough = degrees > 1e-12 * n
    return np.divide(m2, degrees, out=np.full_like(m2, np.nan), where=enough)


def whole_column(found: Moments, repeats: bool) -> tuple[np.ndarray, np.ndarray]:
    """Mean and n-1 variance of each column over all classes together; variance 0 where nothing is known of it."""
    n = found.weight
    total = n.sum(axis=0)
    center = safe_ratio((n * found.mean).sum(axis=0), total, 0.0)
    around = np.where(found.constant, 0.0, (found.m2 + n * (found.mean - center) ** 2).sum(axis=0))
    variance = unbiased(total, found.weight2.sum(axis=0), around, repeats)
    return center, np.where(np.isnan(variance), 0.0, variance)


def pooled_variance(found: Moments, repeats: bool) -> np.ndarray:
    """Squared deviations from the class means divided by n - K (or its like for weights), of each column; 0 where no
    class has two cases."""
    n = found.weight
    one = np.where(n > 0, 1.0, 0.0) if repeats else safe_ratio(found.weight2, n, 0.0)
    degrees = np.maximum(n - one, 0.0).sum(axis=0)
    return np.divide(found.m2.sum(axis=0), degrees, out=np.zeros(n.shape[1]), where=degrees > 1e-12 * n.sum(axis=0))


def quantiles(values: np.ndarray, weights: np.ndarray, shares: tuple[float, ...]) -> np.ndarray:
    """The smallest value at or below which at least the given share of the weight lies.

    >>> quantiles(np.array([1.0, 2.0, 5.0]), np.array([1.0, 2.0, 1.0]), (0.25, 0.75))
    array([1., 2.])
    """
    reached = np.cumsum(weights)
    # A share that is met but for rounding is met.
    at = np.searchsorted(reached, np.array(shares) * reached[-1] * (1 - 1e-12))
    return values[np.minimum(at, len(values) - 1)]


def sums_of_others(sums: np.ndarray) -> np.ndarray:
    """For each class (row) the sums of all other classes: nothing is subtracted, so that 0 is nothing but 0.

    >>> sums_of_others(np.array([[1.0, 0.0], [2.0, 5.0], [4.0, 0.0]])).tolist()
    [[6.0, 5.0], [5.0, 0.0], [3.0, 5.0]]
    """
    others = np.zeros_like(sums)
    others[1:] = np.cumsum(sums[:-1], axis=0)
    others[:-1] += np.cumsum(sums[:0:-1], axis=0)[::-1]
    return others


def poisson_draws(rates: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Poisson counts; where a rate is beyond all whole numbers of the generator, normal ones, which are the same."""
    ordinary = np.minimum(rates, 2.0**60)
    drawn = rng.poisson(ordinary).astype(np.float64)
    if (rates > ordinary).any():
        drawn = np.where(rates > ordinary, rates + np.sqrt(rates) * rng.standard_normal(rates.shape), drawn)
    return drawn


def with_virtual(sums: np.ndarray, alpha: Any) -> np.ndarray:
    """Sums with their virtual cases: one row per column, one column per class, as the tables of the core have it."""
    smoothed = np.ascontiguousarray(sums.T)
    smoothed = smoothed.copy() if smoothed.base is not None or smoothed is sums else smoothed
    smoothed += np.broadcast_to(alpha, (len(smoothed),))[:, None]
    return smoothed


def log_counts(counts: np.ndarray, alpha: Any, shift: np.ndarray) -> np.ndarray:
    """log(counts + alpha) - shift of the class: one row per column, one column per class. Requires alpha above 0."""
    if np.ndim(alpha) == 0:
        return _core.sums.log_counts(np.ascontiguousarray(counts), float(alpha), shift, parallel.n_threads())
    logs = np.log(with_virtual(counts, alpha))
    logs -= shift
    return logs
