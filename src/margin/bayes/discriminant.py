"""Linear discriminants: classes with one covariance, or one variance per column, in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import TransformerMixin

from margin.base import Places
from margin.base.moments import Moments, column_moments
from margin.bayes.normal_classes import NormalClasses, factor_of, log_of
from margin.bayes.scatter import Scatter, measure_scatter
from margin.bayes.shrinkage import Shrinkage, ledoit_wolf, shrunk, shrunk_class_covariance
from margin.data.weights import count_repeats
from margin.errors import ParameterError
from margin.params import Count, NonNegative, Priors

__all__ = ["DiagonalLinearDiscriminantAnalysis", "LinearDiscriminantAnalysis"]

# A column whose values hardly vary within the classes gets at least this share of its whole variance.
VARIANCE_FLOOR = 1e-9


class LinearDiscriminantAnalysis(TransformerMixin, NormalClasses):
    r"""Normal classes with means of their own and one covariance in common.

    .. math:: \delta_k(x) = x'\Sigma^{-1}\mu_k - \tfrac12 \mu_k'\Sigma^{-1}\mu_k + \log \pi_k

    The largest wins; boundaries are planes. Learning is one pass over the rows, :math:`O(n d^2)`, and memory for a
    d × d matrix. It fails where classes differ in spread rather than in place. Mixed tables are taken as one numeric
    matrix: nominal columns one-hot, missing numbers filled with the training mean.

    Directions in which no class varies (constant columns, the sum of one-hot columns) are left out.

    Parameters
    ----------
    solver
        Which covariance. ``"svd"``: the pooled one, squared deviations from the class means divided by n - K
        (scikit-learn divides by n from version 1.9 on). ``"lsqr"`` and ``"eigen"``: the mean of the class covariances
        (divided by n_k), weighted by the priors, exactly as scikit-learn's solvers of that name; ``"lsqr"`` has no
        ``transform``.
    shrinkage
        Draws the covariance towards a multiple of the identity, by this amount or, with ``"auto"``, by that of Ledoit
        and Wolf, found for columns of deviation 1. ``"lsqr"`` and ``"eigen"`` shrink each class as scikit-learn does,
        ``"svd"`` the pooled covariance, constant columns left out.
    priors
        Probabilities of the classes, in the order of ``classes_``; None takes their shares in the training rows.
    n_components
        Columns of ``transform``: at most one less than there are classes; None for all.
    tol
        A direction whose standard deviation, with all columns scaled to 1, is not above ``tol`` is left out.

    Attributes
    ----------
    means_, priors_, covariance_
        What the classes look like.
    coef_, intercept_
        Weights of the columns and constants of the discriminant functions; with two classes second minus first.
    scalings_, xbar_, explained_variance_ratio_
        The axes of ``transform``, the point they start from, and the share of the spread of the class means that
        each shows. Not with ``"lsqr"``.

    References
    ----------
    Fisher (1936); Rao (1948); Ledoit, Wolf (2004).

    Examples
    --------
    >>> model = LinearDiscriminantAnalysis().fit([[1.0], [2.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    >>> model.predict([[3.4], [3.6]])
    array(['a', 'b'], dtype='<U1')
    >>> model.covariance_
    array([[0.5]])
    """

    def __init__(
        self,
        *,
        solver: Literal["svd", "lsqr", "eigen"] = "svd",
        shrinkage: Shrinkage = None,
        priors: Priors = None,
        n_components: Count | None = None,
        tol: NonNegative = 1e-4,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.tol = tol

    def _count(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Scatter:
        auto = isinstance(self.shrinkage, str)
        pooled = not auto and (self.solver == "svd" or self.priors is None)
        who = "LinearDiscriminantAnalysis.fit"
        return measure_scatter(X, y, weight, len(self.classes_), pooled=pooled, fourth=auto, who=who)

    def _settle(self) -> None:
        sums: Scatter = self._statistics
        if not (self.shrinkage is None or isinstance(self.shrinkage, str)):
            sums = sums.in_unit(np.full_like(sums.unit, sums.unit.max()))  # the identity is one for all columns
        self._set_unit(sums.unit)
        self._n_out = self._count_components(sums)
        self.priors_ = self._learn_priors(sums.weight)
        there = sums.weight > 0
        center = self.priors_[there] @ sums.mean[there] / self.priors_[there].sum()
        away = np.where(there[:, None], (sums.mean - center) + sums.rest, 0.0)
        log_priors = log_of(self.priors_, sums.weight)
        covariance = _pooled(sums, self.shrinkage) if self.solver == "svd" else self._averaged(sums)
        white = _whitening(covariance, float(self.tol))
        if self.solver == "svd":
            white, shares = _most_apart(white, away, sums.weight.sum() * self.priors_, float(self.tol))
        elif self.solver == "eigen":
            white, shares = self._between(sums, covariance, white)
        placed = away @ white
        coef = placed @ white.T
        self._set_linear(center, coef, log_priors - 0.5 * (placed**2).sum(axis=1))
        self._describe(sums, covariance, center, coef)
        if self.solver != "lsqr":
            with np.errstate(over="ignore"):
                self.scalings_ = white / sums.unit[:, None]
            self._axes = white[:, : self._n_out]
            self.explained_variance_ratio_ = shares[: self._n_out]

    def _count_components(self, sums: Scatter) -> int:
        most = min(len(sums.weight) - 1, len(sums.unit))
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"LinearDiscriminantAnalysis(n_components={self.n_components}): n_components must be at most {most}, "
                "the number of columns or one less than there are classes."
            )
        return most if self.n_components is None else int(self.n_components)

    def _averaged(self, sums: Scatter) -> np.ndarray:
        """The mean of the class covariances, weighted by the priors."""
        one = 1 / sums.unit
        if len(sums.within) == 1:
            n = sums.weight.sum()
            return shrunk_class_covariance(sums.within[0], None, n, n, self.shrinkage, one)
        covariance = np.zeros_like(sums.within[0])
        for k, prior in enumerate(self.priors_):
            fourth = None if sums.fourth is None else sums.fourth[k]
            covariance += prior * shrunk_class_covariance(
                sums.within[k], fourth, sums.weight[k], sums.cases[k], self.shrinkage, one
            )
        return covariance

    def _between(self, sums: Scatter, within: np.ndarray, white: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Axes of the greatest spread between the classes: what the covariance of all rows has beyond the mean one."""
        n = sums.weight.sum()
        second, fourth = sums.moments_around(sums.weight @ sums.mean / n)
        cases = n if sums.repeats else n * n / sums.weight2.sum()
        whole = shrunk_class_covariance(second, fourth, n, cases, self.shrinkage, 1 / sums.unit)
        spread, axes = np.linalg.eigh(white.T @ (whole - within) @ white)
        total = spread.sum()
        return _signed(white @ axes[:, ::-1]), spread[::-1] / (total if total else 1.0)

    def _describe(self, sums: Scatter, covariance: np.ndarray, center: np.ndarray, coef: np.ndarray) -> None:
        """The same in plain units, as scikit-learn names and shapes it."""
        unit = sums.unit
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self.means_ = np.where(sums.weight[:, None] > 0, sums.mean, center) * unit
            self.covariance_ = covariance * unit[:, None] * unit
            if self.solver == "svd":
                self.xbar_ = center * unit
            else:  # scikit-learn measures from 0; what that adds to all scores alike is kept for decision_function
                self._common = center @ coef_of(coef, self._base, center)
            base, start = self._base - coef @ center, coef
        self.coef_, self.intercept_ = start / unit, base

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self._linear_scores(X)
