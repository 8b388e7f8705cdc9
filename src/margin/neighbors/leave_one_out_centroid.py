"""What nearest centroids answer to each row taken out of the means and deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.leave_one_out import (
    MOST_TAKEN,
    AllRows,
    Taken,
    learn_from_all,
    leaves_constant,
    near_ties,
    rescaled,
)
from margin.base.representations.moments import Moments, column_moments
from margin.data.predictions import Predictions
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["centroids_left_out"]


@dataclass
class _Without:
    """Without each row (rows): sizes of the classes in cases, the centre of each column as it is scaled with the row,
    and, as it is scaled without, its deviation within the classes and what it is divided by for probabilities."""

    size: np.ndarray
    center: np.ndarray
    within: np.ndarray
    spread: np.ndarray


def centroids_left_out(
    model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None
) -> Predictions | None:
    """The nearest of the class means, that of the row's own class without it."""
    if model.metric != "euclidean":
        return None
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or not isinstance(rows.data, np.ndarray) or model._unit != 1:
        return None
    scales = rescaled(rows)
    if scales is None or scales.missing.any():
        return None
    x = rows.data
    rows.refit |= leaves_constant(x)
    varies = x.max(axis=0) > x.min(axis=0)
    times = scales.times[:, varies]
    x = np.ascontiguousarray(x[:, varies])
    if not x.shape[1] or (rows.weight.sum() - rows.weight.max()) <= 0:
        return None
    moments = column_moments(x, rows.codes, rows.weight, len(model.classes_))
    if (moments.unit != 1).any():
        return None
    own = Taken.out_of(moments, rows.codes, x, np.broadcast_to(rows.weight[:, None], x.shape))
    without = _without(model, rows, x, own, moments, times)
    priors = _priors(model, without.size)
    near, scores = np.empty((2, len(x), len(model.classes_)))
    for k in range(near.shape[1]):
        mean = np.where((rows.codes == k)[:, None], own.mean, moments.mean[k] + moments.rest[k])
        apart = (x - without.center) * times - _shrunk(model, (mean - without.center) * times, without, k)
        near[:, k] = (apart**2).sum(axis=1)
        scores[:, k] = -0.5 * ((apart / without.spread) ** 2).sum(axis=1)
    with np.errstate(divide="ignore"):
        scores += np.log(priors)
    equal = np.isclose(priors, 1 / priors.shape[1]).all(axis=1)
    decides = np.where(equal[:, None], -near / np.maximum(near.max(axis=1, keepdims=True), 1e-300), scores)
    rows.refit |= near_ties(decides)
    below = np.exp(scores - scores.max(axis=1, keepdims=True))
    return rows.answers(decides.argmax(axis=1), below / below.sum(axis=1, keepdims=True), refitted_predictions)


def _without(model: Any, rows: AllRows, x: np.ndarray, own: Taken, moments: Moments, times: np.ndarray) -> _Without:
    totals = rows.totals_of_others()
    weight = totals.sum(axis=1)
    cases = np.ones(len(x)) if rows.repeats else weight / ((rows.weight**2).sum() - rows.weight**2)
    size = totals * cases[:, None]
    squares = (moments.m2.sum(axis=0) - moments.m2[rows.codes] + own.m2) * cases[:, None]
    degrees = size.sum(axis=1) - size.shape[1]
    some = degrees > 1e-9 * size.sum(axis=1)
    within = np.sqrt(np.divide(squares, degrees[:, None], out=np.zeros_like(squares), where=some[:, None])) * times
    lost = moments.m2.sum(axis=0) * cases[:, None] > MOST_TAKEN * squares
    rows.refit |= lost.any(axis=1) | (np.abs(degrees) < 1e-6 * size.sum(axis=1))
    spread = within
    if model.scale is not None:
        spread = np.broadcast_to(np.sqrt((within**2).mean(axis=1, keepdims=True)), within.shape)
    whole = rows.weight.sum()
    middle = rows.totals @ (moments.mean + moments.rest) / whole
    center = middle - (x - middle) * (rows.weight / (whole - rows.weight))[:, None]
    return _Without(size, center, within, np.where(spread > 0, spread, 1.0))


def _shrunk(model: Any, away: np.ndarray, without: _Without, k: int) -> np.ndarray:
    """How far the centroids of class k are from the centre, less as many standard errors as the threshold says."""
    if model.shrink_threshold is None:
        return away
    typical = np.median(without.within, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        share = np.maximum(1 / without.size[:, k] - 1 / without.size.sum(axis=1), 0.0)[:, None]
    error = np.sqrt(np.where(np.isfinite(share), share, 0.0)) * (without.within + typical)
    return np.sign(away) * np.maximum(np.abs(away) - model.shrink_threshold * error, 0.0)


def _priors(model: Any, size: np.ndarray) -> np.ndarray:
    if isinstance(model.priors, str) and model.priors == "uniform":
        return np.full_like(size, 1 / size.shape[1])
    if model.priors is None or isinstance(model.priors, str):
        return size / size.sum(axis=1, keepdims=True)
    return np.tile(model.class_prior_, (len(size), 1))
