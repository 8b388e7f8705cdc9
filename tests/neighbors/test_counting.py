"""Votes that the core counts are those counted case by case, to the last bit; and long steps can be stopped."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

import margin
from margin.neighbors import equal_rows, rote, search, voters
from margin.neighbors.equal_rows import EqualRows
from margin.neighbors.voting import counting

WEIGHTS = ("uniform", "distance", "inverse_square")


def grid(n: int, seed: int, levels: int = 4) -> np.ndarray:
    """Rows with many equal distances."""
    return np.random.default_rng(seed).integers(0, levels, (n, 2)).astype(np.float64)


def case_by_case(model: object, X: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, np.ndarray]:
    with monkeypatch.context() as patch:
        patch.setattr(counting, "_counts_plainly", lambda model: False)
        return model.predict(X), model.predict_proba(X) if hasattr(model, "predict_proba") else None


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [1, 2, 4, 7, 60])
@pytest.mark.parametrize("rows", ["grid", "cloud"])
def test_votes_are_those_counted_case_by_case(weights, k, rows, monkeypatch):
    rng = np.random.default_rng(k)
    X = grid(60, 1) if rows == "grid" else rng.normal(size=(60, 3))
    y = rng.integers(0, 3, 60)
    model = margin.KNeighborsClassifier(k, weights=weights).fit(X, y)
    queries = np.vstack([X[:20], X[:20] + 0.5, X[:20] + rng.normal(size=X[:20].shape)])
    labels, shares = case_by_case(model, queries, monkeypatch)
    assert_array_equal(model.predict(queries), labels)
    assert_array_equal(model.predict_proba(queries), shares)
    for row in (0, 25, 45):
        assert_array_equal(model.predict(queries[row : row + 1]), labels[row : row + 1])
        assert_array_equal(model.predict_proba(queries[row : row + 1]), shares[row : row + 1])


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("rows", ["grid", "cloud"])
@pytest.mark.parametrize("n_targets", [1, 2])
def test_means_are_those_taken_case_by_case(weights, rows, n_targets, monkeypatch):
    rng = np.random.default_rng(3)
    X = grid(50, 2) if rows == "grid" else rng.normal(size=(50, 3))
    y = 1e6 + rng.normal(size=(50, n_targets))
    model = margin.KNeighborsRegressor(4, weights=weights).fit(X, y if n_targets > 1 else y[:, 0])
    queries = np.vstack([X[:20], X[:20] + 0.25])
    assert_array_equal(model.predict(queries), case_by_case(model, queries, monkeypatch)[0])


def test_several_targets_and_sparse_rows_are_counted_alike(monkeypatch):
    rng = np.random.default_rng(4)
    X = grid(80, 5)
    y = np.column_stack([rng.integers(0, 2, 80), rng.integers(0, 4, 80)])
    model = margin.KNeighborsClassifier(4).fit(X, y)
    labels, shares = case_by_case(model, X + 0.25, monkeypatch)
    assert_array_equal(model.predict(X + 0.25), labels)
    for found, wanted in zip(model.predict_proba(X + 0.25), shares):
        assert_array_equal(found, wanted)
    sparse = scipy.sparse.csr_array(X)
    model = margin.KNeighborsClassifier(3, metric="cosine").fit(sparse, y[:, 1])
    labels, shares = case_by_case(model, sparse, monkeypatch)
    assert_array_equal(model.predict(sparse), labels)
    assert_array_equal(model.predict_proba(sparse), shares)


def test_no_rows_get_no_answers():
    model = margin.KNeighborsClassifier(2).fit(grid(9, 0), np.arange(9) % 2)
    assert model.predict(np.empty((0, 2))).shape == (0,)
    assert model.predict_proba(np.empty((0, 2))).shape == (0, 2)


def test_a_changed_parameter_is_refused_however_few_rows_are_asked():
    model = margin.KNeighborsClassifier(2).fit(grid(9, 0), np.arange(9) % 2)
    model.n_neighbors = 0
    with pytest.raises(margin.errors.ParameterError, match="n_neighbors=0"):
        model.predict(grid(1, 0))


def test_rows_sorted_and_copied_in_parts_are_those_of_one_go(monkeypatch):
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 7, 1000).astype(np.int32)
    words = rng.integers(0, 40, (1000, 2)).astype(np.uint64)
    X = rng.normal(size=(1000, 3))
    whole = voters._descending(codes), search.take_rows(X, codes.astype(np.intp))
    numbers = EqualRows().learn(words)
    learnt = margin.RoteClassifier().fit(words.astype(np.float64), codes)
    monkeypatch.setattr(voters, "SORTED_ROWS", 90)
    monkeypatch.setattr(search, "ROWS_AT_ONCE", 90)
    monkeypatch.setattr(equal_rows, "SORTED_ROWS", 90)
    monkeypatch.setattr(rote, "COUNTED_ROWS", 90)
    assert_array_equal(voters._descending(codes), whole[0])
    assert_array_equal(whole[0], np.argsort(-codes, kind="stable"))
    assert_array_equal(search.take_rows(X, codes.astype(np.intp)), whole[1])
    assert_array_equal(EqualRows().learn(words), numbers)
    again = margin.RoteClassifier().fit(words.astype(np.float64), codes)
    assert_array_equal(again._counts, learnt._counts)
    assert_array_equal(again._known.rows, learnt._known.rows)
