"""margin.tree.predict: by hand, then the definition written out, then trees and rows of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import DecisionTreeClassifier, DecisionTreeRegressor
from margin.base.representations.mixed import MixedData
from margin.errors import InputError
from margin.tree import predict as walking
from margin.tree.nodes import Ask
from tests.tree.random_trees import Builder, random_rows, random_tree

LEVELS = (3, 70, 5)


def rows_of(X):
    """Every row as a list of numbers and codes, None where a cell is missing."""
    cells = np.column_stack([X.numeric.astype(np.float64), *[np.where(c < 0, np.nan, c) for c in X.codes]])
    return [[None if np.isnan(cell) else cell for cell in row] for row in cells.reshape(len(X), -1)]


def branch(tree, node, row):
    """The definition: by the cell, by a surrogate, by the branch of missing cells; None is all of them in parts."""
    cell, details = row[tree.column[node]], tree.details(node).tolist()
    if cell is not None:
        return {
            Ask.THRESHOLD: lambda: 0 if cell <= tree.threshold[node] else 1,
            Ask.SUBSET: lambda: 0 if cell in details else 1,
            Ask.LEVEL: lambda: int(cell),
            Ask.INTERVAL: lambda: sum(cut < cell for cut in details),
        }[tree.ask[node]]()
    for s in range(tree.surrogate_start[node], tree.surrogate_start[node + 1]):
        other = row[tree.surrogate_column[s]]
        if other is not None:
            codes = tree.surrogate_detail[tree.surrogate_detail_start[s] : tree.surrogate_detail_start[s + 1]]
            low = other in codes if len(codes) else other <= tree.surrogate_threshold[s]
            return tree.surrogate_low[s] if low else 1 - tree.surrogate_low[s]
    return None if tree.missing[node] < 0 else tree.missing[node]


def slow_parts(tree, row, node=0, part=1.0):
    """The leaves of a row, with the part of it that reaches each."""
    if tree.ask[node] == Ask.NOTHING:
        return [(node, part)]
    children, chosen = tree.children(node), branch(tree, node, row)
    if chosen is not None:
        return slow_parts(tree, row, children[chosen], part)
    weight = tree.weight[children]
    return [
        found
        for child, w in zip(children, weight)
        for found in slow_parts(tree, row, child, part * (w / weight.sum()))
        if w > 0
    ]


def slow_shares(tree, row):
    return sum(part * tree.value[leaf] / tree.value[leaf].sum() for leaf, part in slow_parts(tree, row))


def stump(missing):
    """x0 <= 1: class weights 3, 1; else 0, 4, and three times as heavy."""
    builder = Builder(2)
    builder.add([3, 5], 16, ask=Ask.THRESHOLD, column=0, threshold=1.0, missing=missing, children=[1, 2])
    builder.add([3, 1], 4)
    builder.add([0, 4], 12)
    return builder.tree()


def test_a_number_on_the_threshold_goes_to_branch_0():
    X = MixedData(np.array([[1.0], [np.nextafter(1.0, 2.0)], [-np.inf]]))
    assert walking.leaves(stump(0), X).tolist() == [1, 2, 1]


@pytest.mark.parametrize(("missing", "shares"), [(0, [0.75, 0.25]), (1, [0, 1]), (-1, [0.1875, 0.8125])])
def test_a_missing_cell_takes_its_branch_or_all_in_parts(missing, shares):
    assert walking.shares(stump(missing), MixedData(np.array([[np.nan]])))[0].tolist() == shares


def test_a_row_in_parts_is_counted_at_the_heaviest_branch():
    assert walking.leaves(stump(-1), MixedData(np.array([[np.nan]]))).tolist() == [2]


def test_a_single_leaf_takes_all_rows():
    builder = Builder(1)
    builder.add([7.5], 3)
    X = MixedData(np.array([[1.0], [np.nan]]))
    assert walking.values(builder.tree(), X).tolist() == [[7.5], [7.5]]
    assert walking.shares(builder.tree(), X).tolist() == [[1.0], [1.0]]


def test_no_rows_give_no_answers():
    X = MixedData(np.empty((0, 1)))
    assert walking.leaves(stump(0), X).shape == (0,)
    assert walking.shares(stump(-1), X).shape == (0, 2)
    assert walking.parts(stump(-1), X).start.tolist() == [0]


@given(seed=st.integers(0, 10**6), plain=st.booleans(), wide=st.booleans())
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_definition(seed, plain, wide):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 3, LEVELS, depth=4, width=3, plain=plain)
    X = random_rows(rng, 150, 3, LEVELS, dtype=np.float64 if wide else np.float32)
    found = walking.parts(tree, X)
    shares = walking.shares(tree, X)
    for i, row in enumerate(rows_of(X)):
        expected = slow_parts(tree, row)
        stretch = slice(found.start[i], found.start[i + 1])
        assert found.leaf[stretch].tolist() == [leaf for leaf, _ in expected]
        assert found.part[stretch] == pytest.approx([part for _, part in expected])
        assert shares[i] == pytest.approx(slow_shares(tree, row))
    assert np.bincount(found.row, found.part) == pytest.approx(np.ones(len(X)))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_row_that_takes_one_way_ends_at_that_leaf(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 2, LEVELS, depth=4)
    X = random_rows(rng, 100, 2, LEVELS, gone=0.05)
    leaves = walking.leaves(tree, X)
    for leaf, row in zip(leaves, rows_of(X)):
        expected = slow_parts(tree, row)
        assert leaf in [node for node, _ in expected]
        assert len(expected) > 1 or leaf == expected[0][0]


@pytest.mark.parametrize("plain", [True, False])
def test_the_number_of_threads_changes_nothing(plain):
    rng = np.random.default_rng(5)
    tree = random_tree(rng, 4, LEVELS, depth=6, plain=plain)
    X = random_rows(rng, 9001, 4, LEVELS)
    for ask in (walking.leaves, walking.shares, lambda *a: walking.parts(*a).part):
        assert ask(tree, X, 1).tobytes() == ask(tree, X, 3).tobytes()


def test_a_row_is_answered_alike_alone_and_among_others():
    rng = np.random.default_rng(6)
    tree = random_tree(rng, 4, LEVELS, depth=5)
    X = random_rows(rng, 200, 4, LEVELS)
    together = walking.shares(tree, X)
    alone = [walking.shares(tree, X.take(np.array([i])))[0] for i in range(200)]
    assert np.array_equal(together, alone)


def test_values_of_a_regression_are_not_made_into_shares():
    rng = np.random.default_rng(7)
    tree = random_tree(rng, 3, (), depth=3, width=1, plain=True)
    X = random_rows(rng, 50, 3, ())
    assert np.array_equal(walking.values(tree, X)[:, 0], tree.value[walking.leaves(tree, X), 0])


def test_a_chain_of_many_nodes_is_walked_to_its_end():
    n = 100_000
    builder = Builder(1)
    for i in range(n):
        builder.add([0], 1, ask=Ask.THRESHOLD, column=0, threshold=float(i), missing=1, children=[2 * i + 1, 2 * i + 2])
        builder.add([0], 1)
    builder.add([1], 1)
    tree = builder.tree()
    X = MixedData(np.array([[0.0], [99.5], [2.0 * n], [np.nan]]))
    assert walking.leaves(tree, X).tolist() == [1, 201, 2 * n, 2 * n]
    assert tree.depth == n


class TestOneRow:
    X = np.random.default_rng(0).normal(size=(300, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)

    def test_is_answered_as_among_others(self):
        for model in (DecisionTreeClassifier(), DecisionTreeRegressor(max_depth=4)):
            model.fit(self.X, self.y)
            alone = [model.predict(self.X[i : i + 1])[0] for i in range(50)]
            assert alone == model.predict(self.X[:50]).tolist()
        probabilities = DecisionTreeClassifier(max_depth=3).fit(self.X, self.y)
        assert np.array_equal(probabilities.predict_proba(self.X[:1]), probabilities.predict_proba(self.X[:2])[:1])

    def test_with_an_infinite_cell_is_refused_by_row_and_column(self):
        model = DecisionTreeClassifier().fit(self.X, self.y)
        row = self.X[:1].copy()
        row[0, 2] = np.inf
        with pytest.raises(InputError, match="row 0"):
            model.predict(row)
        many = np.vstack([self.X] * 20)
        many[4321, 1] = -np.inf
        with pytest.raises(InputError, match="row 4321"):
            model.predict_proba(many)

    def test_may_be_float32_or_have_missing_cells(self):
        model = DecisionTreeClassifier().fit(self.X, self.y)
        row = self.X[:1].copy()
        row[0, 0] = np.nan
        two = np.vstack([row, row])
        assert np.array_equal(model.predict_proba(row), model.predict_proba(two)[:1])
        assert model.predict(self.X[:1].astype(np.float32)) == model.predict(self.X[:2].astype(np.float32))[:1]

    def test_that_is_no_row_is_refused(self):
        model = DecisionTreeClassifier().fit(self.X, self.y)
        with pytest.raises(InputError, match="features"):
            model.predict(self.X[:1, :3])
        with pytest.raises(InputError, match="rows and columns"):
            model.predict(np.array(1.0))
