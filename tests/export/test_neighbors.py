"""Exported neighbours: votes by hand, every metric with ties, weights and rows without neighbours."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from margin import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestCentroid,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    RoteClassifier,
)
from margin.export import onnx_inputs, run_onnx, to_onnx
from tests.contract.estimators import frame

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")

METRICS = ["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "canberra", "hamming"]
RADIUS = {"cosine": 0.05, "hamming": 0.4, "canberra": 1.5}


def small_whole_numbers(n: int = 200, d: int = 9, most: int = 4, seed: int = 0):
    """Rows among which very many are equally far apart."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, most, (n, d)).astype(float), rng.integers(0, 3, n)


def test_three_neighbours_by_hand():
    model = KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0], [9.0]], ["a", "b", "b", "a"])
    found = run_onnx(to_onnx(model), {"X": np.array([[0.5], [8.0]])})
    assert found["label"].tolist() == ["b", "b"]
    assert np.allclose(found["probabilities"], [[1 / 3, 2 / 3], [1 / 3, 2 / 3]], rtol=1e-15)


def test_the_mean_of_neighbours_by_hand():
    model = KNeighborsRegressor(2, weights="distance").fit([[0.0], [1.0], [5.0]], [10.0, 20.0, 90.0])
    found = run_onnx(to_onnx(model), {"X": np.array([[0.25], [1.0]])})["value"]
    assert found.tolist() == [12.5, 20.0]  # three times as near counts three times as much; a match outvotes all


@pytest.mark.parametrize("weights", ["uniform", "distance", "inverse_square"])
@pytest.mark.parametrize("metric", METRICS)
def test_ties_go_the_same_way_in_every_metric(metric, weights):
    X, y = small_whole_numbers()
    asked, _ = small_whole_numbers(300, most=6, seed=1)
    near = {"metric": metric, "p": 3.0, "weights": weights}
    to_onnx(KNeighborsClassifier(7, **near).fit(X, y), check=asked)
    to_onnx(KNeighborsRegressor(7, **near).fit(X, 1.3 * y), check=asked)
    radius = RADIUS.get(metric, 2.0)
    to_onnx(RadiusNeighborsClassifier(radius, outlier_label=-7, **near).fit(X, y), check=asked)
    to_onnx(RadiusNeighborsRegressor(radius, **near).fit(X, 1.3 * y), check=asked)


@pytest.mark.parametrize("whole", [True, False])
def test_weighted_rows(whole):
    X, y = small_whole_numbers()
    rng = np.random.default_rng(2)
    weight = rng.integers(1, 4, len(y)).astype(float) if whole else rng.random(len(y)) + 0.1
    for model in (KNeighborsClassifier(7), RadiusNeighborsClassifier(2.0), KNeighborsClassifier(7, weights="distance")):
        to_onnx(model.fit(X, y, sample_weight=weight), check=X)
    for model in (KNeighborsRegressor(7), RadiusNeighborsRegressor(2.0)):
        to_onnx(model.fit(X, 1.3 * y, sample_weight=weight), check=X)


def test_weights_of_columns_more_neighbours_than_rows_and_sparse_rows():
    X, y = small_whole_numbers()
    to_onnx(KNeighborsClassifier(feature_weights=[1, 2, 0, 1, 0.5, 1, 1, 1, 3]).fit(X, y), check=X)
    to_onnx(KNeighborsClassifier(500).fit(X, y), check=X)
    to_onnx(KNeighborsClassifier(algorithm="brute").fit(sp.csr_array(X), y), check=X)
    to_onnx(KNeighborsClassifier(metric="cosine").fit(sp.csr_array(X), y), check=X)
    to_onnx(KNeighborsClassifier(metric="cosine").fit(X * 1e140, y), check=X * 1e140)


def test_a_row_without_neighbours_gets_the_label_for_such_rows():
    model = RadiusNeighborsClassifier(1.0, outlier_label="nowhere").fit([[0.0], [0.5], [3.0]], ["a", "a", "b"])
    found = run_onnx(to_onnx(model), {"X": np.array([[0.2], [2.5], [9.0]])})
    assert found["label"].tolist() == ["a", "b", "nowhere"]
    assert found["probabilities"][2].tolist() == [0.0, 0.0]
    model = RadiusNeighborsRegressor(1.0).fit([[0.0], [3.0]], [1.0, 2.0])
    assert np.isnan(run_onnx(to_onnx(model), {"X": np.array([[9.0]])})["value"]).all()


@pytest.mark.parametrize("settings", [{}, {"unmatched": "abstain"}, {"default": 1}], ids=repr)
def test_rote_learning_knows_its_rows_and_missing_cells_among_them(settings):
    X, y = frame(100)
    asked = X.assign(age=X.age + (np.arange(100) % 3 == 0))
    model = RoteClassifier(**settings).fit(X, y)
    found = run_onnx(to_onnx(model, check=asked), onnx_inputs(model, asked))
    if settings == {"unmatched": "abstain"}:
        assert found["abstained"].tolist() == (~model.matched(asked)).tolist()
        assert 0 < found["abstained"].sum() < 100


@pytest.mark.parametrize("priors", ["uniform", "empirical", (0.2, 0.8)])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_centroids(metric, priors):
    X, y = frame(150)
    to_onnx(NearestCentroid(metric, priors=priors, scale="standard").fit(X, y), check=X)
    to_onnx(NearestCentroid(metric, priors=priors, shrink_threshold=0.3).fit(X, y), check=X)
