"""LinearSVC: by hand, against quadratic programs, conditions of the optimum, shapes and bad input."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from margin import LinearSVC
from margin.errors import ConvergenceWarning, NotSeparableError, ParameterError
from tests.svm.linear_slow import crammer_singer_objective, data, objective, slow_crammer_singer, slow_minimum

LOSSES = ("hinge", "squared_hinge")
FORMS = (np.asarray, sp.csr_array)


def fitted(X, y, weight=None, **asked):
    return LinearSVC(**{"tol": 1e-9, "max_iter": 20_000, **asked}).fit(X, y, weight)


def objectives(model, X, y, bound, **asked):
    """Of each score, by definition."""
    targets = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    squared = model.loss == "squared_hinge"
    return [
        objective(w, b, X, np.where(y == target, 1.0, -1.0), bound, squared, model.penalty == "l1", **asked)
        for w, b, target in zip(model.coef_, model.intercept_, targets)
    ]


# By hand


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dual", [True, False])
def test_two_points_are_parted_half_way(form, dual):
    model = fitted(form(np.array([[-1.0], [3.0]])), [0, 1], loss="hinge", C=10.0, dual=dual)
    assert_allclose(model.coef_, [[0.5]], atol=1e-6)
    assert_allclose(model.intercept_, [-0.5], atol=1e-6)
    assert model.certificate_.margins == pytest.approx((4.0,))
    assert model.certificate_.primal == pytest.approx(0.125)


@pytest.mark.parametrize("dual", [True, False])
def test_a_small_c_bounds_the_multipliers(dual):
    # w = sum alpha s x = C (3 + 1) while 4 w < 2: both rows are inside the margin.
    model = fitted(np.array([[-1.0], [3.0]]), [0, 1], loss="hinge", C=0.05, dual=dual)
    assert_allclose(model.coef_, [[0.2]], atol=1e-6)


@pytest.mark.parametrize("dual", [True, False])
def test_the_squared_hinge_of_two_points(dual):
    # By symmetry b = 0 and w minimises w² / 2 + 2 C (1 - w)²: w = 4 C / (1 + 4 C).
    model = fitted(np.array([[-1.0], [1.0]]), [0, 1], C=0.5, dual=dual)
    assert_allclose(model.coef_, [[2 / 3]], atol=1e-8)
    assert_allclose(model.intercept_, [0.0], atol=1e-8)


def test_a_strong_l1_penalty_leaves_no_coefficient():
    model = fitted(np.array([[-1.0, 0.2], [1.0, 0.1]]), [0, 1], penalty="l1", C=0.1)
    assert (model.coef_ == 0).all()


def test_an_infinite_c_is_the_hard_margin():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]]), [0, 0, 1, 1]
    for loss in LOSSES:
        model = fitted(X, y, loss=loss, C=np.inf)
        assert_allclose(model.coef_, [[0.5, 0.0]], atol=1e-12)
        assert_allclose(model.intercept_, [-1.0], atol=1e-12)
        assert model.certificate_.margins == pytest.approx((4.0,))
        assert model.certificate_.relative_gap < 1e-9


# Against the definition


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_objective_is_that_of_a_quadratic_program(loss, dual, form, intercept):
    for seed, C in enumerate((0.03, 1.0, 20.0)):
        X, y, weight = data(seed)
        model = fitted(form(X), y, weight, loss=loss, dual=dual, C=C, fit_intercept=intercept)
        sign, squared = np.where(y == 1, 1.0, -1.0), loss == "squared_hinge"
        best = slow_minimum(X, sign, C * weight, squared, intercept=intercept)
        reached = objectives(model, X, y, C * weight)[0]
        assert reached == pytest.approx(best, rel=1e-6)
        assert model.certificate_.primal == pytest.approx(reached, rel=1e-9)
        assert model.certificate_.dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intercept", [True, False])
def test_an_l1_penalty_is_that_of_a_program(form, intercept):
    for seed, C in enumerate((0.02, 0.3, 5.0)):
        X, y, weight = data(seed, d=4)
        model = fitted(form(X), y, weight, penalty="l1", C=C, fit_intercept=intercept)
        best = slow_minimum(X, np.where(y == 1, 1.0, -1.0), C * weight, True, l1=True, intercept=intercept)
        assert objectives(model, X, y, C * weight)[0] == pytest.approx(best, rel=1e-6)
        assert model.certificate_.dual <= best * (1 + 1e-7)


def test_wide_sparse_rows_under_an_l1_penalty_go_column_by_column():
    rng = np.random.default_rng(0)
    X, y = sp.random_array((60, 600), density=0.2, format="csr", rng=rng), np.arange(60) % 2
    # As dense rows they take another way.
    sparse, dense = (fitted(cells, y, penalty="l1", C=0.5, tol=1e-6) for cells in (X, X.toarray()))
    assert sparse.certificate_.primal == pytest.approx(dense.certificate_.primal, rel=1e-5)
    assert 0 < np.count_nonzero(sparse.coef_) < 60


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_crammer_and_singers_objective_is_that_of_a_program(form, n_classes, intercept):
    for seed, C in enumerate((0.05, 1.0)):
        X, y, weight = data(seed, n=18, d=2, n_classes=n_classes)
        model = fitted(form(X), y, weight, multi_class="crammer_singer", C=C, fit_intercept=intercept)
        best = slow_crammer_singer(X, y, C * weight, n_classes, intercept)
        coef, b = model.coef_, model.intercept_
        if n_classes == 2:  # of the two, half of the difference each way is shortest
            coef, b = np.vstack([-coef, coef]) / 2, np.concatenate([-b, b]) / 2
        reached = crammer_singer_objective(coef, b, X, y, C * weight)
        assert reached == pytest.approx(best, rel=1e-6)
        assert model.certificate_.primal == pytest.approx(reached, rel=1e-7)
        assert model.certificate_.dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dual", [True, False])
def test_several_classes_are_one_problem_each(loss, dual):
    X, y, weight = data(5, n_classes=3)
    model = fitted(X, y, weight, loss=loss, dual=dual)
    for k, reached in enumerate(objectives(model, X, y, weight)):
        best = slow_minimum(X, np.where(y == k, 1.0, -1.0), weight, loss == "squared_hinge")
        assert reached == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", FORMS)
def test_a_penalised_intercept_is_the_coefficient_of_a_column(loss, form):
    X, y, weight = data(6)
    model = fitted(form(X), y, weight, loss=loss, intercept_scaling=2.0)
    squared, sign = loss == "squared_hinge", np.where(y == 1, 1.0, -1.0)
    best = slow_minimum(X, sign, weight, squared, intercept_penalty=0.25)
    assert objectives(model, X, y, weight, intercept_penalty=0.25)[0] == pytest.approx(best, rel=1e-6)


# Properties


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 120),
    d=st.integers(1, 6),
    n_classes=st.integers(2, 4),
    C=st.sampled_from([1e-3, 0.1, 1.0, 30.0]),
    loss=st.sampled_from(LOSSES),
)
def test_all_ways_lead_to_one_optimum_whose_gap_is_closed(seed, n, d, n_classes, C, loss):
    X, y, weight = data(seed, max(n, n_classes), d, n_classes)
    ways = [
        fitted(form(cells), y, weight, loss=loss, C=C, dual=dual, tol=1e-6)
        for form in FORMS
        for cells in (X, X.astype(np.float32))
        for dual in ((True, False) if C <= 1 else (False,))  # row after row a large C takes very long
    ]
    for model in ways:
        found = model.certificate_
        assert found.converged
        assert 0 <= found.relative_gap <= 1e-6
        assert found.primal == pytest.approx(sum(objectives(model, X, y, C * weight)), rel=1e-4)
        assert found.primal == pytest.approx(ways[0].certificate_.primal, rel=1e-4)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.01, 1.0, 10.0]), penalty=st.sampled_from(["l1", "l2"]))
def test_the_smallest_subgradient_of_the_squared_hinge_is_zero(seed, C, penalty):
    X, y, weight = data(seed, n=60, d=4)
    with warnings.catch_warnings():  # a bound of the L1 penalty may lag behind an optimum that cannot be bettered
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fitted(X, y, weight, C=C, penalty=penalty, tol=1e-12)
    w, sign = model.coef_[0], np.where(y == 1, 1.0, -1.0)
    pull = 2 * C * weight * np.maximum(0, 1 - sign * (X @ w + model.intercept_[0])) * sign
    slope, size = -pull @ X, np.abs(pull) @ np.abs(X)
    if penalty == "l1":
        left = np.where(w == 0, np.maximum(np.abs(slope) - 1, 0), np.abs(slope + np.sign(w)))
    else:
        left = np.abs(slope + w)
    assert (left <= 1e-4 * (1 + size)).all()
    assert abs(pull.sum()) <= 1e-4 * (1 + np.abs(pull).sum())


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 12))
    y = np.digitize(X[:, 0] + rng.normal(size=5000), [-0.5, 0.5])
    for asked in (
        {"loss": "hinge"},
        {},
        {"penalty": "l1"},
        {"dual": True, "tol": 1e-3},
        {"multi_class": "crammer_singer", "tol": 0.05},
    ):
        one, two = (LinearSVC(**asked, n_jobs=n).fit(X, y) for n in (1, 3))
        assert np.array_equal(one.coef_, two.coef_)
        assert np.array_equal(one.intercept_, two.intercept_)


def test_many_rows_begin_with_a_sample_and_end_as_without():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 3)) + 50
    y = (X[:, 0] - 50 + rng.normal(size=20_000) > 0).astype(int)
    for loss in LOSSES:
        model = fitted(X, y, loss=loss, tol=1e-7)
        assert model.certificate_.converged
        assert objectives(model, X, y, np.ones(len(y)))[0] == pytest.approx(model.certificate_.primal, rel=1e-7)
        assert model.certificate_.primal <= fitted(X - 50, y, loss=loss, tol=1e-7).certificate_.primal * (1 + 1e-6)


# Extreme data


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-10, 1e6, 1e10])
def test_extreme_c_on_separable_rows_is_solved_or_warned_of(loss, C):
    X, y, _ = data(0, noise=0.1)
    model = fitted(X, y, loss=loss, C=C, tol=1e-3)
    assert np.isfinite(model.coef_).all()
    assert model.certificate_.relative_gap <= 1e-3
    if C > 1:
        hard = fitted(X, y, C=np.inf)
        assert model.certificate_.primal == pytest.approx(hard.certificate_.primal, rel=2e-3)


@pytest.mark.parametrize("dual", [True, False])
def test_the_intercept_of_a_tiny_c_is_the_larger_class(dual):
    # Weights cost more than they win; -1 and 1 are then the best constants, and the larger class decides.
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], [7, 3])
    model = fitted(X, y, loss="hinge", C=1e-10, dual=dual, tol=1e-6)
    assert_allclose(model.intercept_, [-1.0], atol=1e-3)
    assert model.certificate_.primal == pytest.approx(6e-10, rel=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_equal_rows_of_both_classes_are_no_problem(loss):
    X, y = (np.arange(20) // 2)[:, None].astype(float), np.arange(20) % 2
    model = fitted(X, y, loss=loss, tol=1e-6)
    assert_allclose(model.coef_, 0, atol=1e-3)
    assert model.certificate_.converged


@pytest.mark.filterwarnings("ignore:.*only numbers below:margin.errors.DataWarning")  # too small beside a penalty
@pytest.mark.parametrize("factor", [1e-80, 1e80])
@pytest.mark.parametrize("dual", [True, False])
def test_columns_in_extreme_units_are_solved(factor, dual):
    X, y, _ = data(3)
    with np.errstate(all="raise"):
        model = LinearSVC(dual=dual).fit(X * factor, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert (model.predict(X * factor) == y).mean() >= 0.5


def test_one_class_has_no_plane():
    model = LinearSVC().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"]


def test_rows_of_weight_zero_take_no_part():
    X, y, _ = data(4, n_classes=3)
    weight = np.where(y == 2, 0.0, 1.0)
    model, without = fitted(X, y, weight), fitted(X[y < 2], y[y < 2])
    assert set(model.predict(X)) <= {0, 1}
    assert np.array_equal(model.predict(X), without.predict(X))


def test_class_weights_are_weights_of_rows():
    X, y, _ = data(7)
    one = fitted(X, y, class_weight={0: 1.0, 1: 3.0})
    other = fitted(X, y, np.where(y == 1, 3.0, 1.0))
    assert_allclose(one.coef_, other.coef_, rtol=1e-6)


# What is refused, and warned of


def test_what_cannot_be_asked_for_together_is_refused():
    X, y, _ = data(0)
    for asked, words in (
        ({"penalty": "l1", "loss": "hinge"}, "needs loss='squared_hinge'"),
        ({"penalty": "l1", "dual": True}, "in the primal"),
        ({"penalty": "l1", "C": np.inf}, "a hard margin needs"),
        ({"multi_class": "crammer_singer", "C": np.inf}, "a hard margin needs"),
        ({"loss": "hing"}, "did you mean 'hinge'"),
        ({"C": 0}, "C must be"),
    ):
        with pytest.raises(ParameterError, match=words):
            LinearSVC(**asked).fit(X, y)


def test_a_hard_margin_that_no_plane_has_is_refused():
    with pytest.raises(NotSeparableError, match="no plane separates"):
        LinearSVC(C=np.inf).fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize("asked", [{}, {"dual": True}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}])
def test_too_few_iterations_say_how_large_a_gap_is_left(asked):
    X, y, _ = data(1, n=80, n_classes=3)
    with pytest.warns(ConvergenceWarning, match=r"relative duality gap of \S+, \S+ times the tolerance"):
        model = LinearSVC(max_iter=1, tol=1e-12, **asked).fit(X, y)
    found = model.certificate_
    assert not found.converged
    assert found.relative_gap > 1e-12
    assert "did not converge" in str(found)
