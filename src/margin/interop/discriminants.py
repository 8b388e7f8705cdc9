"""Discriminants and centroids."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.representations.moments import unit_for
from margin.bayes import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from margin.bayes.discriminant.quadratic import triangle_in_panels, triangle_size
from margin.errors import ConversionError
from margin.interop.features import Preparation
from margin.interop.making import numeric, of_same_name, who_is
from margin.interop.matrices import Matrix
from margin.neighbors import NearestCentroid

__all__ = ["centroid", "lda", "qda"]


def _shrinkage(fitted: Any) -> Any:
    if fitted.covariance_estimator is not None:
        raise ConversionError(
            f"{who_is(fitted)}: covariance_estimator must be None, for margin has no other than its own (shrinkage=…)."
        )
    return fitted.shrinkage


def lda(fitted: Any, seen: Preparation) -> LinearDiscriminantAnalysis:
    settings = of_same_name(fitted, "solver", "n_components", "tol")
    priors = None if fitted.priors is None else fitted.priors_.tolist()
    model = LinearDiscriminantAnalysis(shrinkage=_shrinkage(fitted), priors=priors, **settings)
    with numeric(model, fitted, seen) as (made, matrix):
        means, made.priors_ = np.asarray(fitted.means_), np.array(fitted.priors_, dtype=np.float64)
        coef, intercept = _functions(fitted, means)
        middle = np.asarray(getattr(fitted, "xbar_", fitted.priors_ @ means))
        made.means_ = _unscaled(means, matrix)
        made.coef_, made.intercept_ = matrix.folded(fitted.coef_, fitted.intercept_)
        made._set_unit(np.ones(matrix.width))
        made._n_out = int(fitted._max_components)
        center = _unscaled(middle[None, :], matrix)[0]
        if fitted.solver == "eigen" and matrix.center.any():  # its axes start where the scaler puts 0
            center = matrix.widened(matrix.center[None, :])[0]
        apart = fitted.solver != "svd" and not matrix.center.any()
        _set_functions(made, *matrix.folded(coef, intercept), center, apart)
        if hasattr(fitted, "covariance_"):
            made.covariance_ = _covariance(fitted.covariance_, matrix)
        made._axes = None
        if fitted.solver != "lsqr":
            made.scalings_ = matrix.widened((np.asarray(fitted.scalings_) / matrix.spread[:, None]).T).T
            made._axes = made.scalings_[:, : made._n_out]
            made.explained_variance_ratio_ = np.array(fitted.explained_variance_ratio_)
        if fitted.solver == "svd":
            made.xbar_ = center
    return made


def _functions(fitted: Any, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The discriminant function of every class; of two scikit-learn keeps the difference alone."""
    if len(means) != 2:
        return np.asarray(fitted.coef_), np.asarray(fitted.intercept_)
    with np.errstate(divide="ignore"):
        log_priors = np.log(fitted.priors_)
    if fitted.solver == "svd":
        placed = (means - fitted.xbar_) @ fitted.scalings_
        coef = placed @ fitted.scalings_.T
        return coef, -0.5 * (placed**2).sum(axis=1) + log_priors - fitted.xbar_ @ coef.T
    if fitted.solver == "eigen":
        coef = means @ fitted.scalings_ @ fitted.scalings_.T
    else:
        coef = np.linalg.lstsq(fitted.covariance_, means.T, rcond=None)[0].T
    return coef, -0.5 * (means * coef).sum(axis=1) + log_priors


def _set_functions(made: Any, coef: np.ndarray, intercept: np.ndarray, center: np.ndarray, apart: bool) -> None:
    """Scores measured from the centre, what all classes share kept apart where margin's own solver does so."""
    made._common = None
    if not apart:
        made._set_linear(center, coef, intercept + coef @ center)
        return
    made._common = made.priors_ @ coef
    base = intercept + coef @ center - 0.5 * (center @ made._common)
    made._set_linear(center, coef - made._common, base)


def _unscaled(points: np.ndarray, matrix: Matrix) -> np.ndarray:
    return matrix.widened(points * matrix.spread + matrix.center)


def _covariance(given: object, matrix: Matrix) -> np.ndarray:
    scaled = np.asarray(given) * matrix.spread[:, None] * matrix.spread
    return matrix.widened(matrix.widened(scaled).T)


def qda(fitted: Any, seen: Preparation) -> QuadraticDiscriminantAnalysis:
    priors = None if fitted.priors is None else np.asarray(fitted.priors_).tolist()
    model = QuadraticDiscriminantAnalysis(
        priors=priors, shrinkage=_shrinkage(fitted), reg_param=float(fitted.reg_param)
    )
    with numeric(model, fitted, seen) as (made, matrix):
        d, n = matrix.width, len(fitted.classes_)
        made._set_unit(np.ones(d))
        made.priors_ = np.array(fitted.priors_, dtype=np.float64)
        with np.errstate(divide="ignore"):
            made._base = np.log(made.priors_)
        made._panels, made.covariance_ = np.zeros((n, triangle_size(d))), np.zeros((n, d, d))
        for k, (axes, variance) in enumerate(zip(fitted.rotations_, fitted.scalings_)):
            turn = matrix.widened((axes / np.sqrt(variance) / matrix.spread[:, None]).T)
            triangle = np.zeros((d, d))
            upper = np.linalg.qr(turn, mode="r")
            triangle[: len(upper)] = upper
            made._panels[k] = triangle_in_panels(triangle)
            made._base[k] -= 0.5 * np.log(variance).sum()
            made.covariance_[k] = _covariance((axes * variance) @ axes.T, matrix)
        made.means_ = _unscaled(np.asarray(fitted.means_), matrix)
        made._means = made.means_.copy()
    return made


def centroid(fitted: Any, seen: Preparation) -> NearestCentroid:
    who, given = who_is(fitted), fitted.priors
    priors: Any = given if isinstance(given, str) else np.asarray(fitted.class_prior_).tolist()
    settings = of_same_name(fitted, "metric", "shrink_threshold")
    with numeric(NearestCentroid(priors=priors, scale=seen.scale, **settings), fitted, seen) as (made, matrix):
        matrix.refuse_uneven(who, "as distances count every level")
        made._metric = made.metric
        made._present = np.ones(len(fitted.classes_), dtype=bool)
        made.centroids_ = matrix.widened(fitted.centroids_)
        made.deviations_ = matrix.widened(fitted.deviations_)
        made.within_class_std_dev_ = matrix.widened(fitted.within_class_std_dev_[None, :])[0]
        made._spread = np.where(made.within_class_std_dev_ > 0, made.within_class_std_dev_, 1.0)
        made.class_prior_ = np.array(fitted.class_prior_, dtype=np.float64)
        made._equal_priors = bool(np.isclose(made.class_prior_, 1 / len(made.class_prior_)).all())
        made._center = made.class_prior_ @ made.centroids_
        made._unit = float(unit_for(np.abs(made.centroids_).max(initial=0.0)))
    return made
