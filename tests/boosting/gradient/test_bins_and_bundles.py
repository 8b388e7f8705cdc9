"""More bins than bytes tell apart, and columns that share the codes of one."""

import numpy as np
import pytest
import scipy.sparse as sp

from margin import GradientBoostingClassifier, GradientBoostingRegressor, Table
from margin.boosting.gradient.rounds import Run
from margin.errors import ParameterError


def test_as_many_bins_as_numbers_find_the_best_of_all_thresholds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = np.where(X[:, 1] > np.sort(X[:, 1])[777], 1.0, -1.0) + rng.normal(size=1500) / 100
    one = {"n_estimators": 1, "max_leaf_nodes": 2, "learning_rate": 1.0, "l2": 0.0, "min_samples_leaf": 1}
    every = GradientBoostingRegressor(engine="exact", **one).fit(X, y).trees_
    fine = GradientBoostingRegressor(max_bins=2000, **one).fit(X, y).trees_
    coarse = GradientBoostingRegressor(max_bins=255, **one).fit(X, y).trees_
    assert fine.threshold[0] == pytest.approx(every.threshold[0], abs=1e-12)
    assert coarse.threshold[0] != pytest.approx(every.threshold[0], abs=1e-12)


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
def test_two_bytes_a_cell_learn_missing_cells_and_levels_alike_for_any_threads(growth):
    rng = np.random.default_rng(1)
    x, word = rng.normal(size=20_000), rng.integers(0, 400, 20_000)
    x[::7] = np.nan
    y = (np.nan_to_num(np.sin(30 * x), nan=1.0) + (word % 5 == 0) + rng.normal(size=len(x)) / 2 > 0.4).astype(int)
    rows = Table({"x": x, "word": np.array([f"w{k}" for k in word])})
    asked, known = {"n_estimators": 15, "growth": growth, "random_state": 0}, (rows[:15_000], y[:15_000])
    models = [GradientBoostingClassifier(max_bins=5000, n_jobs=n, **asked).fit(*known) for n in (1, 3)]
    assert np.array_equal(models[0].trees_.nodes, models[1].trees_.nodes)
    bytes_alone = GradientBoostingClassifier(max_bins=60, **asked).fit(*known)
    assert models[0].score(rows[15_000:], y[15_000:]) > bytes_alone.score(rows[15_000:], y[15_000:])
    last = list(models[0].staged_predict_proba(rows[:100]))[-1]
    np.testing.assert_allclose(last, models[0].predict_proba(rows[:100]), atol=1e-12)


def test_bins_that_two_bytes_do_not_tell_apart_are_refused():
    with pytest.raises(ParameterError, match="from 2 to 65535"):
        GradientBoostingClassifier(max_bins=65_536).fit([[0.0], [1.0]], [0, 1])


def apart(n=1200, d=90):
    """One cell of each row is not 0; some are counts, some missing; two dense columns stand beside them."""
    rng = np.random.default_rng(2)
    X = np.zeros((n, d + 2))
    X[np.arange(n), rng.integers(0, d, n)] = rng.integers(1, 4, n)
    X[(X != 0) & (rng.random(X.shape) < 0.05)] = np.nan
    X[:, d:] = rng.normal(size=(n, 2))
    y = (np.nan_to_num(X[:, :d:3], nan=2).sum(axis=1) > 0) ^ (X[:, d] > 1.2)
    return X, y.astype(int)


@pytest.mark.parametrize("asked", [
    {},
    {"max_features": 0.3},
    {"growth": "symmetric"},
    {"subsample": 0.5},
    {"drop_rate": 0.3},
    {"early_stopping": True},
    {"n_jobs": 3},
], ids=str)  # fmt: skip
def test_bundled_columns_are_learnt_as_they_stand(asked, monkeypatch):
    X, y = apart()
    groups = []
    grown = Run.grown
    monkeypatch.setattr(Run, "grown", lambda run, *n: (groups.append(run.core.n_groups()), grown(run, *n))[1])
    known = {"n_estimators": 12, "min_samples_leaf": 4, "random_state": 0, **asked}
    bundled = GradientBoostingClassifier(**known).fit(X, y)
    assert groups == [4]  # two of 45 columns of four codes, and the dense ones
    # Sparse rows are lists, and know nothing of bundles.
    lists = GradientBoostingClassifier(**known).fit(sp.csr_array(X), y)
    assert np.array_equal(bundled.predict_proba(X), lists.predict_proba(X))
    assert np.array_equal(bundled.trees_.nodes, lists.trees_.nodes)
