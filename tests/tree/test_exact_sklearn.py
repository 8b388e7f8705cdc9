"""The exact engine against scikit-learn's: the same trees, except where two splits are equally good."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from margin.tree.nodes import Tree
from tests.tree.exact import gain_of, goes_low, grow
from tests.tree.test_exact import noisy


def compare(tree: Tree, theirs, X, y, weight, criterion) -> int:
    """Walk down both; nodes below a tie are not compared. The number of nodes that were."""
    stack, n_compared = [(0, 0, np.arange(len(X)))], 0
    while stack:
        ours, other, rows = stack.pop()
        n_compared += 1
        assert tree.cases[ours] == theirs.n_node_samples[other]
        assert tree.weight[ours] == pytest.approx(theirs.weighted_n_node_samples[other])
        assert tree.impurity[ours] == pytest.approx(theirs.impurity[other], rel=1e-6, abs=1e-6)
        leaf = theirs.children_left[other] < 0
        assert tree.is_leaf[ours] == leaf
        if leaf:
            continue
        low = goes_low(tree, ours, X[rows])
        x = X[rows, theirs.feature[other]]
        their_low = np.where(np.isnan(x), theirs.missing_go_to_left[other] == 1, x <= theirs.threshold[other])
        if not np.array_equal(low, their_low):  # then theirs must be as good
            gain = gain_of(their_low, y[rows], weight[rows], criterion)
            assert gain == pytest.approx(tree.gain[ours], rel=1e-7, abs=1e-9)
            continue
        if tree.column[ours] == theirs.feature[other]:
            assert tree.threshold[ours] == pytest.approx(theirs.threshold[other], rel=1e-5)
        left, right = tree.children(ours)
        stack += [(left, theirs.children_left[other], rows[low]), (right, theirs.children_right[other], rows[~low])]
    return n_compared


def both(X, y, criterion, weight=None, ours=None, monotone=(), **theirs):
    kind = DecisionTreeRegressor if criterion.endswith("_error") else DecisionTreeClassifier
    model = kind(criterion=criterion, random_state=0, **theirs).fit(X, y, weight)
    tree = grow(X, y, criterion, weight=weight, monotone=monotone, **(ours or {}))
    weight = np.ones(len(y)) if weight is None else weight
    return tree, model.tree_, compare(tree, model.tree_, X, y, weight, criterion)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
def test_grows_their_tree(criterion, missing, weighted):
    X, y, score = noisy(1500, missing=missing)
    y = score if criterion == "squared_error" else y
    weight = np.random.default_rng(5).integers(1, 4, len(y)).astype(float) if weighted else None
    _, theirs, n_compared = both(X, y, criterion, weight, {"min_leaf": 3}, min_samples_leaf=3)
    assert n_compared > 0.5 * theirs.node_count  # ties end the walk, and are few


def test_grows_their_tree_for_absolute_errors():
    X, _, score = noisy(700)
    _, theirs, n_compared = both(X, score, "absolute_error", None, {"min_leaf": 5}, min_samples_leaf=5)
    assert n_compared > 0.5 * theirs.node_count
    weight = np.random.default_rng(6).integers(1, 4, len(score)).astype(float)
    both(X, score, "absolute_error", weight, {"max_depth": 4}, max_depth=4)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_keeps_to_their_limits(criterion):
    X, y, score = noisy(1500)
    y = score if criterion == "squared_error" else y
    both(X, y, criterion, None, {"max_depth": 6}, max_depth=6)
    both(X, y, criterion, None, {"min_split": 40}, min_samples_split=40)
    both(X, y, criterion, None, {"min_decrease": 0.003}, min_impurity_decrease=0.003)
    weight = np.random.default_rng(5).integers(1, 4, len(y)).astype(float)
    least = 0.01 * weight.sum()
    both(X, y, criterion, weight, {"min_leaf_weight": least}, min_weight_fraction_leaf=0.01)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("n_leaves", [2, 7, 40])
def test_grows_the_best_leaves_first(criterion, n_leaves):
    X, y, score = noisy(2000)
    y = score if criterion == "squared_error" else y
    tree, theirs, n_compared = both(X, y, criterion, None, {"max_leaves": n_leaves}, max_leaf_nodes=n_leaves)
    assert tree.n_leaves == n_leaves
    assert n_compared == theirs.node_count
    parent = tree.parent
    assert all(parent[node] < node for node in range(1, tree.n_nodes))  # preorder


def test_more_leaves_than_there_can_be_are_the_whole_tree():
    X, y, _ = noisy(500)
    limited, whole = grow(X, y, max_leaves=100_000), grow(X, y)
    np.testing.assert_array_equal(limited.column, whole.column)
    np.testing.assert_array_equal(limited.child, whole.child)
    np.testing.assert_array_equal(limited.threshold, whole.threshold)


@pytest.mark.parametrize("depth_first", [True, False])
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_values_rise_and_fall_as_theirs(criterion, depth_first):
    X, y, score = noisy(600, n_classes=2)
    y = score if criterion != "gini" else y
    ways = [-1, 1, 0, 0, 1]
    ours, theirs = ({"min_leaf": 5}, {}) if depth_first else ({"min_leaf": 5, "max_leaves": 20}, {"max_leaf_nodes": 20})
    tree, other, n_compared = both(X, y, criterion, None, ours, ways, min_samples_leaf=5, monotonic_cst=ways, **theirs)
    assert n_compared > 0.4 * other.node_count
    if n_compared == other.node_count:
        value = tree.value[:, 1] / tree.weight if criterion == "gini" else tree.value[:, 0]
        np.testing.assert_allclose(np.sort(value), np.sort(other.value[:, 0, -1]), atol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_answers_never_fall_along_a_rising_column(criterion):
    X, y, score = noisy(600, n_classes=2)
    y = score if criterion != "gini" else y
    tree = grow(X, y, criterion, monotone=[1, 0, 0, 0, 0], min_leaf=3)
    value = tree.value[:, 1] / tree.weight if criterion == "gini" else tree.value[:, 0]

    def answer(row):
        node = 0
        while not tree.is_leaf[node]:
            node = tree.children(node)[int(row[tree.column[node]] > tree.threshold[node])]
        return value[node]

    for row in X[:50]:
        line = [answer(np.r_[x, row[1:]]) for x in np.linspace(-3, 3, 30)]
        assert (np.diff(line) >= -1e-12).all()
    free = grow(X, y, criterion, min_leaf=3)
    assert tree.n_nodes != free.n_nodes  # the order had something to forbid
