"""margin.tree.nodes: what follows from the arrays of a tree."""

import copy
import io
import pickle
from dataclasses import fields

import numpy as np
import pytest
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import ID3, DecisionTreeClassifier, Table
from margin.data import catalog
from margin.persistence import load, save
from margin.tree.node_checks import ROWS, TYPES
from margin.tree.nodes import Tree
from tests.tree.random_trees import Builder, random_tree


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_parents_depths_and_ends_agree_with_the_definition(seed):
    tree = random_tree(np.random.default_rng(seed), 2, (3, 5), depth=5)
    seen = {}

    def visit(node, above, depth):
        end = node + 1
        for child in tree.children(node).tolist():
            end = visit(child, node, depth + 1)
        seen[node] = (above, depth, end)
        return end

    visit(0, -1, 0)
    expected = np.array([seen[node] for node in range(tree.n_nodes)])
    assert np.array_equal(np.column_stack([tree.parent, tree.depths, tree.end]), expected)


def test_a_leaf_alone_has_depth_0():
    builder = Builder(2)
    builder.add([1, 1], 2)
    tree = builder.tree()
    assert (tree.depth, tree.n_leaves, tree.end.tolist(), tree.max_depth) == (0, 1, [1], 0)
    assert tree.importances(3).tolist() == [0, 0, 0]


def test_has_the_names_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=200) > 0.5).astype(int)
    ours = DecisionTreeClassifier(min_samples_leaf=20).fit(X, y)  # small nodes have splits that tie
    theirs = sklearn.tree.DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(X, y)
    for name in ("children_left", "children_right", "feature", "n_node_samples", "node_count", "max_depth", "n_leaves"):
        assert np.array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name)), name
    assert ours.tree_.weighted_n_node_samples == pytest.approx(theirs.tree_.weighted_n_node_samples)
    assert ours.tree_.importances(5) == pytest.approx(theirs.feature_importances_)
    assert ours.tree_.importances(5, normalize=False) == pytest.approx(
        theirs.tree_.compute_feature_importances(normalize=False)
    )


def test_a_tree_of_many_branches_has_no_left_and_right():
    X, y = catalog.load("weather_nominal").target("play")
    with pytest.raises(AttributeError, match="more than two branches"):
        _ = ID3().fit(X, y).tree_.children_left


def test_what_was_derived_is_not_saved(tmp_path):
    X, y = catalog.load("weather_nominal").target("play")
    model = ID3().fit(X, y)
    before = pickle.dumps(model.tree_)
    expected = model.predict_proba(X)
    assert model.tree_.depth == 2
    assert pickle.dumps(model.tree_) == before
    save(model, tmp_path / "tree.margin")
    for again in (load(tmp_path / "tree.margin"), pickle.load(io.BytesIO(pickle.dumps(model))), copy.deepcopy(model)):
        assert np.array_equal(again.predict_proba(X), expected)
        assert again.text() == model.text()


def test_columns_are_found_by_name_after_the_tree_has_put_numbers_first():
    rng = np.random.default_rng(1)
    word, number = rng.choice(["a", "b"], 60), rng.normal(size=60)
    y = np.where((word == "a") & (number > 0), "yes", "no")
    model = DecisionTreeClassifier().fit(Table.from_columns({"word": word, "number": number}), y)
    assert {condition.column.name for rule in model.rules() for condition in rule.conditions} == {"word", "number"}
    swapped = Table.from_columns({"number": number, "word": word})
    assert np.array_equal(model.predict(swapped), y)
    assert model.feature_importances_.shape == (2,)


def test_a_tree_has_the_arrays_that_the_core_lists_in_its_order():
    assert [field.name for field in fields(Tree)] == list(TYPES) == list(ROWS)
