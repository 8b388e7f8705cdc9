"""One-hot columns of very many levels: sparse for models that take sparse rows, with the same answers."""

import warnings

import numpy as np
import pandas as pd
import pytest

import margin
from margin.base.representations import numeric
from margin.explain import explain


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 1680  # three rows of each town: of fewer its levels would be joined
    X = pd.DataFrame(
        {
            "amount": rng.normal(size=n),
            "town": pd.Categorical([f"t{i}" for i in rng.permutation(np.arange(n) % 560)]),
            "way": rng.choice(["car", "foot", None], n),
        }
    )
    X.loc[::50, "amount"] = np.nan
    return X, np.where(X.amount.fillna(0) + (X.way == "car") + rng.normal(size=n) > 0.5, "yes", "no")


@pytest.mark.parametrize(
    "model",
    [
        margin.LogisticRegression(tol=1e-8),
        margin.LogisticRegression(scale="standard", tol=1e-8),
        margin.LinearSVC(tol=1e-6),
        margin.SVC(tol=1e-6),
        margin.Adaline(tol=1e-8),
        margin.Perceptron(max_iter=5),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'scale', None)}",
)
def test_sparse_and_dense_one_hot_columns_lead_to_the_same_answers(model, table, monkeypatch):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", margin.errors.MarginWarning)
        sparse = model.fit(X, y)
        assert not isinstance(sparse._encoded(X[:3], "predict"), np.ndarray)
        scores = sparse.decision_function(X)
        told = {reason.what for reason in explain(sparse, X[:1]).reasons} if hasattr(model, "coef_") else set()
        monkeypatch.setattr(numeric, "WIDE", 10**9)
        dense = model.fit(X, y)
        assert isinstance(dense._encoded(X[:3], "predict"), np.ndarray)
    assert scores == pytest.approx(dense.decision_function(X), rel=1e-3, abs=1e-3 * np.abs(scores).max())
    assert not told or told == {reason.what for reason in explain(dense, X[:1]).reasons}


def test_the_cells_are_those_of_the_dense_matrix(table, monkeypatch):
    X, y = table
    model = margin.LogisticRegression(scale="standard").fit(X, y)
    sparse = model._encoded(X, "predict").toarray()
    monkeypatch.setattr(numeric, "WIDE", 10**9)
    assert (sparse == model._encoded(X, "predict")).all()


def test_a_column_of_a_hundred_thousand_levels_is_learnt_from():
    rng = np.random.default_rng(1)
    number = rng.normal(size=50_000)
    X = pd.DataFrame({"number": number, "code": pd.Categorical([f"c{i}" for i in rng.integers(0, 100_000, 50_000)])})
    y = number + rng.normal(size=50_000) > 0
    assert (margin.LogisticRegression().fit(X, y).predict(X) == y).mean() > 0.75
