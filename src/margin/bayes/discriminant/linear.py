"""Linear discriminants: classes with one covariance in common."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base.sklearn_classes import TransformerMixin
from margin.bayes.discriminant.normal_classes import LinearScores, ScatteredClasses, factor_of, inverse_root, log_of
from margin.bayes.discriminant.scatter import Scatter
from margin.bayes.discriminant.shrinkage import Shrinkage, ledoit_wolf, shrunk, shrunk_class_covariance
from margin.errors import ParameterError
from margin.params import Count, NonNegative, Priors
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["LinearDiscriminantAnalysis"]


class LinearDiscriminantAnalysis(TransformerMixin, LinearScores, ScatteredClasses):
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
    n_components
        Columns of ``transform``: at most one less than there are classes; None for all.
    tol
        A direction whose standard deviation, with all columns scaled to 1, is not above ``tol`` is left out by
        ``"svd"``; the other solvers leave out only what cannot be told from rounding.

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

    _axes: np.ndarray | None
    _common: np.ndarray | None

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

    def _sums_needed(self) -> tuple[bool, bool]:
        auto = isinstance(self.shrinkage, str)
        return not auto and (self.solver == "svd" or self.priors is None), auto

    def _settle(self) -> None:
        sums: Scatter = self._statistics
        if not (self.shrinkage is None or isinstance(self.shrinkage, str)):
            sums = sums.in_unit(
                np.full_like(sums.unit, sums.unit.max(initial=0.0))
            )  # the identity is one for all columns
        self._set_unit(sums.unit)
        self._n_out = self._count_components(sums)
        self.priors_ = self._learn_priors(sums.weight)
        there = sums.weight > 0
        center = self.priors_[there] @ sums.mean[there] / self.priors_[there].sum()
        away = np.where(there[:, None], (sums.mean - center) + sums.rest, 0.0)
        log_priors = log_of(self.priors_, sums.weight)
        covariance = _pooled(sums, self.shrinkage) if self.solver == "svd" else self._averaged(sums)
        white = _whitening(covariance, float(self.tol) if self.solver == "svd" else 0.0)
        if self.solver == "svd":
            white, shares = _most_apart(white, away, sums.weight.sum() * self.priors_, float(self.tol))
        elif self.solver == "eigen":
            white, shares = self._between(sums, covariance, white)
        placed = away @ white
        self._axes = self._common = None
        self._set_linear(center, placed @ white.T, log_priors - 0.5 * (placed**2).sum(axis=1))
        self._describe(sums, covariance, center, placed @ white.T, white)
        if self.solver != "lsqr":
            self._axes = white[:, : self._n_out]
            self.explained_variance_ratio_ = shares[: self._n_out]

    def _count_components(self, sums: Scatter) -> int:
        most = min(len(sums.weight) - 1, len(sums.unit))
        if self.n_components is not None and self.n_components > most:
            there = "one class" if len(sums.weight) == 1 else f"{len(sums.weight)} classes"
            raise ParameterError(
                f"LinearDiscriminantAnalysis(n_components={self.n_components}): n_components must be at most {most}, "
                f"for there are {len(sums.unit)} columns and {there}."
            )
        return most if self.n_components is None else int(self.n_components)

    def _averaged(self, sums: Scatter) -> np.ndarray:
        """The mean of the class covariances, weighted by the priors."""
        one = 1 / sums.unit
        if sums.pooled:
            n = sums.weight.sum()
            return shrunk_class_covariance(sums.within[0], None, n, n, self.shrinkage, one)
        covariance = np.zeros_like(sums.within[0])
        for k, prior in enumerate(self.priors_):
            fourth = None if sums.fourth is None else sums.fourth[k]
            covariance += prior * shrunk_class_covariance(
                sums.within[k], fourth, sums.weight[k], sums.cases(slice(k, k + 1)), self.shrinkage, one
            )
        return covariance

    def _between(self, sums: Scatter, within: np.ndarray, white: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Axes of the greatest spread between the classes: what the covariance of all rows has beyond the mean one."""
        n = sums.weight.sum()
        second, fourth = sums.moments_around(sums.weight @ sums.mean / n)
        whole = shrunk_class_covariance(second, fourth, n, sums.cases(), self.shrinkage, 1 / sums.unit)
        spread, axes = np.linalg.eigh(white.T @ (whole - within) @ white)
        total = spread.sum()
        return _signed(white @ axes[:, ::-1]), np.sort(spread / (total if total else 1.0))[::-1]

    def _describe(
        self, sums: Scatter, covariance: np.ndarray, center: np.ndarray, coef: np.ndarray, white: np.ndarray
    ) -> None:
        """The same in plain units, as scikit-learn names and shapes it."""
        unit, intercept = sums.unit, self._base - coef @ center
        if self.solver != "svd":
            # scikit-learn measures from 0 here, which adds the same to all scores.
            self._common = white @ (white.T @ center)
            coef, intercept = coef + self._common, intercept - 0.5 * (center @ self._common)
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        with np.errstate(over="ignore", under="ignore"):
            self.means_ = np.where(sums.weight[:, None] > 0, sums.mean, center) * unit
            self.covariance_ = covariance * unit[:, None] * unit
            self.coef_, self.intercept_ = coef / unit, intercept
            if self.solver != "lsqr":
                self.scalings_ = white / unit[:, None]
            if self.solver == "svd":
                self.xbar_ = center * unit

    def _decisions(self, X: np.ndarray) -> np.ndarray:
        found = super()._decisions(X)
        if self._common is None or found.ndim == 1:
            return found
        return found + ((self._cells(X) - 0.5 * self._center) @ self._common)[:, None]

    def transform(self, X: TableLike) -> np.ndarray:
        """The rows on the axes along which the classes are farthest apart, for the discriminant plot.

        ``"svd"`` measures from ``xbar_``, ``"eigen"`` from 0. The largest weight of each axis is positive.
        """
        axes = self._axes_found("transform")
        cells = self._cells(self._encoded(X, "transform"))
        return (cells - self._center if self._common is None else cells) @ axes

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.bayes.discriminant.leave_one_out import linear_left_out  # only here: it loads the evaluation

        return linear_left_out(self, X, y, sample_weight)

    def _axes_found(self, method: str) -> np.ndarray:
        axes: np.ndarray | None = self._fitted(method)._axes
        if axes is None:
            raise ParameterError(
                f"LinearDiscriminantAnalysis(solver='lsqr').{method}: this solver finds no axes (use 'svd' or 'eigen')."
            )
        return axes

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the columns of ``transform`` are called."""
        n = self._axes_found("get_feature_names_out").shape[1]
        return np.array([f"lineardiscriminantanalysis{i}" for i in range(n)], dtype=object)

    @property
    def n_parameters_(self) -> int:
        """K means of p matrix columns, p (p + 1) / 2 variances and covariances in common, K priors."""
        k, p = self._fitted("n_parameters_").means_.shape
        return k * p + p * (p + 1) // 2 + k

    def _spread(self, k: int) -> np.ndarray:
        return factor_of(self.covariance_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def _pooled(sums: Scatter, shrinkage: Any) -> np.ndarray:
    """Squared deviations from the class means divided by n - K, shrunk; 0 where no class has two cases."""
    within, degrees = sums.within.sum(axis=0), sums.degrees.sum()
    covariance = within / degrees if degrees > 0 else np.zeros_like(within)
    if shrinkage is None:
        return covariance
    auto = isinstance(shrinkage, str)
    some = np.flatnonzero((np.diagonal(covariance) > 0) if auto else sums.varies)
    part, amount = covariance[np.ix_(some, some)], shrinkage
    if auto:
        assert sums.fourth is not None
        n, scale = sums.weight.sum(), np.sqrt(np.diagonal(within)[some] / sums.weight.sum())
        both = scale[:, None] * scale
        fourth = sums.fourth.sum(axis=0)[np.ix_(some, some)]
        amount = ledoit_wolf(within[np.ix_(some, some)] / both, fourth / both / both, n, sums.cases())
        own = np.sqrt(np.diagonal(part))
        part = shrunk(part / own[:, None] / own, amount) * own[:, None] * own
    else:
        part = shrunk(part, float(amount))
    covariance[np.ix_(some, some)] = part
    return covariance


def _whitening(covariance: np.ndarray, tol: float) -> np.ndarray:
    """d × r, with unit covariance after it; directions without variance, in columns scaled to 1, are left out."""
    deviation = np.sqrt(np.diagonal(covariance))
    scale = np.where(deviation > 0, deviation, 1.0)
    standard = covariance / scale[:, None] / scale
    rounding = len(scale) ** 2 * np.finfo(float).eps  # of eigenvalues of which none is above the number of columns
    turn = inverse_root(standard, max(tol**2, rounding))
    if turn is not None:
        return turn.T / scale[:, None]
    variance, axes = np.linalg.eigh(standard)
    kept = variance > max(tol**2, rounding)
    return axes[:, kept] / np.sqrt(variance[kept]) / scale[:, None]


def _most_apart(white: np.ndarray, away: np.ndarray, weight: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
    """The axes in whitened space along which the class means lie apart, and the share of their spread on each."""
    means = np.sqrt(weight / max(len(away) - 1, 1))[:, None] * away @ white
    _, spread, axes = np.linalg.svd(means, full_matrices=False)
    squares = spread**2
    kept = spread > tol * spread.max(initial=0.0)
    return _signed(white @ axes.T[:, kept]), squares / (squares.sum() or 1.0)


def _signed(axes: np.ndarray) -> np.ndarray:
    """Axes may point either way; here the largest weight of each is positive, whatever the machine."""
    if not axes.size:
        return axes
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None, :], axis=0)
    return axes * np.where(largest < 0, -1.0, 1.0)
