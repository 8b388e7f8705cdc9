"""Rows left out of the neighbours: worked by hand, then the definition, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from margin import KNeighborsClassifier, MajorityClassifier, NearestCentroid, RadiusNeighborsClassifier, RoteClassifier
from margin.data import catalog
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from tests.contract.estimators import frame

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
SIDES = np.array(["left", "left", "right", "right", "right"])


def same_as_new_fits(model, X, y, weight=None, rows=None):
    found = model.left_out_answers(X, y, weight)
    assert found is not None
    rows = np.arange(len(y)) if rows is None else rows
    refitted = refitted_predictions(model, X, np.asarray(y), weight, rows)
    assert found.labels[rows].tolist() == refitted.labels.tolist()
    np.testing.assert_allclose(found.probabilities[rows], refitted.probabilities, rtol=1e-9, atol=1e-12)
    assert found.scores is None


def test_each_row_is_answered_by_its_nearest_other():
    given = KNeighborsClassifier(n_neighbors=1).left_out_answers(LINE, SIDES)
    labels, shares = given.labels, given.probabilities
    # Rows 0 and 2 are equally far from row 1 and share the vote: it goes to the class with more of the other rows.
    assert labels.tolist() == ["left", "right", "left", "right", "right"]
    np.testing.assert_allclose(shares, [[1, 0], [0.5, 0.5], [1, 0], [0, 1], [0, 1]], rtol=1e-15)


def test_a_row_without_others_in_reach_gets_the_class_that_is_most_frequent_without_it():
    X, y = np.array([[0.0], [1.0], [50.0], [99.0]]), np.array(["a", "a", "b", "b"])
    given = RadiusNeighborsClassifier(2.0).left_out_answers(X, y)
    labels, shares = given.labels, given.probabilities
    assert labels.tolist() == ["a", "a", "a", "a"]
    assert shares[2].tolist() == [1, 0]


def test_the_rote_learner_knows_only_rows_that_are_there_twice():
    X, y = np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 1, 0])
    given = RoteClassifier(unmatched="abstain").left_out_answers(X, y)
    labels, shares = given.labels, given.probabilities
    assert labels.tolist() == [1, 0, None, None]
    np.testing.assert_allclose(shares[2:], [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    assert RoteClassifier(default=1).left_out_answers(X, y).labels.tolist() == [1, 0, 1, 1]


def test_the_only_row_of_a_class_is_answered_with_another_class():
    given = MajorityClassifier().left_out_answers(LINE, np.array(["a", "b", "b", "c", "c"]))
    labels, shares = given.labels, given.probabilities
    assert labels.tolist() == ["b", "c", "c", "b", "b"]
    assert shares[0].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(3, weights="distance", feature_weights=[1.0, 2.0, 0.5]),
        KNeighborsClassifier(40),
        KNeighborsClassifier(weights=lambda distance: 1 / (1 + distance)),
        KNeighborsClassifier(4, scale="range"),
        KNeighborsClassifier(metric="cosine"),
        KNeighborsClassifier(metric="chebyshev", algorithm="ball_tree"),
        RadiusNeighborsClassifier(1.5, weights="inverse_square"),
        RadiusNeighborsClassifier(1.0, scale="range", outlier_label=2),
        RoteClassifier(),
    ],
    ids=lambda model: repr(model).split(" at 0x")[0],
)
@pytest.mark.parametrize("weights", ["none", "broken"])
def test_agrees_with_new_fits(model, weights):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 5, (40, 3)) + 0.5, rng.integers(0, 3, 40)  # full of ties and equal rows
    y[0] = 7
    weight = None if weights == "none" else rng.random(40)
    if weight is not None:
        weight[:2] = 1, 0
    same_as_new_fits(model, X, y, weight)


def test_sparse_rows_and_tables_with_missing_cells_agree_with_new_fits():
    rng = np.random.default_rng(4)
    X, y = rng.poisson(0.4, (30, 6)) * 1.0, rng.integers(0, 2, 30)
    same_as_new_fits(KNeighborsClassifier(), csr_array(X), y)
    table, y = frame(24)
    for metric in ("heom", "gower"):
        same_as_new_fits(KNeighborsClassifier(metric=metric), table, y, rows=np.arange(0, 24, 3))
    X, y = catalog.load("weather_numeric").target("play")
    same_as_new_fits(KNeighborsClassifier(3, scale="range"), X, np.array(y))


@pytest.mark.parametrize("scale", [None, "range", "standard"])
@pytest.mark.parametrize("holes", [False, True])
def test_means_and_deviations_without_the_row_agree_with_new_fits(scale, holes):
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(50, 3)) * [1, 10, 0.1], rng.integers(0, 3, 50)
    X[1] = X[0]  # a row that is there twice
    X[2] *= 20  # one that has most of the deviation
    if holes:
        X[rng.random(X.shape) < 0.15] = np.nan
    for weight in (None, rng.integers(0, 3, 50) * 1.0):
        for model in (
            KNeighborsClassifier(scale=scale),
            KNeighborsClassifier(4, weights="distance", metric="manhattan", scale=scale, feature_weights=[1, 2, 3]),
            RadiusNeighborsClassifier(2.0 if scale is None else 0.7, scale=scale, weights="distance"),
        ):
            same_as_new_fits(model, X, y, weight)


@pytest.mark.parametrize("priors", ["uniform", "empirical", (0.5, 0.3, 0.2)])
@pytest.mark.parametrize("scale", [None, "range", "standard"])
def test_centroids_without_the_row_agree_with_new_fits(priors, scale):
    rng = np.random.default_rng(9)
    y = rng.integers(0, 3, 30)
    X = rng.normal(size=(30, 3)) * [1, 10, 0.1] + y[:, None]
    for weight in (None, rng.integers(0, 3, 30) + 0.25):
        for threshold in (None, 0.4):
            same_as_new_fits(NearestCentroid(priors=priors, scale=scale, shrink_threshold=threshold), X, y, weight)


def test_mixed_tables_with_filled_cells_agree_with_new_fits():
    table, y = frame(60)
    for scale in (None, "standard"):
        model = KNeighborsClassifier(3, scale=scale)
        found = model.left_out_answers(table, y)
        refitted = refitted_predictions(model, table, y, None, np.arange(9))
        assert found.labels[:9].tolist() == refitted.labels.tolist()
        np.testing.assert_allclose(found.probabilities[:9], refitted.probabilities)


def test_rows_that_change_how_others_are_compared_are_left_to_new_fits_where_the_metric_is_no_sum():
    assert KNeighborsClassifier(scale="standard", metric="chebyshev").left_out_answers(LINE, SIDES) is None
    assert RadiusNeighborsClassifier(scale="standard", metric="canberra").left_out_answers(LINE, SIDES) is None


def test_what_would_fail_for_a_row_is_left_to_new_fits():
    assert RadiusNeighborsClassifier(0.1, outlier_label=None).left_out_answers(LINE, SIDES) is None
    assert MajorityClassifier().left_out_answers([[1.0]], ["a"]) is None
    assert MajorityClassifier().left_out_answers([[np.inf], [1.0]], ["a", "b"]) is None


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_small_table_agrees_with_new_fits(data):
    n = data.draw(st.integers(3, 9))
    X = np.array(data.draw(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weight = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5]), min_size=n, max_size=n)))
    model = data.draw(st.sampled_from([KNeighborsClassifier(2), RadiusNeighborsClassifier(), RoteClassifier(),
                                       MajorityClassifier()]))  # fmt: skip
    for given_weight in (None, weight):
        found = model.left_out_answers(X.astype(float), y, given_weight)
        if found is not None:
            refitted = refitted_predictions(model, X.astype(float), y, given_weight, np.arange(n))
            assert found.labels.tolist() == refitted.labels.tolist()
            np.testing.assert_allclose(found.probabilities, refitted.probabilities, rtol=1e-12, atol=1e-15)
