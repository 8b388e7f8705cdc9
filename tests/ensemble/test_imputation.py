"""Missing cells filled from proximities: a slow definition, and the median where the true cells are known."""

import numpy as np
import pandas as pd
import pytest

import margin
from margin import RandomForestClassifier, RandomForestRegressor, Table
from margin.ensemble import impute_by_proximity
from margin.errors import MarginWarning, ParameterError


def holed(n=150, seed=0):
    """Four correlated columns, of which cells are taken out by chance."""
    stream = np.random.default_rng(seed)
    hidden = stream.normal(size=n)
    X = hidden[:, None] * [1.0, 2.0, -1.0, 0.5] + 0.2 * stream.normal(size=(n, 4))
    y = (hidden > 0).astype(int)
    gone = stream.random(X.shape) < 0.1
    gone[0] = False
    return X, y, gone


@pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")
def test_one_round_is_the_mean_of_known_cells_weighed_by_proximity():
    X, y, gone = holed(60)
    X[gone] = np.nan
    model = RandomForestClassifier(n_estimators=20, random_state=0)
    found = impute_by_proximity(model, X, y, max_iter=1)
    rough = np.where(gone, np.nanmedian(X, axis=0), X)
    near = model.fit(rough, y).proximities(rough)
    for i, j in np.argwhere(gone):
        known = [k for k in range(len(X)) if not gone[k, j] and k != i]
        total = sum(near[i, k] for k in known)
        expected = sum(near[i, k] * X[k, j] for k in known) / total if total else rough[i, j]
        assert found[i, j] == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(found[~gone], X[~gone])


def test_filled_cells_are_nearer_to_the_truth_than_the_median():
    X, _, gone = holed()
    given = np.where(gone, np.nan, X)
    found = impute_by_proximity(RandomForestRegressor(n_estimators=50, random_state=0), given, X[:, 0], max_iter=10)
    median = np.where(gone, np.nanmedian(given, axis=0), given)
    assert np.abs(found - X)[gone].mean() < 0.5 * np.abs(median - X)[gone].mean()


def test_words_take_the_word_of_their_neighbours_and_tables_stay_tables():
    X, y, gone = holed()
    words = np.where(X[:, 1] > 0, "high", "low").astype(object)
    truth = words.copy()
    words[gone[:, 1]] = None
    frame = pd.DataFrame({"a": X[:, 0], "word": words})
    found = impute_by_proximity(RandomForestClassifier(n_estimators=50, random_state=0), frame, y, max_iter=10)
    assert isinstance(found, Table)
    assert found.names == ("a", "word")
    assert not found.missing("word").any()
    assert (found.values("word") == truth)[gone[:, 1]].mean() > 0.9


def test_nothing_missing_nothing_known_and_wrong_models():
    X, y, gone = holed(40)
    model = RandomForestClassifier(n_estimators=10, random_state=0)
    assert np.array_equal(impute_by_proximity(model, X, y), X)
    empty = np.column_stack([np.where(gone[:, 0], np.nan, X[:, 0]), np.full(40, np.nan)])
    with np.errstate(all="raise"):
        found = impute_by_proximity(model, empty, y, max_iter=10)
    assert np.isnan(found[:, 1]).all()
    assert not np.isnan(found[:, 0]).any()
    with pytest.warns(MarginWarning, match="still move"):
        impute_by_proximity(model, np.where(gone, np.nan, X), y, max_iter=2)
    with pytest.raises(ParameterError, match="must be a forest"):
        impute_by_proximity(margin.NaiveBayes(), X, y)
    with pytest.raises(ParameterError, match="max_iter"):
        impute_by_proximity(model, X, y, max_iter=0)
