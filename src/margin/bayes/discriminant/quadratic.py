"""Quadratic discriminants: every class with a covariance of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import margin._core as _core
from margin.bayes.discriminant.normal_classes import PANEL, ScatteredClasses, factor_of, inverse_root, log_of
from margin.bayes.discriminant.scatter import Scatter
from margin.bayes.discriminant.shrinkage import Portion, Shrinkage, shrunk_class_covariance
from margin.bayes.distributions.distribution import VARIANCE_FLOOR, threads_for
from margin.errors import DeficientClassWarning, listing, warn
from margin.params import Flag, Priors
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["QuadraticDiscriminantAnalysis"]

# Scores below this lie beyond what a density can tell.
BEYOND = -1e300


class QuadraticDiscriminantAnalysis(ScatteredClasses):
    r"""Normal classes, each with a mean and a covariance of its own; boundaries are quadrics.

    .. math:: \delta_k(x) = \log \pi_k - \tfrac12 \log|\Sigma_k| - \tfrac12 (x - \mu_k)'\Sigma_k^{-1}(x - \mu_k)

    Learning is one pass over the rows, :math:`O(n d^2)`, and memory for K matrices of d × d. It wants many rows per
    class, at least some times d; with fewer, ``shrinkage``, ``reg_param`` or linear discriminants do better. Mixed
    tables are taken as one numeric matrix: nominal columns one-hot, missing numbers filled with the training mean.

    A class that does not vary in all directions in which some class does (too few rows, a level it never has) has no
    density of its own there. Its covariance is then drawn towards the pooled one, as if that had been seen in as many
    cases as there are directions r: :math:`\Sigma_k \leftarrow (n_k \Sigma_k + r \Sigma) / (n_k + r)`.
    ``pooled_share_`` and a ``DeficientClassWarning`` say so, where R's ``qda`` refuses. A class with a single case, or
    with cases that are all alike, takes the pooled covariance. Directions in which no class varies get the variance
    :math:`10^{-9}`, with every column divided by its standard deviation over all rows (or in the class, where that is
    larger). Columns that hold one value are left out, unless ``shrinkage`` or ``reg_param`` gives them a variance.
    Where nominal columns were made one-hot and there are more rows than columns, shrinkage leaves out all directions in
    which no row varies, such as the sum of one-hot columns.

    Parameters
    ----------
    reg_param
        Share r of the identity in each covariance, which becomes (1 - r) times itself and r times the identity.
    shrinkage
        Draws each covariance towards a multiple of the identity, by this amount or, with ``"auto"``, by that of Ledoit
        and Wolf, found for columns of deviation 1; done before ``reg_param``.
    unbiased
        Whether squared deviations are divided by n_k - 1 instead of n_k, which is scikit-learn's way from version 1.9
        on.

    Attributes
    ----------
    means_, covariance_, priors_
        What the classes look like (K × d, K × d × d, K).
    pooled_share_
        Share of the pooled covariance in that of each class: 0 where its own rows were enough.
    rotations_, scalings_
        The axes of each class's covariance as columns, and its variances along them, largest first.

    References
    ----------
    Friedman (1989); Ledoit, Wolf (2004).

    Examples
    --------
    >>> X = [[0.0], [0.1], [-0.1], [5.0], [-6.0], [4.0]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, ["near", "near", "near", "far", "far", "far"])
    >>> model.predict([[0.05], [3.0], [-3.0]])
    array(['near', 'far', 'far'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        priors: Priors = None,
        reg_param: Portion = 0.0,
        shrinkage: Shrinkage = None,
        unbiased: Flag = False,
    ) -> None:
        self.priors = priors
        self.reg_param = reg_param
        self.shrinkage = shrinkage
        self.unbiased = unbiased

    def _sums_needed(self) -> tuple[bool, bool]:
        return False, isinstance(self.shrinkage, str)

    def _settle(self) -> None:
        sums = self._in_one_unit(self._statistics)
        self._set_unit(sums.unit)
        self.priors_ = self._learn_priors(sums.weight)
        n = sums.weight
        center = n @ sums.mean / n.sum()
        d = len(sums.unit)
        # One-hot columns add up to one and often repeat each other; rows enough show which directions can vary at all.
        known = bool(self._encoder.one_hot) and self.reg_param == 0 and sums.cases() > d
        drawn = self.shrinkage is not None or self.reg_param > 0  # then a constant column has a variance too
        some = np.flatnonzero(sums.varies | (drawn and not known))
        whole = sums.moments_around(center)[0][np.ix_(some, some)] / n.sum()
        frame = Frame(whole) if known else None
        self._panels = np.zeros((len(n), triangle_size(d)))
        self._base = log_of(self.priors_, n) - np.log(sums.unit).sum()
        self.covariance_ = np.zeros((len(n), d, d))
        covariances = self._enough(sums, some, whole)
        for k, covariance in enumerate(covariances):
            if frame is None or frame.is_full:
                covariance, turn, log_volume = floored(covariance, np.sqrt(np.diagonal(whole)))
            else:
                covariance, turn, log_volume = frame.floored(covariance)
            triangle = np.zeros((d, d))
            triangle[np.ix_(some[: len(turn)], some)] = turn
            self._panels[k] = triangle_in_panels(triangle)
            self._base[k] -= log_volume
            self.covariance_[k][np.ix_(some, some)] = covariance
        self._means = np.where(n[:, None] > 0, sums.mean, center)
        with np.errstate(over="ignore", under="ignore"):
            self.means_ = self._means * sums.unit
            self.covariance_ *= sums.unit[:, None] * sums.unit

    def _enough(self, sums: Scatter, some: np.ndarray, whole: np.ndarray) -> Iterator[np.ndarray]:
        """The covariances of the classes in some columns, drawn towards the pooled one where they are deficient."""
        at = np.ix_(some, some)
        pooled = self._covariance(sums, slice(None))[at]
        deviation = np.sqrt(np.diagonal(whole))
        rank = rank_of(pooled, deviation)
        self.pooled_share_ = np.zeros(len(sums.weight))
        for k in range(len(sums.weight)):
            of = slice(k, k + 1)
            covariance = self._covariance(sums, of)[at]
            if sums.degrees[k] == 0 or not np.diagonal(covariance).any():
                self.pooled_share_[k], covariance = float(rank > 0), pooled
            elif rank_of(covariance, deviation, rank) < rank:
                share = self.pooled_share_[k] = rank / (sums.cases(of) + rank)
                covariance = (1 - share) * covariance + share * pooled
            yield covariance
        self._say_what_was_drawn(sums.weight)

    def _say_what_was_drawn(self, weight: np.ndarray) -> None:
        drawn = np.flatnonzero((self.pooled_share_ > 0) & (weight > 0))
        if len(drawn) and len(weight) > 1:
            names = listing(self.classes_[drawn].tolist())
            warn(
                f"QuadraticDiscriminantAnalysis.fit: class {names} does not vary in all directions, so its covariance "
                f"was drawn towards that of all classes (pooled_share_ up to {self.pooled_share_[drawn].max():.2f}; "
                "LinearDiscriminantAnalysis, shrinkage or fewer columns need no such help).",
                DeficientClassWarning,
            )

    def _in_one_unit(self, sums: Scatter) -> Scatter:
        """The identity of shrinkage and regularisation is one for all columns, and that of the latter has unit 1."""
        amount = self.shrinkage
        if self.reg_param == 0 and (amount is None or isinstance(amount, str)):
            return sums
        least = 1.0 if self.reg_param else 0.0
        return sums.in_unit(np.full_like(sums.unit, sums.unit.max(initial=least)))

    def _covariance(self, sums: Scatter, of: slice) -> np.ndarray:
        """Of one class, or pooled over all of them."""
        n, degrees = sums.weight[of].sum(), sums.degrees[of].sum()
        fourth = None if sums.fourth is None else sums.fourth[of].sum(axis=0)
        covariance = shrunk_class_covariance(
            sums.within[of].sum(axis=0), fourth, n, sums.cases(of), self.shrinkage, 1 / sums.unit
        )
        if self.unbiased and degrees > 0:
            covariance *= n / degrees
        if self.reg_param:
            covariance *= 1 - self.reg_param
            covariance.flat[:: len(covariance) + 1] += self.reg_param / sums.unit**2
        return covariance

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.empty((len(X), len(self._base)))
        _core.discriminant.quadratic_scores(
            self._cells(X), self._means, self._panels, self._base, scores, threads_for(X)
        )
        if scores.size and not scores.min() > BEYOND:
            # A case beyond all densities: nothing is known but the priors.
            scores[scores.max(axis=1) <= BEYOND] = log_of(self.priors_, np.isfinite(self._base))
        return scores

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.bayes.discriminant.leave_one_out import quadratic_left_out  # only here: it loads the evaluation

        return quadratic_left_out(self, X, y, sample_weight)

    @property
    def n_parameters_(self) -> int:
        """K means of p matrix columns, K times p (p + 1) / 2 variances and covariances, K priors."""
        k, p = self._fitted("n_parameters_").means_.shape
        return k * p + k * (p * (p + 1) // 2) + k

    def _spread(self, k: int) -> np.ndarray:
        return factor_of(self.covariance_[k])

    @property
    def rotations_(self) -> list[np.ndarray]:
        """The axes of each class's covariance as columns, that of the largest variance first."""
        return [np.linalg.eigh(c)[1][:, ::-1] for c in self._fitted("rotations_").covariance_]

    @property
    def scalings_(self) -> list[np.ndarray]:
        """The variances of each class along its axes, largest first."""
        return [np.linalg.eigvalsh(c)[::-1] for c in self._fitted("scalings_").covariance_]


class Frame:
    """The directions in which the rows vary at all, with every column divided by its deviation.

    One-hot columns and copies of them leave directions without variance. Shrinkage would give each class
    a variance there of its own, and the class that is shrunk least would win every row by it.
    """

    def __init__(self, whole: np.ndarray) -> None:
        deviation = np.sqrt(np.diagonal(whole))
        self.scale = np.where(deviation > 0, deviation, 1.0)
        standard = whole / self.scale[:, None] / self.scale
        self.axes = np.eye(len(whole))
        if inverse_root(standard, VARIANCE_FLOOR) is None:
            variance, axes = np.linalg.eigh(standard)
            self.axes = axes[:, variance > VARIANCE_FLOOR]

    @property
    def is_full(self) -> bool:
        return self.axes.shape[0] == self.axes.shape[1]

    def floored(self, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """As the function of that name, but within these directions: W has as many rows as there are directions."""
        inside = self.axes.T @ (covariance / self.scale[:, None] / self.scale) @ self.axes
        inside, turn, log_volume = floored(inside, np.ones(len(inside)))
        there = self.scale[:, None] * self.axes
        return there @ inside @ there.T, np.asarray(np.linalg.qr(turn @ self.axes.T / self.scale, mode="r")), log_volume


def rank_of(covariance: np.ndarray, deviation: np.ndarray, enough: int | None = None) -> int:
    """In how many directions there is a variance, in columns divided by their deviation; ``enough`` of them will do.

    >>> rank_of(np.array([[4.0, 2.0], [2.0, 1.0]]), np.array([2.0, 1.0]))
    1
    """
    scale = np.where(deviation > 0, deviation, 1.0)
    standard = covariance / scale[:, None] / scale
    if enough is not None and np.count_nonzero(np.diagonal(standard) > VARIANCE_FLOOR) < enough:
        return 0
    if inverse_root(standard, VARIANCE_FLOOR) is not None:
        return len(standard)
    return int(np.count_nonzero(np.linalg.eigvalsh(standard) > VARIANCE_FLOOR))


def floored(covariance: np.ndarray, whole: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """A covariance with the least variance in every direction, upper triangular W with W C W' = I, log|C| / 2."""
    scale = np.sqrt(np.maximum(whole**2, np.diagonal(covariance)))
    scale[scale == 0] = 1.0
    standard = covariance / scale[:, None] / scale
    turn = inverse_root(standard, VARIANCE_FLOOR)
    if turn is None:
        variance, axes = np.linalg.eigh(standard)
        variance = np.maximum(variance, VARIANCE_FLOOR)
        covariance = (axes * variance) @ axes.T * scale[:, None] * scale
        turn = np.asarray(np.linalg.qr((axes / np.sqrt(variance)).T, mode="r"))
        log_volume = 0.5 * np.log(variance).sum()
    else:
        log_volume = -np.log(np.diagonal(turn)).sum()
    return covariance, turn / scale, float(log_volume + np.log(scale).sum())


def triangle_size(d: int) -> int:
    """Cells that an upper triangular matrix takes in panels."""
    return PANEL * sum(d - first for first in range(0, d, PANEL))


def triangle_in_panels(matrix: np.ndarray) -> np.ndarray:
    """Twelve rows of an upper triangular matrix at a time, turned on their side, zeros before the diagonal left out."""
    parts = []
    for first in range(0, len(matrix), PANEL):
        rows = matrix[first : first + PANEL, first:].T
        parts.append(np.pad(rows, ((0, 0), (0, PANEL - rows.shape[1]))).ravel())
    return np.concatenate(parts) if parts else np.zeros(0)
