"""Pruning: hand-worked trees, then slow definitions on random ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import C45, DecisionTreeClassifier, DecisionTreeRegressor
from margin.base.representations.mixed import MixedData
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import class_losses
from margin.tree.pruning.cost_complexity import one_standard_error, pruned_at, weakest_links
from margin.tree.pruning.reduced_error import bottom_up, reduced_error
from margin.tree.pruning.subtrees import cut, leaves_below
from margin.tree.training_rows import Rows, folds, held_out


def noisy(n=300, d=4, seed=0, flipped=0.2):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    return X, ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(n) < flipped)).astype(int)


def subtree(tree: Tree, node: int) -> range:
    return range(node, int(tree.end[node]))


# Cutting


def test_a_cut_tree_answers_at_the_cut_node():
    X, y = noisy()
    model = DecisionTreeClassifier(max_depth=6).fit(X, y)
    tree = model.tree_
    marked = tree.depths == 3
    short = cut(tree, marked)
    shallow = DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    for name, array in short.arrays().items():
        assert np.array_equal(array, shallow.arrays()[name]), name


def test_nothing_to_cut_gives_the_same_tree():
    tree = DecisionTreeClassifier(max_depth=2).fit(*noisy()).tree_
    assert cut(tree, tree.is_leaf) is tree


def test_leaves_are_counted_below_every_node():
    tree = DecisionTreeClassifier(max_depth=5).fit(*noisy()).tree_
    assert leaves_below(tree).tolist() == [sum(tree.is_leaf[i] for i in subtree(tree, t)) for t in range(tree.n_nodes)]


# Reduced error


def slow_reduced_error(tree, as_leaf, ties):
    """Look at every subtree in every round, and remove the best one."""
    leaf = set(np.flatnonzero(tree.is_leaf).tolist())
    alive = set(range(tree.n_nodes))
    steps = []
    while True:
        best = None
        for t in sorted(alive - leaf):
            leaves = [i for i in subtree(tree, t) if i in leaf and i in alive]
            change = as_leaf[t] - sum(as_leaf[i] for i in leaves)
            if change < 0 or (ties and change == 0):
                best = min(best or (np.inf,), (change, -len(leaves), t))
        if best is None:
            return steps, len(leaf & alive)
        alive -= set(subtree(tree, best[2])) - {best[2]}
        leaf.add(best[2])
        steps.append(best[2])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_subtree_that_helps_most_goes_first(seed, ties):
    X, y = noisy(seed=seed)
    tree = DecisionTreeClassifier().fit(X[:150], y[:150]).tree_
    rows = Rows(MixedData(X[150:]), y[150:], np.ones(150))
    as_leaf = class_losses(tree, rows, 1 - np.eye(2), tree.value.argmax(axis=1))[:, 0]
    steps, leaves = slow_reduced_error(tree, as_leaf, ties)
    pruned, trace = reduced_error(tree, as_leaf, 150.0, ties)
    assert trace.node.tolist() == [-1, *steps]
    assert pruned.n_leaves == leaves == trace.leaves[-1]
    wrong = (pruned.value[pruned.walker.leaves(X[150:], (), 1)].argmax(axis=1) != y[150:]).sum()
    assert wrong == round(trace.loss[-1] * 150)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_tree_can_be_pruned_on_rows_of_ones_own(kind):
    X, y = noisy()
    full = kind().fit(X[:200], y[:200])
    pruned = full.prune_on(X[200:], y[200:])
    loss = (pruned.predict(X[200:]) - y[200:]) ** 2
    assert pruned.pruning_trace_.loss[-1] == pytest.approx(loss.mean())
    assert pruned.get_n_leaves() < full.get_n_leaves()
    assert not hasattr(full, "pruning_trace_")
    assert pruned.tree_.cases[0] == 200


def test_classes_a_tree_does_not_know_do_not_prune_it():
    X, y = noisy()
    full = DecisionTreeClassifier(max_depth=3).fit(X, np.where(y, "a", "b"))
    with_others = full.prune_on(X, np.where(X[:, 2] > 1, "c", np.where(y, "a", "b")))
    assert with_others.get_n_leaves() <= full.get_n_leaves()


def test_pruning_on_held_out_rows_counts_all_rows_in_the_end():
    X, y = noisy()
    model = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X, y)
    assert model.tree_.cases[0] == len(y)
    assert np.array_equal(model.tree_.value[0], np.bincount(y))
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        assert np.array_equal(model.tree_.value[leaf], np.bincount(y[leaves == leaf], minlength=2))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_pruned_regression_tree_holds_means_or_medians_of_all_rows(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    model = DecisionTreeRegressor(criterion=criterion, prune="reduced_error", random_state=0, max_depth=4).fit(X, y)
    leaves = model.apply(X)
    middle = np.mean if criterion == "squared_error" else np.median
    for leaf in np.unique(leaves):
        assert model.tree_.value[leaf, 0] == pytest.approx(middle(y[leaves == leaf]))


def test_neither_the_order_nor_the_repetition_of_rows_changes_a_pruned_tree():
    X, y = noisy()
    times = np.random.default_rng(1).integers(1, 4, len(y))
    model = DecisionTreeClassifier(prune="reduced_error", random_state=3)
    weighted = model.fit(X, y, times).predict_proba(X)
    order = np.random.default_rng(2).permutation(times.sum())
    repeated = model.fit(X.repeat(times, axis=0)[order], y.repeat(times)[order]).predict_proba(X)
    assert np.array_equal(weighted, repeated)


def test_rows_are_dealt_out_stratum_by_stratum():
    X, y = noisy(100)
    rows = Rows(MixedData(X), y, np.ones(100))
    _, judging = held_out(rows, 0.25, 0, y)
    assert len(judging.y) == 25
    assert abs(np.bincount(judging.y)[0] - np.bincount(y)[0] / 4) <= 1
    parts = folds(rows, 10, 0, y)
    assert sorted(len(judging.y) for _, judging in parts) == [10] * 10
    assert sum(len(growing.y) for growing, _ in parts) == 900


# Cost-complexity


def slow_path(tree, risk):
    """The definition: all links looked at in every step."""
    leaf = set(np.flatnonzero(tree.is_leaf).tolist())
    alive = set(range(tree.n_nodes))
    found = [(0.0, len(leaf))]
    while 0 not in leaf:
        strengths = {}
        for t in alive - leaf:
            leaves = [i for i in subtree(tree, t) if i in leaf and i in alive]
            strengths[t] = (risk[t] - sum(risk[i] for i in leaves)) / (len(leaves) - 1)
        weakest = min(strengths, key=lambda t: (strengths[t], t))
        alive -= set(subtree(tree, weakest)) - {weakest}
        leaf.add(weakest)
        found.append((max(strengths[weakest], found[-1][0]), len(leaf & alive)))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_weakest_link_is_cut_first(seed):
    X, y = noisy(120, seed=seed)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    risk = tree.weight / tree.weight[0] * tree.impurity
    path = weakest_links(tree, risk)
    slow = slow_path(tree, risk)
    assert np.allclose(path.alphas, [alpha for alpha, _ in slow], atol=1e-14)
    for alpha in [0.0, *(path.alphas[1:] + path.alphas[:-1]) / 2, 1.0]:
        expected = [leaves for a, leaves in slow if a <= alpha + 1e-14][-1]
        assert pruned_at(tree, path, alpha + 1e-14).n_leaves == expected


def test_ccp_alpha_cuts_what_the_path_says():
    X, y = noisy()
    path = DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    for alpha in path.ccp_alphas[1::7]:
        model = DecisionTreeClassifier(ccp_alpha=alpha * (1 + 1e-9)).fit(X, y)
        assert model.get_n_leaves() == path.n_leaves[path.ccp_alphas <= alpha * (1 + 1e-9)][-1]


def test_the_cross_validated_choice_is_what_folds_of_pruned_trees_say():
    X, y = noisy(200)
    model = DecisionTreeClassifier(prune="cost_complexity", n_folds=4, random_state=0).fit(X, y)
    choice = model.pruning_path_
    rows = Rows(MixedData(X), y, np.ones(len(y)))
    between = np.append(np.sqrt(choice.alphas[:-1] * choice.alphas[1:]), 1e9)
    for step in [0, len(between) // 2, len(between) - 1]:
        wrong = 0
        for growing, judging in folds(rows, 4, 0, y):
            alone = DecisionTreeClassifier(ccp_alpha=between[step]).fit(growing.X.numeric, growing.y)
            wrong += (alone.predict(judging.X.numeric) != judging.y).sum()
        assert choice.losses[step] == pytest.approx(wrong / len(y))
    share = choice.losses[choice.chosen]
    assert choice.standard_errors[choice.chosen] == pytest.approx(np.sqrt(share * (1 - share) / len(y)))
    assert model.get_n_leaves() == choice.leaves[choice.chosen]
    assert choice.chosen == one_standard_error(choice.losses, choice.standard_errors)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), alpha=st.floats(0, 0.2))
def test_no_subtree_is_better_than_the_one_chosen_at_alpha(seed, alpha):
    X, y = noisy(60, seed=seed)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    risk = tree.weight / tree.weight[0] * tree.impurity
    best = [0.0] * tree.n_nodes
    for t in range(tree.n_nodes - 1, -1, -1):
        below = sum(best[c] for c in tree.children(t)) if not tree.is_leaf[t] else np.inf
        best[t] = min(risk[t] + alpha, below)
    pruned = pruned_at(tree, weakest_links(tree, risk), alpha)
    cost = (pruned.weight / pruned.weight[0] * pruned.impurity)[pruned.is_leaf].sum() + alpha * pruned.n_leaves
    assert cost == pytest.approx(best[0], abs=1e-9)


def test_a_chain_of_many_nodes_is_pruned_without_recursion():
    n = 6000
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = DecisionTreeClassifier(prune="pessimistic").fit(X, y)
    assert model.get_n_leaves() < n
    chain = np.sort(np.random.default_rng(0).random(3000))[:, None]
    assert C45().fit(chain, np.arange(3000) % 3).get_n_leaves() >= 1


def test_pruning_bottom_up_loses_least():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
        tree = DecisionTreeClassifier().fit(X, y).tree_
        as_leaf = rng.integers(0, 6, tree.n_nodes).astype(float)

        def least(node, tree=tree, as_leaf=as_leaf):
            below = sum(least(child) for child in tree.children(node)) if not tree.is_leaf[node] else np.inf
            return min(float(as_leaf[node]), below)

        pruned = bottom_up(tree, as_leaf)
        place = matched(tree, pruned)
        assert sum(as_leaf[place[pruned.is_leaf]]) == least(0)


def matched(tree, pruned):
    """Which node of the full tree each node of the pruned one is."""
    place = np.zeros(pruned.n_nodes, dtype=int)
    for node in range(pruned.n_nodes):
        if not pruned.is_leaf[node]:
            place[pruned.children(node)] = tree.children(place[node])
    return place
