"""LinearSVR: by hand, against quadratic programs and SVR, conditions of the optimum, shapes and bad input."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from margin import SVR, LinearSVR
from margin.errors import ConvergenceWarning, InputError, ParameterError
from margin.explain import explain
from tests.svm.linear_slow import slow_tube, tube_objective

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")
FORMS = (np.asarray, sp.csr_array)


def fitted(X, y, weight=None, **asked):
    return LinearSVR(**{"tol": 1e-9, "max_iter": 20_000, **asked}).fit(X, y, weight)


def data(seed, n=20, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 3
    return X, X @ rng.normal(size=d) + rng.standard_t(3, size=n) + 10, rng.integers(1, 4, n).astype(np.float64)


def objective(model, X, y, bound, **asked):
    squared = model.loss.startswith("squared")
    return tube_objective(model.coef_, model.intercept_[0], X, y, bound, model.epsilon, squared, **asked)


# By hand


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dual", [True, False])
def test_a_line_is_as_flat_as_the_tube_allows(form, dual):
    # Two rows four apart, a tube of 1/2: w = (4 - 1) / 4, half way between them.
    model = fitted(form(np.array([[-2.0], [2.0]])), [-2.0, 2.0], epsilon=0.5, C=10.0, dual=dual)
    assert_allclose(model.coef_, [0.75], atol=1e-6)
    assert_allclose(model.intercept_, [0.0], atol=1e-6)
    assert model.certificate_.primal == pytest.approx(0.75**2 / 2)
    assert model.certificate_.margins == ()


@pytest.mark.parametrize("dual", [True, False])
def test_a_small_c_bounds_the_pull_of_a_row(dual):
    # w = sum b x with |b| at most C: 2 C · 2 while 2 w < 2.
    model = fitted(np.array([[-2.0], [2.0]]), [-2.0, 2.0], C=0.05, dual=dual)
    assert_allclose(model.coef_, [0.2], atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dual", [True, False])
def test_the_squared_loss_of_two_points(form, dual):
    # w minimises w² / 2 + 2 C (1 - w)²: w = 4 C / (1 + 4 C).
    model = fitted(form(np.array([[-1.0], [1.0]])), [-1.0, 1.0], C=0.5, loss=LOSSES[1], dual=dual)
    assert_allclose(model.coef_, [2 / 3], atol=1e-8)
    assert_allclose(model.intercept_, [0.0], atol=1e-8)


@pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")
def test_without_columns_that_say_anything_it_is_the_median():
    model = fitted(np.array([[0.0], [0.0], [0.0]]), [1.0, 2.0, 30.0])
    assert_allclose(model.predict([[0.0]]), [2.0], atol=1e-6)


# Against the definition


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_objective_is_that_of_a_quadratic_program(loss, dual, form, intercept):
    for seed, (C, epsilon) in enumerate(((0.03, 0.0), (1.0, 0.5), (3.0, 1.0))):
        X, y, weight = data(seed)
        model = fitted(form(X), y, weight, loss=loss, dual=dual, C=C, epsilon=epsilon, fit_intercept=intercept)
        best = slow_tube(X, y, C * weight, epsilon, loss == LOSSES[1], intercept)
        reached = objective(model, X, y, C * weight)
        assert reached == pytest.approx(best, rel=1e-6)
        assert model.certificate_.primal == pytest.approx(reached, rel=1e-9)
        assert model.certificate_.dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", FORMS)
def test_a_penalised_intercept_is_the_coefficient_of_a_column(loss, form):
    X, y, weight = data(6)
    model = fitted(form(X), y, weight, loss=loss, intercept_scaling=2.0, epsilon=0.2)
    best = slow_tube(X, y, weight, 0.2, loss == LOSSES[1], intercept_penalty=0.25)
    assert objective(model, X, y, weight, intercept_penalty=0.25) == pytest.approx(best, rel=1e-6)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_it_is_svr_with_a_linear_kernel(seed):
    rng = np.random.default_rng(seed)
    X, y, weight = data(seed, n=int(rng.integers(4, 30)), d=int(rng.integers(1, 40)))
    C, epsilon = 10.0 ** rng.uniform(-2, 0.5), float(rng.choice([0.0, 0.3]))
    ours = fitted(X, y, weight, C=C, epsilon=epsilon, tol=1e-7)
    theirs = SVR(C, epsilon=epsilon, kernel="linear", tol=1e-7).fit(X, y, weight)
    assert ours.certificate_.primal == pytest.approx(theirs.certificate_.primal, rel=1e-5)


# Properties


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", FORMS)
def test_a_whole_weight_is_a_repeated_row(loss, form):
    X, y, weight = data(3)
    asked = {"loss": loss, "epsilon": 0.1, "dual": False}
    once = fitted(form(X), y, weight, **asked)
    often = fitted(form(np.repeat(X, weight.astype(int), axis=0)), np.repeat(y, weight.astype(int)), **asked)
    assert_allclose(once.predict(X), often.predict(X), atol=1e-4)


@pytest.mark.parametrize("unit", [1e-120, 1e-6, 1e9, 1e120])
def test_the_unit_of_the_quantity_does_not_matter(unit):
    X, y, _ = data(2)
    one = fitted(X, y, epsilon=0.1, tol=1e-7)
    other = fitted(X, y * unit, epsilon=0.1 * unit, C=min(unit, 1e90), tol=1e-7) if unit < 1e90 else None
    if other is not None:
        assert_allclose(other.predict(X) / unit, one.predict(X), rtol=1e-4)
    squared = fitted(X, y * unit, epsilon=0.1 * unit, loss=LOSSES[1])
    assert_allclose(squared.predict(X) / unit, fitted(X, y, epsilon=0.1, loss=LOSSES[1]).predict(X), rtol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_answer_does_not_depend_on_threads(loss):
    X, y, _ = data(1, n=3000, d=12)
    for form in FORMS:
        one, two = (LinearSVR(loss=loss, n_jobs=n).fit(form(X), y) for n in (1, 2))
        assert (one.coef_ == two.coef_).all()
        assert (one.predict(form(X)) == two.predict(form(X))).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_one_quantity_for_all_rows_is_answered(loss):
    X, _, _ = data(0)
    for form in FORMS:
        model = fitted(form(X), np.full(len(X), 7.5), loss=loss)
        assert_allclose(model.predict(form(X)), 7.5)
        assert model.certificate_.converged


def test_the_rows_inside_the_tube_say_nothing():
    X, y, _ = data(4)
    model = fitted(X, y, epsilon=1.0, C=5.0)
    outside = np.abs(y - model.predict(X)) > 1.0 - 1e-6
    again = fitted(X[outside], y[outside], epsilon=1.0, C=5.0)
    assert 0 < outside.sum() < len(y)
    assert_allclose(again.predict(X), model.predict(X), atol=1e-3)


@pytest.mark.parametrize("wide", [sp.csr_array, np.asarray])
def test_more_columns_than_rows(wide):
    rng = np.random.default_rng(0)
    X = sp.random_array((30, 900), density=0.4, format="csr", rng=rng)
    y = rng.normal(size=30)
    for loss in LOSSES:
        model = fitted(wide(X.toarray()), y, loss=loss, tol=1e-6)
        assert model.certificate_.relative_gap <= 1e-6


def test_the_explanation_adds_up_to_the_answer():
    X, y, _ = data(0)
    told = explain(fitted(X, y), X[:1])
    assert sum(reason.strength for reason in told.reasons) == pytest.approx(fitted(X, y).predict(X[:1])[0])


def test_answers_follow_the_coefficients_that_a_user_puts_there():
    X, y, _ = data(0)
    model = fitted(X, y)
    model.coef_, model.intercept_ = np.ones(3, dtype=np.float32), np.zeros(1)
    assert_allclose(model.predict(X), X.sum(axis=1))
    model.coef_ = np.ones(2)
    with pytest.raises(InputError, match=r"LinearSVR.predict: coef_ must hold 3 finite numbers"):
        model.predict(X)


def test_what_cannot_be_is_refused():
    X, y, _ = data(0)
    for asked, message in (
        ({"epsilon": -1}, r"LinearSVR\(epsilon=-1\)"),
        ({"C": np.inf}, r"LinearSVR\(C=inf\)"),
        ({"loss": "hinge"}, r"LinearSVR\(loss='hinge'\)"),
    ):
        with pytest.raises(ParameterError, match=message):
            LinearSVR(**asked).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"LinearSVR.fit: dual coordinate descent stopped after"):
        LinearSVR(C=100.0, dual=True, max_iter=2).fit(X, y)
