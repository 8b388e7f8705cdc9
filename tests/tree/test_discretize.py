"""Intervals: worked by hand, then the description length written out."""

import numpy as np
import pytest

from margin import ID3, DecisionTreeClassifier, Discretizer, Table
from margin.errors import InputError, LabelError
from margin.tree.nodes import Ask


def test_equal_width_divides_the_range():
    model = Discretizer(method="equal_width", max_intervals=4).fit(np.arange(9.0)[:, None])
    assert model.cuts_[0].tolist() == [2.0, 4.0, 6.0]
    assert model.transform([[2.0], [2.1], [-5.0], [99.0]]).ravel().tolist() == [0, 1, 0, 3]


def test_equal_count_divides_the_rows():
    X = np.array([1.0, 2, 3, 4, 10, 20, 30, 40])[:, None]
    model = Discretizer(max_intervals=4).fit(X)
    assert np.bincount(model.transform(X).ravel()).tolist() == [2, 2, 2, 2]
    weighted = Discretizer(max_intervals=2).fit([[1.0], [2.0], [3.0]], sample_weight=[4, 1, 1])
    assert weighted.cuts_[0].tolist() == [1.5]


def slow_mdl(x, y):
    """Fayyad and Irani (1993): the best cut, if it pays, and so on on both sides."""

    def bits(labels):
        p = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(p * np.log2(p)).sum()

    order = np.argsort(x)
    x, y = x[order], y[order]
    best = None
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            after = (i * bits(y[:i]) + (len(x) - i) * bits(y[i:])) / len(x)
            if best is None or after < best[0] - 1e-12:
                best = (after, i)
    if best is None:
        return []
    i, k = best[1], [len(np.unique(part)) for part in (y, y[: best[1]], y[best[1] :])]
    delta = np.log2(3.0 ** k[0] - 2) - (k[0] * bits(y) - k[1] * bits(y[:i]) - k[2] * bits(y[i:]))
    if bits(y) - best[0] <= (np.log2(len(x) - 1) + delta) / len(x):
        return []
    return [*slow_mdl(x[:i], y[:i]), (x[i - 1] + x[i]) / 2, *slow_mdl(x[i:], y[i:])]


@pytest.mark.parametrize("seed", range(5))
def test_mdl_cuts_where_a_cut_pays(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 200)
    X = np.column_stack([rng.normal(size=200) + 3 * y, rng.normal(size=200), rng.normal(size=200) + (y == 1)])
    model = Discretizer(method="mdl").fit(X, y)
    for j in range(3):
        assert np.allclose(model.cuts_[j], slow_mdl(X[:, j], y))
    assert len(model.cuts_[0]) >= 2


def test_mixed_tables_keep_their_columns():
    table = Table.from_columns({"sex": ["f", "m", None], "age": [20, None, 40]})
    model = Discretizer(max_intervals=2).fit(table)
    assert model.transform(table).tolist() == [[0, 0], [1, -1], [-1, 1]]
    assert model.get_feature_names_out().tolist() == ["sex", "age"]


def test_description_lengths_need_classes():
    with pytest.raises(LabelError, match="requires y"):
        Discretizer(method="mdl").fit([[1.0], [2.0]])


@pytest.mark.parametrize("numeric", ["equal_width", "equal_count", "mdl"])
def test_a_static_tree_cuts_where_the_discretizer_does(numeric):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = np.column_stack([rng.normal(size=200) + 2 * y, rng.normal(size=200) - (y == 2) * 2])
    cuts = Discretizer(method=numeric, max_intervals=5).fit(X, y).cuts_
    for model in (DecisionTreeClassifier(numeric=numeric, max_intervals=5), ID3(numeric=numeric, max_intervals=5)):
        tree = model.fit(X, y).tree_
        inner = np.flatnonzero(~tree.is_leaf)
        assert len(inner)
        for node in inner:
            assert tree.ask[node] == Ask.INTERVAL
            assert tree.details(node).tolist() == cuts[tree.column[node]].tolist()


def test_id3_refuses_numbers_if_told_to():
    with pytest.raises(InputError, match=r"column 'x0', 'x1' holds numbers"):
        ID3(numeric="refuse").fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
