"""Gradient boosting on sparse rows: the model of the same matrix with its zeros written out, to the bit."""

import numpy as np
import pytest
import scipy.sparse as sp

from margin import GradientBoostingClassifier, GradientBoostingRegressor


def text_like(n, d, seed=0, density=0.05, holes=False, negative=False):
    """Rows of few stored cells, columns of falling frequency, and a target that follows from some of them."""
    rng = np.random.default_rng(seed)
    share = np.minimum(1.0, density * d / (np.arange(1, d + 1) * np.log(d)))
    X = np.where(rng.random((n, d)) < share, np.round(rng.exponential(2.0, (n, d)), 2) + 0.01, 0.0)
    if negative:
        X *= rng.choice([-1.0, 1.0], (n, d))
    y = X[:, 1] - X[:, 2] + (X[:, 3] > 1) + rng.normal(size=n) / 4
    if holes:
        X[(X != 0) & (rng.random((n, d)) < 0.1)] = np.nan
    return X, y


def same_trees(a, b):
    for name in ("nodes", "start", "words", "gain", "cover", "base"):
        assert np.array_equal(getattr(a.trees_, name), getattr(b.trees_, name)), name


def both(model, X, y, **fit):
    dense = model.fit(X, y, **fit)
    sparse = type(model)(**model.get_params()).fit(sp.csr_array(X), y, **fit)
    same_trees(dense, sparse)
    return dense, sparse


@pytest.mark.parametrize("settings", [
    {},
    {"growth": "depth"},
    {"growth": "symmetric"},
    {"subsample": 0.5, "max_features": 0.4},
    {"top_rate": 0.2, "subsample": 0.2},
    {"early_stopping": True},
    {"min_samples_leaf": 1, "max_leaf_nodes": 40, "max_bins": 9},
    {"interaction_cst": [[1, 2], [3, 4]]},
    {"loss": "absolute_error"},
], ids=str)  # fmt: skip
def test_trees_are_those_of_all_cells(settings):
    X, y = text_like(600, 80, holes=True, negative=True)
    asked = {"n_estimators": 12, "min_samples_leaf": 3, "random_state": 1, **settings}
    dense, sparse = both(GradientBoostingRegressor(**asked), X, y)
    assert (~dense.trees_.is_leaf).sum() > 20
    assert np.array_equal(dense.predict(X), sparse.predict(sp.csr_array(X)))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_answers_of_sparse_rows_are_those_of_all_cells(kind):
    X, value = text_like(500, 60)
    X = np.ceil(X).astype(kind)
    y = np.digitize(value, [0.0, 1.0])
    dense, sparse = both(GradientBoostingClassifier(n_estimators=5, random_state=0), X, y)
    rows = sp.csr_array(X)
    assert np.array_equal(dense.predict_proba(X), sparse.predict_proba(rows))
    assert np.array_equal(dense.apply(X), sparse.apply(rows))
    assert np.array_equal(dense.shap_values(X[:20]), sparse.shap_values(rows[:20]))
    assert np.array_equal(list(dense.staged_predict(X)), list(sparse.staged_predict(rows)))
    assert sparse.predict(rows[:0]).shape == (0,)
    assert np.array_equal(sparse.predict(rows[:1]), dense.predict(X[:1]))


def test_columns_of_more_numbers_than_bins_and_sampled_rows_are_cut_alike():
    rng = np.random.default_rng(3)
    n, d = 40_000, 12
    X = sp.random_array((n, d), density=0.05, rng=rng, format="csr")
    X.data = np.where(X.indices % 3 == 0, np.ceil(X.data * 400) / 8, X.data - 0.3)
    full = X.toarray()
    y = (full[:, 0] > 20) | (full[:, 1] > 0.1) | (rng.random(n) < 0.1)
    models = [
        GradientBoostingClassifier(n_estimators=5, n_jobs=jobs).fit(rows, y) for rows in (full, X) for jobs in (1, 2, 3)
    ]
    for model in models[1:]:
        same_trees(models[0], model)


def test_weights_and_own_losses_know_sparse_rows():
    X, y = text_like(400, 70, seed=2)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    both(GradientBoostingRegressor(n_estimators=8), X, y, sample_weight=weight)

    def squared(y, f):
        return (f - y) ** 2 / 2, f - y, np.ones_like(f)

    both(GradientBoostingRegressor(n_estimators=8, loss=squared, early_stopping=True, random_state=0), X, y)


def test_very_wide_rows_are_never_written_out():
    rng = np.random.default_rng(0)
    n, d = 3_000, 1_000_000  # 24 GB with all cells
    columns = np.minimum(rng.pareto(0.3, n * 20), d - 1).astype(np.int64)
    X = sp.coo_array((np.ones(n * 20), (np.repeat(np.arange(n), 20), columns)), shape=(n, d)).tocsr()
    y = np.asarray(X[:, [1]].toarray())[:, 0] > 1
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.99


@pytest.mark.parametrize("sparse", [False, True])
def test_bins_are_cut_by_weight_so_that_whole_weights_are_repeated_rows(sparse):
    rng = np.random.default_rng(4)
    X = np.where(rng.random((700, 12)) < 0.1, rng.normal(size=(700, 12)), 0.0)  # more numbers than bins
    X[:, 0] = np.where(rng.random(700) < 0.6, rng.normal(size=700), 0.0)
    y = X[:, 0] ** 2 + (X[:, 1] != 0) + rng.normal(size=700) / 4
    weight = rng.integers(1, 5, len(y))
    form = sp.csr_array if sparse else np.asarray
    settings = {"n_estimators": 6, "max_bins": 12, "min_samples_leaf": 3}
    weighted = GradientBoostingRegressor(**settings).fit(form(X), y, sample_weight=weight)
    repeated = GradientBoostingRegressor(**settings).fit(form(np.repeat(X, weight, axis=0)), np.repeat(y, weight))
    same_trees(weighted, repeated)
    plain = GradientBoostingRegressor(**settings).fit(form(X), y)
    assert not np.array_equal(plain.trees_.threshold, weighted.trees_.threshold)
    odd = rng.uniform(0.1, 3, len(y))
    both(GradientBoostingRegressor(**settings), X, y, sample_weight=odd)


def test_symmetric_trees_of_wide_rows_are_never_written_out():
    rng = np.random.default_rng(0)
    n, d = 500, 200_000
    X = sp.coo_array((np.ones(n * 20), (np.repeat(np.arange(n), 20), rng.integers(0, d, n * 20))), shape=(n, d)).tocsr()
    X = sp.hstack([sp.csr_array((rng.random((n, 3)) < 0.3).astype(float)), X]).tocsr()
    y = np.asarray(X[:, [0]].toarray())[:, 0] > 0
    model = GradientBoostingClassifier(n_estimators=15, growth="symmetric", random_state=0, n_jobs=1).fit(X, y)
    assert model.score(X, y) == 1.0
