"""margin.explain.generative: what discriminants, the joint table and calibrated models say of one answer."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from margin import (
    CalibratedClassifier,
    DiagonalLinearDiscriminantAnalysis,
    JointBayes,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from margin.data import catalog
from margin.explain import explain


def credit():
    return catalog.load("credit").target("risk")


@pytest.mark.parametrize("kind", [LinearDiscriminantAnalysis, DiagonalLinearDiscriminantAnalysis])
@pytest.mark.parametrize("row", [0, 7, 100])
def test_the_lines_of_a_linear_discriminant_multiply_to_the_odds(kind, row):
    X, y = credit()
    model = kind().fit(X, y)
    told = explain(model, X.take([row]))
    odds = max(told.probabilities.values()) / min(told.probabilities.values())
    assert np.exp(sum(reason.strength for reason in told.reasons)) == pytest.approx(odds)
    assert len(told.reasons) == len(model.schema_) + 1, "one line per column, one for the shares"


def test_a_linear_discriminant_speaks_of_plain_columns_by_number():
    X, y = np.array([[0.0, 1], [1, 0], [5, 1], [6, 0]]), [0, 0, 1, 1]
    told = explain(LinearDiscriminantAnalysis().fit(X, y), X[:1])
    assert {reason.what for reason in told.reasons} == {"x0 = 0", "x1 = 1", "shares of the classes"}
    assert explain(LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 1]), X[:1]).reasons == ()


def test_a_quadratic_discriminant_tells_how_far_each_mean_is():
    X, y = np.array([[-1.0], [1.0], [9.0], [11.0]]), ["a", "a", "b", "b"]
    first, second = explain(QuadraticDiscriminantAnalysis().fit(X, y), [[2.0]]).reasons
    assert first.what == "a"
    assert first.says.startswith("2 standard deviations")
    assert second.says.startswith("8 standard deviations")


def test_the_joint_table_tells_the_share_of_each_class():
    X, y = catalog.load("xor").target("y")
    reasons = explain(JointBayes(alpha=0).fit(X, y), X.take([0])).reasons
    assert sorted(reason.says.split()[0] for reason in reasons) == ["0", "0.5"]


def test_a_calibrated_model_tells_what_was_said_before():
    X, y = credit()
    told = explain(CalibratedClassifier().fit(X, y), X.take([3]))
    assert "before calibration" in told.reasons[0].says
    assert "NaiveBayes" in told.how
    numbers = np.random.default_rng(0).normal(size=(60, 2))
    told = explain(CalibratedClassifier(LinearSVC()).fit(numbers, numbers[:, 0] > 0), numbers[:1])
    assert told.how == "Scores of LinearSVC, calibrated."
