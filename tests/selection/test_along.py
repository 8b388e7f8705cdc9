"""Answers along a parameter are those of fits anew: exactly for neighbours and trees, nearly for solvers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

from margin import SVC, DecisionTreeClassifier, KNeighborsClassifier, LinearSVC, LogisticRegression
from margin.evaluation.predictions.from_model import predict_all

EXACT = [
    (KNeighborsClassifier(), "n_neighbors", [7, 1, 3, 200, 3]),
    (KNeighborsClassifier(weights="distance", scale="standard"), "n_neighbors", [1, 2, 30]),
    (KNeighborsClassifier(weights=lambda d: 1 / (1 + d)), "n_neighbors", [5, 2]),
    (DecisionTreeClassifier(), "ccp_alpha", [0.0, 0.3, 0.001, 0.02]),
    (DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2), "max_depth", [None, 1, 3, 2, 50]),
    (DecisionTreeClassifier(ccp_alpha=0.01), "max_depth", [3, 1, 6]),
    (DecisionTreeClassifier(class_weight="balanced", missing="surrogate"), "max_depth", [2, 4]),
]
NEAR = [
    (LogisticRegression(scale="standard", tol=1e-9), "C", [1.0, 0.01, 100.0]),
    (LogisticRegression(scale="standard", l1_ratio=1.0, tol=1e-9), "C", [0.1, 1.0]),
    (SVC(scale="standard", tol=1e-6), "C", [10.0, 0.1, 1.0]),
    (SVC(kernel="linear", tol=1e-6), "C", [0.1, 1.0]),
    (LinearSVC(scale="standard"), "C", [1.0, 0.1]),
]


def data(weighted=False, seed=0):
    X, y = make_classification(120, 5, n_informative=3, n_redundant=0, n_classes=3, flip_y=0.2, random_state=seed)
    names = np.array(["no", "so", "yes"])[y]
    return X, names, np.random.default_rng(seed).integers(0, 4, len(y)) if weighted else None


def anew(model, parameter, value, X, y, asked, weight):
    fitted = clone(model).set_params(**{parameter: value}).fit(X, y, weight)
    return [predict_all(fitted, rows) for rows in asked]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("model", "parameter", "values"), EXACT, ids=lambda each: str(each).split(" at 0x")[0])
def test_neighbours_and_trees_answer_as_if_fitted_anew_to_the_last_bit(model, parameter, values, weighted):
    X, y, weight = data(weighted)
    asked = [X[80:], X[:80]]
    w = None if weight is None else weight[:80]
    along = clone(model).answers_along(parameter, values, X[:80], y[:80], asked, w)
    for value, found in zip(values, along, strict=True):
        for one, other in zip(found, anew(model, parameter, value, X[:80], y[:80], asked, w), strict=True):
            assert one.labels.tolist() == other.labels.tolist()
            assert np.array_equal(one.probabilities, other.probabilities)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("model", "parameter", "values"), NEAR, ids=str)
def test_solvers_come_to_the_answers_of_a_fit_anew_within_their_tolerance(model, parameter, values, weighted):
    X, y, weight = data(weighted)
    asked = [X[80:]]
    w = None if weight is None else weight[:80]
    along = clone(model).answers_along(parameter, values, X[:80], y[:80], asked, w)
    for value, (found,) in zip(values, along, strict=True):
        (other,) = anew(model, parameter, value, X[:80], y[:80], asked, w)
        for one, same in ((found.probabilities, other.probabilities), (found.scores, other.scores)):
            assert (one is None) == (same is None)
            if one is not None:
                assert one == pytest.approx(same, abs=2e-3)
        assert np.mean(found.labels == other.labels) > 0.97


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), ks=st.lists(st.integers(1, 15), min_size=1, max_size=4))
def test_ties_between_equal_rows_go_the_same_way_for_every_k(seed, ks):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 3, (12, 2)).astype(float), random.integers(0, 3, 12)
    asked = [random.integers(0, 3, (6, 2)).astype(float)]
    along = KNeighborsClassifier().answers_along("n_neighbors", ks, X, y, asked)
    for k, (found,) in zip(ks, along):
        assert np.array_equal(found.probabilities, KNeighborsClassifier(k).fit(X, y).predict_proba(asked[0]))


def test_tables_are_taken_as_they_are():
    X, y = load_iris(return_X_y=True)
    table = pd.DataFrame({"length": X[:, 0], "wide": np.where(X[:, 1] > 3, "yes", "no")})
    (one,), (two,) = DecisionTreeClassifier().answers_along("max_depth", [1, 2], table, y, [table[:3]])
    assert len(one.labels) == len(two.labels) == 3


@pytest.mark.parametrize(
    ("model", "parameter", "values"),
    [
        (KNeighborsClassifier(), "p", [1.0, 2.0]),
        (KNeighborsClassifier(), "n_neighbors", [0, 1]),
        (DecisionTreeClassifier(max_features=2), "max_depth", [1, 2]),
        (DecisionTreeClassifier(max_leaf_nodes=5), "max_depth", [1, 2]),
        (DecisionTreeClassifier(), "ccp_alpha", [-1.0]),
        (DecisionTreeClassifier(), "min_samples_leaf", [1, 2]),
        (LogisticRegression(), "C", [1.0, np.inf]),
        (LogisticRegression(), "l1_ratio", [0.0]),
        (LinearSVC(max_iter=1, tol=1e-12, loss="hinge", dual=True), "C", [100.0]),
        (SVC(probability="sigmoid"), "C", [1.0]),
        (SVC(budget=1.0), "C", [1.0]),
        (SVC(), "gamma", [1.0]),
        (LinearSVC(), "C", [np.inf]),
        (LinearSVC(), "tol", [1.0]),
    ],
    ids=str,
)
def test_what_cannot_be_shared_is_left_to_fits(model, parameter, values):
    X, y, _ = data()
    assert model.answers_along(parameter, values, X, y, [X]) is None
