"""Surrogate splits (CART): worked by hand, every node against the definition, properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import DecisionTreeClassifier
from margin.tree.nodes import Ask
from margin.tree.predict import leaves
from tests.tree.engine import columns, grow

CART = {"nominal": "subset", "missing": "surrogate", "criterion": "gini"}


def surrogates(tree, node):
    """Column, threshold, codes and branch of the low ones, best first."""
    at = range(tree.surrogate_start[node], tree.surrogate_start[node + 1])
    start = tree.surrogate_detail_start
    return [
        (
            int(tree.surrogate_column[s]),
            float(tree.surrogate_threshold[s]),
            tree.surrogate_detail[start[s] : start[s + 1]],
            int(tree.surrogate_low[s]),
        )
        for s in at
    ]


def way_of(cells, column, threshold, codes, low, is_nominal):
    """Branch of each cell by a surrogate, -1 where it is missing."""
    listed = np.isin(cells, codes) if is_nominal else cells <= threshold
    return np.where(np.isnan(cells), -1, np.where(listed, low, 1 - low))


def primary_way(tree, node, cells):
    taken = cells > tree.threshold[node] if tree.ask[node] == Ask.THRESHOLD else ~np.isin(cells, tree.details(node))
    return np.where(np.isnan(cells), -1, taken)


def best_association(cells, way, w, is_nominal):
    """Of all thresholds or all ways of the levels: the largest share of errors avoided."""
    known = ~np.isnan(cells) & (way >= 0)
    x, way, w = cells[known], way[known], w[known]
    left, right = w[way == 0].sum(), w[way == 1].sum()
    if is_nominal:
        options = [sum(max(w[(x == v) & (way == b)].sum() for b in (0, 1)) for v in set(x))]
    else:
        options = [w[(way == low) == (x <= v)].sum() for v in set(x) for low in (0, 1)]
    least = min(left, right)
    return max(0.0, (max(options, default=0) - max(left, right)) / least) if least else 0.0


def check_nodes(tree, cells, nominal, w, most=5):
    """Rows go where split, surrogates and the heavier branch send them; surrogates are the best there are."""
    todo = [(0, np.ones(len(w), bool))]
    while todo:
        node, here = todo.pop()
        assert tree.weight[node] == w[here].sum()
        if tree.ask[node] == Ask.NOTHING:
            continue
        column = tree.column[node]
        way = primary_way(tree, node, cells[:, column])
        way[~here] = -2
        heavier = int(w[way == 1].sum() > w[way == 0].sum())
        assert tree.missing[node] == heavier
        expected = {
            j: best_association(cells[here, j], way[here], w[here], nominal[j])
            for j in range(cells.shape[1])
            if j != column
        }
        ranked = sorted((j for j in expected if expected[j] > 1e-12), key=lambda j: (-expected[j], j))[:most]
        assert [s[0] for s in surrogates(tree, node)] == ranked
        final = way.copy()
        for s in surrogates(tree, node):
            guess = way_of(cells[:, s[0]], *s, nominal[s[0]])
            both = (way >= 0) & (guess >= 0)
            most_way = max(w[both & (way == b)].sum() for b in (0, 1))
            reached = (w[both & (way == guess)].sum() - most_way) / (w[both].sum() - most_way)
            assert reached == pytest.approx(expected[s[0]])
            final = np.where(final == -1, guess, final)
        final = np.where(final == -1, heavier, final)
        todo += [(child, here & (final == branch)) for branch, child in enumerate(tree.children(node))]


def test_a_column_that_follows_another_worked_by_hand():
    # x1 = 10 - x0 but for one row; x2 says nothing. The last row lacks x0, and x1 = 9 sends it left.
    x = [[1, 9, 5], [2, 8, 5], [3, 7, 6], [4, 6, 6], [6, 4, 5], [7, 3, 5], [8, 9, 6], [np.nan, 9, 6]]
    y = [0, 0, 0, 0, 1, 1, 1, 0]
    tree = grow(columns(x), y, **CART)
    assert (tree.column[0], tree.threshold[0], tree.missing[0]) == (0, 5.0, 0)
    [(column, threshold, codes, low)] = surrogates(tree, 0)
    assert (column, threshold, low, len(codes)) == (1, 5.0, 1, 0)
    assert tree.value[1:].tolist() == [[5, 0], [0, 3]]
    assert tree.gain[0] == pytest.approx(7 / 8 * (1 - (16 + 9) / 49))


def test_levels_follow_the_way_of_most():
    codes = [0, 0, 0, 1, 1, 2, 2, 2]
    x = [1.0, 2, 3, 4, 6, 7, 8, 9]
    tree = grow(columns(np.array(x)[:, None], codes=[codes]), [0, 0, 0, 0, 1, 1, 1, 1], **CART)
    [(column, _, listed, low)] = surrogates(tree, 0)
    assert (column, low) == (1, 1)  # both branches are as heavy: level 1, which is divided, goes to the first
    assert listed.tolist() == [2]


def test_several_branches_have_no_surrogates():
    codes = [0, 0, 1, 1, 2, 2, -1]
    tree = grow(columns(codes=[codes, codes]), [0, 0, 1, 1, 2, 2, 2], nominal="multiway", missing="surrogate")
    assert surrogates(tree, 0) == []
    assert tree.missing[0] == 0
    assert tree.cases[1:4].tolist() == [3, 2, 2]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_more_than_asked_for(most):
    x = np.arange(10.0)[:, None] + np.zeros((1, 4))
    tree = grow(columns(x), np.repeat([0, 1], 5), max_surrogates=most, **CART)
    assert [s[0] for s in surrogates(tree, 0)] == [1, 2][:most]


cell = st.one_of(st.none(), st.integers(0, 4))
rows = st.lists(st.tuples(cell, cell, cell, cell, st.integers(0, 1), st.integers(1, 3)), min_size=4, max_size=40)


@settings(max_examples=100, deadline=None)
@given(rows, st.booleans())
def test_every_node_agrees_with_the_definition(rows, weighted):
    table = np.array([[np.nan if c is None else c for c in row] for row in rows], dtype=float)
    cells, y, w = table[:, :4], table[:, 4].astype(int), table[:, 5]
    y[0] = 1
    w = w if weighted else np.ones_like(w)
    codes = [np.where(np.isnan(c), -1, c).astype(int) for c in cells.T[2:]]
    X = columns(cells[:, :2], codes=codes, levels=[5, 5])
    tree = grow(X, y, weight=w, **CART)
    check_nodes(tree, cells, [False, False, True, True], w)
    reached = np.bincount(leaves(tree, X), w, tree.n_nodes)
    assert np.array_equal(reached[tree.is_leaf], tree.weight[tree.is_leaf])  # rows walk as they were dealt out
    order = np.random.default_rng(0).permutation(len(y))
    again = grow(X.take(order), y[order], weight=w[order], threads=2, **CART)
    assert all(np.array_equal(a, b) for a, b in zip(tree.arrays().values(), again.arrays().values()))


# rpart(y ~ ., method = "class", control = rpart.control(cp = 0, maxdepth = 1, minsplit = 2, minbucket = 1, xval = 0,
#       usesurrogate = 2, surrogatestyle = 1 or 0))$splits: a at .085; style 1: b at .025, c at .29; style 0: c at .29.
def test_surrogates_of_either_style_are_those_of_rpart():
    nan = np.nan
    a = [0.0, 0.3, -0.27, -0.89, -0.45, -0.99, 0.06, 1.34, -0.49, -0.62, 0.49, 0.36, 0.11, nan, -0.03, 0.7,
         -1.34, -0.46, -1.9, -1.29, -1.84, -0.24, -1.27, 0.27, nan, nan, nan, -0.54, -0.05, 0.11, -1.53, nan,
         -0.98, -0.81, 1.06, nan, -0.03, 0.88, -0.58, -0.11]  # fmt: skip
    b = [0.02, 0.31, -0.52, -0.87, nan, nan, nan, nan, nan, -0.22, 0.64, nan, nan, -0.81, -0.07, 0.84, -1.35,
         -0.33, -1.61, -1.43, -1.8, -0.33, -1.24, 0.03, 0.04, nan, -2.34, -0.31, -0.31, nan, -1.4, -0.88,
         -1.07, -0.83, 1.31, nan, nan, nan, nan, nan]  # fmt: skip
    c = [-0.26, 0.12, -0.06, -0.96, -0.57, -1.66, 0.05, 1.07, 0.21, -0.23, 0.48, 0.76, -0.09, -0.3, -0.03,
         1.05, -2.11, -0.25, -2.91, -2.51, -2.02, -0.78, -1.17, 1.62, -0.34, -0.56, -2.4, -0.24, -0.16, -0.01,
         -1.11, -0.17, -1.6, -0.86, 1.08, -1.44, 0.13, 0.37, 0.0, 0.01]  # fmt: skip
    y = [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0,
         1, 0, 0, 1, 0, 0]  # fmt: skip
    X = np.column_stack([a, b, c])
    for style, surrogates, cuts in (("surrogate", [1, 2], [0.025, 0.29]), ("surrogate_all", [2], [0.29])):
        tree = DecisionTreeClassifier(max_depth=1, missing=style).fit(X, y).tree_
        assert (tree.column[0], tree.threshold[0]) == (0, pytest.approx(0.085))
        assert tree.surrogate_column.tolist() == surrogates
        assert tree.surrogate_threshold == pytest.approx(cuts)
