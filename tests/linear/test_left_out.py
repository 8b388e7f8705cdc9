"""Rows left out of logistic regression: a worked case, then the definition."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from margin import LogisticRegression
from margin.data import read
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from tests.shared_data import shared_data


def same_as_new_fits(model, X, y, weight=None, rows=None):
    found = model.left_out_answers(X, y, weight)
    assert found is not None
    rows = np.arange(len(y)) if rows is None else rows
    refitted = refitted_predictions(model, X, np.asarray(y), weight, rows)
    assert found.labels[rows].tolist() == refitted.labels.tolist()
    np.testing.assert_allclose(found.probabilities[rows], refitted.probabilities, rtol=1e-8, atol=1e-11)


def test_the_only_two_kinds_of_rows_have_log_odds_of_the_shares_of_the_others():
    # Next to no penalty: the probability is the share of the class among the other rows of the same cell.
    X, y = np.repeat([[0.0], [1.0]], 5, axis=0), np.array([0, 0, 0, 1, 1, 0, 1, 1, 1, 1])
    shares = LogisticRegression(C=1e9).left_out_answers(X, y).probabilities
    np.testing.assert_allclose(shares[:, 1], [0.5] * 3 + [0.25] * 2 + [1.0] + [0.75] * 4, atol=1e-5)


def blobs(n, d, k):
    rng = np.random.default_rng(1)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) + y[:, None] * rng.normal(size=d)
    X[0] *= 30  # a row that matters
    X[2], y[2] = X[1], y[1]
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegression(C=50.0, scale="range"),
        LogisticRegression(C=0.2, scale="standard"),
        LogisticRegression(fit_intercept=False, solver="lbfgs"),
        LogisticRegression(class_weight={0: 2.0, 1: 0.5, 2: 1.0}, C=5.0),
    ],
    ids=repr,
)
def test_agrees_with_new_fits(model, n_classes):
    X, y = blobs(26, 3, n_classes)
    if n_classes == 2 and model.class_weight is not None:
        model = LogisticRegression(class_weight={0: 2.0, 1: 0.5})
    rng = np.random.default_rng(2)
    for weight in (None, rng.integers(0, 3, 26) + 0.5 * rng.integers(0, 2, 26)):
        same_as_new_fits(model, X, y, weight)


def test_sparse_rows_tables_and_the_only_row_of_a_class_agree_with_new_fits():
    X, y = blobs(26, 3, 3)
    y[5] = 9
    same_as_new_fits(LogisticRegression(), csr_array(np.where(np.abs(X) < 0.7, 0.0, X)), y)
    same_as_new_fits(LogisticRegression(), X.astype(np.float32), y, rows=np.arange(6))
    X, y = read(shared_data("diabetes.arff.gz")).target("class")
    same_as_new_fits(LogisticRegression(scale="standard"), X, np.array(y), rows=np.arange(0, len(y), 197))


def test_what_takes_new_fits_is_left_to_them():
    X, y = blobs(40, 3, 2)
    for model in (
        LogisticRegression(l1_ratio=0.5),
        LogisticRegression(C=np.inf),
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(scale="standard", fit_intercept=False),
    ):
        assert model.left_out_answers(X, y) is None
    X[3, 0] = np.nan
    assert LogisticRegression().left_out_answers(X, y) is None
