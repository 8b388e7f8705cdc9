"""How the cells of a column are distributed within a class.

Each distribution serves a block of columns at once: ``learn`` finds its numbers from the training rows,
``add`` adds its log-likelihoods to the scores, ``terms`` shows them column by column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import _core

__all__ = ["Categorical", "Gaussian"]

# A class whose values hardly vary gets at least this share of the column's whole variance.
VARIANCE_FLOOR = 1e-9


class Categorical:
    r"""Shares of the levels, with ``alpha`` virtual cases for every level:

    :math:`P(v \mid k) = (n_{vk} + \alpha) / (n_k + \alpha L)`, where :math:`n_k` counts the cells that are
    there and :math:`L` the levels of the column. Missing cells are left out.
    """

    def __init__(self, n_levels: list[int], alpha: float) -> None:
        self.alpha = alpha
        self.first = np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)
        self.column_of_level = np.repeat(np.arange(len(n_levels)), n_levels)
        self.n_levels = np.asarray(n_levels, dtype=np.float64)

    def learn(self, codes: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int, repeats: bool) -> Categorical:
        self.counts = _core.bayes.count_levels(codes, self.first, int(self.first[-1]), y, weight, n_classes)
        there = np.zeros((len(self.n_levels), n_classes))
        np.add.at(there, self.column_of_level, self.counts)
        whole = there + self.alpha * self.n_levels[:, None]
        share = np.divide(
            self.counts + self.alpha,
            whole[self.column_of_level],
            out=np.ones_like(self.counts),  # a class without a single cell in this column: the column says nothing
            where=whole[self.column_of_level] > 0,
        )
        with np.errstate(divide="ignore"):
            self.log_share = np.log(share)
        return self

    def add(self, codes: np.ndarray, scores: np.ndarray) -> None:
        _core.bayes.add_shares(codes, self.first, self.log_share, scores)

    def terms(self, row: np.ndarray) -> np.ndarray:
        """The log-share of each column's level in each class for one row; 0 where the cell is missing."""
        terms = np.zeros((len(row), self.log_share.shape[1]))
        there = row >= 0
        terms[there] = self.log_share[self.first[:-1][there] + row[there]]
        return terms


class Gaussian:
    r"""A normal density with the class's mean and its n-1 standard deviation.

    A class's variance is at least :math:`10^{-9}` of the column's whole variance; a class with a single case
    takes the whole variance. A constant column says nothing. Missing cells are left out.
    """

    def learn(self, cells: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int, repeats: bool) -> Gaussian:
        if not repeats:
            weight = weight / weight.max()  # only their proportions matter, and squares of tiny ones would vanish
        n, n2, self.mean, m2 = _core.data.moments(cells, y, weight, n_classes)
        whole = _whole_variance(n, n2, self.mean, m2, repeats)
        variance = _unbiased(n, n2, m2, repeats)
        self.variance = np.where(np.isnan(variance), whole, np.maximum(variance, VARIANCE_FLOOR * whole))
        says_something = (n > 0) & (self.variance > 0)
        safe = np.where(says_something, self.variance, 1.0)
        self.steep = np.where(says_something, 0.5 / safe, 0.0)
        self.off = np.where(says_something, -0.5 * np.log(2 * np.pi * safe), 0.0)
        self.peak = self.off.sum(axis=1)
        return self

    def add(self, cells: np.ndarray, scores: np.ndarray) -> None:
        _core.bayes.add_normal(cells, self.mean, self.steep, self.off, self.peak, scores)

    def terms(self, row: np.ndarray) -> np.ndarray:
        """The log-density of each column in each class for one row; 0 where the cell is missing."""
        terms = self.off - self.steep * (row - self.mean) ** 2
        return np.where(np.isnan(row), 0.0, terms).T


def _unbiased(n: np.ndarray, n2: np.ndarray, m2: np.ndarray, repeats: bool) -> np.ndarray:
    """The n-1 variance; NaN where a single case says nothing of it.

    Repeated rows count as often as they are given; weights that say how much a row matters are first put on
    the scale at which they count as many cases as they are worth, :math:`(\\sum w)^2 / \\sum w^2`.
    """
    degrees = n - 1 if repeats else n - np.divide(n2, n, out=np.zeros_like(n), where=n > 0)
    enough = degrees > 1e-12 * n
    return np.divide(m2, degrees, out=np.full_like(m2, np.nan), where=enough)


def _whole_variance(n: Any, n2: Any, mean: Any, m2: Any, repeats: bool) -> np.ndarray:
    """The variance of each column over all classes together."""
    total = n.sum(axis=0)
    center = np.divide((n * mean).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
    around = (m2 + n * (mean - center) ** 2).sum(axis=0)
    variance = _unbiased(total, n2.sum(axis=0), around, repeats)
    return np.where(np.isnan(variance), 0.0, variance)
