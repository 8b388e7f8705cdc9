"""margin.bayes.threshold_classifier: one class answered from a probability on, around any classifier."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as TheirRegression
from sklearn.model_selection import FixedThresholdClassifier

from margin import CalibratedClassifier, LinearSVC, LogisticRegression, NaiveBayes, ThresholdClassifier, persistence
from margin.data import catalog
from margin.errors import LabelError, ParameterError
from margin.explain import explain
from tests.contract.estimators import numbers


@pytest.fixture(scope="module")
def credit():
    return catalog.load("credit").target("risk")


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
def test_it_answers_by_the_definition(threshold):
    X, y = numbers(90, 3)
    model = ThresholdClassifier(NaiveBayes(), positive=1, threshold=threshold).fit(X, y)
    shares = NaiveBayes().fit(X, y).predict_proba(X)
    expected = [1 if p[1] >= threshold else (0 if p[0] >= p[2] else 2) for p in shares.tolist()]
    assert model.predict(X).tolist() == expected
    assert np.array_equal(model.predict_proba(X), shares)


def test_without_a_threshold_it_answers_as_the_model_does(credit):
    X, y = credit
    inside = LogisticRegression(scale="standard").fit(X, y)
    assert np.array_equal(ThresholdClassifier(inside).fit(X, y).predict(X), inside.predict(X))


@pytest.mark.parametrize("threshold", [0.15, 0.5, 0.8])
def test_it_agrees_with_scikit_learn(threshold):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = np.where(X[:, 0] + random.normal(size=200) > 0.8, "yes", "no")
    theirs = FixedThresholdClassifier(TheirRegression(), threshold=threshold, pos_label="yes").fit(X, y)
    ours = ThresholdClassifier(TheirRegression(), positive="yes", threshold=threshold).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_the_last_class_is_positive_unless_another_is_named(credit):
    X, y = credit
    plain, named = (ThresholdClassifier(threshold=0.2, positive=each).fit(X, y) for each in (None, "good"))
    assert np.array_equal(plain.predict(X), named.predict(X))
    assert (named.predict(X) == "good").mean() > (NaiveBayes().fit(X, y).predict(X) == "good").mean()


def test_weights_reach_the_model(credit):
    X, y = credit
    weight = np.where(y == "bad", 3.0, 1.0)
    model = ThresholdClassifier(NaiveBayes(), positive="bad", threshold=0.4).fit(X, y, sample_weight=weight)
    assert np.array_equal(model.predict_proba(X), NaiveBayes().fit(X, y, sample_weight=weight).predict_proba(X))


def test_a_class_that_is_not_there_and_a_model_without_probabilities_are_refused():
    X, y = numbers(60, 2)
    with pytest.raises(LabelError, match=r"ThresholdClassifier\(positive=7\): must be one of the classes, 0, 1"):
        ThresholdClassifier(positive=7, threshold=0.3).fit(X, y)
    with pytest.raises(ParameterError, match="must have predict_proba"):
        ThresholdClassifier(LinearSVC(), threshold=0.3).fit(X, y)
    ThresholdClassifier(CalibratedClassifier(LinearSVC()), threshold=0.3).fit(X, y)


def test_one_class_and_no_rows():
    model = ThresholdClassifier(threshold=0.9).fit([[1.0], [2.0]], ["only", "only"])
    assert model.predict([[5.0]]).tolist() == ["only"]
    assert model.predict(np.empty((0, 1))).shape == (0,)
    two = ThresholdClassifier(threshold=0.9).fit([[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    assert two.predict(np.empty((0, 1))).shape == (0,)


def test_the_explanation_says_from_where_on_and_what_was_most_probable(credit):
    X, y = credit
    model = ThresholdClassifier(NaiveBayes(), positive="bad", threshold=0.1).fit(X, y)
    row = int(np.flatnonzero(model.predict(X) != model.model_.predict(X))[0])
    told = explain(model, X.take([row]))
    assert told.answer == "bad"
    assert told.how.startswith("bad is answered from 0.1 on, and has 0.")
    assert "The most probable class is good." in told.how


def test_a_file_holds_it(credit, tmp_path):
    X, y = credit
    model = ThresholdClassifier(NaiveBayes(), positive="bad", threshold=0.1).fit(X, y)
    again = persistence.load(persistence.save(model, tmp_path / "t.margin"))
    assert again.get_params(deep=False)["threshold"] == 0.1
    assert np.array_equal(again.predict(X), model.predict(X))
