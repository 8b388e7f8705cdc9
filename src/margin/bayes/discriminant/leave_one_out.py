"""What discriminants answer to each row taken out of class means and scatter: updates of rank one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.leave_one_out import (
    MOST_TAKEN,
    AllRows,
    Taken,
    changes_scale,
    learn_from_all,
    leaves_constant,
    near_ties,
)
from margin.base.representations.moments import Moments
from margin.base.softmax import softmax
from margin.bayes.discriminant.scatter import Scatter
from margin.bayes.distributions.distribution import VARIANCE_FLOOR
from margin.bayes.distributions.smoothing import log_of
from margin.bayes.leave_one_out import blocks_of_rows
from margin.bayes.sufficient_statistics import together
from margin.data.predictions import Predictions
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["diagonal_left_out", "linear_left_out", "quadratic_left_out"]

# Variances along the axes of standardised columns below this lose too many digits.
WELL_CONDITIONED = 1e-6
# A row that has more of the scatter along its own direction than this leaves too little of it.
MOST_LEVERAGE = 0.99
# Scores below this are beyond all densities.
BEYOND = -1e12


@dataclass
class Shape:
    """Covariances a (S - α e e') + b I without each row of deviation e, in a basis in which S is diagonal.

    ``diagonal`` (rows by axes) is a S + b I there, ``own`` the rows' deviations e, and ``taken`` a α. Sherman, Morrison
    (1950) give the inverse, and their determinant with it.
    """

    basis: np.ndarray
    diagonal: np.ndarray
    own: np.ndarray
    taken: np.ndarray

    @property
    def leverage(self) -> np.ndarray:
        """The share of the scatter in its own direction that a row takes out."""
        return self.taken * (self.own**2 / self.diagonal).sum(axis=1)

    def distances(self, away: np.ndarray) -> np.ndarray:
        """Squared Mahalanobis distances of vectors given in the basis."""
        along = (self.own * away / self.diagonal).sum(axis=1)
        return (away**2 / self.diagonal).sum(axis=1) + self.taken * along**2 / (1 - self.leverage)

    def log_determinants(self) -> np.ndarray:
        """Of the covariances in the basis."""
        return np.log(self.diagonal).sum(axis=1) + np.log1p(-self.leverage)


def _open(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> AllRows | None:
    """The model of all rows where its columns are in plain units and no row changes how they are filled."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or len(model.classes_) < 2 or not model._plain or changes_scale(rows) is None:
        return None
    rows.refit |= leaves_constant(rows.data)
    return rows


def _log_priors(model: Any, rows: AllRows) -> np.ndarray:
    if model.priors is not None:
        return np.tile(log_of(model.priors_), (len(rows.codes), 1))
    others = rows.totals_of_others()
    return log_of(others / others.sum(axis=1, keepdims=True))


def _finished(rows: AllRows, scores: np.ndarray) -> Predictions | None:
    rows.refit |= near_ties(scores) | (scores.max(axis=1) < BEYOND)
    return rows.answers(scores.argmax(axis=1), softmax(scores), refitted_predictions)


@dataclass
class Axes:
    """A basis in which a scatter is diagonal, the ``spread`` it has there, and the scale its columns were put on."""

    basis: np.ndarray
    spread: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, scatter: np.ndarray, least: float, *, plain: bool) -> Axes | None:
        """Of standardised columns, unless they are to stay ``plain``.

        Directions without variance (below ``least``) are left out; None where it is not clear which they are.
        """
        deviation = np.sqrt(np.diagonal(scatter))
        scale = np.ones(len(scatter)) if plain else np.where(deviation > 0, deviation, 1.0)
        spread, axes = np.linalg.eigh(scatter / scale[:, None] / scale)
        if plain:
            return cls(axes, np.maximum(spread, 0.0), scale)
        kept = spread > max(WELL_CONDITIONED, 100 * least)
        if (spread[~kept] > least / 10).any():
            return None
        return cls(axes[:, kept] / scale[:, None], spread[kept], scale)

    def hold(self, vectors: np.ndarray) -> bool:
        """Whether vectors lie in these directions, so that it does not matter how others are left out."""
        if self.basis.shape[0] == self.basis.shape[1]:
            return True
        scaled, turn = vectors / self.scale, self.basis * self.scale[:, None]
        return bool(np.abs(scaled - scaled @ turn @ turn.T).max() <= 1e-9 * np.abs(scaled).max())


def linear_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What linear discriminant analysis answers: distances from the class means in the common shape, all without it."""
    by_cases = model.solver != "svd"  # these solvers divide by n, not by n - K
    if isinstance(model.shrinkage, str) or (by_cases and model.priors is not None):
        return None
    rows = _open(model, X, y, sample_weight)
    if rows is None:
        return None
    sums: Scatter = model._statistics
    some = np.arange(len(sums.unit)) if by_cases else np.flatnonzero(sums.varies)
    amount = 0.0 if model.shrinkage is None else float(model.shrinkage)
    least = max(len(sums.unit) ** 2 * np.finfo(float).eps, 0.0 if by_cases else float(model.tol) ** 2)
    scatter = sums.within[0][np.ix_(some, some)]
    axes = Axes.of(scatter, least, plain=amount > 0)
    away = sums.mean - model.priors_ @ sums.mean / model.priors_.sum()
    if axes is None or not len(some) or not axes.hold(away[:, some]):
        return None
    if amount > 0 and _least_variance(model.covariance_[np.ix_(some, some)]) < max(WELL_CONDITIONED, 100 * least):
        return None
    e, factor = _deviations(sums, rows)
    divisor = sums.weight.sum() - rows.weight if by_cases else sums.degrees.sum() + _change_of_degrees(sums, rows)
    if divisor.min() <= 0:
        return None
    a = (1 - amount) / divisor
    added = amount / divisor * (np.trace(scatter) - factor * (e[:, some] ** 2).sum(axis=1)) / len(some)
    cells = np.ascontiguousarray(rows.data[:, some])
    shape = Shape(axes.basis, a[:, None] * axes.spread + added[:, None], e[:, some] @ axes.basis, a * factor)
    rows.refit |= ~(shape.leverage < MOST_LEVERAGE) | (shape.diagonal <= 0).any(axis=1)
    if not by_cases:
        _mark_lost_axes(model, sums, rows, shape, sums.mean[:, some])
    scores = _log_priors(model, rows)
    grows = 1 + factor / sums.weight[rows.codes]  # the class mean moves away from its own row
    for k in range(scores.shape[1]):
        from_mean = ((cells - sums.mean[k, some]) - sums.rest[k, some]) @ shape.basis
        from_mean[rows.codes == k] *= grows[rows.codes == k, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            scores[:, k] -= 0.5 * shape.distances(from_mean)
    scores[rows.refit] = 0.0
    return _finished(rows, scores)


def _least_variance(covariance: np.ndarray, whole: np.ndarray | float = 0.0) -> float:
    """The least variance along any axis, in columns of variance 1, or of less where they are below the ``whole``."""
    scale = np.sqrt(np.maximum(whole, np.diagonal(covariance)))
    scale[scale == 0] = 1.0
    return float(np.linalg.eigvalsh(covariance / scale[:, None] / scale)[0])


def _deviations(sums: Scatter, rows: AllRows) -> tuple[np.ndarray, np.ndarray]:
    """Of each row from its class mean, and how much of their products the scatter has: w n / (n - w)."""
    n = sums.weight[rows.codes]
    factor = np.divide(rows.weight * n, n - rows.weight, out=np.zeros_like(n), where=n > rows.weight)
    return (rows.data - sums.mean[rows.codes]) - sums.rest[rows.codes], factor


def _change_of_degrees(sums: Scatter, rows: AllRows) -> np.ndarray:
    """What the degrees of freedom of a row's class change by when it is left out."""
    n, n2 = sums.weight[rows.codes] - rows.weight, sums.weight2[rows.codes] - rows.weight**2
    one = np.ones_like(n) if sums.repeats else np.divide(n2, n, out=np.ones_like(n), where=n > 0)
    return np.where(n > 0, np.maximum(n - one, 0.0), 0.0) - sums.degrees[rows.codes]


def _mark_lost_axes(model: Any, sums: Scatter, rows: AllRows, shape: Shape, means: np.ndarray) -> None:
    """Mark the rows without which the class means may no longer spread along as many axes as they can.

    Axes along which they hardly spread, by the tolerance, are dropped at fit.
    """
    n_classes, n_axes = len(means), min(len(means) - 1, shape.basis.shape[1])
    placed, all_priors = means @ shape.basis, np.exp(_log_priors(model, rows))
    for part in blocks_of_rows(len(rows.codes), 4 * n_classes * max(placed.shape[1], n_classes)):
        own, codes, w = shape.own[part], rows.codes[part], rows.weight[part]
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = own * (w / (sums.weight[codes] - w))[:, None]
        away = np.tile(placed, (len(codes), 1, 1))
        away[np.arange(len(codes)), codes] -= moved
        priors = all_priors[part]
        away -= (np.einsum("nk,nkr->nr", priors, away) / priors.sum(axis=1)[:, None])[:, None, :]
        away *= np.sqrt(priors)[:, :, None]
        scaled = away / np.sqrt(shape.diagonal[part])[:, None, :]
        along = np.einsum("nkr,nr->nk", away, own / shape.diagonal[part])
        stretched = shape.taken[part] / (1 - shape.leverage[part])
        gram = scaled @ scaled.transpose(0, 2, 1) + stretched[:, None, None] * along[:, :, None] * along[:, None, :]
        gram[~np.isfinite(gram).all(axis=(1, 2))] = 0.0
        spread = np.linalg.eigvalsh(gram)
        rows.refit[part] |= ~(spread[:, -n_axes] > (2 * float(model.tol)) ** 2 * spread[:, -1])


def quadratic_left_out(
    model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None
) -> Predictions | None:
    """What quadratic discriminant analysis answers: only the row's own class has another mean and shape without it."""
    if isinstance(model.shrinkage, str):
        return None
    rows = _open(model, X, y, sample_weight)
    if rows is None:
        return None
    sums: Scatter = model._statistics
    shrinkage, regular = float(model.shrinkage or 0.0), float(model.reg_param)
    some = np.arange(len(sums.unit)) if shrinkage or regular else np.flatnonzero(sums.varies)
    if not len(some) or not (sums.degrees > 0).all() or _is_floored(model, sums, some):
        return None
    scores = model._scores(rows.data) - log_of(model.priors_) + _log_priors(model, rows)
    e, factor = _deviations(sums, rows)
    divisor = sums.degrees[rows.codes] + _change_of_degrees(sums, rows)
    if not model.unbiased:
        divisor = np.where(divisor > 0, sums.weight[rows.codes] - rows.weight, 0.0)
    priors = _log_priors(model, rows)
    for k in range(scores.shape[1]):
        at = np.flatnonzero(rows.codes == k)
        axes = Axes.of(sums.within[k][np.ix_(some, some)], 0.0, plain=bool(shrinkage or regular))
        assert axes is not None, "no direction is floored"
        own, taken = e[np.ix_(at, some)], factor[at]
        with np.errstate(divide="ignore", invalid="ignore"):
            a = (1 - regular) * (1 - shrinkage) / divisor[at]
            trace = np.trace(sums.within[k]) - taken * (own**2).sum(axis=1)
            added = (1 - regular) * shrinkage / divisor[at] * trace / len(some) + regular
            shape = Shape(axes.basis, a[:, None] * axes.spread + added[:, None], own @ axes.basis, a * taken)
            rows.refit[at] |= ~(shape.leverage < MOST_LEVERAGE)
            distance = shape.distances(shape.own * (1 + taken / sums.weight[k])[:, None])
            volume = shape.log_determinants() + 2 * np.log(axes.scale).sum()
            scores[at, k] = priors[at, k] - 0.5 * (distance + volume)
    scores[rows.refit] = 0.0
    return _finished(rows, scores)


def _is_floored(model: Any, sums: Scatter, some: np.ndarray) -> bool:
    """Whether a class has next to no variance in some direction, or only those are looked at that vary at all."""
    if (model._encoder.one_hot and model.reg_param == 0) or model.pooled_share_.any():
        return True
    n = sums.weight
    whole = np.diagonal(sums.moments_around(n @ sums.mean / n.sum())[0])[some] / n.sum()
    parts = (covariance[np.ix_(some, some)] for covariance in model.covariance_)
    return any(_least_variance(part, whole) < 100 * WELL_CONDITIONED for part in parts)


def diagonal_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What diagonal discriminants answer: distances in variances that all classes share, column by column."""
    rows = _open(model, X, y, sample_weight)
    if rows is None:
        return None
    sums, x = model._statistics, rows.data.astype(np.float64, copy=False)
    found: Moments = sums.moments
    w = np.broadcast_to(rows.weight[:, None], x.shape)
    own = Taken.out_of(found, rows.codes, x, w)
    every = Taken.out_of(together(found), np.zeros(len(x), dtype=np.intp), x, w)
    within = np.maximum(found.m2.sum(axis=0) - found.m2[rows.codes] + own.m2, 0.0)
    one = np.ones(len(sums.weight)) if sums.repeats else sums.weight2 / sums.weight
    degrees = np.where(sums.weight > 0, sums.weight - one, 0.0)
    mine = own.weight[:, 0] - (1.0 if sums.repeats else own.weight2[:, 0] / np.maximum(own.weight[:, 0], 1e-300))
    left = degrees.sum() - degrees[rows.codes] + np.where(own.weight[:, 0] > 0, np.maximum(mine, 0.0), 0.0)
    if left.min() <= 1e-9 * sums.weight.sum():
        return None
    variance = np.maximum(within / left[:, None], VARIANCE_FLOOR * every.m2 / every.weight)
    says = ~found.constant & (variance > 0)
    times = np.divide(found.m2.sum(axis=0), within, out=np.full_like(within, np.inf), where=within > 0)
    scores = _log_priors(model, rows)
    for k in range(scores.shape[1]):
        mean = np.where((rows.codes == k)[:, None], own.mean, found.mean[k])
        far = np.where(says, (x - mean) ** 2 / np.where(says, variance, 1.0), 0.0)
        scores[:, k] -= 0.5 * far.sum(axis=1)
        rows.refit |= (says & ((times * (1 + far) > MOST_TAKEN) | (every.times > MOST_TAKEN))).any(axis=1)
    return _finished(rows, scores)
