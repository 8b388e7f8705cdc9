"""Trees of several outputs against scikit-learn's, node by node, on tables with several labels.

Of equally good splits scikit-learn keeps the first that its random order of columns meets; where two nodes differ, both
splits must be equally good to the last digits, and what lies below is not compared.
"""

import numpy as np
import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_diabetes

from margin import DecisionTreeClassifier, DecisionTreeRegressor, read
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

#: How many labels each table has, behind the other columns.
LABELS = {"emotions": 6, "yeast": 14, "flags": 7}


def table(name, part):
    """Numbers (rounded as scikit-learn does) and labels."""
    ending = "arff" if name == "flags" else "arff.gz"
    found = read(shared_data(f"multilabel/{name}-{part}.{ending}"))
    inputs, labels = found.names[: -LABELS[name]], found.names[-LABELS[name] :]
    X = np.column_stack([np.asarray(found.cells(column), dtype=float) for column in inputs])
    y = np.column_stack([np.asarray(found.cells(column), dtype=float) for column in labels])
    return X.astype(np.float32).astype(np.float64), y.astype(np.int64)


def gain(tree, node, left, right):
    weight, impurity = tree.weighted_n_node_samples, tree.impurity
    after = (weight[left] * impurity[left] + weight[right] * impurity[right]) / weight[node]
    return impurity[node] - after


def assert_same_but_for_ties(ours, theirs, at_least):
    stack, compared = [(0, 0)], 0
    left, right = ours.children_left, ours.children_right
    while stack:
        a, b = stack.pop()
        assert ours.impurity[a] == pytest.approx(theirs.impurity[b], rel=1e-7, abs=1e-7)
        assert ours.cases[a] == theirs.n_node_samples[b]
        is_leaf = theirs.children_left[b] < 0
        assert ours.is_leaf[a] == is_leaf
        compared += 1
        if is_leaf:
            continue
        mine = gain(ours, a, left[a], right[a])
        other = gain(theirs, b, theirs.children_left[b], theirs.children_right[b])
        assert mine == pytest.approx(other, rel=1e-7, abs=1e-7)
        if ours.column[a] == theirs.feature[b] and np.isclose(ours.threshold[a], theirs.threshold[b], rtol=1e-6):
            stack += [(left[a], theirs.children_left[b]), (right[a], theirs.children_right[b])]
    assert compared >= at_least


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", LABELS)
def test_trees_of_many_labels_are_those_of_scikit_learn(name, criterion):
    X, y = table(name, "train")
    ours = DecisionTreeClassifier(criterion=criterion, max_depth=6, min_samples_leaf=4).fit(X, y)
    theirs = sklearn_tree.DecisionTreeClassifier(
        criterion=criterion, max_depth=6, min_samples_leaf=4, random_state=0
    ).fit(X, y)
    assert_same_but_for_ties(ours.tree_, theirs.tree_, 15)
    others, _ = table(name, "test")
    mine, other = ours.predict_proba(others), theirs.predict_proba(others)
    assert [part.shape for part in mine] == [part.shape for part in other]
    assert ours.predict(others).shape == theirs.predict(others).shape
    if name != "flags":  # few rows and many equal numbers: ties
        assert np.mean([np.allclose(a, b) for part, rest in zip(mine, other) for a, b in zip(part, rest)]) > 0.95


@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_the_labels_as_numbers_are_those_of_scikit_learn(name):
    X, y = table(name, "train")
    y = y + np.arange(y.shape[1]) * 0.25
    ours = DecisionTreeRegressor(max_depth=6, min_samples_leaf=4).fit(X, y)
    theirs = sklearn_tree.DecisionTreeRegressor(max_depth=6, min_samples_leaf=4, random_state=0).fit(X, y)
    assert_same_but_for_ties(ours.tree_, theirs.tree_, 15)
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.02)


def test_numbers_of_different_units_are_those_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    y = np.column_stack([y, 1000 * X[:, 9], X[:, 0]])
    X = X[:, 1:9]
    ours = DecisionTreeRegressor(max_depth=5).fit(X, y)
    theirs = sklearn_tree.DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y)
    assert_same_but_for_ties(ours.tree_, theirs.tree_, 30)


def test_weights_and_balanced_classes_are_those_of_scikit_learn():
    X, y = table("emotions", "train")
    # scikit-learn balances classes by numbers of rows, margin by their weights.
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    for class_weight, rows in (("balanced", None), (None, weight)):
        ours = DecisionTreeClassifier(max_depth=4, class_weight=class_weight).fit(X, y, rows)
        theirs = sklearn_tree.DecisionTreeClassifier(max_depth=4, class_weight=class_weight, random_state=0)
        assert_same_but_for_ties(ours.tree_, theirs.fit(X, y, rows).tree_, 15)


def test_the_path_of_cost_complexity_is_that_of_scikit_learn():
    X, y = table("emotions", "train")
    ours = DecisionTreeClassifier(max_depth=4).cost_complexity_pruning_path(X, y)
    theirs = sklearn_tree.DecisionTreeClassifier(max_depth=4, random_state=0).cost_complexity_pruning_path(X, y)
    assert np.allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-9)
