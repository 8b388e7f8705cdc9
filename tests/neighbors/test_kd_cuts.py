"""Cuts of kd-trees: every row stands on its side of every cut, in the index and in the textbook's trees."""

from __future__ import annotations

import numpy as np
import pytest

from margin import kd_cuts, plot_kd_tree, voronoi_edges
from margin.errors import InputError, LabelError, ParameterError
from margin.neighbors.indexes.kd_tree import KDTree

RULES = ("index", "widest", "cycling")


def rows(kind: str, n: int = 700) -> np.ndarray:
    X = np.random.default_rng(0).normal(size=(n, 2)) * [1.0, 3.0]
    return np.round(X) if kind == "equal" else X


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["different", "equal"])
def test_a_box_holds_as_many_rows_as_its_cut_says(rule, kind):
    X = rows(kind)
    found = kd_cuts(X, rule=rule)
    assert sum(found.leaves) == len(X)
    assert len(found.leaves) == len(found.cuts) + 1
    for cut in found.cuts:
        low, high = cut.low, cut.high
        inside = ((low <= X) & (high >= X)).all(axis=1)
        strictly = ((low < X) & (high > X)).all(axis=1)
        assert strictly.sum() <= cut.n_rows <= inside.sum()  # equal rows may stand on either side of a border
        assert cut.low[cut.column] <= cut.value <= cut.high[cut.column]


def test_leaves_of_the_index_are_its_own():
    X = rows("different", 5000)
    tree = KDTree.build(X, "euclidean", 2.0, 16, 1)
    found = kd_cuts(X)
    assert max(found.leaves) <= 16
    assert sorted(found.leaves) == sorted(np.count_nonzero(tree.place >= 0, axis=1).tolist())
    assert [cut.level for cut in found.cuts] == sorted(cut.level for cut in found.cuts)


def test_cycling_takes_one_column_after_the_other_and_widest_the_longest_side():
    X = rows("different", 64)
    assert all(cut.column == cut.level % 2 for cut in kd_cuts(X, rule="cycling", leaf_size=4).cuts)
    first = kd_cuts(X, rule="widest", leaf_size=4)
    assert first.cuts[0].column == np.ptp(X, axis=0).argmax()
    assert first.depth == 4
    assert set(first.leaves) == {4}


def test_four_rows_by_hand():
    found = kd_cuts([[0.0, 0.0], [1.0, 5.0], [4.0, 1.0], [9.0, 2.0]], rule="cycling", leaf_size=1)
    assert [(cut.column, cut.value, cut.n_rows) for cut in found.cuts] == [(0, 2.5, 4), (1, 2.5, 2), (1, 1.5, 2)]
    assert found.leaves == (1, 1, 1, 1)


def test_equal_rows_and_a_single_row_are_not_cut():
    assert kd_cuts(np.ones((5, 2)), rule="widest", leaf_size=1).leaves == (5,)
    for rule in RULES:
        assert kd_cuts([[1.0, 2.0]], rule=rule).cuts == ()


def test_the_picture_has_as_many_lines_as_cuts_and_says_how_deep_it_goes():
    found = kd_cuts(rows("different"), rule="cycling", leaf_size=100)
    ax = plot_kd_tree(found, levels=2)
    assert sum(len(lines.get_segments()) for lines in ax.collections[1:]) == 3
    assert ax.get_title(loc="left") == "cycling: 2 of 3 levels, 3 cuts"
    assert plot_kd_tree(found).get_title(loc="left") == "cycling: 3 levels, 7 cuts"


def test_what_cannot_be_cut_or_drawn_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'cycling'"):
        kd_cuts(rows("equal"), rule="cicling")
    with pytest.raises(ParameterError, match="leaf_size"):
        kd_cuts(rows("equal"), leaf_size=0)
    with pytest.raises(InputError, match="finite numbers"):
        kd_cuts([[np.nan, 1.0]])
    with pytest.raises(InputError, match="two columns, not 3"):
        plot_kd_tree(kd_cuts(np.eye(3)))
    with pytest.raises(ParameterError, match="levels"):
        plot_kd_tree(kd_cuts(rows("equal")), levels=-1)


def test_cells_of_all_rows_have_borders_half_way_between_neighbours():
    X = np.random.default_rng(3).random((40, 2))
    edges = voronoi_edges(X, between="rows")
    middle = edges.mean(axis=1)
    near = np.sort(np.linalg.norm(middle[:, None] - X, axis=2), axis=1)
    np.testing.assert_allclose(near[:, 0], near[:, 1], rtol=1e-9)
    assert len(voronoi_edges(X, np.arange(40))) == len(edges)  # every row a class of its own
    assert len(voronoi_edges(np.vstack([X, X]), between="rows")) == len(edges)
    with pytest.raises(LabelError, match="between='rows'"):
        voronoi_edges(X)
    with pytest.raises(ParameterError, match="between"):
        voronoi_edges(X, between="cells")
