"""One tree for several targets: by the definition, by hand, and what models make of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import DecisionTreeClassifier, DecisionTreeRegressor
from margin.errors import LabelError, ParameterError
from margin.explain import explain
from margin.persistence import load, save
from margin.plots import plot_tree
from margin.tree.grow import grow
from tests.tree.engine import columns
from tests.tree.exact import IMPURITY, divisions, rows_of, same

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def impurity(y, w, criterion):
    return np.mean([IMPURITY[criterion](column, w) for column in y.T])


def gain_of(low, y, w, criterion):
    after = sum(w[side].sum() * impurity(y[side], w[side], criterion) for side in (low, ~low))
    return impurity(y, w, criterion) - after / w.sum()


def grown(X, y, w, criterion, **more):
    sizes = () if criterion == "squared_error" else (y.max(axis=0) + 1).tolist()
    return grow(columns(X), y, w, criterion, more, n_classes=sizes)


cells = st.sampled_from([0.0, 1.0, 2.0, 3.5, np.nan])
rows = st.lists(
    st.tuples(cells, cells, st.integers(0, 2), st.integers(0, 1), st.integers(0, 3), st.sampled_from([1.0, 2.0, 0.75])),
    min_size=2,
    max_size=25,
)


@settings(max_examples=120, deadline=None)
@given(rows, st.sampled_from(["gini", "entropy", "squared_error"]), st.booleans())
def test_every_node_has_the_split_with_the_largest_mean_gain(rows, criterion, weighted):
    table = np.array(rows, dtype=float)
    X, y, w = table[:, :2], table[:, 2:5], table[:, 5] if weighted else np.ones(len(table))
    if criterion != "squared_error":
        y = y.astype(np.int32)
    tree = grown(X, y, w, criterion)
    at = rows_of(tree, X)
    for node in range(tree.n_nodes):
        its, weight = at[node], w[at[node]]
        assert tree.impurity[node] == pytest.approx(impurity(y[its], weight, criterion), abs=1e-9)
        gains = [gain_of(low, y[its], weight, criterion) for x in X[its].T for low in divisions(x)]
        if tree.is_leaf[node]:
            assert not gains or len(np.unique(y[its], axis=0)) == 1
        else:
            assert tree.gain[node] == pytest.approx(max(gains), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(["gini", "entropy", "squared_error"]), st.randoms(use_true_random=False))
def test_neither_threads_nor_the_order_of_rows_nor_repeats_change_a_bit(rows, criterion, chance):
    table = np.array(rows * 3, dtype=float)
    X, y = table[:, :2], table[:, 2:5]
    y = y if criterion == "squared_error" else y.astype(np.int32)
    tree = grown(X, y, np.ones(len(y)), criterion)
    order = np.array(chance.sample(range(len(y)), len(y)))
    same(grown(X[order], y[order], np.ones(len(y)), criterion), tree)
    once = grown(X[: len(rows)], y[: len(rows)], np.full(len(rows), 3.0), criterion)
    assert np.array_equal(once.threshold, tree.threshold)
    assert np.array_equal(once.value, tree.value)
    sizes = () if criterion == "squared_error" else (y.max(axis=0) + 1).tolist()
    same(grow(columns(X), y, np.ones(len(y)), criterion, {}, n_classes=sizes, n_threads=2), tree)


def test_one_output_twice_is_the_tree_of_one_output():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    one, two = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    assert np.array_equal(one.tree_.threshold, two.tree_.threshold)
    assert np.allclose(one.tree_.impurity, two.tree_.impurity)
    assert np.array_equal(two.predict(X), np.column_stack([one.predict(X)] * 2))
    z = rng.normal(size=300)
    one, two = DecisionTreeRegressor().fit(X, z), DecisionTreeRegressor().fit(X, np.column_stack([z, z, z]))
    assert np.array_equal(one.tree_.threshold, two.tree_.threshold)
    assert two.predict(X).shape == (300, 3)
    assert np.array_equal(two.predict(X)[:, 2], one.predict(X))


def small():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    X[rng.random((120, 3)) < 0.1] = np.nan
    first = np.where(np.nan_to_num(X[:, 0]) > 0, "right", "left")
    second = (np.nan_to_num(X[:, 1]) > 0.5).astype(int) + (np.nan_to_num(X[:, 2]) > 0)
    return X, [list(pair) for pair in zip(first.tolist(), second.tolist())]


WAYS = [
    {},
    {"criterion": "entropy", "max_leaf_nodes": 6},
    {"criterion": "gain_ratio", "missing": "fractional", "max_depth": 3},
    {"missing": "surrogate", "class_weight": "balanced"},
    {"prune": "cost_complexity", "n_folds": 3, "random_state": 0},
    {"prune": "reduced_error", "random_state": 0},
    {"numeric": "equal_count", "max_intervals": 4},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_classifier_answers_every_column_in_its_own_labels(way, tmp_path):
    X, y = small()
    model = DecisionTreeClassifier(**way).fit(X, y)
    assert model.outputs_2d_
    assert model.n_outputs_ == 2
    assert [labels.tolist() for labels in model.classes_] == [["left", "right"], [0, 1, 2]]
    answers, shares = model.predict(X), model.predict_proba(X)
    assert [part.shape for part in shares] == [(120, 2), (120, 3)]
    assert all(np.allclose(part.sum(axis=1), 1) for part in shares)
    for j, part in enumerate(shares):
        assert answers[:, j].tolist() == model.classes_[j].take(part.argmax(axis=1)).tolist()
    right = np.mean([a == b for row, truth in zip(answers.tolist(), y) for a, b in zip(row, truth)])
    assert right > 0.75
    save(model, tmp_path / "tree.margin")
    again = load(tmp_path / "tree.margin")
    assert np.array_equal(again.predict(X), answers)
    assert all(np.array_equal(a, b) for a, b in zip(again.predict_proba(X), shares))


def test_a_tree_of_several_outputs_can_be_read():
    X, y = small()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    row = X[:1]
    said = ", ".join(map(str, model.predict(row)[0]))
    assert str(model.path(row)).splitlines()[-1] == f"answer: {said}"
    assert said in str(explain(model, row))
    assert len(model.text().splitlines()) == model.tree_.n_nodes - 1
    assert len(model.rules()) == model.get_n_leaves()
    assert said in str(model.rules())
    assert "digraph" in model.to_dot()
    plot_tree(model)
    assert model.gains(X, y)[0].column == model._described("x").column_of(0).name
    assert model.gains(X, y)[0].gain == pytest.approx(model.tree_.gain[0])


def test_a_regressor_of_several_outputs_can_be_read_pruned_and_kept(tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    y = np.column_stack([X[:, 0] > 0, X[:, 1] * 2]) + rng.normal(size=(200, 2)) * 0.1
    full = DecisionTreeRegressor().fit(X, y)
    assert np.array_equal(full.predict(X), y)
    for way in ({"prune": "cost_complexity", "random_state": 0}, {"prune": "reduced_error", "random_state": 0}):
        model = DecisionTreeRegressor(**way).fit(X, y)
        assert model.get_n_leaves() < full.get_n_leaves()
        assert model.score(X, y) > 0.8
    assert str(model.path(X[:1])).startswith("200 cases: answers ")
    assert "answers" in explain(model, X[:1]).how
    plot_tree(model)
    save(model, tmp_path / "tree.margin")
    assert np.array_equal(load(tmp_path / "tree.margin").predict(X), model.predict(X))
    kept = model.prune_on(X, y)
    assert kept.get_n_leaves() <= model.get_n_leaves()
    with pytest.raises(LabelError, match="2 columns"):
        model.prune_on(X, y[:, 0])


def test_pruning_on_other_rows_counts_unknown_labels_as_errors():
    X, y = small()
    model = DecisionTreeClassifier().fit(X, y)
    other = [["up", second] for _, second in y]
    assert model.prune_on(X, other).get_n_leaves() <= model.get_n_leaves()
    with pytest.raises(LabelError, match="2 columns"):
        model.prune_on(X, [first for first, _ in y])


@pytest.mark.parametrize(
    "way",
    [
        {"criterion": "error"}, {"max_p": 0.05}, {"max_bins": 255}, {"costs": [[0, 1], [1, 0]]}, {"numeric": "mdl"},
        {"prune": "pessimistic"}, {"monotonic_cst": [1, 0, 0]}, {"class_weight": {"left": 2}}, {"charge_levels": True},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_about_one_target_is_refused(way):
    X, y = small()
    with pytest.raises(ParameterError, match=next(iter(way))):
        DecisionTreeClassifier(**way).fit(X, y)


@pytest.mark.parametrize("way", [{"criterion": "absolute_error"}, {"missing": "fractional"}], ids=str)
def test_numbers_refuse_what_needs_one_target(way):
    with pytest.raises(ParameterError, match=next(iter(way))):
        DecisionTreeRegressor(**way).fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])


def test_degenerate_tables():
    assert DecisionTreeClassifier().fit([[1.0], [1.0]], [[0, 1], [1, 1]]).tree_.n_nodes == 1
    one = DecisionTreeClassifier().fit([[1.0], [2.0]], [[0, 1], [0, 1]])
    assert one.tree_.n_nodes == 1
    assert [part.tolist() for part in one.predict_proba([[9.0]])] == [[[1.0]], [[1.0]]]
    assert one.predict(np.empty((0, 1))).shape == (0, 2)
    same_numbers = DecisionTreeRegressor().fit([[1.0], [2.0], [3.0]], [[5.0, 1e80]] * 3)
    assert same_numbers.tree_.n_nodes == 1
    assert same_numbers.predict([[0.0]]).tolist() == [[5.0, 1e80]]
    wide = np.random.default_rng(0).normal(size=(6, 40))
    y = np.eye(6, dtype=int)
    assert np.array_equal(DecisionTreeClassifier().fit(wide, y).predict(wide), y)


def test_levels_are_divided_by_all_outputs_together():
    levels = np.array([0, 1, 2, 3] * 5)
    y = np.column_stack([levels % 2, levels // 2]).astype(np.int32)
    tree = grow(columns(codes=[levels]), y, np.ones(20), "gini", {}, n_classes=(2, 2))
    assert tree.n_leaves == 4
    assert tree.depth == 2
    tree = grow(columns(codes=[levels]), y, np.ones(20), "gini", {"nominal": "multiway"}, n_classes=(2, 2))
    assert tree.n_leaves == 4
    assert tree.gain[0] == pytest.approx(0.5)
