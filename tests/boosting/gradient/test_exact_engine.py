"""Boosting as the textbooks have it: residuals, shrinkage, d splits; worked by hand and by single trees."""

import numpy as np
import pytest

from margin import DecisionTreeRegressor, GradientBoostingRegressor

EXACT = {"engine": "exact", "min_samples_leaf": 1}


@pytest.mark.golden("G7")
def test_two_rounds_of_stumps_are_those_worked_by_hand():
    # f = 0, r = y = (1, 1, 2, 2, 5, 5): the best stump parts off the last two, means 1.5 and 5; with rate 1/2 it adds
    # 0.75 and 2.5. r = (.25, .25, 1.25, 1.25, 2.5, 2.5): the same stump, means .75 and 2.5, adds .375 and 1.25.
    X, y = np.arange(6.0)[:, None], np.array([1.0, 1.0, 2.0, 2.0, 5.0, 5.0])
    model = GradientBoostingRegressor(n_estimators=2, learning_rate=0.5, max_leaf_nodes=2, **EXACT).fit(X, y)
    np.testing.assert_allclose(model.predict(X), [1.125] * 4 + [3.75] * 2)
    np.testing.assert_allclose(model.train_loss_, [2.625, 0.78125])
    assert model.rounds(1) == "round 1: x0 <= 3.5 ? +0.75 : +2.5; mean squared error 2.625"


@pytest.mark.parametrize("splits", [1, 3])
def test_every_round_is_a_tree_for_the_residuals(splits):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) ** 2 + rng.normal(size=200)
    model = GradientBoostingRegressor(n_estimators=10, max_leaf_nodes=splits + 1, **EXACT).fit(X, y)
    residual = y.copy()
    for stage in model.staged_predict(X):
        residual = residual - 0.1 * DecisionTreeRegressor(max_leaf_nodes=splits + 1).fit(X, residual).predict(X)
        np.testing.assert_allclose(y - stage, residual, rtol=1e-9, atol=1e-9)


def test_words_are_asked_for_by_name():
    table = {"colour": ["red", "blue", "green"] * 10, "x": np.arange(30.0).tolist()}
    y = np.array([3.0, 0.0, 3.0] * 10)
    model = GradientBoostingRegressor(n_estimators=1, max_leaf_nodes=2, **EXACT).fit(table, y)
    assert model.rounds() == "round 1: colour in {blue} ? +0 : +0.3; mean squared error 4.86"
    np.testing.assert_allclose(model.predict(table), 0.1 * y)
