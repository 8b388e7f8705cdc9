"""Models of neighbours: scikit-learn keeps the training rows, and margin puts them into an index of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from margin.base.representations.moments import column_moments
from margin.base.representations.representation import TrainingRows
from margin.errors import ConversionError
from margin.interop.features import Preparation
from margin.interop.making import numeric, of_same_name, who_is
from margin.interop.matrices import Matrix
from margin.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from margin.neighbors.distances import ALIASES, COMPARING_NUMBERS

__all__ = ["nearest_classifier", "nearest_regressor", "radius_classifier", "radius_regressor"]


def _settings(fitted: Any, seen: Preparation, *names: str) -> dict[str, Any]:
    """Metric, power and the rest; the index is margin's choice."""
    who, metric, further = who_is(fitted), fitted.effective_metric_, dict(fitted.effective_metric_params_)
    found = of_same_name(fitted, "weights", *names) | {"scale": seen.scale}
    if callable(metric):
        metric = getattr(fitted, "metric", metric)
        found["algorithm"] = "brute" if fitted._fit_method == "brute" else "auto"
    else:
        metric = ALIASES.get(metric, metric)
    if not callable(metric) and metric not in COMPARING_NUMBERS:
        known = ", ".join(map(repr, COMPARING_NUMBERS))
        raise ConversionError(f"{who}: metric must be one of {known} or a function, but is {metric!r}.")
    p = float(further.pop("p", 2.0))
    weights = further.pop("w", None)
    if weights is not None:
        seen.refuse_any(who, "as its metric weighs columns")
        found["feature_weights"] = np.asarray(weights, dtype=np.float64).tolist()
    if further:
        raise ConversionError(f"{who}: metric_params must be None, but has {', '.join(map(repr, sorted(further)))}.")
    return found | {"metric": metric, "p": p}


def _kept(model: Any, fitted: Any, seen: Preparation, targets: np.ndarray) -> Any:
    who = who_is(fitted)
    with numeric(model, fitted, seen) as (made, matrix):
        matrix.refuse_uneven(who, "as distances count every level")
        if hasattr(fitted, "classes_"):
            made.outputs_2d_ = bool(fitted.outputs_2d_)
        rows = _rows(fitted._fit_X, matrix)
        _know_moments(made._encoder, rows)
        made._learn(rows, targets, TrainingRows(rows, rows.shape[0], None, None))
    return made


def _rows(given: Any, matrix: Matrix) -> Any:
    if sp.issparse(given) and matrix.encoder.form.sparse and matrix.columns.schema is None:
        kept = sp.csr_array(given, dtype=given.dtype if given.dtype == np.float32 else np.float64)
        kept.sum_duplicates()
        return kept
    dense = given.toarray() if sp.issparse(given) else np.asarray(given)
    if dense.dtype == np.float32 and matrix.columns.schema is None:
        return np.ascontiguousarray(dense[:, np.argsort(matrix.place)])
    return matrix.widened(dense)


def _know_moments(encoder: Any, rows: Any) -> None:
    """Means and ends of the numbers: here the training rows are known."""
    if not isinstance(rows, np.ndarray):
        return
    n = len(encoder.fill)
    cells = np.ascontiguousarray(rows[:, :n] * encoder.spread + encoder.center, dtype=np.float64)
    if n == 0:
        cells = cells[:0]
    encoder.moments = column_moments(cells, np.zeros(len(cells), dtype=np.int32), None, 1)
    encoder.filled = False
    mean = encoder.moments.mean[0] * encoder.moments.unit
    encoder.fill = np.where(np.isnan(encoder.fill), mean, encoder.fill)


def _codes(fitted: Any) -> np.ndarray:
    return np.ascontiguousarray(fitted._y, dtype=np.int32)


def _values(fitted: Any) -> np.ndarray:
    return np.asarray(fitted._y, dtype=np.float64) + 0.0


def nearest_classifier(fitted: Any, seen: Preparation) -> KNeighborsClassifier:
    return _kept(KNeighborsClassifier(**_settings(fitted, seen, "n_neighbors")), fitted, seen, _codes(fitted))


def nearest_regressor(fitted: Any, seen: Preparation) -> KNeighborsRegressor:
    return _kept(KNeighborsRegressor(**_settings(fitted, seen, "n_neighbors")), fitted, seen, _values(fitted))


def radius_classifier(fitted: Any, seen: Preparation) -> RadiusNeighborsClassifier:
    settings = _settings(fitted, seen, "radius", "outlier_label")
    return _kept(RadiusNeighborsClassifier(**settings), fitted, seen, _codes(fitted))


def radius_regressor(fitted: Any, seen: Preparation) -> RadiusNeighborsRegressor:
    return _kept(RadiusNeighborsRegressor(**_settings(fitted, seen, "radius")), fitted, seen, _values(fitted))
