"""Fitted models of neighbours, one for every way that their code takes, with rows to ask them about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import margin
from tests.contract.estimators import frame, numbers, settings

__all__ = ["FAMILY", "MODELS", "contract_settings"]

FAMILY = (
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "NearestCentroid",
    "RoteClassifier",
)


def contract_settings() -> list[Any]:
    """The settings of this family that the contract tries."""
    return [each for each in settings() if type(each).__name__ in FAMILY]


def _numbers(model: Any, n: int = 90, d: int = 4, dtype: Any = np.float64) -> tuple[Any, Any]:
    X, y = numbers(n, d)
    return model.fit(X.astype(dtype), y), np.vstack([numbers(40, d, seed=1)[0], np.full((1, d), np.nan)]).astype(dtype)


def _table(model: Any) -> tuple[Any, Any]:
    return model.fit(*frame(80)), frame(50, seed=1)[0]


def _sparse(model: Any, dtype: Any = np.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    cells = np.where(rng.random((90, 30)) < 0.2, rng.normal(size=(90, 30)), 0.0)
    cells[:, 0] = 1.0
    X = scipy.sparse.csr_array(cells.astype(dtype))
    return model.fit(X, rng.integers(0, 3, 90)), X[::2]


def _weighted(model: Any, whole: bool) -> tuple[Any, Any]:
    X, y = numbers(90, 3)
    weight = np.random.default_rng(2).integers(0, 4, 90) / (1.0 if whole else 3.7)
    return model.fit(X, y, weight), numbers(40, 3, seed=1)[0]


def _several(model: Any) -> tuple[Any, Any]:
    X, y = numbers(90, 3)
    return model.fit(X, np.column_stack([y, y % 2])), numbers(40, 3, seed=1)[0]


def _words(model: Any) -> tuple[Any, Any]:
    X, y = numbers(90, 3)
    return model.fit(X, np.array(["no", "yes"])[y % 2]), numbers(40, 3, seed=1)[0]


def _places(model: Any) -> tuple[Any, Any]:
    X, y = numbers(90, 2)
    return model.fit(X / 10, y), numbers(40, 2, seed=1)[0] / 10


def _without_columns(model: Any) -> tuple[Any, Any]:
    X = pd.DataFrame({"empty": np.array([None] * 20, dtype=object)})
    return model.fit(X, np.arange(20) % 2), X[:4]


def _given(model: Any) -> tuple[Any, Any]:
    X, y = numbers(40, 3)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    return model.fit(distances, y), distances


K, R, Radius = margin.KNeighborsClassifier, margin.KNeighborsRegressor, margin.RadiusNeighborsClassifier
RadiusR, Rote, Centroid = margin.RadiusNeighborsRegressor, margin.RoteClassifier, margin.NearestCentroid

#: What each is called → how to fit it; gives the model and rows to ask.
MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "brute": lambda: _numbers(K()),
    "given-distances": lambda: _given(K(metric="precomputed")),
    "brute-float32": lambda: _numbers(K(metric="manhattan"), dtype=np.float32),
    "brute-minkowski": lambda: _numbers(K(p=3.5, weights="distance")),
    "brute-cosine": lambda: _numbers(K(metric="cosine", feature_weights=[1.0, 2.0, 0.0, 0.5])),
    "kd-tree": lambda: _numbers(K(algorithm="kd_tree", leaf_size=1), 700, 3),
    "kd-tree-by-itself": lambda: _numbers(K(), 4000, 2),
    "kd-tree-float32": lambda: _numbers(K(algorithm="kd_tree", metric="chebyshev"), dtype=np.float32),
    "kd-tree-power-below-1": lambda: _numbers(K(algorithm="kd_tree", p=0.5), 200, 2),
    "kd-tree-radius": lambda: _numbers(Radius(1.5, algorithm="kd_tree"), 300, 2),
    "ball-tree": lambda: _numbers(K(algorithm="ball_tree", leaf_size=2, metric="canberra"), 200),
    "ball-tree-float32": lambda: _numbers(K(algorithm="ball_tree", metric="hamming"), dtype=np.float32),
    "ball-tree-radius": lambda: _numbers(Radius(1.0, algorithm="ball_tree", leaf_size=3), 200, 3),
    "haversine": lambda: _places(K(metric="haversine")),
    "full-scan": lambda: _numbers(K(algorithm="brute", metric="canberra")),
    "sparse": lambda: _sparse(K()),
    "sparse-cosine": lambda: _sparse(K(metric="cosine")),
    "sparse-manhattan": lambda: _sparse(R(metric="manhattan"), np.float32),
    "sparse-chebyshev": lambda: _sparse(K(metric="chebyshev")),
    "sparse-radius": lambda: _sparse(Radius(1.0, metric="cosine")),
    "sparse-centroid": lambda: _sparse(Centroid()),
    "heom": lambda: _table(K(metric="heom")),
    "gower": lambda: _table(K(metric="gower", feature_weights={"age": 2.0, "job": 0.0})),
    "heom-large-weights": lambda: _table(K(metric="heom", feature_weights=[1e200, 1e200, 0.0, 1.0, 3.0])),
    "heom-numbers": lambda: _numbers(K(metric="heom"), 1200, 3),
    "gower-radius": lambda: _table(Radius(0.2, metric="gower")),
    "table": lambda: _table(K(scale="standard")),
    "table-weighted-columns": lambda: _table(K(feature_weights=[1.0, 0.5, 2.0, 0.0, 1.0])),
    "repeats": lambda: _weighted(K(), True),
    "weights": lambda: _weighted(R(weights="distance"), False),
    "weights-radius": lambda: _weighted(Radius(1.0), False),
    "several": lambda: _several(K()),
    "several-regressor": lambda: _several(R()),
    "several-radius": lambda: _several(Radius(0.5, outlier_label=[7, 1])),
    "several-radius-regressor": lambda: _several(RadiusR(0.5)),
    "words": lambda: _words(K(n_neighbors=200)),
    "words-radius": lambda: _words(Radius(0.2, outlier_label="nowhere")),
    "radius-refuses": lambda: _words(Radius(9.0, outlier_label=None)),
    "without-columns": lambda: _without_columns(K(metric="cosine")),
    "centroid": lambda: _numbers(Centroid(metric="manhattan", priors=[0.2, 0.3, 0.5])),
    "centroid-table": lambda: _table(Centroid(shrink_threshold=0.2, scale="range")),
    "rote": lambda: _table(Rote()),
    "rote-abstains": lambda: _words(Rote(unmatched="abstain")),
    "rote-default": lambda: _words(Rote(default="yes")),
}
