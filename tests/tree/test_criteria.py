"""The criteria that the core lists: each of them against its definition, and what models and messages make of them."""

import numpy as np
import pytest

from margin import DecisionTreeClassifier, DecisionTreeRegressor
from margin.errors import ParameterError
from margin.tree.criteria import class_impurities, criteria
from margin.tree.grow import why_not_binned
from tests.tree.exact import IMPURITY, best_gain, goes_low, rows_of

CLASSES = [name for name, criterion in criteria().items() if criterion.target == "classes"]
VALUES = [name for name, criterion in criteria().items() if criterion.target == "values"]


def test_every_criterion_has_a_definition_in_the_tests():
    assert set(IMPURITY) == set(criteria())


def rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, (60, 3)).astype(float)
    return X, random.integers(0, 3, 60) + (X[:, 0] > 3), random.integers(1, 4, 60).astype(float)


@pytest.mark.parametrize("max_bins", [None, 255])
@pytest.mark.parametrize("name", criteria())
def test_nodes_have_the_impurity_and_splits_the_largest_gain_of_the_definition(name, max_bins):
    if max_bins and why_not_binned(name, {}, has_nominal=False):
        pytest.skip("not on bins")
    model = DecisionTreeClassifier if name in CLASSES else DecisionTreeRegressor
    X, y, weight = rows(len(name))
    tree = model(criterion=name, max_bins=max_bins, max_depth=4).fit(X, y, sample_weight=weight).tree_
    assert tree.n_nodes > 5
    for node, members in enumerate(rows_of(tree, X)):
        part, labels, w = X[members], y[members].astype(float), weight[members]
        assert tree.impurity[node] == pytest.approx(IMPURITY[name](labels, w), abs=1e-9)
        if not tree.is_leaf[node]:
            assert 0 < goes_low(tree, node, part).sum() < len(part)
            assert tree.gain[node] == pytest.approx(best_gain(part, labels, w, name), abs=1e-9)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("prune", ["reduced_error", "pessimistic"])
def test_pruned_trees_are_counted_by_the_same_definition(name, prune):
    X, y, _ = rows(1)
    tree = DecisionTreeClassifier(criterion=name, prune=prune, random_state=0).fit(X, y).tree_
    for node in range(tree.n_nodes):
        expected = IMPURITY[name](np.arange(tree.value.shape[1]), tree.value[node])
        assert tree.impurity[node] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", CLASSES)
def test_impurities_of_shares_are_those_of_the_definition(name):
    shares = np.random.default_rng(0).dirichlet(np.ones(5), 20)
    expected = [IMPURITY[name](np.arange(5), row) for row in shares]
    np.testing.assert_allclose(class_impurities(name, shares), expected, atol=1e-12)


def test_a_name_that_is_no_criterion_is_answered_with_all_names():
    with pytest.raises(ParameterError) as raised:
        DecisionTreeClassifier(criterion="ginni").fit([[0.0], [1.0]], [0, 1])
    assert str(raised.value) == (
        "DecisionTreeClassifier(criterion='ginni'): criterion must be one of 'gini', 'entropy', 'log_loss', "
        "'gain_ratio', 'error' (did you mean 'gini'?)."
    )
    with pytest.raises(ParameterError, match="must be one of 'squared_error', 'absolute_error'"):
        DecisionTreeRegressor(criterion="gini").fit([[0.0], [1.0]], [0, 1])
