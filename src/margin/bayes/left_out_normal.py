"""What numeric columns say of each class when the row itself is taken out of means and variances."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.left_out import AllRows
from margin.base.left_out_moments import MOST_TAKEN, Taken
from margin.base.moments import Moments
from margin.bayes.distributions import Gaussian
from margin.bayes.family import VARIANCE_FLOOR
from margin.bayes.left_out_terms import blocks_of_rows
from margin.bayes.shares import safe_ratio, unbiased
from margin.bayes.statistics import ClassMoments, together

__all__ = ["normal_terms"]


def normal_terms(distribution: Gaussian, cells: Any, found: ClassMoments, rows: AllRows) -> np.ndarray | None:
    """Log-densities of each row in each class, without the row."""
    if not (found.moments.unit == 1).all():
        return None
    scores = np.zeros((len(rows.codes), len(rows.totals)))
    whole = together(found.moments) if found.unweighted is None else found.unweighted
    spreads = _floored if distribution.smoothing is None else _smoothed
    for part in blocks_of_rows(len(scores), 4 * cells.shape[1]):
        x = cells[part].astype(np.float64)
        w = np.where(np.isnan(x), 0.0, rows.weight[part][:, None])
        own = Taken.out_of(found.moments, rows.codes[part], x, w)
        densities = spreads(distribution, x, w, own, found.moments, whole, rows, part)
        for k, (mean, variance) in enumerate(densities):
            scores[part, k], far = _log_densities(x, mean, variance)
            lost = (own.times * (1 + far) > MOST_TAKEN).any(axis=1)
            rows.anew[part] |= lost & (rows.codes[part] == k)
    return scores


def _log_densities(x: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each row; and how far away each cell is, in squared deviations."""
    says = (variance > 0) & ~np.isnan(x)
    safe = np.where(says, variance, 1.0)
    with np.errstate(over="ignore"):
        far = np.where(says, (x - mean) ** 2 / safe, 0.0)
    return np.where(says, -0.5 * (far + np.log(2 * np.pi * safe)), 0.0).sum(axis=1), far


def _floored(
    distribution: Gaussian,
    x: np.ndarray,
    w: np.ndarray,
    own: Taken,
    moments: Moments,
    whole: Moments,
    rows: AllRows,
    part: slice,
) -> Any:
    """Means and n-1 variances of each class; a variance is at least a little of the whole column's, as at fit."""
    every = Taken.out_of(whole, np.zeros(len(x), dtype=np.intp), x, w)
    column = np.nan_to_num(unbiased(every.weight, every.weight2, every.m2, rows.repeats), nan=0.0)
    rows.anew[part] |= (every.times > MOST_TAKEN).any(axis=1)
    mine = unbiased(own.weight, own.weight2, own.m2, rows.repeats)
    theirs = unbiased(moments.weight, moments.weight2, moments.m2, rows.repeats)
    for k in range(len(moments.mean)):
        is_own = (rows.codes[part] == k)[:, None]
        weight = np.where(is_own, own.weight, moments.weight[k])
        mean = np.where(weight > 0, np.where(is_own, own.mean, moments.mean[k]), every.mean)
        variance = np.where(is_own, mine, theirs[k])
        yield mean, np.where(np.isnan(variance), column, np.maximum(variance, VARIANCE_FLOOR * column))


def _smoothed(
    distribution: Gaussian,
    x: np.ndarray,
    w: np.ndarray,
    own: Taken,
    moments: Moments,
    whole: Moments,
    rows: AllRows,
    part: slice,
) -> Any:
    """Means and variances of each class, to which a share of the largest variance of all columns is added."""
    every = Taken.out_of(whole, np.zeros(len(x), dtype=np.intp), x, np.where(w > 0, 1.0, 0.0))
    columns = safe_ratio(every.m2, every.weight, 0.0)
    largest = columns.argmax(axis=1)[:, None]
    added = distribution.smoothing * np.take_along_axis(columns, largest, axis=1)
    rows.anew[part] |= (np.take_along_axis(every.times, largest, axis=1) > MOST_TAKEN)[:, 0]
    rows.anew[part] |= ((own.weight == 0) & (w > 0)).any(axis=1)  # then the mean is that of no cell
    for k in range(len(moments.mean)):
        is_own = (rows.codes[part] == k)[:, None]
        variance = safe_ratio(moments.m2[k], moments.weight[k], 0.0)
        variance = np.where(is_own, safe_ratio(own.m2, own.weight, 0.0), variance) + added
        yield np.where(is_own, own.mean, moments.mean[k]), variance
