"""margin.data.rows: inputs of every make are cut by rows, and evaluate to the same result."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from margin.data import Table
from margin.data.rows import count_rows
from margin.errors import InputTypeError
from margin.evaluation import StratifiedFolds, evaluate, take_rows

IRIS = load_iris(return_X_y=True)


def test_every_kind_of_input_gives_the_same_result():
    X, y = IRIS
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(X, columns=names, index=np.arange(150)[::-1])
    inputs = [
        X,
        X.tolist(),
        frame,
        pl.DataFrame(X, schema=names),
        pa.table({name: X[:, at] for at, name in enumerate(names)}),
        Table.from_columns({name: X[:, at] for at, name in enumerate(names)}),
        sparse.csr_array(X),
        sparse.coo_matrix(X),
    ]
    expected = evaluate(DecisionTreeClassifier(random_state=0), X, y, StratifiedFolds(3))
    for given in inputs:
        model = DecisionTreeClassifier(random_state=0)
        if isinstance(given, pa.Table):
            model = make_pipeline(_ToArray(), model)
        found = evaluate(model, given, y, StratifiedFolds(3))
        assert found.scores == expected.scores, type(given)
        np.testing.assert_array_equal(found.predictions, expected.predictions)


class _ToArray(BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.column_stack([np.asarray(column) for column in X.columns])


class TakesTables(ClassifierMixin, BaseEstimator):
    accepts_tables = True

    def fit(self, X, y):
        assert isinstance(X, Table)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        assert isinstance(X, Table)
        return np.full(len(X), self.classes_[0])


def test_a_model_that_accepts_tables_gets_them_and_any_other_gets_a_frame_of_the_inputs():
    table = Table.from_columns({"x": np.arange(20.0), "id": [f"n{i}" for i in range(20)]}).with_kind("id", "identifier")
    y = np.tile(["u", "v"], 10)
    assert evaluate(TakesTables(), table, y, StratifiedFolds(2)).scores["accuracy"].value == 0.5
    result = evaluate(DecisionTreeClassifier(), table, y, StratifiedFolds(2))  # would choke on the strings of "id"
    assert not result.failures


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12).reshape(4, 3),
        pd.DataFrame({"a": [1, 2, 3, 4]}, index=list("wxyz")),
        pl.DataFrame({"a": [1, 2, 3, 4]}),
        pa.table({"a": [1, 2, 3, 4]}),
        sparse.csc_matrix(np.eye(4)),
        Table.from_columns({"a": [1.0, 2.0, None, 4.0]}),
        ["one", "two", "three", "four"],
        np.zeros((4, 2, 2)),
    ],
    ids=lambda X: f"{type(X).__module__}.{type(X).__name__}",
)
def test_rows_are_taken_by_position_and_keep_their_type(X):
    part = take_rows(X, np.array([3, 1]))
    assert count_rows(part) == 2
    assert count_rows(X) == 4
    if not sparse.issparse(X):
        assert type(part) is type(X)


def test_inputs_of_an_unknown_type_are_refused():
    with pytest.raises(InputTypeError, match="lazy frame"):
        evaluate(GaussianNB(), pl.LazyFrame({"a": [1, 2]}), [0, 1])
    with pytest.raises(InputTypeError, match=r"builtins\.int"):
        evaluate(GaussianNB(), 3, [0, 1])
