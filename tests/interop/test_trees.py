"""Trees: learnt ways of missing cells, whatever order the nodes come in, levels of encoded columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import margin
from tests.interop.cases import assert_same_answers

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 4))
X[RANDOM.random(X.shape) < 0.15] = np.nan
TARGET = np.nan_to_num(X[:, 0]) + np.isnan(X[:, 1]) + RANDOM.normal(scale=0.3, size=400)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        DecisionTreeClassifier(max_leaf_nodes=9, criterion="log_loss", random_state=0),
        DecisionTreeClassifier(min_samples_leaf=10, ccp_alpha=0.001, class_weight={0: 1.0, 1: 2.5}, random_state=0),
        ExtraTreeClassifier(random_state=0),
        DecisionTreeRegressor(max_depth=6, random_state=0),
        DecisionTreeRegressor(criterion="poisson", max_depth=4, random_state=0),
    ],
    ids=str,
)
def test_missing_cells_go_the_way_that_scikit_learn_learnt(model):
    y = (TARGET > 0.5).astype(int) if hasattr(model, "predict_proba") else np.abs(TARGET)
    theirs = model.fit(X, y)
    ours = margin.from_sklearn(theirs)
    assert_same_answers(theirs, ours, X)
    assert_same_answers(theirs, ours, np.full((1, 4), np.nan))
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert ours.get_depth() == theirs.get_depth()
    if "poisson" not in str(model):
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


def test_leaves_hold_whole_counts_again():
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, TARGET > 0.5)
    ours = margin.from_sklearn(theirs)
    assert (ours.tree_.value == np.floor(ours.tree_.value)).all()
    assert ours.tree_.value[0].sum() == 400
    assert ours.tree_.cases[0] == 400


def test_a_tree_that_is_one_leaf():
    theirs = DecisionTreeClassifier(max_depth=1).fit(np.zeros((4, 2)), ["a", "b", "b", "b"])
    ours = margin.from_sklearn(theirs)
    assert ours.predict([[1, 2]]).tolist() == ["b"]
    assert ours.predict_proba([[1, 2]]).tolist() == [[0.25, 0.75]]
    assert ours.tree_.n_nodes == 1


def table(n=300):
    return pd.DataFrame(
        {
            "colour": RANDOM.choice(["red", "green", "blue"], n),
            "weight": RANDOM.normal(size=n),
            "size": RANDOM.choice(["S", "M", "L"], n),
            "note": ["something"] * n,
        }
    )


@pytest.mark.parametrize("drop", [None, "first"])
@pytest.mark.parametrize("further", [[], [StandardScaler()]], ids=["", "scaled"])
def test_questions_about_levels_are_asked_of_the_column_itself(drop, further):
    frame = table()
    y = (frame["colour"] == "red") * 2 + frame["weight"] + (frame["size"] == "L") > 1
    sizes = OrdinalEncoder(categories=[["S", "M", "L"]], handle_unknown="use_encoded_value", unknown_value=-1)
    front = make_column_transformer(
        (OneHotEncoder(drop=drop, handle_unknown="ignore"), ["colour"]),
        (sizes, ["size"]),
        (SimpleImputer(strategy="median"), ["weight"]),
    )
    theirs = make_pipeline(front, *further, DecisionTreeClassifier(random_state=0)).fit(frame, y)
    ours = margin.from_sklearn(theirs)
    assert [(c.name, c.kind) for c in ours.schema_] == [
        ("colour", "nominal"),
        ("weight", "numeric"),
        ("size", "ordinal"),
        ("note", "nominal"),
    ]
    new = table()
    new.loc[::5, "colour"] = "yellow"
    new.loc[::7, "weight"] = np.nan
    new.loc[::11, "size"] = "XXL"
    for rows in (frame, new):
        assert_same_answers(theirs, ours, rows)
    assert "colour" in margin.explain.explain(ours, frame[:1]).__str__() or ours.tree_.column[0] == 0
