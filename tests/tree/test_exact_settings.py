"""Settings of the exact engine beyond scikit-learn's: C4.5's rules for thresholds, and columns drawn by chance."""

import numpy as np
import pytest

from tests.tree.exact import entropy, grow, same
from tests.tree.test_exact import noisy


def test_a_gain_of_known_cases_counts_for_their_share():
    X = np.array([[1.0], [2], [3], [4], [np.nan]])
    tree = grow(X, [0, 0, 1, 1, 1], "entropy", missing="surrogate", max_depth=1)
    assert tree.gain[0] == pytest.approx(4 / 5)
    assert tree.threshold[0] == 2.5


def test_a_threshold_pays_for_having_been_chosen():
    X = np.arange(8.0)[:, None]
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    free, charged = grow(X, y, "entropy"), grow(X, y, "entropy", charge_cuts=True)
    assert free.gain[0] == 1
    assert charged.gain[0] == pytest.approx(1 - np.log2(7) / 8)
    larger = grow(X, y, "entropy", charge_cuts=True, min_leaf=3)
    assert larger.gain[0] == pytest.approx(1 - np.log2(3) / 8)  # behind the 3rd, 4th and 5th case


def test_a_threshold_that_is_not_worth_its_price_is_none():
    X = np.arange(4.0)[:, None]
    y = [0, 1, 0, 1]
    assert grow(X, y, "entropy").n_nodes > 1
    assert grow(X, y, "entropy", charge_cuts=True, no_useless_splits=True).n_nodes == 1


def test_a_threshold_can_be_a_number_of_the_table():
    X = np.array([[1.0, 0], [2, 0], [2.4, 1], [7, 1]])
    y = [0, 0, 1, 1]
    assert grow(X[:, :1], y, cuts_from_data=True).threshold[0] == 2
    # Any row of the table will do: the 3 is not in the node that is split between 2 and 7.
    X = np.array([[1.0, 0], [2, 0], [7, 0], [3, 1], [8, 1], [9, 1]])
    tree = grow(X[:, [1, 0]], [0, 0, 1, 2, 2, 2], cuts_from_data=True)
    assert set(tree.threshold[~tree.is_leaf]) == {0, 3}


@pytest.mark.parametrize(("n", "least"), [(40, 2), (100, 5), (1000, 25)])
def test_a_branch_holds_a_tenth_of_the_cases_per_class(n, least):
    X = np.arange(float(n))[:, None]
    y = np.r_[1, np.zeros(n - 1, int)]  # the best threshold would leave the first case alone
    tree = grow(X, y, "entropy", tenth_per_class=True, min_leaf=2, max_depth=1)
    assert tree.cases[1] == least
    weight = np.full(n, 2.0)
    weighted = grow(X, y, "entropy", weight=weight, tenth_per_class=True, min_leaf=2, max_depth=1)
    assert weighted.weight[1] >= min(max(0.1 * 2 * n / 2, 2), 25)


def test_few_columns_are_drawn_anew_in_every_node_and_the_same_for_the_same_seed():
    X, y, _ = noisy(3000, d=8)
    tree = grow(X, y, max_features=1, seed=3)
    same(tree, grow(X, y, max_features=1, seed=3, threads=2))
    assert set(tree.column[~tree.is_leaf]) == set(range(8))
    other = grow(X, y, max_features=1, seed=4)
    assert not np.array_equal(tree.column[:20], other.column[:20])
    roots = {int(grow(X, y, max_features=1, seed=seed, max_depth=1).column[0]) for seed in range(60)}
    assert roots == set(range(8))


def test_a_column_that_does_not_vary_is_not_drawn():
    X = np.column_stack([np.zeros(50), np.arange(50.0), np.zeros(50)])
    for seed in range(10):
        assert grow(X, np.arange(50) % 2, max_features=1, seed=seed, max_depth=1).column[0] == 1


def test_a_column_that_offers_nothing_is_replaced_by_another():
    X = np.column_stack([np.r_[1.0, np.zeros(49)], np.arange(50.0)])
    for seed in range(10):
        assert grow(X, np.arange(50) % 2, max_features=1, seed=seed, max_depth=1, min_leaf=5).column[0] == 1


def test_all_columns_drawn_are_all_columns():
    X, y, _ = noisy(500)
    same(grow(X, y, max_features=5, seed=1), grow(X, y))


@pytest.mark.parametrize("n_classes", [3, 40])
def test_many_classes_are_counted_one_by_one(n_classes):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(900, 2))
    y = rng.integers(0, n_classes, 900)
    tree = grow(X, y, "entropy", max_depth=1)
    low = X[:, tree.column[0]] <= tree.threshold[0]
    w = np.ones(900)
    expected = entropy(y, w) - sum(side.sum() / 900 * entropy(y[side], w[side]) for side in (low, ~low))
    assert tree.gain[0] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_array_equal(tree.value[1], np.bincount(y[low], minlength=n_classes))


def test_the_tree_of_best_leaves_is_the_same_for_any_number_of_threads():
    X, y, score = noisy(6000)
    for target, criterion in ((y, "gini"), (score, "squared_error")):
        trees = [grow(X, target, criterion, max_leaves=60, threads=threads) for threads in (1, 2, 5)]
        same(trees[0], trees[1])
        same(trees[0], trees[2])


@pytest.mark.parametrize("settings", [{"min_leef": 3}, {"maxdepth": 1}])
def test_a_misspelt_setting_is_refused_rather_than_ignored(settings):
    with pytest.raises(AttributeError, match=next(iter(settings))):
        grow([[0.0], [1.0]], [0, 1], **settings)


@pytest.mark.parametrize(("name", "value"), [("nominal", "subsett"), ("numeric", "fixedd"), ("missing", "way")])
def test_a_choice_that_the_core_does_not_have_is_refused(name, value):
    with pytest.raises(KeyError, match=value):
        grow([[0.0], [1.0]], [0, 1], **{name: value})
