"""CART: what its parameters mean, worked by hand and as properties."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor, Table
from margin.errors import LabelError, ParameterError
from margin.tree.nodes import Ask


def noisy(n=300, d=4, seed=0, flipped=0.2):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    return X, ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(n) < flipped)).astype(int)


def same_trees(a, b):
    return all(np.array_equal(array, b.tree_.arrays()[name]) for name, array in a.tree_.arrays().items())


def test_thresholds_are_midpoints_and_the_left_side_holds_them():
    model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    assert model.tree_.threshold[0] == 3.0
    assert model.predict([[3.0], [3.1]]).tolist() == ["a", "b"]


def test_equal_splits_go_to_the_first_column():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    assert DecisionTreeClassifier().fit(X, [0, 0, 1]).tree_.column[0] == 0


def test_importances_stand_in_the_order_of_the_table():
    rng = np.random.default_rng(0)
    word = rng.choice(["x", "y"], 200)
    table = pd.DataFrame({"word": word, "noise": rng.normal(size=200)})
    model = DecisionTreeClassifier(max_depth=2).fit(table, word == "x")
    assert model.feature_importances_.tolist() == [1.0, 0.0]
    assert DecisionTreeClassifier().fit([[1.0], [2.0]], [1, 1]).feature_importances_.tolist() == [0.0]


def test_leaves_and_paths_agree():
    X, y = noisy()
    model = DecisionTreeClassifier(max_depth=5).fit(X, y)
    path, leaf = model.decision_path(X), model.apply(X)
    assert path.shape == (len(y), model.tree_.n_nodes)
    assert (np.diff(path.indptr) == model.tree_.depths[leaf] + 1).all()
    assert (path.indices[path.indptr[1:] - 1] == leaf).all()
    assert (path.indices[path.indptr[:-1]] == 0).all()
    assert model.tree_.is_leaf[leaf].all()


def test_bins_enough_for_all_numbers_change_nothing():
    X, y = noisy()
    assert same_trees(DecisionTreeClassifier(max_bins=255).fit(X, y), DecisionTreeClassifier().fit(X, y))
    few = DecisionTreeClassifier(max_bins=4).fit(X, y).tree_
    for j in range(4):  # between any two of four bins, those between them being empty in a node
        assert len({(X[:, j] <= threshold).sum() for threshold in few.threshold[few.column == j]}) <= 6
    values = DecisionTreeRegressor(max_bins=255, max_depth=4).fit(X, X[:, 0])
    assert np.allclose(values.predict(X), DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0]).predict(X))


def test_shares_count_from_all_cases():
    X, y = noisy(200)
    share = DecisionTreeClassifier(min_samples_leaf=0.1, min_samples_split=0.3).fit(X, y)
    assert same_trees(share, DecisionTreeClassifier(min_samples_leaf=20, min_samples_split=60).fit(X, y))


def test_class_weights_multiply_rows():
    X, y = noisy(200)
    by_class = DecisionTreeClassifier(class_weight={1: 3}, max_depth=4).fit(X, y)
    by_row = DecisionTreeClassifier(max_depth=4).fit(X, y, np.where(y == 1, 3.0, 1.0))
    assert same_trees(by_class, by_row)


def test_columns_are_drawn_by_the_seed():
    X, y = noisy(300, 8)
    first, again, other = (
        DecisionTreeClassifier(max_features="sqrt", random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    assert same_trees(first, again)
    assert not np.array_equal(first.tree_.column, other.tree_.column)
    assert first.max_features_ == 2


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_neither_the_order_of_rows_nor_threads_change_a_tree(seed):
    X, y = noisy(100, seed=seed)
    order = np.random.default_rng(seed).permutation(len(y))
    one = DecisionTreeClassifier(n_jobs=1).fit(X, y)
    assert same_trees(one, DecisionTreeClassifier(n_jobs=2).fit(X[order], y[order]))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), leaf=st.integers(1, 6), split=st.integers(2, 20))
def test_whole_number_weights_are_repeated_rows(seed, leaf, split):
    X, y = noisy(60, seed=seed)
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    limits = {"min_samples_leaf": leaf, "min_samples_split": split}
    weighted = DecisionTreeClassifier(**limits).fit(X, y, times)
    repeated = DecisionTreeClassifier(**limits).fit(X.repeat(times, axis=0), y.repeat(times))
    assert np.array_equal(weighted.tree_.threshold, repeated.tree_.threshold)
    assert np.array_equal(weighted.tree_.value, repeated.tree_.value)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_monotone_column_never_turns(sign):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    y = sign * table["a"] + np.sin(3 * table["a"]) + rng.normal(size=300)
    model = DecisionTreeRegressor(monotonic_cst={"a": sign}, max_depth=6).fit(table, y)
    grid = pd.DataFrame({"a": np.linspace(-3, 3, 200), "b": 0.0})
    assert (sign * np.diff(model.predict(grid)) >= 0).all()
    classes = DecisionTreeClassifier(monotonic_cst=[sign, 0], max_depth=6).fit(table, y > 0)
    assert (sign * np.diff(classes.predict_proba(grid)[:, 1]) >= 0).all()


def test_the_absolute_error_answers_medians():
    X, y = [[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]], [1.0, 2.0, 100.0, 7.0, 8.0, 9.0]
    assert DecisionTreeRegressor(criterion="absolute_error").fit(X, y).predict([[0.0], [1.0]]).tolist() == [2.0, 8.0]


def test_missing_numbers_go_the_way_that_gains_more():
    X = np.array([[1.0], [2.0], [8.0], [9.0], [np.nan], [np.nan]])
    model = DecisionTreeClassifier().fit(X, ["a", "a", "b", "b", "a", "a"])
    assert model.predict([[np.nan], [1.0], [9.0]]).tolist() == ["a", "a", "b"]


def test_levels_not_seen_at_fit_are_missing():
    table = Table.from_columns({"c": ["x", "x", "y", "y", "z", "z"]})
    model = DecisionTreeClassifier(nominal="multiway").fit(table, [0, 0, 1, 1, 1, 1])
    assert model.tree_.ask[0] == Ask.LEVEL
    unseen = model.predict_proba(Table.from_columns({"c": ["w", None]}))
    assert np.array_equal(unseen[0], unseen[1])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"criterion": "ginni"}, "did you mean 'gini'"),
        ({"max_features": 0}, "max_features must be"),
        ({"min_samples_split": 1}, "a whole number of at least 2 or a share"),
        ({"min_weight_fraction_leaf": 0.6}, "from 0 to 0.5"),
        ({"monotonic_cst": [1, 2]}, "-1, 0 or 1"),
        ({"monotonic_cst": {"x9": 1}}, "'x9' is not one of the columns"),
        ({"monotonic_cst": [1]}, "each of the 4 columns"),
        ({"prune": "hard"}, "prune must be"),
        ({"max_bins": 100_000}, "from 2 to 65535"),
        ({"max_bins": 16, "missing": "surrogate"}, "missing cells go one way"),
        ({"max_bins": 16, "criterion": "gain_ratio"}, "gain ratios"),
    ],
)
def test_settings_that_make_no_sense_are_refused(setting, message):
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier(**setting).fit(*noisy(20))


def test_words_have_no_order_to_be_monotone_in():
    table = Table.from_columns({"c": ["x", "y", "x", "y"]})
    with pytest.raises(ParameterError, match="column 'c' is nominal"):
        DecisionTreeClassifier(monotonic_cst={"c": 1}).fit(table, [0, 1, 0, 1])
    with pytest.raises(ParameterError, match="two classes"):
        DecisionTreeClassifier(monotonic_cst=[1]).fit([[1.0], [2.0], [3.0]], [0, 1, 2])


@pytest.mark.parametrize("kind", [C45, ID3])
def test_several_targets_are_refused(kind):
    with pytest.raises(LabelError):
        kind().fit([[1.0], [2.0]], [[1, 2], [2, 1]])
