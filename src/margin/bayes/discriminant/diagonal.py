"""Diagonal linear discriminants: columns independent within each class, with variances that all classes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base import Places
from margin.base.representations.moments import Moments, column_moments
from margin.bayes.discriminant.normal_classes import LinearScores, log_of
from margin.bayes.distributions.distribution import VARIANCE_FLOOR
from margin.data.weights import count_repeats
from margin.params import Priors
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["ColumnSums", "DiagonalLinearDiscriminantAnalysis"]


@dataclass(frozen=True)
class ColumnSums:
    """Weight and squared weight of each class, moments of the columns, and whether all weights were whole numbers."""

    weight: np.ndarray
    weight2: np.ndarray
    moments: Moments
    repeats: bool

    def plus(self, other: ColumnSums) -> ColumnSums:
        """The sums of both sets of rows."""
        return ColumnSums(
            self.weight + other.weight,
            self.weight2 + other.weight2,
            self.moments.plus(other.moments),
            self.repeats and other.repeats,
        )

    def aligned(self, places: Places) -> ColumnSums:
        """The same sums with classes and columns at their places in the whole; a new column holds zeros."""

        def by_class(values: np.ndarray) -> np.ndarray:
            placed = np.zeros(places.n_classes)
            placed[places.classes] = values
            return placed

        weight, weight2 = by_class(self.weight), by_class(self.weight2)
        fresh = {"weight": weight[:, None], "weight2": weight2[:, None], "unit": 1.0}
        tables = {}
        for name, values in vars(self.moments.aligned(places.classes, places.n_classes)).items():
            placed = np.zeros((*values.shape[:-1], places.n_columns))
            placed[:] = fresh.get(name, 0.0)
            placed[..., places.columns] = values
            tables[name] = placed
        return ColumnSums(weight, weight2, Moments(**tables), self.repeats)


class DiagonalLinearDiscriminantAnalysis(LinearScores):
    r"""Gaussian naive Bayes with one variance per column in common: linear boundaries from 2 numbers a column.

    .. math:: \delta_k(x) = \log \pi_k - \sum_j \frac{(x_j - \mu_{kj})^2}{2 \sigma_j^2}

    with :math:`\sigma_j^2` the squared deviations of column j from the class means divided by n - K, and at least
    :math:`10^{-9}` of its whole variance; where no class has two cases, the whole variance. A constant column says
    nothing. Learning is one pass, :math:`O(n d)`. A good choice where columns are many and rows few; it fails where
    columns depend on each other within a class. Mixed tables are taken as one numeric matrix: nominal columns one-hot,
    missing numbers filled with the training mean.

    Attributes
    ----------
    means_, var_, priors_
        Means of the classes, variances of the columns, probabilities of the classes.

    References
    ----------
    Dudoit, Fridlyand, Speed (2002).

    Examples
    --------
    >>> X = [[1.0, 5.0], [2.0, 9.0], [5.0, 6.0], [6.0, 8.0]]
    >>> model = DiagonalLinearDiscriminantAnalysis().fit(X, ["a", "a", "b", "b"])
    >>> model.var_
    array([0.5, 5. ])
    >>> model.predict([[3.0, 7.0]])
    array(['a'], dtype='<U1')
    """

    def __init__(self, *, priors: Priors = None) -> None:
        self.priors = priors

    def _count(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> ColumnSums:
        n_classes = len(self.classes_)
        total = np.bincount(y, weight, n_classes).astype(np.float64)
        squares = total if weight is None else np.bincount(y, weight * weight, n_classes)
        repeats = weight is None or count_repeats(weight)
        return ColumnSums(total, squares, column_moments(X, y, weight, n_classes), repeats)

    def _settle(self) -> None:
        sums: ColumnSums = self._statistics
        found, n = sums.moments, sums.weight
        self.priors_ = self._learn_priors(n)
        self._set_unit(found.unit)
        center = n @ found.mean / n.sum()
        away = np.where(n[:, None] > 0, (found.mean - center) + found.rest, 0.0)
        within = found.m2.sum(axis=0)
        whole = np.where(found.constant, 0.0, (within + n @ away**2) / n.sum())
        one = np.ones_like(n) if sums.repeats else sums.weight2 / np.where(n > 0, n, 1.0)
        degrees = np.where(n > 0, n - one, 0.0).sum()
        variance = np.maximum(within / degrees, VARIANCE_FLOOR * whole) if degrees > 1e-12 * n.sum() else whole
        says_something = ~found.constant & (variance > 0)
        coef = np.where(says_something, away / np.where(says_something, variance, 1.0), 0.0)
        self._set_linear(center, coef, log_of(self.priors_, n) - 0.5 * (coef * away).sum(axis=1))
        with np.errstate(over="ignore", under="ignore"):
            self.means_ = np.where(n[:, None] > 0, found.mean, center) * found.unit
            self.var_ = np.where(found.constant, 0.0, variance) * found.unit * found.unit

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.bayes.discriminant.leave_one_out import diagonal_left_out  # only here: it loads the evaluation

        return diagonal_left_out(self, X, y, sample_weight)

    @property
    def n_parameters_(self) -> int:
        """K means of p matrix columns, p variances in common, K priors."""
        k, p = self._fitted("n_parameters_").means_.shape
        return k * p + p + k

    def _spread(self, k: int) -> np.ndarray:
        return np.diag(np.sqrt(self.var_))
