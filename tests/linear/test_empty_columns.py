"""Sparse columns that no row fills decide nothing and are left out before anything is solved."""

import numpy as np
import pytest
from scipy import sparse

from margin import GridSearch, LinearSVC, LogisticRegression
from margin.base.inputs.columns import Columns
from margin.linear.presolve import reduced


def rows(n_columns, n=40, seed=0):
    """A few filled columns among very many."""
    rng = np.random.default_rng(seed)
    filled = np.sort(rng.choice(n_columns, 15, replace=False))
    at = filled[rng.integers(15, size=(n, 4))]
    X = sparse.csr_matrix((rng.random(4 * n) + 0.5, (np.repeat(np.arange(n), 4), at.ravel())), shape=(n, n_columns))
    X.sum_duplicates()
    return X, np.arange(n) % 2


@pytest.mark.parametrize("intercept", [True, False])
def test_only_filled_columns_are_solved_for(intercept):
    X, y = rows(1000)
    part = reduced(X, y.astype(np.int32), 2, None, intercept, True)
    assert part.columns.tolist() == np.unique(X.indices).tolist()
    assert part.X.shape == (40, len(part.columns))


@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()], ids=lambda model: type(model).__name__)
def test_a_search_among_very_many_columns_finds_what_it_finds_among_the_filled_ones(model):
    X, y = rows(2_000_000)
    few = X[:, np.unique(X.indices)]
    found, expected = (GridSearch(model, {"C": [0.1, 10.0]}, cv=3).fit(each, y) for each in (X, few))
    np.testing.assert_allclose(found.results_.fold_scores, expected.results_.fold_scores)
    np.testing.assert_allclose(found.model_.coef_[:, np.unique(X.indices)], expected.model_.coef_, rtol=1e-5, atol=1e-8)
    assert np.count_nonzero(found.model_.coef_) <= 15


def test_columns_get_names_only_where_one_is_spoken_of(monkeypatch):
    def made_up(columns):
        raise AssertionError("names of millions of columns take longer than to learn from them")

    X, y = rows(1000)
    monkeypatch.setattr(Columns, "described", made_up)
    LogisticRegression().fit(X[:, np.unique(X.indices)], y)
