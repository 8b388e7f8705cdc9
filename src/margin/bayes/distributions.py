"""How the cells of a column are distributed within a class.

Each distribution serves a block of columns at once: ``learn`` finds its numbers from the training rows,
``add`` adds its log-likelihoods to the scores and says whether any of them is minus infinity now, ``terms`` shows
them column by column.
"""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.moments import Moments, column_moments
from margin.base.representation import SQUARABLE

__all__ = ["Categorical", "Gaussian"]

# A class whose values hardly vary gets at least this share of the column's whole variance.
VARIANCE_FLOOR = 1e-9


class Categorical:
    r"""Shares of the levels, with ``alpha`` virtual cases for every level:

    :math:`P(v \mid k) = (n_{vk} + \alpha) / (n_k + \alpha L)`, where :math:`n_k` counts the cells that are
    there and :math:`L` the levels of the column. Missing cells are left out. With ``alpha`` 0 a class without a
    single cell in the column takes the shares of all classes together.
    """

    def __init__(self, n_levels: list[int], alpha: float) -> None:
        self.alpha = alpha
        self.first = np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)
        self.column_of_level = np.repeat(np.arange(len(n_levels)), n_levels)
        self.n_levels = np.asarray(n_levels, dtype=np.float64)

    def learn(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int, repeats: bool) -> Categorical:
        levels, threads = int(self.first[-1]), parallel.n_threads()
        self.counts = _core.bayes.count_levels(codes, self.first, levels, y, weight, n_classes, threads)
        there = np.zeros((len(self.n_levels), n_classes))
        np.add.at(there, self.column_of_level, self.counts)
        with np.errstate(over="ignore"):  # virtual cases without end leave only the priors
            whole = (there + self.alpha * self.n_levels[:, None])[self.column_of_level]
        overall = self.counts.sum(axis=1, keepdims=True) / there.sum(axis=1)[self.column_of_level, None]
        share = np.broadcast_to(overall, self.counts.shape).copy()
        np.divide(self.counts + self.alpha, whole, out=share, where=whole > 0)
        with np.errstate(divide="ignore"):
            self.log_share = np.log(share)
        return self

    def add(self, codes: np.ndarray, scores: np.ndarray) -> bool:
        _core.bayes.add_shares(codes, self.first, self.log_share, scores, _n_threads(codes))
        return bool(np.isneginf(scores).any())

    def terms(self, row: np.ndarray) -> np.ndarray:
        """The log-share of each column's level in each class for one row; 0 where the cell is missing."""
        terms = np.zeros((len(row), self.log_share.shape[1]))
        there = row >= 0
        terms[there] = self.log_share[self.first[:-1][there] + row[there]]
        return terms


class Gaussian:
    r"""A normal density with the class's mean and its n-1 standard deviation.

    A class's variance is at least :math:`10^{-9}` of the column's whole variance; a class with a single case
    takes the whole variance, one without any also the whole mean. A constant column says nothing. Missing cells
    are left out. Means and variances are kept in ``unit``, 1 for all but columns of extreme magnitude.
    """

    def learn(self, cells: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int, repeats: bool) -> Gaussian:
        found = column_moments(cells, y, weight, n_classes)
        center, whole = _whole(found, repeats)
        variance = _unbiased(found.weight, found.weight2, found.m2, repeats)
        self.unit = found.unit
        self.mean = np.where(found.weight > 0, found.mean, center)
        self.variance = np.where(np.isnan(variance), whole, np.maximum(variance, VARIANCE_FLOOR * whole))
        says_something = self.variance > 0
        safe = np.where(says_something, self.variance, 1.0)
        self.steep = np.where(says_something, 0.5 / safe, 0.0)
        self.off = np.where(says_something, -0.5 * np.log(2 * np.pi * safe) - np.log(self.unit), 0.0)
        self.peak = self.off.sum(axis=1)
        self._plain = bool((self.unit == 1).all())
        return self

    def add(self, cells: np.ndarray, scores: np.ndarray) -> bool:
        cells = cells if self._plain else self._in_units(cells)
        return _core.bayes.add_normal(cells, self.mean, self.steep, self.off, self.peak, scores, _n_threads(cells))

    def terms(self, row: np.ndarray) -> np.ndarray:
        """The log-density of each column in each class for one row; 0 where the cell is missing."""
        with np.errstate(over="ignore"):
            terms = self.off - self.steep * (self._in_units(row) - self.mean) ** 2
        return np.where(np.isnan(row), 0.0, terms).T

    def _in_units(self, cells: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.clip(cells / self.unit, -SQUARABLE, SQUARABLE)


def _n_threads(cells: np.ndarray) -> int:
    """One thread for a handful of rows: asking how many there are takes longer than the work."""
    return 1 if len(cells) < 64 else parallel.n_threads()


def _unbiased(n: np.ndarray, n2: np.ndarray, m2: np.ndarray, repeats: bool) -> np.ndarray:
    """The n-1 variance; NaN where a single case says nothing of it.

    Repeated rows count as often as they are given; weights that say how much a row matters are first put on
    the scale at which they count as many cases as they are worth, :math:`(\\sum w)^2 / \\sum w^2`.
    """
    degrees = n - 1 if repeats else n - np.divide(n2, n, out=np.zeros_like(n), where=n > 0)
    enough = degrees > 1e-12 * n
    return np.divide(m2, degrees, out=np.full_like(m2, np.nan), where=enough)


def _whole(found: Moments, repeats: bool) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of each column over all classes together."""
    n = found.weight
    total = n.sum(axis=0)
    center = np.divide((n * found.mean).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
    around = np.where(found.constant, 0.0, (found.m2 + n * (found.mean - center) ** 2).sum(axis=0))
    variance = _unbiased(total, found.weight2.sum(axis=0), around, repeats)
    return center, np.where(np.isnan(variance), 0.0, variance)
