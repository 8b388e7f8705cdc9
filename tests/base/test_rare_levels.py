"""Rare levels of columns with very many: joined for models of numbers, with all that comes later unseen."""

import numpy as np
import pandas as pd
import pytest

import margin
from margin.errors import InputError
from margin.persistence import from_bytes, to_bytes


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    towns = [f"t{int(v)}" for v in rng.exponential(120, 900)]
    X = pd.DataFrame({"town": pd.Categorical(towns), "x": rng.normal(size=900)})
    return X, np.where(X.x + (X.town == "t0") + rng.normal(size=900) > 0, "yes", "no")


def test_levels_of_fewer_than_three_rows_are_as_good_as_unseen(rows):
    X, y = rows
    counts = X.town.value_counts()
    model = margin.LogisticRegression().fit(X, y)
    known = set(model.schema_["town"].levels)
    assert known == set(counts[counts >= 3].index)
    assert "rare ones joined" in model.schema_["town"].reason
    rare = X.assign(town=counts[counts < 3].index[0])
    unseen = X.assign(town="elsewhere")
    assert np.array_equal(model.predict_proba(rare), model.predict_proba(unseen))
    assert np.array_equal(from_bytes(to_bytes(model)).predict_proba(X), model.predict_proba(X))


def test_trees_and_columns_of_few_levels_keep_them_all(rows):
    X, y = rows
    assert len(margin.DecisionTreeClassifier().fit(X, y).schema_["town"].levels) == X.town.nunique()
    few = X.assign(town=["rare" if i < 2 else "often" for i in range(len(X))])
    assert margin.LogisticRegression().fit(few, y).schema_["town"].levels == ("often", "rare")


def test_a_sum_of_models_that_joined_levels_is_refused_and_parts_keep_them(rows):
    X, y = rows
    model = margin.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(InputError, match="rare categories of column 'town' were joined"):
        model.merge(model)
    parts = margin.LinearDiscriminantAnalysis().partial_fit(X[:450], y[:450]).partial_fit(X[450:], y[450:])
    assert len(parts.schema_["town"].levels) == X.town.nunique()
