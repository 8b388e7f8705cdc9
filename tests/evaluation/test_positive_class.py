"""Which class precision, recall and F1 are about: a stated rule, the same everywhere, shown with the figure."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score
from sklearn.naive_bayes import GaussianNB

from margin.errors import LabelError
from margin.evaluation import SealedTest, StratifiedFolds, compare_scores, evaluate, measure, metric
from margin.evaluation.predictions.positive_class import positive_code

TRUTH = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1])
SAID = np.array([0, 1, 1, 0, 1, 0, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("name", "rival"), [("f1", f1_score), ("precision", precision_score), ("recall", recall_score)]
)
def test_of_two_classes_a_score_is_of_the_positive_one_as_in_scikit_learn(name, rival):
    assert metric(name)(TRUTH, SAID) == pytest.approx(rival(TRUTH, SAID))
    assert metric(name)(TRUTH, SAID, average="macro") == pytest.approx(rival(TRUTH, SAID, average="macro"))
    assert metric(name)(TRUTH, SAID, positive=0) == pytest.approx(rival(TRUTH, SAID, pos_label=0))
    assert measure(TRUTH, SAID)[name].value == pytest.approx(rival(TRUTH, SAID))


@pytest.mark.parametrize(
    ("labels", "counts", "positive"),
    [
        ([False, True], [1, 9], True),
        ([0, 1], [1, 9], 1),
        ([-1, 1], [1, 9], 1),
        ([1, 2], [9, 1], 1),
        (["no", "yes"], [1, 9], "yes"),
        (["+", "-"], [9, 1], "+"),
        (["absent", "present"], [1, 9], "present"),
        (["bad", "good"], [3, 7], "bad"),
        (["bad", "good"], [7, 3], "good"),
        (["bad", "good"], [5, 5], "good"),
        ([b"bad", b"good"], [3, 7], b"bad"),
    ],
)
def test_the_positive_class_is_the_one_that_says_yes_else_the_rarer_else_the_last(labels, counts, positive):
    classes = np.array(labels)
    assert classes.tolist()[positive_code(classes, np.array(counts))] == positive
    truth = np.repeat(classes, counts)
    said = truth[::-1]
    measured = measure(truth, said)
    assert measured.positive == positive
    assert measured["recall"].value == pytest.approx(metric("recall")(truth, said, positive=positive))
    assert measured["recall"].how.startswith(f"of class {positive!r}, ")
    assert f"positive class {positive!r}" in str(measured)


def test_with_more_classes_there_is_no_positive_one_and_scores_are_means():
    truth, said = ["a", "b", "c", "c"], ["a", "b", "b", "c"]
    assert positive_code(np.array(["a", "b", "c"])) is None
    assert measure(truth, said).positive is None
    assert metric("f1")(truth, said) == pytest.approx(f1_score(truth, said, average="macro"))


def test_all_folds_and_the_sealed_test_are_about_the_same_class():
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 51 + ["b"] * 49)  # a fold, or a test part, may have fewer of "a"
    X = rng.normal(size=(100, 2)) + (y == "a")[:, None]
    result = evaluate(GaussianNB(), X, y, StratifiedFolds(7), metrics=["recall", "average_precision"])
    assert result.positive == "b"
    for fold, (train, test) in zip(result.folds, StratifiedFolds(7).split(y)):
        model = GaussianNB().fit(X[train], y[train])
        by_hand = recall_score(y[test], model.predict(X[test]), pos_label="b")
        assert fold.scores["recall"] == pytest.approx(by_hand)
        area = average_precision_score(y[test] == "b", model.predict_proba(X[test])[:, 1])
        assert fold.scores["average_precision"] == pytest.approx(area)
    assert result.scores["recall"].how.startswith("of class 'b', mean of 7 folds")
    assert "positive class 'b'" in result.summary()
    assert result.roc().positive == result.precision_recall().positive == result.calibration().positive == "b"
    sealed = SealedTest(X, y, 0.1, seed=3)
    opened = sealed.open(GaussianNB().fit(*sealed.train), metrics=["recall"])
    assert opened.positive == "b"
    assert opened.scores["recall"].how.startswith("of class 'b', ")


def test_the_class_asked_for_is_the_one_that_is_measured():
    X, y = load_breast_cancer(return_X_y=True)
    protocol = StratifiedFolds(3)
    usual = evaluate(GaussianNB(), X, y, protocol, metrics=["f1"])
    other = evaluate(GaussianNB(), X, y, protocol, metrics=["f1"], positive=0)
    named = evaluate(GaussianNB(), X, y, protocol, metrics=[metric("f1", positive=0)])
    assert usual.positive == 1
    assert other.scores["f1"].value == named.scores["f1(positive=0)"].value != usual.scores["f1"].value
    assert other.scores["f1"].how.startswith("of class 0, ")
    with pytest.raises(LabelError, match=r"evaluate\(positive=…\)"):
        evaluate(GaussianNB(), X, y, protocol, positive="bad")


def test_one_number_per_case_is_of_the_last_class_which_is_then_the_positive_one():
    truth, strength = ["bad", "good", "good", "good"], [0.2, 0.9, 0.4, 0.6]
    measured = measure(truth, probabilities=strength)
    assert measured.positive == "good"
    assert measured["average_precision"].value == 1.0


def test_the_class_survives_pickling_and_comparing():
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["benign", "malignant"])[1 - y]
    first = evaluate(GaussianNB(), X, names, StratifiedFolds(3), metrics=["f1"])
    again = pickle.loads(pickle.dumps(first))
    assert again.metrics[0].about == first.metrics[0].about == "of class 'malignant'"
    second = evaluate(GaussianNB(var_smoothing=0.5), X, names, StratifiedFolds(3), metrics=["f1"])
    difference = compare_scores({"one": first, "other": second}, "f1").pairs[0].difference
    assert abs(difference) == pytest.approx(abs(first.scores["f1"].value - second.scores["f1"].value))
