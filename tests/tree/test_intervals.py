"""Several intervals of a column of numbers: worked by hand, the definition, properties."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from margin.tree.nodes import Ask
from tests.tree.engine import columns, grow, leaf_of

numbers = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=40)


def entropy(y, w):
    shares = np.bincount(y, w) / w.sum()
    shares = shares[shares > 0]
    return -(shares * np.log2(shares)).sum()


def mdl(x, y, w):
    """The cuts of Fayyad and Irani (1993), by their definition."""
    values = np.unique(x)
    options = []
    for low, high in pairwise(values):
        below = x <= low
        parts = [(y[side], w[side]) for side in (below, ~below)]
        options.append((sum(v.sum() * entropy(u, v) for u, v in parts), (low + high) / 2, parts))
    if not options:
        return []
    loss, cut, parts = min(options, key=lambda option: (round(option[0], 9), option[1]))
    n, k = w.sum(), len(set(y))
    spare = k * entropy(y, w) - sum(len(set(u)) * entropy(u, v) for u, v in parts)
    if not n * entropy(y, w) - loss > math.log2(n - 1) + math.log2(3**k - 2) - spare:
        return []
    below = x <= cut
    return sorted([cut, *mdl(x[below], y[below], w[below]), *mdl(x[~below], y[~below], w[~below])])


def test_intervals_between_fixed_cuts_worked_by_hand():
    x, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 1, 0, 0]
    tree = grow(columns(x), y, numeric="fixed", cuts=[[0.0, 2.0, 4.5, 9.0]])
    assert tree.ask.tolist() == [Ask.INTERVAL, 0, 0, 0]
    assert tree.details(0).tolist() == [2.0, 4.5]  # nothing lies below 0 or above 9
    assert tree.value[1:].tolist() == [[2, 0], [0, 2], [2, 0]]  # a number at a cut belongs below it
    assert tree.gain[0] == pytest.approx(entropy(np.array(y), np.ones(6)))


def test_fixed_cuts_keep_branches_that_this_node_leaves_empty():
    x = [[1.0, 0.0], [9.0, 0.0], [1.0, 1.0], [5.0, 1.0], [9.0, 1.0], [9.0, 1.0]]
    tree = grow(columns(x), [0, 1, 2, 2, 2, 2], numeric="fixed", cuts=[[3.0, 7.0], [0.5]], criterion="gini")
    assert tree.column[0] == 1
    first = int(tree.children(0)[0])
    assert tree.cases[tree.children(first)].tolist() == [1, 0, 1]


def test_a_column_without_cuts_proposes_nothing():
    assert grow(columns([[1.0], [2.0]]), [0, 1], numeric="fixed", cuts=[[]]).n_nodes == 1


def test_equal_widths_worked_by_hand():
    x = np.array([0.0, 1.0, 2.4, 2.6, 9.0, 10.0])[:, None]
    tree = grow(columns(x), [0, 1, 0, 1, 0, 1], numeric="equal_width", max_intervals=4, max_depth=1)
    # Cuts at 2.5, 5 and 7.5; nothing lies between 5 and 7.5, which joins the interval below.
    assert tree.details(0).tolist() == [2.5, 7.5]
    assert tree.cases.tolist() == [6, 3, 1, 2]


def test_equal_widths_of_the_largest_numbers_there_are():
    x = np.array([-1.7e308, 0.0, 1.7e308, 1.6e308])[:, None]
    tree = grow(columns(x), [0, 1, 0, 1], numeric="equal_width", max_intervals=2, max_depth=1)
    assert tree.details(0).tolist() == [0.0]


def test_equal_counts_worked_by_hand():
    x = np.array([1.0, 2, 2, 2, 3, 4, 5, 6])[:, None]
    tree = grow(columns(x), [0, 1] * 4, numeric="equal_count", max_intervals=4, max_depth=1)
    # The second of eight cases is one of three twos, which stay together: 4, then 2, then 2.
    assert tree.details(0).tolist() == [2.5, 4.5]
    assert tree.cases.tolist() == [8, 4, 2, 2]


def test_two_clear_cuts_pay_for_themselves_and_noise_does_not():
    x = np.arange(60.0)
    y = np.repeat([0, 1, 0], 20)
    tree = grow(columns(x[:, None]), y, numeric="mdl")
    assert tree.details(0).tolist() == [19.5, 39.5]
    assert grow(columns(x[:, None]), np.arange(60) % 2, numeric="mdl").n_nodes == 1


@settings(max_examples=150, deadline=None)
@given(numbers)
@example([(0, 0, 3), (0, 0, 3), (1, 1, 3), (2, 0, 2), (2, 2, 1), (2, 2, 3)])  # two cuts are equally good
def test_mdl_agrees_with_the_definition(rows):
    x, y, w = (np.array(part) for part in zip(*rows))
    y[0] = 0
    tree = grow(columns(x[:, None]), y, weight=w, numeric="mdl", max_depth=1)
    assert tree.details(0).tolist() == mdl(x.astype(float), y, w.astype(float))


@settings(max_examples=100, deadline=None)
@given(numbers, st.sampled_from(["equal_width", "equal_count", "mdl", "fixed"]), st.integers(2, 5))
def test_every_row_reaches_the_leaf_it_was_counted_in(rows, numeric, n):
    x, y, w = (np.array(part) for part in zip(*rows))
    given_settings = {"numeric": numeric, "max_intervals": n, "cuts": [[2.5, 6.0, 6.5, 20.0]]}
    tree = grow(columns(x[:, None]), y, weight=w, **given_settings)
    leaves = np.array([leaf_of(tree, numbers=[cell]) for cell in x])
    counted = np.zeros_like(tree.weight)
    np.add.at(counted, leaves, w)
    assert np.array_equal(counted[tree.is_leaf], tree.weight[tree.is_leaf])
    shuffled = np.random.default_rng(0).permutation(len(y))
    again = grow(columns(x[shuffled][:, None]), y[shuffled], weight=w[shuffled], threads=2, **given_settings)
    assert all(np.array_equal(a, b) for a, b in zip(tree.arrays().values(), again.arrays().values()))


def test_missing_cells_go_where_they_disturb_least():
    x = np.array([1.0, 1, 5, 5, 9, 9, np.nan, np.nan])[:, None]
    y = [0, 0, 1, 1, 0, 1, 1, 1]
    tree = grow(columns(x), y, numeric="fixed", cuts=[[3.0, 7.0]], max_depth=1)
    assert tree.missing[0] == 1
    assert tree.value[1:].tolist() == [[2, 0], [0, 4], [1, 1]]
