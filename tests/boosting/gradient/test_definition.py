"""Gradient boosting against its definition: on few distinct values bins lose nothing, and the trees are the same."""

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from tests.boosting.gradient.slow_boosting import slow_boosting


def _table(seed=0, n=300, holes=0.1):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(n, 4)).astype(float)
    X[:, 2] += rng.normal(size=n).round(1)
    signal = np.sin(X[:, 0]) + 0.3 * X[:, 1] * (X[:, 2] > 5) - 0.2 * X[:, 3]
    X[rng.uniform(size=X.shape) < holes] = np.nan
    return X, signal, rng


def _settings(**more):
    return {
        "n_estimators": 6,
        "learning_rate": 0.3,
        "max_leaf_nodes": 8,
        "min_samples_leaf": 5,
        "min_child_weight": 0.0,
    } | more


def _same_scores(model, X, staged, slow):
    for mine, his in zip(staged, slow, strict=True):
        np.testing.assert_allclose(mine, his, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("growth", ["leaf", "depth"])
@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_regression_is_the_definition(growth, l2):
    X, signal, rng = _table()
    y = signal + rng.normal(size=len(signal))
    model = GradientBoostingRegressor(growth=growth, l2=l2, **_settings()).fit(X, y)
    slow = slow_boosting(
        X, y, "squared_error", y.mean(), 6, 0.3, leaves=8, l2=l2, min_cases=5, by_depth=growth == "depth"
    )
    _same_scores(model, X, model.staged_predict(X), slow)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_two_classes_are_the_definition(loss):
    X, signal, rng = _table(1)
    y = (signal + rng.logistic(size=len(signal)) > 0).astype(int)
    model = GradientBoostingClassifier(loss=loss, **_settings()).fit(X, y)
    odds = np.log(y.mean() / (1 - y.mean()))
    start = odds / 2 if loss == "exponential" else odds
    slow = slow_boosting(X, y, loss, start, 6, 0.3, leaves=8, min_cases=5)
    _same_scores(model, X, (raw[:, 0] for raw in model._staged(X, "test")), slow)


def test_counts_are_the_definition():
    X, signal, rng = _table(2)
    y = rng.poisson(np.exp(signal / 3)).astype(float)
    model = GradientBoostingRegressor(loss="poisson", **_settings()).fit(X, y)
    slow = slow_boosting(X, y, "poisson", np.log(y.mean()), 6, 0.3, leaves=8, min_cases=5)
    _same_scores(model, X, model.staged_predict(X), (np.exp(f) for f in slow))


def test_depth_is_limited_as_defined():
    X, signal, rng = _table(3, holes=0.0)
    y = signal + rng.normal(size=len(signal))
    model = GradientBoostingRegressor(max_depth=2, **_settings(max_leaf_nodes=None)).fit(X, y)
    slow = slow_boosting(X, y, "squared_error", y.mean(), 6, 0.3, leaves=99, min_cases=5, max_depth=2)
    _same_scores(model, X, model.staged_predict(X), slow)


def test_few_levels_are_tried_one_against_the_others():
    rng = np.random.default_rng(4)
    words = rng.choice(["a", "b", "c", "d"], size=200)
    other = rng.integers(0, 5, 200)
    y = np.where(np.isin(words, ["a", "c"]), 2.0, -1.0) + other + rng.normal(size=200)
    table = {"word": words.tolist(), "number": other.astype(float).tolist()}
    model = GradientBoostingRegressor(**_settings()).fit(table, y)
    X = np.column_stack([other.astype(float), np.searchsorted(["a", "b", "c", "d"], words).astype(float)])
    slow = slow_boosting(X, y, "squared_error", y.mean(), 6, 0.3, leaves=8, min_cases=5, nominal={1})
    _same_scores(model, table, model.staged_predict(table), slow)


def test_quantiles_at_leaves_are_those_of_the_residuals():
    X, signal, rng = _table(5)
    y = signal + rng.normal(size=len(signal))
    model = GradientBoostingRegressor(loss="quantile", alpha=0.7, **_settings(n_estimators=1, learning_rate=1.0)).fit(
        X, y
    )
    leaves, said = model.apply(X)[:, 0], model.predict(X)
    for leaf in np.unique(leaves):
        at = leaves == leaf
        assert said[at][0] == pytest.approx(np.sort(y[at])[int(np.ceil(0.7 * at.sum() - 1e-9)) - 1], rel=1e-12)


def test_several_classes_take_the_steps_of_the_softmax():
    X, signal, rng = _table(6)
    y = np.digitize(signal + rng.normal(size=len(signal)), [-0.5, 1.0])
    model = GradientBoostingClassifier(**_settings(n_estimators=1, learning_rate=1.0)).fit(X, y)
    raw, leaves = model._raw(model._encoded(X, "test")), model.apply(X)
    prior = np.bincount(y) / len(y)
    for k in range(3):
        for leaf in np.unique(leaves[:, k]):
            at = leaves[:, k] == leaf
            g = (prior[k] - (y[at] == k)).sum()
            h = 1.5 * at.sum() * prior[k] * (1 - prior[k])
            assert raw[at, k][0] == pytest.approx(np.log(prior[k]) - g / (h + 1.0), abs=1e-6)
