"""Targets whose squares, or the squares of these, are beyond what doubles hold."""

import numpy as np
import pytest

from margin import DecisionTreeRegressor


@pytest.mark.parametrize("unit", [1e80, 1e140, 1e-80, 1e-200])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error"])
def test_a_pruned_tree_does_not_depend_on_the_unit_of_its_target(unit, criterion, prune):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + rng.normal(size=150) * 0.2
    unit = 2.0 ** np.round(np.log2(unit))  # a power of two, so that nothing is rounded
    models = [
        DecisionTreeRegressor(criterion=criterion, prune=prune, random_state=0).fit(X, y * scale) for scale in (1, unit)
    ]
    assert models[0].get_n_leaves() == models[1].get_n_leaves() > 1
    assert np.array_equal(models[0].predict(X) * unit, models[1].predict(X))
    if prune == "cost_complexity" and criterion == "absolute_error":
        assert models[1].pruning_path_.losses == pytest.approx(models[0].pruning_path_.losses * unit)
        assert models[1].pruning_path_.alpha == pytest.approx(models[0].pruning_path_.alpha * unit)


def test_limits_are_in_the_unit_of_the_target():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    small = DecisionTreeRegressor(min_impurity_decrease=0.05, ccp_alpha=0.02).fit(X, y)
    large = DecisionTreeRegressor(min_impurity_decrease=0.05 * 2.0**400, ccp_alpha=0.02 * 2.0**400)
    assert large.fit(X, y * 2.0**200).get_n_leaves() == small.get_n_leaves() < 100
