"""margin.neighbors.NearestCentroid: worked by hand, then the definition in NumPy, then properties."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import NearestCentroid, Table
from margin.errors import ParameterError
from margin.neighbors import centroid

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def spread_out(seed, n=40, d=3, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return rng.normal(size=(n, d)) * [1, 5, 0.2][:d] + y[:, None], y


# Worked by hand


def test_the_centroid_is_the_mean_and_with_manhattan_distances_the_median():
    X, y = [[1.0], [2.0], [9.0], [20.0]], ["a", "a", "a", "b"]
    assert NearestCentroid().fit(X, y).centroids_.tolist() == [[4.0], [20.0]]
    assert NearestCentroid("manhattan").fit(X, y).centroids_.tolist() == [[2.0], [20.0]]


def test_shrinking_by_hand():
    """Class means 0 and 4, all rows 2; s² = (1 + 1 + 1 + 1) / 2, error = √(1/2 - 1/4) (s + s) = √2."""
    X, y = [[-1.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1]
    plain = NearestCentroid().fit(X, y)
    assert plain.within_class_std_dev_ == pytest.approx([2**0.5])
    assert plain.deviations_.ravel() == pytest.approx([-(2**0.5), 2**0.5])
    shrunken = NearestCentroid(shrink_threshold=0.5).fit(X, y)
    assert shrunken.deviations_.ravel() == pytest.approx([0.5 - 2**0.5, 2**0.5 - 0.5])
    assert shrunken.centroids_.ravel() == pytest.approx([0.5**0.5, 4 - 0.5**0.5])
    assert NearestCentroid(shrink_threshold=9).fit(X, y).centroids_.ravel().tolist() == [2.0, 2.0]


def test_priors_alone_decide_halfway_between_the_centroids():
    X, y = [[-1.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1]
    model = NearestCentroid(priors=[0.8, 0.2]).fit(X, y)
    assert model.predict_proba([[2.0]])[0] == pytest.approx([0.8, 0.2])
    assert model.decision_function([[2.0]]) == pytest.approx([2 * np.log(0.2 / 0.8)])
    empirical = NearestCentroid(priors="empirical").fit([*X, [0.0]], [*y, 0])
    assert empirical.class_prior_.tolist() == [0.6, 0.4]


def test_a_class_that_no_column_tells_apart_from_another_still_gets_its_answer():
    model = NearestCentroid().fit([[1.0, 7.0], [1.0, 7.0], [3.0, 7.0]], ["a", "b", "c"])
    assert model.predict([[1.0, 7.0], [3.0, 7.0]]).tolist() == ["a", "c"]
    assert model.predict_proba([[3.0, 7.0]]).argmax() == 2


def test_a_mixed_table_has_centroids_of_shares():
    table = Table.from_columns({"age": [20, 30, None, 60], "job": ["cook", "cook", "clerk", "clerk"]})
    model = NearestCentroid().fit(table, ["no", "no", "yes", "yes"])
    assert model.centroids_.tolist() == [[25.0, 0.0, 1.0], [(20 + 30 + 60) / 6 + 30, 1.0, 0.0]]
    assert model.predict(table).tolist() == ["no", "no", "yes", "yes"]


def test_scaling_lets_a_small_unit_speak():
    X = np.array([[1.0, 1000.0], [1.1, 3000.0], [2.0, 1500.0], [2.1, 3500.0]])
    y = ["short", "short", "tall", "tall"]
    new = [[1.9, 2100.0]]
    assert NearestCentroid().fit(X, y).predict(new).tolist() == ["short"]
    assert NearestCentroid(scale="standard").fit(X, y).predict(new).tolist() == ["tall"]


@pytest.mark.parametrize("priors", [[0.5, 0.25, 0.25], [0.4], "even", [0.9, 0.2]])
def test_impossible_priors_are_refused(priors):
    with pytest.raises(ParameterError, match=r"NearestCentroid\(priors="):
        NearestCentroid(priors=priors).fit([[0.0], [1.0]], ["a", "b"])


def test_priors_that_leave_no_class_with_rows_are_refused():
    with pytest.raises(ParameterError, match="prior above 0"):
        NearestCentroid(priors=[0.0, 1.0]).fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1, 0])


# The definition


def slow_scores(model, X):
    within = np.where(model.within_class_std_dev_ > 0, model.within_class_std_dev_, 1.0)
    away = np.abs(X[:, None, :] - model.centroids_) / within
    squared = (away**2).sum(axis=2) if model.metric == "euclidean" else away.sum(axis=2) ** 2
    return 2 * np.log(model.class_prior_) - squared


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("priors", ["uniform", "empirical"])
def test_scores_and_probabilities_are_those_of_the_definition(metric, priors):
    X, y = spread_out(0)
    model = NearestCentroid(metric, priors=priors, shrink_threshold=0.3).fit(X, y)
    scores = slow_scores(model, X)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9)
    odds = np.exp(scores / 2)
    np.testing.assert_allclose(model.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    power = 2 if metric == "euclidean" else 1
    plain = (np.abs(X[:, None, :] - model.centroids_) ** power).sum(axis=2)
    answers = scores.argmax(axis=1) if priors == "empirical" else plain.argmin(axis=1)
    assert model.predict(X).tolist() == answers.tolist()


def test_with_a_scale_the_nearest_class_is_the_most_probable():
    X, y = spread_out(1)
    model = NearestCentroid(scale="range").fit(X, y)
    assert np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


# Properties


@given(seed=st.integers(0, 10_000), metric=st.sampled_from(["euclidean", "manhattan"]), sparse=st.booleans())
@settings(max_examples=60, deadline=None)
def test_whole_weights_are_repeated_rows(seed, metric, sparse):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (12, 4)).astype(float), np.arange(12) % 3
    weight = rng.integers(1, 5, 12)
    given_twice = np.repeat(X, weight, axis=0)
    form = sp.csr_array if sparse else np.asarray
    settings = {"metric": metric, "shrink_threshold": 0.2, "priors": "empirical"}
    weighted = NearestCentroid(**settings).fit(form(X), y, sample_weight=weight)
    repeated = NearestCentroid(**settings).fit(form(given_twice), np.repeat(y, weight))
    for name in ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 10_000), metric=st.sampled_from(["euclidean", "manhattan"]))
@settings(max_examples=30, deadline=None)
def test_other_weights_are_relative_and_rows_may_come_in_any_order(seed, metric):
    rng = np.random.default_rng(seed)
    X, y = spread_out(seed)
    weight = rng.random(len(X)) + 0.1
    order = rng.permutation(len(X))
    one = NearestCentroid(metric, shrink_threshold=0.1).fit(X, y, sample_weight=weight)
    other = NearestCentroid(metric, shrink_threshold=0.1).fit(X[order], y[order], sample_weight=weight[order] * 7.3)
    for name in ("centroids_", "deviations_", "within_class_std_dev_"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("shrink_threshold", [None, 0.4])
@pytest.mark.parametrize("weight", [None, "halves"])
def test_wide_sparse_rows_say_what_dense_rows_say(metric, shrink_threshold, weight, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 30)) * (rng.random((50, 30)) < 0.3)
    y = rng.integers(0, 3, 50)
    weight = None if weight is None else rng.integers(1, 9, 50) / 2
    settings = {"metric": metric, "shrink_threshold": shrink_threshold, "priors": "empirical"}
    dense = NearestCentroid(**settings).fit(X, y, sample_weight=weight)
    monkeypatch.setattr(centroid, "NARROW", 8)
    rows = sp.csr_array(X)
    sparse = NearestCentroid(**settings).fit(rows, y, sample_weight=weight)
    np.testing.assert_allclose(sparse.decision_function(rows), dense.decision_function(X), rtol=1e-9)
    assert np.array_equal(sparse.predict(rows), dense.predict(X))
    for name in ("centroids_", "deviations_", "within_class_std_dev_"):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), rtol=1e-9, atol=1e-12)


def test_sparse_rows_too_wide_to_be_written_out_are_learnt():
    X = sp.random_array((300, 3_000_000), density=1e-5, format="csr", rng=np.random.default_rng(0))
    y = np.arange(300) % 2
    for metric in ("euclidean", "manhattan"):
        assert NearestCentroid(metric).fit(X, y).predict(X).shape == (300,)
