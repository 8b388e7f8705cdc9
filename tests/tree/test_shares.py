"""Cases in parts (C4.5): worked by hand, every node against the definition, properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.tree.nodes import Ask
from margin.tree.predict import parts
from tests.tree.engine import bundled, columns, grow

C45 = {"nominal": "multiway", "missing": "fractional"}


def weather_with_a_gap():
    """The weather table with the outlook of its twelfth day unknown, as in Quinlan (1993), ch. 3."""
    X, y, names = bundled("weather_nominal", "play")
    X.codes[names.index("outlook")][11] = -1
    return X, y, names


def entropy(y, w, n_classes):
    sums = np.bincount(y, w, n_classes)
    shares = sums[sums > 0] / w.sum()
    return -(shares * np.log2(shares)).sum()


def branches_of(tree, node, cells):
    """The branch of each cell, -1 for missing ones."""
    ask, detail = tree.ask[node], tree.details(node)
    missing = np.isnan(cells)
    known = np.where(missing, 0, cells)
    taken = {
        Ask.THRESHOLD: known > tree.threshold[node],
        Ask.SUBSET: ~np.isin(known, detail),
        Ask.LEVEL: known,
        Ask.INTERVAL: (detail[None, :] < known[:, None]).sum(1) if len(detail) else known,
    }[Ask(ask)]
    return np.where(missing, -1, taken).astype(int)


def check_nodes(tree, cells, y, w, n_classes):
    """Every node holds the parts of the rows that the definition sends there, and its gain is the definition's."""
    todo = [(0, w.astype(float))]
    while todo:
        node, held = todo.pop()
        here = held > 0
        assert tree.cases[node] == here.sum()
        assert tree.weight[node] == pytest.approx(held.sum(), rel=1e-9)
        if not here.any():
            continue
        np.testing.assert_allclose(tree.value[node], np.bincount(y, held, n_classes), rtol=1e-8, atol=1e-8)
        if tree.ask[node] == Ask.NOTHING:
            continue
        assert tree.missing[node] == -1
        taken = branches_of(tree, node, cells[:, tree.column[node]])
        known = (taken >= 0) & here
        after = 0.0
        for branch, child in enumerate(tree.children(node)):
            chosen = known & (taken == branch)
            if chosen.any():
                after += held[chosen].sum() * entropy(y[chosen], held[chosen], n_classes)
            share = held[chosen].sum() / held[known].sum()
            todo.append((child, np.where(chosen, held, np.where(taken < 0, held * share, 0.0))))
        gain = (held[known].sum() * entropy(y[known], held[known], n_classes) - after) / held.sum()
        assert tree.gain[node] == pytest.approx(gain, abs=1e-9)


def test_a_day_of_unknown_outlook_worked_by_hand():
    X, y, names = weather_with_a_gap()
    tree = grow(X, y, max_depth=1, **C45)
    assert names[tree.column[0]] == "outlook"
    assert tree.gain[0] == pytest.approx(0.199, abs=5e-4)  # 13/14 (0.961 - 0.747)
    assert sorted(tree.weight[1:]) == pytest.approx([3 + 3 / 13, 5 + 5 / 13, 5 + 5 / 13])
    assert sorted(tree.cases[1:]) == [4, 6, 6]
    assert tree.missing[0] == -1


def test_known_cells_leave_weights_whole():
    X, y, _ = bundled("weather_nominal", "play")
    assert grow(X, y, **C45).weight.sum() % 1 == 0


def test_a_branch_that_no_known_case_reaches_gets_no_parts():
    tree = grow(columns(codes=[[0, 0, 2, 2, -1]], levels=[3]), [0, 0, 1, 1, 1], **C45)
    assert tree.cases.tolist() == [5, 3, 0, 3]
    assert tree.weight.tolist() == [5, 2.5, 0, 2.5]


def test_three_thirds_are_one_though_parts_are_rounded():
    # Two of six known cases have level 0, so a third of each unknown one goes there too: 2 of class 0, 3/3 of class 2.
    codes = [0, 0, 1, 1, 1, 1, -1, -1, -1]
    other = [1, 1, 0, 0, 1, 1, 0, 0, 0]
    y = [0, 0, 1, 1, 1, 1, 2, 2, 2]
    tree = grow(columns(codes=[codes, other]), y, min_leaf_weight=1.0, **C45)
    assert tree.column[0] == 0
    thirds, whole = tree.children(int(tree.children(0)[0]))
    assert tree.weight[whole] == 2
    assert tree.weight[thirds] < 1  # and still allowed
    assert tree.weight[thirds] == pytest.approx(1, abs=1e-12)


cell = st.one_of(st.none(), st.integers(0, 3))
rows = st.lists(st.tuples(cell, cell, cell, st.integers(0, 2), st.integers(1, 3)), min_size=4, max_size=40)


def as_arrays(rows):
    table = np.array([[np.nan if c is None else c for c in row] for row in rows], dtype=float)
    return table[:, :3], table[:, 3].astype(int), table[:, 4]


def mixed(cells):
    """The first column as numbers, the others as codes."""
    codes = [np.where(np.isnan(c), -1, c).astype(int) for c in cells.T[1:]]
    return columns(cells[:, :1] / 2, codes=codes, levels=[4, 4])


@settings(max_examples=100, deadline=None)
@given(rows, st.sampled_from(["multiway", "subset"]), st.booleans())
def test_every_node_agrees_with_the_definition(rows, nominal, weighted):
    cells, y, w = as_arrays(rows)
    w = w if weighted else np.ones_like(w)
    tree = grow(mixed(cells), y, weight=w, nominal=nominal, missing="fractional")
    check_nodes(tree, cells / [2, 1, 1], y, w, y.max() + 1)
    reached = parts(tree, mixed(cells))
    weight = np.bincount(reached.leaf, reached.part * w[reached.row], tree.n_nodes)
    np.testing.assert_allclose(weight[tree.is_leaf], tree.weight[tree.is_leaf], rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_order_of_rows_and_threads_change_nothing(rows, random):
    cells, y, w = as_arrays(rows)
    order = list(range(len(y)))
    random.shuffle(order)
    plain = grow(mixed(cells), y, weight=w, gain_ratio=True, **C45)
    other = grow(mixed(cells[order]), y[order], weight=w[order], gain_ratio=True, threads=3, **C45)
    assert all(np.array_equal(a, b) for a, b in zip(plain.arrays().values(), other.arrays().values()))
