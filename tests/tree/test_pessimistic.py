"""Pessimistic pruning: figures worked out by hand, then the rule written as a recursion."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from margin import C45, Table
from margin.tree.nodes import Tree
from margin.tree.pruning.pessimistic import collapsed, extra_errors


def mixed(n=200, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    columns = {}
    for j in range(3):
        cells = np.round(rng.normal(size=n) + (y == j), 1)
        cells[rng.random(n) < missing] = np.nan
        columns[f"x{j}"] = [None if np.isnan(cell) else cell for cell in cells]
    for j in range(3):
        level = np.where(rng.random(n) < 0.6, y, rng.integers(0, 4, n))
        columns[f"c{j}"] = [None if gone else "abcd"[k] for k, gone in zip(level, rng.random(n) < missing)]
    return Table.from_columns(columns), y


# The upper limit


def test_no_errors_among_six_one_or_nine_cases():
    # Quinlan (1993), ch. 4: U(0, 6) = .206, U(0, 9) = .143, U(0, 1) = .750, U(1, 16) = .157
    found = [round((e + extra_errors(n, e)) / n, 3) for n, e in [(6, 0), (9, 0), (1, 0), (16, 1)]]
    assert found == [0.206, 0.143, 0.75, pytest.approx(0.157, abs=0.003)]


@pytest.mark.parametrize(("n", "e"), [(20, 1), (50, 7), (200, 40), (1000, 3)])
def test_as_few_errors_are_seen_with_the_probability_asked_for(n, e):
    upper = (e + extra_errors(n, e, 0.25)) / n
    assert binom.cdf(e, n, upper) == pytest.approx(0.25, abs=0.02)
    assert upper == pytest.approx(beta.ppf(0.75, e + 1, n - e), abs=0.01)


def test_parts_of_an_error_lie_between():
    low, half, high = (extra_errors(10.0, e) for e in (0, 0.5, 1))
    assert half == pytest.approx((low + high) / 2)


def test_a_node_that_is_all_wrong_cannot_get_worse():
    assert extra_errors(3, 3) == 0
    assert extra_errors(3, 2.8) == pytest.approx(0.2)


def test_no_pessimism_is_left_from_one_half_on():
    assert extra_errors(10, 2, 0.5) == 0


# The rule


class Slow:
    """A node with its cases, pruned as the rule says, by recursion."""

    def __init__(self, tree: Tree, node: int, cells, y, weight):
        self.tree, self.node = tree, node
        self.leaf = bool(tree.is_leaf[node])
        self.cells, self.y = cells, y
        self.take(np.arange(len(y)), weight)
        below = tree.children(node)
        self.sons = [Slow.__new__(Slow) for _ in below]
        for son, child in zip(self.sons, below):
            son.__init__(tree, int(child), cells, y, weight)

    def take(self, rows, weight):
        self.rows, self.weight = rows, weight
        self.value = np.bincount(self.y[rows], weight, self.tree.value.shape[1])

    def dealt(self, rows, weight):
        t, x = self.tree, self.cells[rows, self.tree.column[self.node]]
        branch = (
            (x > t.threshold[self.node]).astype(int) if t.ask[self.node] == 1 else np.nan_to_num(x, nan=0).astype(int)
        )
        known = ~np.isnan(x)
        shares = np.bincount(branch[known], weight[known], len(self.sons))
        shares = shares / shares.sum() if shares.sum() > 0 else np.full(len(self.sons), 1 / len(self.sons))
        for b, son in enumerate(self.sons):
            its = np.concatenate([np.flatnonzero(known & (branch == b)), np.flatnonzero(~known)])
            factor = np.where(known[its], 1.0, shares[b])
            kept = factor > 0
            yield son, rows[its[kept]], (weight[its] * factor)[kept]

    def spread(self, rows, weight):
        self.take(rows, weight)
        if not self.leaf:
            for son, its, w in self.dealt(rows, weight):
                son.spread(its, w)

    def errors(self, value):
        total = value.sum()
        return 0.0 if total <= 0 else total - value.max() + extra_errors(total, total - value.max())

    def of_tree(self):
        return self.errors(self.value) if self.leaf else sum(son.of_tree() for son in self.sons)

    def of_branch(self, rows, weight):
        if self.leaf:
            return self.errors(np.bincount(self.y[rows], weight, len(self.value)))
        return sum(son.of_branch(its, w) for son, its, w in self.dealt(rows, weight))

    def prune(self, raising):
        if self.leaf:
            return
        for son in self.sons:
            son.prune(raising)
        weights = [son.value.sum() for son in self.sons]
        heaviest = max(range(len(weights)), key=lambda b: (weights[b], b))
        branch = self.sons[heaviest]
        as_branch = branch.of_branch(self.rows, self.weight) if raising else np.inf
        as_leaf, as_it_is = self.errors(self.value), self.of_tree()
        if as_leaf <= as_it_is + 0.1 and as_leaf <= as_branch + 0.1:
            self.leaf = True
        elif as_branch <= as_it_is + 0.1:
            self.node, self.leaf, self.sons = branch.node, branch.leaf, branch.sons
            self.spread(self.rows, self.weight)
            self.prune(raising)

    def listed(self):
        yield (-1 if self.leaf else int(self.tree.column[self.node])), self.value
        if not self.leaf:
            for son in self.sons:
                yield from son.listed()


@pytest.mark.parametrize("raising", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_trees_are_pruned_by_the_rule(seed, raising):
    X, y = mixed(seed=seed, missing=0.1 * (seed % 2))
    full = C45(prune=False).fit(X, y).tree_
    cells = np.column_stack([X.cells(name).astype(float) for name in X.names])
    cells[:, 3:][cells[:, 3:] < 0] = np.nan
    slow = Slow(full, 0, cells, y, np.ones(len(y)))
    slow.spread(np.arange(len(y)), np.ones(len(y)))
    slow.prune(raising)
    columns, values = zip(*slow.listed())
    pruned = C45(raise_branches=raising).fit(X, y).tree_
    assert pruned.column.tolist() == list(columns)
    reached = pruned.weight > 0
    assert np.allclose(pruned.value[reached], np.array(values)[reached])


def test_raising_happens_and_keeps_all_cases():
    raised = 0
    for seed in range(10):
        X, y = mixed(seed=seed)
        tree, plain = C45().fit(X, y).tree_, C45(raise_branches=False).fit(X, y).tree_
        raised += tree.n_nodes != plain.n_nodes
        inner = np.flatnonzero(~tree.is_leaf)
        for node in inner:
            assert tree.weight[tree.children(node)].sum() == pytest.approx(tree.weight[node])
        assert (tree.gain[inner] >= -1e-12).all()
    assert raised > 0


def test_a_split_that_changes_no_answer_collapses():
    X, y = mixed()
    tree = C45(prune=False, collapse=False).fit(X, y).tree_
    short = collapsed(tree)

    def wrong(t):
        return (t.value.sum(axis=1) - t.value.max(axis=1))[t.is_leaf & (t.weight > 0)].sum()

    assert short.n_nodes <= tree.n_nodes
    assert wrong(short) <= wrong(tree) + 0.05 * tree.n_nodes
