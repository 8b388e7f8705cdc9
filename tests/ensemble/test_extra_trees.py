"""Splits drawn at random: by their definition, the same in forests and single trees, and beside scikit-learn."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier as SklearnClassifier
from sklearn.ensemble import ExtraTreesRegressor as SklearnRegressor

from margin import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
)
from margin.base.representations.mixed import MixedData
from margin.errors import ParameterError
from margin.tree.grow import FREE, grow
from tests.ensemble.single_trees import as_nested, draws_of, nested_tree
from tests.ensemble.test_forest_definition import N_TREES, SEED, forest, labels, mixed, numbers


def assert_single_trees(X, y, settings, *, n_classes=0, weight=None, criterion="gini", monotone=FREE):
    """Trees that look at all columns are those of the engine that sorts every column once."""
    settings = {**settings, "random_splits": True}
    found, _ = forest(X, y, settings, n_classes=n_classes, weight=weight, criterion=criterion, monotone=monotone)
    for t in range(N_TREES):
        seed, times = draws_of(SEED, t, len(y), len(y))
        kept = np.flatnonzero(times)
        weights = (times if weight is None else times * weight)[kept].astype(float)
        tree = grow(
            X.take(kept), y[kept], weights, criterion, settings | {"seed": seed}, n_classes=n_classes, monotone=monotone
        )
        assert as_nested(found.trees, t) == nested_tree(tree)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_trees_of_classes(n_classes, criterion):
    X = MixedData(numbers(300, 4))
    assert_single_trees(X, labels(X, n_classes), {}, n_classes=n_classes, criterion=criterion)


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
def test_trees_of_words_and_missing_cells(nominal):
    X = mixed(300)
    weight = np.random.default_rng(3).random(300) + 0.5
    assert_single_trees(X, labels(X, 3), {"nominal": nominal}, n_classes=3)
    assert_single_trees(X, labels(X, 2), {"nominal": nominal, "max_depth": 5}, n_classes=2, weight=weight)


def test_trees_of_values_and_monotone_columns():
    X = mixed(300, 2)
    y = np.nan_to_num(X.numeric[:, 0]) + np.random.default_rng(0).normal(size=300)
    assert_single_trees(X, y, {}, criterion="squared_error")
    rising = MixedData(numbers(300, 3))
    signs = np.array([1, -1, 0], dtype=np.int8)
    assert_single_trees(rising, rising.numeric[:, 0], {}, criterion="squared_error", monotone=signs)
    assert_single_trees(rising, labels(rising, 2), {}, n_classes=2, monotone=signs)


def drawn_threshold(seed, path, column, lowest, highest):
    """One number of the stream of a column and node, as the first of numpy's Philox of that key and counter."""
    key = seed ^ (0x9E3779B97F4A7C15 * (column + 1)) % 2**64
    raw = int(np.random.Philox(key=key, counter=[0, 0, path, 0]).random_raw())
    u = (raw >> 11) * 2.0**-53
    return lowest * (1 - u) + highest * u


def test_the_root_asks_the_best_of_the_drawn_thresholds():
    X = np.random.default_rng(1).normal(size=(200, 5))
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    for seed in range(5):
        tree = grow(MixedData(X), y, np.ones(200), "gini", {"random_splits": True, "seed": seed}, n_classes=2)
        cuts = [drawn_threshold(seed, 0, j, column.min(), column.max()) for j, column in enumerate(X.T)]
        gains = [gini(y) - split_gini(y, X[:, j] <= t) for j, t in enumerate(cuts)]
        assert tree.column[0] == np.argmax(gains)
        assert tree.threshold[0] == cuts[int(np.argmax(gains))]
        assert tree.gain[0] == pytest.approx(max(gains))


def gini(y):
    return 1 - (np.bincount(y) ** 2).sum() / len(y) ** 2


def split_gini(y, low):
    return (low.sum() * gini(y[low]) + (~low).sum() * gini(y[~low])) / len(y)


def test_thresholds_are_uniform_between_the_smallest_and_largest_number():
    X = np.concatenate([[0.0], np.linspace(0.9, 1, 99)])[:, None]
    y = np.arange(100.0)
    roots = [
        DecisionTreeRegressor(splitter="random", max_depth=1, random_state=s).fit(X, y).tree_.threshold[0]
        for s in range(400)
    ]
    assert np.mean(roots) == pytest.approx(0.5, abs=3 / np.sqrt(12 * 400))
    assert np.std(roots) == pytest.approx(1 / np.sqrt(12), rel=0.1)


def test_levels_go_to_either_side_by_chance():
    words = np.array(list("abcd") * 25)
    y = np.arange(100.0)
    sides = []
    for seed in range(300):
        model = DecisionTreeRegressor(splitter="random", max_depth=1, random_state=seed).fit({"word": words}, y)
        low = set(model.tree_.details(0).astype(int).tolist())
        assert 0 < len(low) < 4
        sides.append([(k in low) == (0 in low) for k in range(1, 4)])
    assert np.mean(sides, axis=0) == pytest.approx([3 / 7] * 3, abs=0.1)  # 6 of the 14 divisions, about


def test_forests_are_as_good_as_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 6))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=900) > 1).astype(int)
    values = X[:, 0] ** 2 + X[:, 1] + 0.2 * rng.normal(size=900)
    ours = [ExtraTreesClassifier(random_state=s).fit(X[:600], y[:600]).score(X[600:], y[600:]) for s in range(4)]
    theirs = [SklearnClassifier(100, random_state=s).fit(X[:600], y[:600]).score(X[600:], y[600:]) for s in range(4)]
    assert np.mean(ours) > np.mean(theirs) - 3 * np.hypot(np.std(ours), np.std(theirs)) - 0.003
    ours = [
        ExtraTreesRegressor(random_state=s).fit(X[:600], values[:600]).score(X[600:], values[600:]) for s in range(4)
    ]
    theirs = [
        SklearnRegressor(100, min_samples_split=5, random_state=s)
        .fit(X[:600], values[:600])
        .score(X[600:], values[600:])
        for s in range(4)
    ]
    assert np.mean(ours) > np.mean(theirs) - 3 * np.hypot(np.std(ours), np.std(theirs)) - 0.003


def test_the_forest_is_the_same_for_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(300, 5))
    y = (X[:, 0] > 0).astype(int)
    one = ExtraTreesClassifier(n_estimators=12, random_state=0, n_jobs=1).fit(X, y)
    for n_jobs in (2, 5):
        other = ExtraTreesClassifier(n_estimators=12, random_state=0, n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(one.trees_.nodes, other.trees_.nodes)
    trees = [DecisionTreeClassifier(splitter="random", random_state=0, n_jobs=n).fit(X, y).tree_ for n in (1, 3)]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


def test_single_trees_know_their_rows_by_heart_and_differ_by_seed():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    models = [DecisionTreeClassifier(splitter="random", random_state=s).fit(X, y) for s in range(3)]
    assert [model.score(X, y) for model in models] == [1.0] * 3
    assert len({float(model.tree_.threshold[0]) for model in models}) == 3
    several = DecisionTreeClassifier(splitter="random", random_state=0).fit(X, np.column_stack([y, 1 - y]))
    np.testing.assert_array_equal(several.predict(X), np.column_stack([y, 1 - y]))


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (DecisionTreeClassifier, {"numeric": "mdl"}),
        (DecisionTreeClassifier, {"max_p": 0.05}),
        (DecisionTreeRegressor, {"max_bins": 64}),
        (DecisionTreeRegressor, {"criterion": "absolute_error"}),
    ],
)
def test_what_cannot_be_drawn_is_refused(model, given):
    X = np.arange(20.0)[:, None]
    with pytest.raises(ParameterError, match="splitter='random'"):
        model(splitter="random", **given).fit(X, (X[:, 0] > 9).astype(int))


def test_extreme_numbers_have_thresholds_between_them():
    X = np.array([[-1.7e308], [1.7e308]] * 10)
    model = ExtraTreesClassifier(n_estimators=5, random_state=0).fit(X, np.arange(20) % 2)
    assert model.score(X, np.arange(20) % 2) == 1
    near = np.array([[1.0], [np.nextafter(1.0, 2.0)]] * 10)
    assert (
        ExtraTreesClassifier(n_estimators=5, random_state=0).fit(near, np.arange(20) % 2).score(near, np.arange(20) % 2)
        == 1
    )


def test_forests_without_random_splits_do_not_change():
    X = np.random.default_rng(0).normal(size=(100, 3))
    y = (X[:, 0] > 0).astype(int)
    middle = RandomForestClassifier(n_estimators=3, random_state=0, bootstrap=False, max_features=None).fit(X, y)
    values = np.sort(X[:, 0])
    at = np.searchsorted(values, 0.0)
    assert middle.trees_.threshold[0] == (values[at - 1] / 2 + values[at] / 2)
