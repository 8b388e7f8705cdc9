"""Trees on bins: worked by hand, the definition of the bins, and the tree that sorted columns give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.tree.grow import why_not_binned
from margin.tree.nodes import Ask
from tests.tree.binned import assert_same, between, classes_tree, cuts_by_definition, values_tree, visits


def table(seed: int, n: int, d: int, n_values: int, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Few numbers per column, and a noisy target that depends on the first one."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (n, d)).astype(float)
    y = X[:, 0] / n_values + rng.normal(0, 0.3, n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def test_two_bins_leave_one_threshold_amid_the_rows():
    x = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    tree = classes_tree(x, np.array([0, 1, 1, 1, 1, 1]), max_bins=2)
    assert tree.n_nodes == 3
    assert tree.threshold[0] == 6.0
    np.testing.assert_array_equal(tree.value, [[1, 5], [1, 2], [0, 3]])


def test_a_value_that_would_fill_a_bin_has_one_of_its_own():
    x = np.array([1.0, 2.0, *[3.0] * 20, 4.0, 5.0, 6.0])[:, None]
    y = (x[:, 0] == 3).astype(int)
    tree = classes_tree(x, y, max_bins=3)
    assert sorted(tree.threshold[~tree.is_leaf]) == [2.5, 3.5]
    assert (tree.impurity[tree.is_leaf] == 0).all()


def test_a_threshold_stands_amid_the_numbers_that_the_node_holds():
    x = np.array([[0.0, 0], [4.0, 0], [1.0, 1], [2.0, 1], [3.0, 1]])
    tree = classes_tree(x, np.array([0, 1, 2, 2, 2]))
    assert tree.threshold[~tree.is_leaf].tolist() == [0.5, 2.0]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 300),
    n_bins=st.integers(2, 20),
    spread=st.sampled_from([0, 3, 40]),
    missing=st.sampled_from([0.0, 0.1]),
)
def test_it_is_the_tree_of_the_bins(seed, n, n_bins, spread, missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) if spread == 0 else rng.poisson(spread, (n, 3)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y = (rng.random(n) < 0.5).astype(int)
    cuts = [cuts_by_definition(column, n_bins) for column in X.T]
    codes = np.column_stack([np.searchsorted(c, x).astype(float) for c, x in zip(cuts, X.T, strict=True)])
    codes[np.isnan(X)] = np.nan
    tree, slow = classes_tree(X, y, max_bins=n_bins), classes_tree(codes, y, max_bins=None)
    for name in ("column", "missing", "cases", "value", "gain", "child"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(slow, name), err_msg=name)
    np.testing.assert_array_equal(visits(tree, X), tree.cases)


@pytest.mark.parametrize("kind", ["two", "three", "entropy", "error", "numbers"])
@pytest.mark.parametrize("weights", ["none", "whole", "parts"])
@pytest.mark.parametrize("limits", [{}, {"min_leaf": 3, "max_depth": 6}, {"max_leaves": 9, "min_leaf_weight": 2.5}])
def test_few_values_give_the_tree_of_sorted_columns(kind, weights, limits):
    for seed, n, n_values, missing in ((1, 40, 4, 0.0), (2, 90, 60, 0.1), (3, 1500, 200, 0.05), (4, 2600, 30, 0.0)):
        X, y = table(seed, n, 7, n_values, missing)
        rng = np.random.default_rng(seed)
        codes = np.column_stack([rng.integers(-1, 6, n), rng.integers(0, 9, n)])
        weight = {"none": (), "whole": rng.integers(1, 4, n), "parts": rng.random(n) + 0.1}[weights]
        kwargs = dict(codes=codes, levels=[6, 9], nominal=[1, 0], weight=weight, **limits)
        if kind == "numbers":
            assert_same(values_tree(X, y, **kwargs), values_tree(X, y, max_bins=None, **kwargs))
            continue
        classes = np.clip(y * (3 if kind == "three" else 2), 0, 2 if kind == "three" else 1).astype(int)
        kwargs["criterion"] = kind if kind in ("entropy", "error") else "gini"
        assert_same(classes_tree(X, classes, **kwargs), classes_tree(X, classes, max_bins=None, **kwargs))


@pytest.mark.parametrize("criterion", ["gini", "error"])
@pytest.mark.parametrize("d", [1, 3, 11, 20, 40, 70])
def test_two_classes_in_any_number_of_columns(criterion, d):
    for seed, n in ((0, 5), (1, 64), (2, 65), (3, 700)):
        X, y = table(seed, n, d, 50, 0.05 if seed % 2 else 0.0)
        trees = [classes_tree(X, y > 0.5, max_bins=bins, criterion=criterion) for bins in (None, 255, 300)]
        assert_same(trees[0], trees[1])
        assert_same(trees[0], trees[2])


def test_more_than_255_bins_are_told_apart():
    X, y = table(5, 3000, 2, 1000)
    assert_same(classes_tree(X, y > 0.5, max_bins=1000), classes_tree(X, y > 0.5, max_bins=None))


def test_monotone_columns_are_kept_so():
    X, y = table(6, 400, 3, 40)
    for monotone in (np.array([1, 0, -1], np.int8), np.array([-1, 0, 0], np.int8)):
        assert_same(values_tree(X, y, monotone=monotone), values_tree(X, y, monotone=monotone, max_bins=None))
        assert_same(
            classes_tree(X, y > 0.5, monotone=monotone), classes_tree(X, y > 0.5, monotone=monotone, max_bins=None)
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_rows_go_at_prediction_where_they_went_at_growth(dtype):
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.normal(size=70_000), rng.exponential(size=70_000) ** 6, rng.integers(0, 400, 70_000)])
    X[rng.random(X.shape) < 0.01] = np.nan
    X = X.astype(dtype)
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=70_000) > 0
    tree = classes_tree(X, y, threads=2, min_leaf=20)
    np.testing.assert_array_equal(visits(tree, X), tree.cases)
    assert len(np.unique(tree.threshold[tree.column == 0])) > 100


def test_the_number_of_threads_changes_nothing():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(70_000, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=70_000)
    for limits in ({"min_leaf": 5}, {"max_leaves": 40}):
        assert_same(classes_tree(X, y > 0, threads=1, **limits), classes_tree(X, y > 0, threads=3, **limits))
        assert_same(values_tree(X, y, threads=1, **limits), values_tree(X, y, threads=3, **limits))


def test_the_order_of_rows_changes_nothing_but_the_sample():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(3000, 4))
    y = X[:, 0] * X[:, 1] + rng.normal(size=3000)
    order = rng.permutation(3000)
    weight = rng.random(3000) + 0.5
    assert_same(classes_tree(X, y > 0), classes_tree(X[order], y[order] > 0))
    assert_same(classes_tree(X, y > 0, weight=weight), classes_tree(X[order], y[order] > 0, weight=weight[order]))
    assert_same(values_tree(X, y, weight=weight), values_tree(X[order], y[order], weight=weight[order]))


def test_weights_of_two_are_rows_twice():
    X, y = table(10, 200, 3, 30)
    twice = np.repeat(np.arange(200), 2)
    for tree, rows in (
        (classes_tree(X, y > 0.5, weight=np.full(200, 2.0)), classes_tree(X[twice], y[twice] > 0.5)),
        (values_tree(X, y, weight=np.full(200, 2.0)), values_tree(X[twice], y[twice])),
    ):
        np.testing.assert_array_equal(tree.threshold, rows.threshold)
        np.testing.assert_array_equal(tree.weight, rows.weight)
        np.testing.assert_array_equal(tree.value, rows.value)


def test_missing_cells_go_where_they_lower_the_impurity_more():
    x = np.array([1.0, 2.0, 3.0, 4.0, np.nan, np.nan])[:, None]
    assert classes_tree(x, np.array([0, 0, 1, 1, 0, 0])).missing[0] == 0
    assert classes_tree(x, np.array([0, 0, 1, 1, 1, 1])).missing[0] == 1
    apart = classes_tree(x, np.array([0, 0, 0, 0, 1, 1]))
    assert apart.threshold[0] == np.inf
    assert apart.missing[0] == 1


def test_rare_levels_share_a_bin():
    rng = np.random.default_rng(11)
    level = np.minimum(rng.zipf(1.2, 20_000) - 1, 999)
    y = rng.random(1000)[level] + rng.normal(0, 0.2, 20_000)
    count = np.bincount(level, minlength=1000)
    frequent = np.argsort(-count, kind="stable")[:254]
    rare = set(np.setdiff1d(np.flatnonzero(count), frequent).tolist())
    none = np.empty((20_000, 0))
    tree = values_tree(none, y, codes=level[:, None], levels=[1000], nominal=[1], min_leaf=10)
    assert tree.n_leaves > 50
    assert len(rare) > 300
    for node in np.flatnonzero(tree.ask == Ask.SUBSET):
        low = set(tree.details(node).astype(int).tolist())
        assert rare <= low or not rare & low
    np.testing.assert_array_equal(visits(tree, none, level[:, None]), tree.cases)


def test_neighbouring_levels_of_an_ordinal_column_share_bins():
    rng = np.random.default_rng(12)
    level = rng.integers(0, 1000, 5000)
    y = (level > 500).astype(int)
    tree = classes_tree(np.empty((5000, 0)), y, codes=level[:, None], levels=[1000], nominal=[0], max_bins=8)
    assert tree.n_leaves <= 8
    assert set(tree.ask[~tree.is_leaf]) == {Ask.THRESHOLD}
    np.testing.assert_array_equal(visits(tree, np.empty((5000, 0)), level[:, None]), tree.cases)


@pytest.mark.parametrize("n", [50, 3000])
def test_columns_are_drawn_by_the_seed_alone(n):
    X, y = table(13, n, 12, 50)
    one, other = (classes_tree(X, y > 0.5, max_features=2, seed=seed) for seed in (1, 2))
    assert one.column.tolist() != other.column.tolist()
    assert_same(one, classes_tree(X, y > 0.5, max_features=2, seed=1, threads=2))
    assert (one.impurity[one.is_leaf] == 0).all()
    assert_same(values_tree(X, y, max_features=2, seed=1), values_tree(X, y, max_features=2, seed=1, threads=2))
    assert_same(classes_tree(X, y > 0.5, max_features=12), classes_tree(X, y > 0.5))


def test_a_drawn_column_that_does_not_vary_is_passed_over():
    X = np.zeros((30, 6))
    X[:, 4] = np.arange(30)
    y = X[:, 4] > 13
    for tree in (classes_tree(X, y, max_features=1), values_tree(X, y, max_features=1)):
        assert tree.column[0] == 4
        assert tree.n_nodes == 3


def test_a_node_costs_no_more_than_its_rows_however_deep_it_lies():
    n = 20_000
    tree = values_tree(
        np.arange(n, dtype=float)[:, None], 2.0 ** -np.arange(n).clip(0, 900), max_bins=60_000, max_depth=300
    )
    assert tree.depth == 300


def test_columns_without_numbers_and_rows_without_difference_make_a_leaf():
    assert classes_tree(np.full((5, 2), np.nan), np.array([0, 1, 0, 1, 1])).n_nodes == 1
    assert classes_tree(np.ones((5, 2)), np.array([0, 1, 0, 1, 1])).n_nodes == 1
    assert values_tree(np.arange(5.0)[:, None], np.full(5, 3.0)).value.tolist() == [[3.0]]
    assert classes_tree(np.arange(3.0)[:, None], np.array([0, 0, 0])).n_nodes == 1


def test_infinite_numbers_are_the_ends_of_the_order():
    x = np.array([-np.inf, 1.0, 2.0, np.inf])[:, None]
    for y in ([0, 1, 1, 1], [1, 1, 1, 0], [0, 1, 1, 0]):
        tree = classes_tree(x, np.array(y))
        np.testing.assert_array_equal(visits(tree, x), tree.cases)
        assert (tree.impurity[tree.is_leaf] == 0).all()


def test_what_bins_cannot_do_is_said():
    assert why_not_binned("absolute_error", {}, has_nominal=False) == "criterion='absolute_error' is not known there"
    assert why_not_binned("gini", {"missing": "fractional"}, has_nominal=False) == "missing cells go one way there"
    assert why_not_binned("entropy", {"gain_ratio": True}, has_nominal=False) == "gain ratios cannot be asked for there"
    assert why_not_binned("gini", {"largest_p": 0.05}, has_nominal=False) == "splits are not tested for chance there"
    assert why_not_binned("gini", {"numeric": "mdl"}, has_nominal=False) == "numbers are split at a threshold there"
    assert why_not_binned("squared_error", {"nominal": "subset", "max_leaves": 4}, has_nominal=True) == ""


def test_the_middle_of_neighbouring_numbers_is_never_the_upper_one():
    a = np.nextafter(1.0, 0.0)
    tree = classes_tree(np.array([[a], [1.0]]), np.array([0, 1]))
    assert tree.threshold[0] == between(a, 1.0) == a


def test_leaves_that_wait_do_not_keep_all_their_histograms():
    rng = np.random.default_rng(14)
    X = rng.normal(size=(4000, 70))
    y = (8 * np.argsort(np.argsort(X[:, 0])) // 4000) * 8 + rng.integers(0, 8, 4000)
    limits = {"max_leaves": 600}
    codes = np.column_stack([np.searchsorted(cuts_by_definition(x, 250), x) for x in X.T]).astype(float)
    tree, slow = classes_tree(X, y, max_bins=250, **limits), classes_tree(codes, y, max_bins=None, **limits)
    np.testing.assert_array_equal(tree.column, slow.column)
    np.testing.assert_array_equal(tree.cases, slow.cases)
