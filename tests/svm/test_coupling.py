"""margin.svm.kernel_machine.coupling: worked by hand, then the definition, then what SVC makes of it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import margin._core as _core
from margin import SVC
from margin.svm.kernel_machine.coupling import PairedCurves


def pair_shares(p: np.ndarray) -> np.ndarray:
    """P(a | a, b) of every pair, of probabilities of classes."""
    first, second = np.triu_indices(len(p), 1)
    return p[first] / (p[first] + p[second])


def misfit(p: np.ndarray, shares: np.ndarray) -> float:
    """What the coupled probabilities make the smallest, by its definition."""
    first, second = np.triu_indices(len(p), 1)
    return float(2 * np.square((1 - shares) * p[first] - shares * p[second]).sum())


def test_pairs_that_agree_give_the_probabilities_behind_them():
    p = np.array([0.5, 0.3, 0.15, 0.05])
    np.testing.assert_allclose(_core.svm.couple_pairs(pair_shares(p)[None], 4, 1), [p], rtol=1e-10)


def test_pairs_that_go_round_in_a_circle_leave_all_classes_alike():
    # 0 beats 1, 1 beats 2, 2 beats 0, each as surely.
    np.testing.assert_allclose(_core.svm.couple_pairs(np.array([[0.9, 0.1, 0.9]]), 3, 1), [[1 / 3] * 3], rtol=1e-12)


def test_certain_pairs_do_not_divide_by_nothing():
    found = _core.svm.couple_pairs(np.array([[1.0, 1.0, 0.5], [0.0, 0.0, 0.0]]), 3, 1)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found[0, 0] > 0.999
    assert found[1, 2] > 0.999


@settings(max_examples=40, deadline=None)
@given(n_classes=st.integers(3, 7), seed=st.integers(0, 10_000))
def test_no_other_probabilities_fit_the_pairs_better(n_classes, seed):
    shares = np.random.default_rng(seed).uniform(0.02, 0.98, n_classes * (n_classes - 1) // 2)
    (found,) = _core.svm.couple_pairs(shares[None], n_classes, 1)
    start = np.full(n_classes, 1 / n_classes)
    slow = minimize(
        misfit,
        start,
        (shares,),
        method="SLSQP",
        bounds=[(0, 1)] * n_classes,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert misfit(found, shares) <= slow.fun + 1e-9
    np.testing.assert_allclose(found, slow.x, atol=1e-4)


def test_many_rows_on_many_threads_are_what_each_row_is_alone():
    shares = np.random.default_rng(0).uniform(size=(3000, 15))
    together = _core.svm.couple_pairs(shares, 6, 4)
    alone = np.vstack([_core.svm.couple_pairs(row[None], 6, 1) for row in shares[:50]])
    np.testing.assert_array_equal(together[:50], alone)


def test_a_class_of_one_row_has_probabilities_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(31, 2)) + np.repeat([[0, 0], [3, 0], [0, 3]], [15, 15, 1], axis=0)
    y = np.repeat([0, 1, 2], [15, 15, 1])
    found = SVC(probability="sigmoid").fit(X, y).predict_proba(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    lonely = SVC(probability="sigmoid").fit(X[[0, 15, 30]], [0, 1, 2]).predict_proba(X)
    np.testing.assert_allclose(lonely.sum(axis=1), 1.0)


def test_pairs_have_a_sigmoid_each_and_classes_an_isotonic_curve():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 80)
    X = rng.normal(size=(80, 3)) + y[:, None]
    model = SVC(probability="sigmoid").fit(X, y)
    assert isinstance(model._map, PairedCurves)
    assert len(model._map.curves.slope) == 6
    assert (model._map.curves.slope > 0).all()
    one_against_rest = SVC(probability="sigmoid", multiclass="one_vs_rest").fit(X, y)
    isotonic = SVC(probability="isotonic").fit(X, y)
    assert not isinstance(one_against_rest._map, PairedCurves)
    assert not isinstance(isotonic._map, PairedCurves)
