"""SVR, OneClassSVM and NuSVC: worked by hand, then a slow solver, then properties, then odd rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from margin import SVC, SVR, NuSVC, OneClassSVM
from margin.errors import ConvergenceWarning, DataWarning, InputError, NotSeparableWarning, ParameterError
from margin.svm import kernel_matrix


def rows(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=n)


def slow(K, target, lower, upper, tube, total):
    """The least dual objective, by sequential quadratic programming over what is above the target and below it."""
    n = len(target)
    both = np.hstack([np.eye(n), -np.eye(n)])

    def objective(z):
        b = both @ z
        return 0.5 * b @ K @ b - target @ b + tube * z.sum(), both.T @ (K @ b - target) + tube

    bounds = [(0, up) for up in upper] + [(0, -low) for low in lower]
    start = np.concatenate([upper * total / max(upper.sum(), 1e-300), np.zeros(n)])
    sums = LinearConstraint(np.concatenate([np.ones(n), -np.ones(n)])[None], total, total)
    return minimize(
        objective,
        start,
        jac=True,
        bounds=bounds,
        constraints=sums,
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 900},
    ).fun


# Worked by hand.


def test_a_line_with_a_tube_is_as_flat_as_the_tube_allows():
    # From (0, 0) to (2, 2) with a tube of 1/2 the flattest line runs from 1/2 to 3/2.
    model = SVR(100.0, epsilon=0.5, kernel="linear").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert model.coef_ == pytest.approx(np.array([[0.5]]))
    assert model.intercept_ == pytest.approx([0.5])
    assert model.support_.tolist() == [0, 2]
    assert model.dual_coef_ == pytest.approx(np.array([[-0.25, 0.25]]))
    assert model.certificate_.primal == pytest.approx(0.125) == pytest.approx(model.certificate_.dual)


def test_a_quantity_within_the_tube_needs_no_support_vectors():
    model = SVR(epsilon=1.0).fit(np.arange(5.0)[:, None], [1.0, 1.5, 2.0, 1.5, 1.0])
    assert len(model.support_) == 0
    assert model.predict([[10.0]]) == pytest.approx([1.5])
    assert model.certificate_.gap == 0


def test_one_class_of_two_points_weighs_both_alike():
    # min 1/2 (a² + b²) with a + b = 1 and orthogonal rows: both 1/2, and so is the offset.
    model = OneClassSVM(0.5, kernel="linear").fit([[1.0, 0.0], [0.0, 1.0]])
    assert model.dual_coef_ == pytest.approx(np.array([[0.5, 0.5]]))
    assert model.offset_ == pytest.approx(0.5)
    assert model.score_samples([[2.0, 2.0]]) == pytest.approx([2.0])
    assert model.predict([[2.0, 2.0], [0.1, 0.1]]).tolist() == [1, -1]


def test_nu_svc_of_two_points_is_the_widest_margin():
    model = NuSVC(1.0, kernel="linear").fit([[0.0], [2.0]], [0, 1])
    assert model.decision_function([[0.0], [1.0], [2.0]]) == pytest.approx([-1, 0, 1])
    assert pytest.approx(0.5) == model.C_


# A slow solver.


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), C=st.sampled_from([0.1, 1.0, 20.0]), tube=st.sampled_from([0.0, 0.1, 0.5]))
def test_regression_reaches_what_a_slow_solver_reaches(seed, C, tube):
    X, y = rows(18, 2, seed)
    weight = np.random.default_rng(seed).uniform(0.2, 2, len(y))
    model = SVR(C, epsilon=tube, gamma=0.5, tol=1e-9).fit(X, y, weight)
    K = kernel_matrix(X, gamma=0.5)
    least = slow(K, y, -C * weight, C * weight, tube, 0.0)
    assert -model.certificate_.dual == pytest.approx(least, rel=1e-6, abs=1e-7)
    assert model.certificate_.relative_gap < 1e-8


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), nu=st.sampled_from([0.05, 0.3, 0.9]))
def test_one_class_reaches_what_a_slow_solver_reaches(seed, nu):
    X, _ = rows(18, 2, seed)
    weight = np.random.default_rng(seed).uniform(0.2, 2, 18)
    model = OneClassSVM(nu, gamma=0.5).fit(X, sample_weight=weight)
    K = kernel_matrix(X, gamma=0.5)
    least = slow(K, np.zeros(18), np.zeros(18), weight, 0.0, nu * weight.sum())
    assert -model.certificate_.dual == pytest.approx(least, rel=1e-6)
    assert model.certificate_.relative_gap < 1e-8


# Properties.


@pytest.mark.parametrize("nu", [0.1, 0.4, 0.8])
def test_nu_lies_between_the_rows_outside_and_the_support_vectors(nu):
    X, y = rows(300)
    one = OneClassSVM(nu).fit(X)
    assert (one.decision_function(X) < -1e-3 * one.offset_).mean() <= nu + 1e-9
    assert len(one.support_) >= nu * 300 - 1e-9
    two = NuSVC(min(nu, 0.6)).fit(X, y > 0)
    assert len(two.support_) >= min(nu, 0.6) * 300 - 1e-9
    assert (two.slack_ > 1e-3).mean() <= min(nu, 0.6) + 1e-9


def test_a_machine_of_a_share_is_that_of_the_price_it_finds():
    X, y = rows(200)
    share = NuSVC(0.3).fit(X, y > 0)
    price = SVC(share.C_).fit(X, y > 0)
    assert share.decision_function(X) == pytest.approx(price.decision_function(X), abs=1e-4)


@pytest.mark.parametrize("model", [SVR(epsilon=0.05), OneClassSVM(0.2), NuSVC(0.2)], ids=repr)
def test_sparse_rows_tables_of_values_and_functions_give_what_dense_rows_give(model):
    X, y = rows(120)
    X[X < 0.3] = 0
    y = y > 0.5 if isinstance(model, NuSVC) else y
    model.set_params(gamma=0.7)
    said = model.fit(X, y).predict(X)
    values = kernel_matrix(X, gamma=0.7)
    for kernel, at in (
        ("rbf", sp.csr_array(X)),
        ("precomputed", values),
        (lambda a, b: kernel_matrix(a, b, gamma=0.7), X),
    ):
        other = type(model)(**{**model.get_params(), "kernel": kernel}).fit(at, y)
        agreed = other.predict(at)
        if isinstance(model, SVR):
            assert agreed == pytest.approx(said, abs=1e-6)
        else:  # support vectors lie on the edge, but for rounding
            inside = np.abs(model.decision_function(X)) > 1e-6
            assert np.array_equal(agreed[inside], said[inside])


@pytest.mark.parametrize("n", [300, 2500])
@pytest.mark.parametrize("model", [SVR(epsilon=0.05), OneClassSVM(0.2), NuSVC(0.2)], ids=repr)
def test_any_number_of_threads_gives_the_same_bits(model, n):
    X, y = rows(n)
    y = y > 0.5 if isinstance(model, NuSVC) else y
    one, two = (type(model)(**{**model.get_params(), "n_jobs": jobs}).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(one.dual_coef_, two.dual_coef_)
    assert np.array_equal(one.support_, two.support_)
    assert one.intercept_ == two.intercept_
    assert one.certificate_.relative_gap < 1e-3


def test_rows_of_weight_0_take_no_part():
    X, y = rows(60)
    weight = (np.arange(60) % 3 > 0).astype(float)
    kept = weight > 0
    for model in (SVR(), OneClassSVM()):
        some = type(model)().fit(X[kept], y[kept])
        assert model.fit(X, y, weight).predict(X) == pytest.approx(some.predict(X), abs=1e-7)
        assert set(model.support_) <= set(np.flatnonzero(kept))


# Odd rows.


def test_a_share_that_cannot_be_had_is_lowered_with_a_warning():
    X, _y = rows(100)
    few = np.arange(100) < 10
    with pytest.warns(DataWarning, match=r"NuSVC\(nu=0.5\): nu is taken to be at most 0.2"):
        model = NuSVC(0.5).fit(X, few)
    assert np.isfinite(model.decision_function(X)).all()


def test_a_share_too_small_for_classes_that_overlap_leaves_the_heavier_class():
    X = np.concatenate([np.arange(10.0), np.arange(10.0)[::-1], [4.0, 5.0, 6.0]])[:, None]
    y = np.arange(23) < 10
    with pytest.warns(NotSeparableWarning, match=r"NuSVC\(nu=0.1\): so few rows inside the margin leave none"):
        model = NuSVC(0.1, kernel="linear").fit(X, y)
    assert not model.predict(X).any()


def test_settings_out_of_range_are_refused():
    X, y = rows(10)
    with pytest.raises(ParameterError, match="nu must be a number above 0 and at most 1"):
        OneClassSVM(0.0).fit(X)
    with pytest.raises(ParameterError, match="epsilon"):
        SVR(epsilon=-1).fit(X, y)
    with pytest.raises(ParameterError, match="sigma"):
        SVR(kernel="gaussian").fit(X, y)
    with pytest.raises(InputError, match="precomputed kernel must be square"):
        SVR(kernel="precomputed").fit(X, y)


def test_a_linear_class_around_the_origin_has_no_region_and_says_nothing_wrong():
    model = OneClassSVM(0.2, kernel="linear").fit(rows(80)[0])  # no warning: 0 is the optimum
    assert model.certificate_.relative_gap == 0


def test_an_early_end_is_warned_of():
    X, y = rows(400)
    with pytest.warns(ConvergenceWarning, match=r"SVR.fit: the objective may be"):
        SVR(100.0, epsilon=0.01, max_iter=3).fit(X, y)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_the_unit_of_the_quantity_changes_nothing_but_units(size):
    X, y = rows(300)
    one = SVR(2.0, epsilon=0.1).fit(X, y)
    other = SVR(2.0 * size, epsilon=0.1 * size).fit(X, y * size)
    assert other.predict(X) / size == pytest.approx(one.predict(X), abs=2e-3)
