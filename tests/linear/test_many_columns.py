"""Very many columns or classes: what is empty is not looked at, and what takes long ends and says so."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from margin import Adaline, LogisticRegression
from margin.errors import ConvergenceWarning
from margin.linear.online.squared_error import squared_errors
from margin.linear.presolve import reduced


def wide(n=60, d=5000, seed=0):
    """Rows most columns of which are empty, one of them full, and one full and constant."""
    X = random_array((n, d), density=10 / d, format="lil", rng=np.random.default_rng(seed))
    X[:, [3]], X[:, [4000]] = np.arange(n)[:, None] / n + 0.5, 2.0
    return X.tocsr(), np.arange(n, dtype=np.int32) % 3 % 2


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalised", [True, False])
def test_empty_columns_are_left_out_before_anything_is_asked_of_them(intercept, penalised, monkeypatch):
    X, y = wide()
    seen, bincount = [], np.bincount
    monkeypatch.setattr(np, "bincount", lambda x, *more, **told: seen.append(told) or bincount(x, *more, **told))
    found = reduced(X, y, 2, None, intercept, penalised)
    assert max(told.get("minlength", 0) for told in seen) < 1000  # nothing has the length of all columns
    cells = X.toarray()
    kept = cells.min(axis=0) != cells.max(axis=0) if intercept else cells.any(axis=0)
    np.testing.assert_array_equal(found.columns, np.flatnonzero(kept))
    np.testing.assert_array_equal(found.X.toarray() * found.unit, cells[:, kept])
    assert found.n_columns == 5000


def test_a_model_of_very_many_columns_is_that_of_the_filled_ones():
    X, y = wide()
    filled = np.unique(X.indices)
    whole, part = LogisticRegression().fit(X, y), LogisticRegression().fit(X[:, filled], y)
    np.testing.assert_array_equal(whole.coef_[:, filled], part.coef_)
    assert np.count_nonzero(whole.coef_) == np.count_nonzero(part.coef_)
    np.testing.assert_array_equal(whole.predict_proba(X), part.predict_proba(X[:, filled]))


def test_a_long_descent_ends_and_says_how_to_go_on():
    n = 60_000
    X = csr_array((np.ones(2 * n), (np.repeat(np.arange(n), 2), np.arange(2 * n) % 40_001)))
    y = np.random.default_rng(0).integers(0, 2, n)
    with pytest.warns(ConvergenceWarning, match=r"the last of 1111 epochs .*max_iter=4444"):
        model = Adaline(scale=None, tol=0).fit(X, y)
    assert model.n_iter_ == 1111  # 5e9 products, of which a row of three cells takes 75
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert Adaline(scale=None, tol=0, max_iter=7).fit(X, y).n_iter_ == 7
        short = Adaline(tol=0, eta0=1e-6).fit(np.arange(60.0).reshape(-1, 3) % 7, np.arange(20) % 2)
        assert short.n_iter_ == 5000  # an epoch takes no time


@pytest.mark.parametrize("sparse", [False, True])
def test_sums_of_all_classes_are_those_of_each(sparse):
    rng = np.random.default_rng(1)
    X, y, share = rng.normal(size=(50, 4)), np.arange(50) % 7, rng.random(50)
    share /= share.sum()
    errors = squared_errors(csr_array(X) if sparse else X, y, share, 7, True)
    Z, V = np.column_stack([X, np.ones(50)]), rng.normal(size=(7, 5))
    target = np.where(y[:, None] == np.arange(7), 1.0, -1.0)
    loss, slope = errors.at(V)
    np.testing.assert_allclose(loss, 0.5 * share @ (Z @ V.T - target) ** 2)
    np.testing.assert_allclose(slope, ((Z @ V.T - target) * share[:, None]).T @ Z)


def test_as_many_classes_as_rows_are_learnt():
    X, y = np.random.default_rng(0).normal(size=(20_000, 3)), np.arange(20_000)
    model = Adaline().fit(X, y)  # each class summed over all rows would take 4e8 steps before the first epoch
    assert model.coef_.shape == (20_000, 3)
