"""Thresholds of the exact engine: worked by hand, then the definition, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tree.exact import best_gain, gain_of, goes_low, grow, rows_of, same

CLASSES = ("gini", "entropy", "error")
NUMBERS = ("squared_error", "absolute_error")


def test_a_threshold_stands_in_the_middle_of_its_neighbours():
    tree = grow([[1.0], [2.0], [4.0], [8.0]], [0, 0, 1, 1])
    assert tree.n_nodes == 3
    assert tree.threshold[0] == 3
    assert tree.gain[0] == 0.5


def test_of_equal_thresholds_the_smallest_and_of_equal_columns_the_first_wins():
    x = np.array([0.0, 1, 2, 3])
    tree = grow(np.column_stack([x, -x, x]), [1, 0, 0, 1], max_depth=1)
    assert (tree.column[0], tree.threshold[0]) == (0, 0.5)


def test_the_middle_of_neighbouring_doubles_is_the_smaller_one():
    low = 1.0
    tree = grow([[low], [np.nextafter(low, 2)]], [0, 1])
    assert tree.threshold[0] == low


def test_numbers_at_the_ends_of_the_doubles_have_a_middle():
    tree = grow([[-1.7e308], [1.7e308]], [0, 1])
    assert tree.threshold[0] == 0


def test_a_leaf_of_equal_targets_says_exactly_that_number():
    y = np.repeat([0.1, 1e15 + 0.3, -7.7], 3)
    weight = np.linspace(0.1, 1.7, 9)
    tree = grow(np.repeat([[0.0], [1.0], [2.0]], 3, axis=0), y, "squared_error", weight=weight)
    assert set(tree.value[tree.is_leaf, 0]) == {0.1, 1e15 + 0.3, -7.7}
    assert (tree.impurity[tree.is_leaf] == 0).all()


def test_the_median_of_an_even_number_is_the_middle_of_two():
    tree = grow([[0.0], [0.0]], [1.0, 4.0], "absolute_error")
    assert tree.value[0, 0] == 2.5
    assert tree.impurity[0] == 1.5


def test_an_outlier_moves_the_mean_but_not_the_median():
    tree = grow(np.arange(5.0)[:, None], [1.0, 1, 1, 9, 1000], "absolute_error", max_depth=1)
    assert tree.threshold[0] == 3.5
    assert tree.value[1, 0] == 1


def test_a_column_without_a_second_value_splits_nothing():
    tree = grow([[5.0], [5.0]], [0, 1])
    assert tree.n_nodes == 1
    assert list(tree.value[0]) == [1, 1]


def test_no_negative_zero_makes_a_second_value():
    assert grow([[0.0], [-0.0]], [0, 1]).n_nodes == 1


@pytest.mark.parametrize("criterion", CLASSES)
def test_a_chain_of_many_nodes_needs_no_stack(criterion):
    n = 3000
    X = np.arange(float(n))[:, None]
    y = np.arange(n) % 2
    tree = grow(X, y, criterion, min_leaf=1)
    assert tree.n_leaves == n
    assert tree.value[tree.is_leaf].max() == 1


def test_a_deep_tree_of_numbers():
    n = 500
    y = 4.0 ** np.arange(n)  # the largest target is far from all others: one case leaves at a time
    tree = grow(np.arange(float(n))[:, None], y / y.max(), "squared_error")
    assert tree.depth > 25  # as far as doubles can tell the others apart
    assert tree.n_leaves == n


def cells(draw, shape, missing):
    values = st.integers(0, 4).map(float)
    cell = st.one_of(values, st.just(float("nan"))) if missing else values
    return np.array(draw(st.lists(cell, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))).reshape(shape)


@st.composite
def tables(draw, missing=False, classes=3):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    X = cells(draw, (n, d), missing)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 0.3]), min_size=n, max_size=n)))
    return X, y, weight if draw(st.booleans()) else np.ones(n)


def check_first_split(X, y, weight, criterion, **given):
    tree = grow(X, y, criterion, weight=weight, max_depth=1, **given)
    most = best_gain(X, y, weight, criterion, given.get("min_leaf", 1))
    if len(np.unique(y)) == 1 or most == -np.inf:
        assert tree.n_nodes == 1
        return
    assert tree.gain[0] == pytest.approx(most, abs=1e-9)
    assert gain_of(goes_low(tree, 0, X), y, weight, criterion) == pytest.approx(most, abs=1e-9)


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
@settings(max_examples=60, deadline=None)
@given(table=tables(), min_leaf=st.integers(1, 3))
def test_agrees_with_the_definition(criterion, table, min_leaf):
    check_first_split(*table, criterion, min_leaf=min_leaf)


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
@settings(max_examples=60, deadline=None)
@given(table=tables(missing=True, classes=2))
def test_missing_cells_go_where_the_definition_sends_them(criterion, table):
    check_first_split(*table, criterion)


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_long_columns_agree_with_the_definition(criterion, n_classes):
    n = 120 if criterion == "absolute_error" else 700  # whose definition looks for a median at every threshold
    rng = np.random.default_rng(n_classes)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, n // 17, n)])
    y = (X[:, 0] > 0.2) + rng.integers(0, n_classes - 1, n)
    check_first_split(X, y, np.ones(n), criterion, min_leaf=7)
    check_first_split(X, y, rng.integers(1, 4, n).astype(float), criterion)
    check_first_split(X, y, rng.random(n), criterion)


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_node_counts_its_rows_and_splits_them_best(criterion, weighted):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60), rng.integers(0, 5, 60)])
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 60)
    weight = rng.random(60) if weighted else np.ones(60)
    tree = grow(X, y, criterion, weight=weight, min_split=6)
    for node, rows in enumerate(rows_of(tree, X)):
        assert tree.cases[node] == len(rows)
        assert tree.weight[node] == pytest.approx(weight[rows].sum())
        if not tree.is_leaf[node]:
            assert tree.gain[node] == pytest.approx(best_gain(X[rows], y[rows], weight[rows], criterion), abs=1e-9)


def noisy(n=4000, d=5, seed=0, n_classes=3, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)
    X[:, -1] = rng.integers(0, 6, n)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, -1] + rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes)), score


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_tree_depends_on_the_order_of_rows_the_width_of_floats_or_the_number_of_threads(criterion, weighted):
    X, y, score = noisy(missing=0.02)
    y = score if criterion in NUMBERS else y
    rng = np.random.default_rng(1)
    weight = rng.random(len(y)) if weighted else np.ones(len(y))
    limits = {"min_leaf": 20} if criterion == "absolute_error" else {}
    tree = grow(X, y, criterion, weight=weight, **limits)
    order = rng.permutation(len(y))
    same(tree, grow(X[order], y[order], criterion, weight=weight[order], **limits))
    same(tree, grow(X.astype(np.float32), y, criterion, weight=weight, **limits))
    for threads in (2, 5):
        same(tree, grow(X, y, criterion, weight=weight, threads=threads, **limits))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_whole_weights_are_repeated_rows(criterion, n_classes):
    X, y, score = noisy(1500, n_classes=n_classes)
    y = np.round(score, 1) if criterion in NUMBERS else y
    times = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = grow(X, y, criterion, weight=times)
    repeated = grow(np.repeat(X, times, axis=0), np.repeat(y, times), criterion)
    for name in ("column", "threshold", "child", "weight", "value", "gain"):
        np.testing.assert_allclose(
            getattr(weighted, name), getattr(repeated, name), rtol=1e-12, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("criterion", [*CLASSES, "squared_error"])
def test_a_common_factor_of_all_weights_changes_no_split(criterion):
    X, y, score = noisy(800)
    y = score if criterion in NUMBERS else y
    weight = np.random.default_rng(3).random(len(y))
    tree = grow(X, y, criterion, weight=weight)
    for factor in (0.25, 2.0**-900, 2.0**900):
        scaled = grow(X, y, criterion, weight=weight * factor)
        np.testing.assert_array_equal(scaled.column, tree.column)
        np.testing.assert_array_equal(scaled.threshold, tree.threshold)
        np.testing.assert_allclose(scaled.weight / factor, tree.weight)


def test_targets_far_from_zero_and_of_any_size_give_the_same_tree():
    X, _, score = noisy(800)
    score = np.round(score * 1024) / 1024
    tree = grow(X, score, "squared_error")
    for factor in (2.0**-600, 2.0**600):
        scaled = grow(X, score * factor, "squared_error")
        np.testing.assert_array_equal(scaled.threshold, tree.threshold)
        np.testing.assert_array_equal(scaled.value, tree.value * factor)


def test_tiny_weights_are_not_lost():
    tree = grow([[0.0], [1.0], [2.0]], [0, 1, 1], weight=[1.0, 1e-300, 1.0])
    assert tree.n_leaves == 2
    assert (tree.weight > 0).all()


def test_columns_of_all_shapes_are_sorted():
    rng = np.random.default_rng(4)
    n = 3000
    X = np.column_stack(
        [
            np.exp(rng.normal(scale=20, size=n)),
            np.where(rng.random(n) < 0.9, 0, rng.normal(size=n) * 1e-200),
            np.r_[1e300, rng.normal(size=n - 1)],
            np.ldexp(1.0, rng.integers(-1000, 1000, n)) * rng.choice([-1, 1], n),
            np.full(n, np.nan),
            rng.integers(0, 2, n) * 5e-324,
        ]
    )
    y = rng.permutation(n) % 2
    for j in range(X.shape[1]):
        x = X[:, [j]]
        tree = grow(x, y)
        rows = rows_of(tree, x)
        assert all(tree.cases[node] == len(rows[node]) for node in range(tree.n_nodes))
        # A leaf cannot be split any further: one class, or one value.
        for node in np.flatnonzero(tree.is_leaf):
            assert len(np.unique(y[rows[node]])) == 1 or len(np.unique(x[rows[node]], equal_nan=True)) == 1
