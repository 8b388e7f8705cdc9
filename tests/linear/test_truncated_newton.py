"""margin.linear.solvers.truncated_newton: penalised logistic regression on CSR rows."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from margin.linear.problem import Problem
from margin.linear.solvers.truncated_newton import truncated_newton
from tests.linear.problems import (
    objective_by_definition,
    random_problem,
    smallest_subgradient,
    solved_alike_on_any_number_of_threads,
)


def test_one_column_of_ones_finds_the_odds():
    X = scipy.sparse.csr_matrix(np.ones((10, 1)))
    y = np.array([1, 1] + [0] * 8, np.int32)
    found = truncated_newton(Problem(X, y, None, 2, 0.0, 0.0, False), None, 1e-12, 50)
    assert found.converged
    assert found.coef[0, 0] == pytest.approx(np.log(2 / 8))


def test_without_columns_that_say_anything_the_intercept_is_the_log_odds():
    X = scipy.sparse.csr_matrix((8, 3))
    y = np.array([0, 0, 1, 1, 1, 1, 1, 1], np.int32)
    found = truncated_newton(Problem(X, y, None, 2, 0.0, 0.1, True), None, 1e-10, 50)
    assert found.intercept[0] == pytest.approx(np.log(3))
    assert_array_equal(found.coef, 0)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_gradient_is_0_where_it_stops(n_classes, weighted, intercept):
    problem = random_problem(n_classes=n_classes, weighted=weighted, intercept=intercept)
    found = truncated_newton(problem, None, 1e-9, 100)
    assert found.converged
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1.01e-9
    assert found.gradient_norm <= 1e-9
    assert found.objective == pytest.approx(objective_by_definition(problem, found.coef, found.intercept), rel=1e-13)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), l2=st.sampled_from([1e-4, 1e-2, 1.0]), n=st.integers(2, 40), d=st.integers(3, 60))
def test_a_general_minimiser_finds_nothing_better(seed, l2, n, d):
    problem = random_problem(seed, n, d, l2=l2)
    found = truncated_newton(problem, None, 1e-8, 100)

    def value(w):
        return objective_by_definition(problem, w[None, :-1], w[-1:])

    best = scipy.optimize.minimize(value, np.append(found.coef[0], found.intercept), method="BFGS").fun
    assert found.objective <= best + 1e-9


def test_whole_numbers_as_weights_are_repeated_rows():
    problem = random_problem(weighted=True)
    times = problem.weight.astype(int)
    rows = np.repeat(np.arange(len(times)), times)
    repeated = Problem(problem.X[rows], problem.y[rows], None, 2, 0.0, 0.01, True)
    a, b = truncated_newton(problem, None, 1e-10, 100), truncated_newton(repeated, None, 1e-10, 100)
    assert_allclose(a.coef, b.coef, atol=1e-7)


def test_a_start_at_the_solution_is_the_end():
    problem = random_problem(n_classes=3)
    first = truncated_newton(problem, None, 1e-8, 100)
    again = truncated_newton(problem, (first.coef, first.intercept), 1e-8, 100)
    assert again.n_iter == 0
    assert_array_equal(again.coef, first.coef)


def test_columns_of_very_different_size_are_solved_as_well():
    problem = random_problem(l2=0.0, d=5, n=400)
    size = np.array([1e-6, 1.0, 1.0, 1e3, 1e6])
    plain = truncated_newton(problem, None, 1e-9, 100)
    wild = Problem(scipy.sparse.csr_matrix(problem.X.multiply(size)), problem.y, None, 2, 0.0, 0.0, True)
    found = truncated_newton(wild, None, 1e-9, 100)
    assert found.objective == pytest.approx(plain.objective, rel=1e-9)


@pytest.mark.parametrize("scale", [1e100, 1e-100])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_extreme_cells_give_finite_answers(scale, n_classes):
    problem = random_problem(n_classes=n_classes)
    X = problem.X * scale
    found = truncated_newton(Problem(X, problem.y, None, n_classes, 0.0, 0.01, True), None, 1e-4, 30)
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.objective)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_one_class_alone_ends(n_classes, l2):
    X = random_problem(n=20).X
    found = truncated_newton(Problem(X, np.zeros(20, np.int32), None, n_classes, 0.0, l2, True), None, 1e-4, 100)
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.intercept).all()
    assert found.objective < 0.01


def test_separable_rows_without_a_penalty_end():
    X = scipy.sparse.csr_matrix(np.array([[-1.0], [-2.0], [1.0], [2.0]]))
    found = truncated_newton(Problem(X, np.array([0, 0, 1, 1], np.int32), None, 2, 0, 0.0, True), None, 1e-4, 100)
    assert np.isfinite(found.coef).all()
    assert found.gradient_norm <= 1e-4


def test_iterations_are_bounded_and_told():
    found = truncated_newton(random_problem(), None, 1e-12, 1)
    assert found.n_iter == 1
    assert not found.converged


def test_the_number_of_threads_changes_no_bit():
    problem = random_problem(n=20_000, d=50, n_classes=3)
    solved_alike_on_any_number_of_threads(lambda: truncated_newton(problem, None, 1e-6, 100))


def test_many_rare_columns_do_not_end_it_early():
    """Every component of the mean gradient is small from the start; the objective is not."""
    rng = np.random.default_rng(0)
    n, d = 4000, 2000
    X = scipy.sparse.csr_matrix((np.ones(5 * n), (np.repeat(np.arange(n), 5), rng.integers(0, d, 5 * n))), shape=(n, d))
    X.sum_duplicates()
    y = (X @ rng.standard_normal(d) + rng.logistic(size=n) > 0).astype(np.int32)
    problem = Problem(X, y, None, 2, 0.0, 1 / n, True)
    rough, fine = (truncated_newton(problem, None, tol, 100) for tol in (1e-4, 1e-9))
    assert rough.objective <= fine.objective * (1 + 1e-5)
