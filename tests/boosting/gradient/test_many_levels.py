"""Nominal columns of more levels than bins: what levels say is found, and levels of few rows tell nothing."""

import warnings

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor

SETTINGS = {"n_estimators": 40, "learning_rate": 0.2, "early_stopping": False, "random_state": 0}


def _fitted(model, table, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # very many levels
        return model.fit(table, y)


def test_six_hundred_levels_are_told_apart_by_what_their_rows_say():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 600, 14_000)
    y = rng.normal(size=600)[level] + rng.normal(size=14_000) * 0.3
    table = {"place": np.array([f"p{k}" for k in level]), "x": rng.normal(size=14_000)}
    known, new = slice(0, 12_000), slice(12_000, None)
    model = GradientBoostingRegressor(**SETTINGS)
    _fitted(model, {name: cells[known] for name, cells in table.items()}, y[known])
    assert model.score({name: cells[new] for name, cells in table.items()}, y[new]) > 0.85
    again = _fitted(GradientBoostingRegressor(**SETTINGS, n_jobs=1), {n: c[known] for n, c in table.items()}, y[known])
    np.testing.assert_array_equal(again.trees_.nodes, model.trees_.nodes)
    np.testing.assert_array_equal(again.trees_.words, model.trees_.words)
    assert np.isfinite(model.predict({"place": ["never seen"], "x": [0.0]})).all()


@pytest.mark.parametrize("rows_of_each", [2, 5])
def test_levels_of_few_rows_do_not_tell_their_targets(rows_of_each):
    rng = np.random.default_rng(1)
    n = 3_000
    level = rng.permutation(np.repeat(np.arange(n // rows_of_each), rows_of_each))
    x = rng.normal(size=n)
    y = (x + rng.logistic(size=n) > 0).astype(int)
    table = {"who": np.array([f"w{k}" for k in level]), "x": x}
    with_names = _fitted(GradientBoostingClassifier(**SETTINGS), table, y)
    without = GradientBoostingClassifier(**SETTINGS).fit({"x": x}, y)
    fresh = rng.normal(size=2_000)
    truth = 1 / (1 + np.exp(-fresh))

    def loss(model, rows):
        p = model.predict_proba(rows)[:, 1]
        return float(-(truth * np.log(p) + (1 - truth) * np.log(1 - p)).mean())

    # Were a row's own target in what its level says, the column would be split first and new rows answered by nothing.
    known = {"who": table["who"][:2_000], "x": fresh}
    assert loss(with_names, known) < loss(without, {"x": fresh}) + 0.02


def test_tens_of_thousands_of_levels_take_a_byte_a_row_and_say_next_to_nothing():
    rng = np.random.default_rng(2)
    n = 60_000
    table = {"who": np.array([f"w{k}" for k in rng.permutation(np.arange(n) // 2)]), "x": rng.normal(size=n)}
    y = table["x"] + rng.normal(size=n)
    model = _fitted(GradientBoostingRegressor(**{**SETTINGS, "n_estimators": 3}), table, y)
    worth = model.importances()
    assert worth["who"] < 0.01 * worth["x"]
