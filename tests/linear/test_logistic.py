"""margin.linear.LogisticRegression: worked by hand, against the slow definition, then what must always hold."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import margin
from margin import LogisticRegression
from margin.data import catalog
from margin.errors import ConvergenceWarning, DataWarning, ParameterError
from margin.linear.logistic.certificate import duality_gap
from margin.linear.problem import Problem
from margin.linear.solvers import SOLVERS, choose_solver
from tests.linear.slow import objective, slow_solution


def rows(n=60, d=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, d))
    X[:, 0] += y
    X[:, -1] *= 3
    return X, y


def problem_of(model, X, y, weight=None):
    """The problem that a model's settings stand for, written down again."""
    s = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    if model.class_weight == "balanced":
        totals = np.bincount(y, s)
        s = s * (totals.sum() / (len(totals) * totals))[y]
    strength = 1 / (model.C * s.sum())
    l1 = model.l1_ratio * strength
    return Problem(X, y.astype(np.int32), s, int(y.max()) + 1, l1, strength - l1, model.fit_intercept)


# By hand


def test_one_binary_column_without_penalty_gives_the_log_odds_of_the_counts():
    X = np.repeat([0.0, 0.0, 1.0, 1.0], [3, 1, 2, 4])[:, None]
    y = np.repeat([0, 1, 0, 1], [3, 1, 2, 4])
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.intercept_ == pytest.approx(np.log(1 / 3))
    assert model.coef_[0] == pytest.approx(np.log(4 / 2) - np.log(1 / 3))
    assert model.predict_proba([[0.0], [1.0]])[:, 1] == pytest.approx([1 / 4, 4 / 6])


def test_without_columns_that_vary_the_shares_of_the_classes_are_left():
    with pytest.warns(margin.errors.ConstantColumnWarning):
        model = LogisticRegression().fit(np.ones((6, 2)), list("aabbbc"))
    assert model.predict_proba(np.ones((1, 2)))[0] == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert model.certificate_.gradient_norm < 1e-15
    assert "shares" in model.solver_reason_


def test_two_points_meet_the_equation_of_the_optimum():
    # w minimises log(1 + exp(-2w))-like losses of x = -1, +1: 2 C / (1 + exp(w)) = w without intercept.
    model = LogisticRegression(fit_intercept=False, tol=1e-12).fit(np.array([[-1.0], [1.0]]), [0, 1])
    w = model.coef_[0, 0]
    assert 2 / (1 + np.exp(w)) == pytest.approx(w, abs=1e-10)
    assert model.intercept_.tolist() == [0.0]


# Against the definition

#: The slow optimum of each setting, which is that of all forms of the rows.
BEST = {}
SETTINGS = [
    {},
    {"C": 0.01},
    {"C": 100.0, "fit_intercept": False},
    {"class_weight": "balanced"},
    {"l1_ratio": 1.0, "C": 0.3},
    {"l1_ratio": 0.4, "C": 0.3, "class_weight": "balanced"},
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", ["dense", "float32", "csr"])
@pytest.mark.parametrize("given", SETTINGS, ids=str)
def test_the_objective_is_that_of_the_slow_definition(given, form, n_classes):
    X, y = rows(n_classes=n_classes)
    X = X.astype(np.float32).astype(np.float64)
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    model = LogisticRegression(**given, tol=1e-8, max_iter=1000)
    shaped = {"dense": X, "float32": X.astype(np.float32), "csr": sp.csr_array(X)}[form]
    model.fit(shaped, y, weight)
    problem = problem_of(model, X, y, weight)
    best = BEST.setdefault((str(given), n_classes), None) or slow_solution(problem)
    BEST[str(given), n_classes] = best
    reached = objective(problem, model.coef_, model.intercept_)
    assert reached <= best.objective + 1e-9
    assert model.certificate_.mean_objective == pytest.approx(reached, rel=1e-6)
    assert model.certificate_.objective == pytest.approx(reached * problem.total * model.C, rel=1e-6)
    assert model.certificate_.duality_gap >= reached - best.objective - 1e-9
    assert model.coef_ == pytest.approx(best.coef, abs=2e-4)


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "coordinate_descent"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_solver_comes_to_the_same_optimum(solver, n_classes):
    X, y = rows(80, 5, n_classes)
    expected = LogisticRegression(tol=1e-9, max_iter=1000).fit(X, y)
    found = LogisticRegression(solver=solver, tol=1e-9, max_iter=1000).fit(X, y)
    assert found.solver_ == solver
    assert found.coef_ == pytest.approx(expected.coef_, abs=1e-6)
    assert found.predict_proba(X) == pytest.approx(expected.predict_proba(X), abs=1e-7)


@settings(max_examples=6, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    C=st.floats(1e-2, 30),
    l1_ratio=st.sampled_from([0.0, 0.5, 1.0]),
    n_classes=st.sampled_from([2, 3]),
)
def test_the_certificate_holds_whatever_the_rows(seed, C, l1_ratio, n_classes):
    X, y = rows(30, 3, n_classes, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y)
    best = slow_solution(problem_of(model, X, y))
    above = model.certificate_.mean_objective - best.objective
    assert above <= model.certificate_.duality_gap + 1e-9
    if l1_ratio < 1:
        problem = problem_of(model, X, y)
        slow = np.sqrt(2 * duality_gap(problem, best.coef, best.intercept) / problem.l2)
        assert np.linalg.norm(model.coef_ - best.coef) <= model.certificate_.distance + slow + 1e-9


# What must hold


def test_repeated_rows_are_weights_and_a_constant_factor_of_all_weights_is_one_of_C():
    X, y = rows(n_classes=3)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = LogisticRegression(C=0.7).fit(X, y, weight)
    repeated = LogisticRegression(C=0.7).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.coef_ == pytest.approx(repeated.coef_, rel=1e-6, abs=1e-9)
    heavier = LogisticRegression(C=0.07).fit(X, y, 10 * weight)
    assert heavier.coef_ == pytest.approx(weighted.coef_, rel=1e-6, abs=1e-9)


def test_a_class_without_rows_is_known_but_never_answered():
    X, y = rows(n_classes=4)
    for gone in ([1], [0, 3], [0, 1, 2]):
        model = LogisticRegression().fit(X, y, (~np.isin(y, gone)).astype(float))
        assert model.classes_.tolist() == [0, 1, 2, 3]
        assert not np.isin(model.predict(X), gone).any()
        p = model.predict_proba(X)
        assert p.sum(axis=1) == pytest.approx(1.0)
        assert (p[:, gone] == 0).all()
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_).all()
    two = LogisticRegression().fit(X, y % 2, (y % 2 == 0).astype(float))
    assert set(two.predict(X)) == {0}


def test_the_part_of_the_classes_that_is_there_is_learnt_as_if_alone():
    X, y = rows(n_classes=3)
    part = LogisticRegression().fit(X, y, (y != 1).astype(float))
    alone = LogisticRegression().fit(X[y != 1], y[y != 1])
    assert part.predict_proba(X)[:, [0, 2]] == pytest.approx(alone.predict_proba(X), abs=1e-9)


def test_one_class_is_answered_with_certainty():
    model = LogisticRegression().fit(np.eye(3), ["only"] * 3)
    assert model.predict(np.eye(3)).tolist() == ["only"] * 3
    assert model.predict_proba(np.eye(3)).tolist() == [[1.0]] * 3


def test_more_columns_than_rows_and_columns_twice_share_their_weight():
    X, y = rows(12, 30)
    model = LogisticRegression().fit(np.column_stack([X, X]), y)
    assert model.coef_[0, :30] == pytest.approx(model.coef_[0, 30:], abs=1e-6)
    assert model.certificate_.converged


def test_shifted_columns_change_the_intercept_alone():
    X, y = rows()
    plain, shifted = LogisticRegression(tol=1e-8).fit(X, y), LogisticRegression(tol=1e-8).fit(X + 1000.0, y)
    assert shifted.coef_ == pytest.approx(plain.coef_, rel=1e-5)
    assert shifted.predict_proba(X + 1000.0) == pytest.approx(plain.predict_proba(X), abs=1e-6)


@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e60])
def test_without_a_penalty_units_do_not_matter(unit):
    X, y = rows(120)
    X = np.column_stack([X[:, 0], X[:, 1], X[:, 2]])
    plain = LogisticRegression(C=np.inf).fit(X, y)
    scaled = LogisticRegression(C=np.inf).fit(X * [1.0, unit, 1.0], y)
    assert scaled.coef_ * [1.0, unit, 1.0] == pytest.approx(plain.coef_, rel=1e-5)


def test_columns_of_wild_sizes_are_learnt_without_overflow():
    X, y = rows()
    for size in (1e-300, 1e-90, 1e30, 1e99):
        wild = X * [1.0, size, 1.0, 1.0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message=".*column 'x1' holds only numbers below", category=DataWarning)
            model = LogisticRegression().fit(wild, y)
        assert np.isfinite(model.predict_proba(wild)).all()
        assert np.isfinite(model.certificate_.objective)


def test_float32_rows_are_learnt_as_what_they_hold():
    X, y = rows(300, n_classes=3)
    single = X.astype(np.float32)
    assert LogisticRegression().fit(single, y).coef_ == pytest.approx(
        LogisticRegression().fit(single.astype(np.float64), y).coef_, rel=1e-4, abs=1e-6
    )


def test_a_warm_start_begins_at_the_last_solution():
    X, y = rows(200, n_classes=3)
    model = LogisticRegression(warm_start=True, tol=1e-6).fit(X, y)
    first, coef = model.n_iter_, model.coef_
    model.fit(X, y)
    assert model.n_iter_ < first
    assert model.coef_ == pytest.approx(coef, abs=1e-5)
    other = model.fit(X[:, :2], y % 2)
    assert other.coef_.shape == (1, 2)
    assert "_start" not in vars(model)


def test_intercepts_of_softmax_add_up_to_zero():
    X, y = rows(n_classes=3)
    for C in (1.0, np.inf):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", margin.errors.SeparationWarning)
            model = LogisticRegression(C=C).fit(X, y)
        assert model.intercept_.sum() == pytest.approx(0.0, abs=1e-9)
        assert model.coef_.sum(axis=0) == pytest.approx(0.0, abs=1e-6)


# Words


def test_too_few_iterations_are_warned_of_with_the_distance_and_advice(monkeypatch):
    X, y = rows(200)
    monkeypatch.setattr("margin.linear.logistic.solve.CHEAP", 0.0)
    words = r"times the tolerance.*above its minimum.*scale='standard'.*max_iter=4"
    with pytest.warns(ConvergenceWarning, match=words) as said:
        model = LogisticRegression(max_iter=1, tol=1e-9, solver="lbfgs").fit(X, y)
    assert said[0].filename == __file__
    assert not model.certificate_.converged
    assert "did not converge in 1 iteration" in str(model.certificate_)


def test_the_certificate_reads_well():
    X, y = catalog.load("iris").target("class")
    text = str(LogisticRegression().fit(X, y).certificate_)
    assert "converged in" in text
    assert "duality gap" in text
    assert "asked for at most 0.0001" in text
    free = LogisticRegression(C=np.inf).fit(*rows(200, 2)).certificate_
    assert free.duality_gap is None
    assert "no penalty" in str(free)


def test_the_time_of_a_fit_is_not_part_of_the_model():
    X, y = rows()
    first, second = (LogisticRegression().fit(X, y) for _ in range(2))
    assert first.certificate_.seconds > 0
    assert pickle.dumps(first) == pickle.dumps(second)
    assert pickle.loads(pickle.dumps(first)).certificate_.seconds is None


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "coordinate_descent"])
def test_a_solver_that_cannot_do_l1_is_refused_with_one_that_can(solver):
    with pytest.raises(ParameterError, match=rf"solver='{solver}'\).*'coordinate_descent'"):
        LogisticRegression(l1_ratio=0.5, solver=solver).fit(*rows())


def test_the_choice_of_a_solver_has_a_reason():
    X, y = rows(50, 4)
    y = y.astype(np.int32)
    dense = Problem(X, y, None, 2, 0.0, 0.1, True)
    assert choose_solver(dense)[0] == "newton"
    assert choose_solver(Problem(X, y, None, 2, 0.1, 0.0, True))[0] == "coordinate_descent"
    assert choose_solver(Problem(sp.csr_array(X), y, None, 2, 0.0, 0.1, True))[0] == "truncated_newton"
    wide = Problem(np.zeros((50, 3000)), y, None, 2, 0.0, 0.1, True)
    assert choose_solver(wide)[0] != "newton"
    assert all(len(choose_solver(each)[1]) > 20 for each in (dense, wide))
