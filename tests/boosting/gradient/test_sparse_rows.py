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
