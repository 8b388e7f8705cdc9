"""What boosting refuses or warns of: learners at chance, no classifiers, rounds that do not go together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression

import margin
from margin import AdaBoostClassifier, AdaBoostRegressor
from margin.errors import ConvergenceWarning, LabelError, ParameterError

CORNERS, SIDES = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 1, 1, 0] * 5)
rng = np.random.default_rng(0)
X, Y, THREE = rng.normal(size=(60, 3)), rng.integers(0, 2, 60), rng.integers(0, 3, 60)


@pytest.mark.parametrize(
    "model",
    [
        margin.LPBoostClassifier(),
        margin.BrownBoostClassifier(),
        margin.BrownBoostClassifier(DummyClassifier()),
        margin.RUSBoostClassifier(DummyClassifier(), n_estimators=3),
        margin.GentleBoostClassifier(),
        margin.LogitBoostClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_learner_at_chance_in_round_1_is_named_with_what_to_do(model):
    with pytest.warns(ConvergenceWarning, match=r"no .*better than chance in round 1.*\(other columns may help, or"):
        model.fit(CORNERS, SIDES)
    assert len(set(model.predict(CORNERS).tolist())) == 1


def test_the_class_that_cannot_be_told_from_the_rest_is_named():
    y = np.repeat(["far", "near", "nearer"], [10, 5, 5])
    with pytest.warns(ConvergenceWarning, match="no better than chance in round 1 for class 'far'"):
        margin.BrownBoostClassifier(DummyClassifier()).fit(X[:20], y)


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(LinearRegression()),
        margin.LPBoostClassifier(LinearRegression()),
        margin.RUSBoostClassifier(LinearRegression()),
        margin.BaggingClassifier(LinearRegression(), n_estimators=2),
        margin.VotingClassifier([("line", LinearRegression()), ("bayes", margin.NaiveBayes())]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_regressor_is_no_weak_classifier(model):
    with pytest.raises(ParameterError, match="LinearRegression must be a classifier"):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("begun", "further", "told"),
    [
        (AdaBoostClassifier(), {"algorithm": "M2"}, "algorithm must be 'SAMME'"),
        (AdaBoostClassifier(), {"estimator": margin.DecisionStump()}, "trees that were grown without one"),
        (AdaBoostClassifier(margin.DecisionStump()), {"estimator": None}, "members of an estimator"),
        (AdaBoostClassifier(), {"max_depth": 8}, "max_depth must be at most 7"),
        (
            AdaBoostClassifier(margin.DecisionStump(), algorithm="SAMME.R"),
            {"learning_rate": 0.5},
            "learning_rate must be 1.0",
        ),
        (AdaBoostRegressor(), {"estimator": LinearRegression()}, "trees that were grown without one"),
    ],
)
def test_further_rounds_must_be_of_the_kind_of_those_that_are_there(begun, further, told):
    model = begun.set_params(n_estimators=2, warm_start=True).fit(X, THREE)
    before = model.predict(X)
    with pytest.raises(ParameterError, match=told):
        model.set_params(n_estimators=4, **further).fit(X, THREE)
    assert np.array_equal(model.predict(X), before)


def test_a_function_that_fails_is_named():
    def word(rows):
        return rows["subject"] == "win"

    with pytest.raises(ParameterError, match=r"\[word, …\]\): the function must say True or False of each row, but"):
        AdaBoostClassifier([(word, 1)]).fit(X, Y)


def test_more_classes_than_fit_beside_a_weight_are_refused_by_name():
    X = np.arange(1030.0)[:, None]
    with pytest.raises(LabelError, match="at most 1,024 classes, not 1,030"):
        AdaBoostClassifier(n_estimators=1).fit(X, np.arange(1030))
