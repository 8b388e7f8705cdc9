"""Neighbours within a radius: worked by hand, then the definition in NumPy, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from margin.errors import InputError, LonelyRowWarning, ParameterError
from margin.neighbors import voters

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

LINE, SIDES = [[0.0], [1.0], [2.0], [10.0]], ["a", "a", "b", "b"]


def slow_votes(X, query, radius, weights):
    """The vote of every row: 0 beyond the radius, else by its distance."""
    distance = np.abs(X - query).max(axis=1)
    votes = {"uniform": np.ones(len(X)), "distance": 1 / np.maximum(distance, 1e-300)}[weights]
    votes = np.where(distance <= radius, votes, 0.0)
    exact = (distance == 0) & (weights == "distance")
    return exact.astype(float) if exact.any() else votes


def test_all_rows_up_to_the_radius_itself_vote():
    model = RadiusNeighborsClassifier(1.0).fit(LINE, SIDES)
    assert model.predict_proba([[0.0], [1.0], [3.0]]) == pytest.approx(np.array([[1, 0], [2 / 3, 1 / 3], [0, 1]]))
    assert model.predict([[0.0], [1.0], [3.0]]).tolist() == ["a", "a", "b"]


def test_the_mean_is_that_of_all_rows_within_the_radius():
    model = RadiusNeighborsRegressor(1.0).fit(LINE, [1.0, 2.0, 6.0, 9.0])
    assert model.predict([[0.0], [1.0], [3.0]]).tolist() == [1.5, 3.0, 6.0]


@given(seed=st.integers(0, 10_000), weights=st.sampled_from(["uniform", "distance"]), weighted=st.booleans())
@settings(max_examples=50, deadline=None)
def test_agrees_with_the_definition(seed, weights, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (20, 2)).astype(float), rng.integers(0, 3, 20)
    weight = rng.random(20) if weighted else np.ones(20)
    queries, radius = rng.integers(0, 6, (6, 2)).astype(float), float(rng.integers(0, 4))
    settings = {"radius": radius, "weights": weights, "metric": "chebyshev"}
    shares = RadiusNeighborsClassifier(**settings, outlier_label=7).fit(X, y, weight)
    means = RadiusNeighborsRegressor(**settings).fit(X, y, weight)
    for query in queries:
        votes = slow_votes(X, query, radius, weights) * weight
        if votes.any():
            expected = np.bincount(y, votes, 3) / votes.sum()
            np.testing.assert_allclose(shares.predict_proba([query])[0], expected[shares.classes_], atol=1e-12)
            assert means.predict([query])[0] == pytest.approx((votes * y).sum() / votes.sum())
        else:
            assert shares.predict([query])[0] == 7
            with pytest.warns(LonelyRowWarning):
                assert np.isnan(means.predict([query])[0])


def test_answers_do_not_depend_on_the_order_of_rows_or_on_how_many_votes_are_counted_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    X, y, weight = rng.integers(0, 5, (60, 2)).astype(float), rng.integers(0, 3, 60), rng.random(60)
    model = RadiusNeighborsClassifier(1.5, weights="inverse_square")
    expected = model.fit(X, y, weight).predict_proba(X + 0.25)
    order = rng.permutation(60)
    assert model.fit(X[order], y[order], weight[order]).predict_proba(X + 0.25).tobytes() == expected.tobytes()
    monkeypatch.setattr(voters, "VOTES_AT_ONCE", 50)
    assert model.predict_proba(X + 0.25).tobytes() == expected.tobytes()


def test_rows_without_neighbours_get_the_most_frequent_class():
    model = RadiusNeighborsClassifier(1.0).fit(LINE, SIDES, sample_weight=[1, 1, 1, 2])
    assert model.outlier_label_ == "b"
    assert model.predict([[50.0]]).tolist() == ["b"]
    assert model.predict_proba([[50.0]]).tolist() == [[0.0, 1.0]]


def test_rows_without_neighbours_are_refused_with_the_radius_that_would_reach_them():
    model = RadiusNeighborsClassifier(1.0, outlier_label=None).fit(LINE, SIDES)
    with pytest.raises(InputError, match=r"row 1 of X has no .*nor has row 2; use radius=8\.001 to reach them, or"):
        model.predict([[0.0], [18.00001], [12.5]])
    with pytest.raises(InputError, match=r"row 0 of X has no neighbours within the radius; use radius=2.5 to reach it"):
        model.predict_proba([[12.5]])
    assert model.set_params(radius=8.001).predict([[18.00001]]).tolist() == ["b"]


def test_a_label_that_is_no_class_has_no_probability():
    model = RadiusNeighborsClassifier(1.0, outlier_label="somewhere else").fit(LINE, SIDES)
    assert model.predict([[0.0], [50.0]]).tolist() == ["a", "somewhere else"]
    with pytest.warns(LonelyRowWarning, match="rows 1 of X"):
        assert model.predict_proba([[0.0], [50.0]]).tolist() == [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("labels", [np.array([0, 1], dtype=np.uint8), np.array(["a", "b"], dtype=object)], ids=str)
def test_the_outlier_label_is_answered_whatever_the_type_of_the_labels(labels):
    outlier = -1 if labels.dtype != object else "neither"
    model = RadiusNeighborsClassifier(1.0, outlier_label=outlier).fit(LINE, labels[[0, 0, 1, 1]])
    assert model.predict([[50.0], [0.0]]).tolist() == [outlier, labels[0]]


def test_several_targets_have_an_outlier_label_each():
    y = [[0, "x"], [0, "y"], [1, "y"], [1, "y"]]
    model = RadiusNeighborsClassifier(1.0, outlier_label=[-1, "y"]).fit(LINE, y)
    assert model.predict([[50.0], [0.0]]).tolist() == [[-1, "y"], [0, "x"]]
    assert model.outlier_label_ == [-1, "y"]
    with pytest.raises(ParameterError, match="one label per target is needed"):
        RadiusNeighborsClassifier(1.0, outlier_label=[-1]).fit(LINE, y)


@pytest.mark.parametrize(("label", "message"), [(3, "type of the classes, which are words"), ({"a"}, "must be None")])
def test_an_outlier_label_of_another_kind_is_refused(label, message):
    with pytest.raises(ParameterError, match=message):
        RadiusNeighborsClassifier(1.0, outlier_label=label).fit(LINE, SIDES)


def test_a_regressor_says_which_rows_have_no_neighbours():
    model = RadiusNeighborsRegressor(1.0).fit(LINE, np.arange(8.0).reshape(4, 2))
    with pytest.warns(LonelyRowWarning, match=r"row 1 of X.*use radius=40 to reach it"):
        found = model.predict([[0.0], [50.0]])
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_a_function_of_the_user_weighs_all_distances():
    model = RadiusNeighborsClassifier(2.0, weights=lambda d: np.exp(-d)).fit(LINE, SIDES)
    near, far = np.exp(-0.5) + np.exp(-0.5), np.exp(-1.5)
    assert model.predict_proba([[0.5]])[0] == pytest.approx([near / (near + far), far / (near + far)])
