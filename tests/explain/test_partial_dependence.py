"""margin.explain.partial_dependence: the definition, scikit-learn's, levels, frames, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.inspection import partial_dependence as theirs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from margin import DecisionTreeRegressor, LinearSVC, NaiveBayes, RandomForestRegressor
from margin.data import catalog
from margin.errors import DataError, InputError, InputTypeError, ParameterError
from margin.explain import partial_dependence


def test_each_line_is_the_answer_to_a_row_with_one_cell_changed():
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0] * X[:, 1])
    found = partial_dependence(model, X, 1)
    assert found.name == "x1"
    assert (found.values == np.sort(X[:, 1])).all()
    for i in (0, 17):
        rows = np.repeat(X[i : i + 1], 30, axis=0)
        rows[:, 1] = found.values
        assert (found.lines[i] == model.predict(rows)).all()
    np.testing.assert_allclose(found.mean, found.lines.mean(axis=0))
    assert (found.centre().lines[:, 0] == 0).all()
    assert found.centre().mean[0] == 0


def test_it_is_that_of_scikit_learn():
    X, y = catalog.load("iris").target("class")
    cells = np.asarray(X, dtype=np.float64)
    model = SklearnForest(n_estimators=5, random_state=0).fit(cells, y)
    found = partial_dependence(model, cells, 2, label="Iris-versicolor", n_values=200)
    other = theirs(model, cells, [2], grid_resolution=200, percentiles=(0, 1), kind="both", method="brute")
    assert (found.values == other["grid_values"][0]).all()
    np.testing.assert_allclose(found.mean, other["average"][1], atol=1e-12)
    np.testing.assert_allclose(found.lines, other["individual"][1], atol=1e-12)


def test_levels_and_frames_are_taken_as_they_are():
    X, y = catalog.load("weather_nominal").target("play")
    found = partial_dependence(NaiveBayes().fit(X, y), X, "outlook", label="yes")
    assert found.values.tolist() == ["overcast", "rainy", "sunny"]
    assert found.lines.shape == (14, 3)
    frame = pd.DataFrame({name: X.values(name) for name in X.names}, index=np.arange(14)[::-1]).astype("category")
    again = partial_dependence(NaiveBayes().fit(frame, y), frame, "outlook", label="yes")
    np.testing.assert_allclose(again.mean, found.mean, atol=1e-12)
    model = make_pipeline(OneHotEncoder(), SklearnTree(random_state=0)).fit(frame, y)
    changed = frame.assign(outlook=pd.Categorical(["rainy"] * 14, frame["outlook"].cat.categories))
    np.testing.assert_allclose(
        partial_dependence(model, frame, "outlook", label="yes").lines[:, 1], model.predict_proba(changed)[:, 1]
    )


def test_many_numbers_are_tried_at_evenly_spaced_ranks_and_missing_cells_are_not():
    X = np.arange(1000.0).reshape(-1, 1)
    X[::2] = np.nan
    found = partial_dependence(RandomForestRegressor(n_estimators=2).fit(X, np.arange(1000.0)), X, 0, n_values=11)
    assert found.values.tolist()[:2] == [1.0, 101.0]
    assert len(found.values) == 11
    assert len(found.cells) == 500


def test_bad_input_is_named():
    X, y = catalog.load("iris").target("class")
    model = NaiveBayes().fit(X, y)
    with pytest.raises(InputError, match="did you mean 'petalwidth'"):
        partial_dependence(model, X, "petalwith")
    with pytest.raises(ParameterError, match="one of the classes"):
        partial_dependence(model, X, 0, label="rose")
    with pytest.raises(ParameterError, match="n_values"):
        partial_dependence(model, X, 0, n_values=1)
    with pytest.raises(InputTypeError, match="must have probabilities"):
        partial_dependence(LinearSVC().fit(X, y), X, 0)
    with pytest.raises(InputTypeError, match="must be a fitted"):
        partial_dependence("model", X, 0)
    gone = np.column_stack([np.arange(9.0), np.full(9, np.nan)])
    model = DecisionTreeRegressor().fit(np.arange(18.0).reshape(9, 2), gone[:, 0])
    with pytest.raises(DataError, match="x1"):
        partial_dependence(model, gone, 1)
