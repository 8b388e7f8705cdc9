"""margin.linear.solvers.quasi_newton: the same solutions as Newton's, for shapes that he is too slow for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.linear.problem import Problem
from margin.linear.solvers import quasi_newton
from margin.linear.solvers.newton import newton
from margin.linear.solvers.quasi_newton import lbfgs
from tests.linear.problems import (
    DRAWN,
    differences_of,
    drawn_problem,
    objective_by_definition,
    solved_alike_on_any_number_of_threads,
)


@settings(max_examples=25, deadline=None)
@given(
    n_classes=st.integers(2, 6),
    l2=st.sampled_from([1e-4, 0.1, 10.0]),
    **DRAWN,
)
def test_the_solution_is_that_of_newton(n_classes, l2, intercept, **drawn):
    problem = drawn_problem(250, 4, n_classes, l2=l2, intercept=intercept, **drawn)
    found, expected = lbfgs(problem, None, 1e-7, 200), newton(problem, None, 1e-9, 100)
    assert found.converged
    assert found.gradient_norm <= 1e-7
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
    assert found.objective == pytest.approx(objective_by_definition(problem, found.coef, found.intercept), rel=1e-12)
    np.testing.assert_allclose(found.coef, expected.coef, atol=2e-3 if l2 < 1e-3 else 1e-5)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_columns_are_solved_with_products_in_float32(n_classes, dtype, monkeypatch):
    monkeypatch.setattr(quasi_newton, "FEWEST_PASSES", 2)
    monkeypatch.setattr(quasi_newton, "WHOLE_PARAMETERS", 0)
    problem = drawn_problem(600, 220, n_classes, l2=0.01, dtype=dtype)
    found = lbfgs(problem, None, 1e-6, 200)
    assert found.converged
    np.testing.assert_allclose(found.coef[:, :3], lbfgs(problem, None, 1e-8, 500).coef[:, :3], atol=1e-3)
    few = replace(problem, X=np.ascontiguousarray(problem.X[:, :3]))
    assert found.objective < newton(few, None, 1e-6, 100).objective


def test_products_that_are_too_dear_wait_and_the_diagonal_goes_ahead(monkeypatch):
    problem = drawn_problem(400, 30, 3)
    expected = lbfgs(problem, None, 1e-8, 200)
    monkeypatch.setattr(quasi_newton, "PASSES_FOR_PRODUCTS", 0)
    monkeypatch.setattr(quasi_newton, "FEWEST_PASSES", 1000)
    found = lbfgs(problem, None, 1e-6, 500)
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=1e-7)


def test_many_rows_are_solved_by_way_of_a_sample():
    problem = drawn_problem(60_000, 3, 3, l2=1e-4, weighted=True)
    found = lbfgs(problem, None, 1e-6, 100)
    assert found.converged
    assert found.n_iter < 8
    np.testing.assert_allclose(differences_of(problem, found), 0, atol=2e-6)


def test_rows_sorted_by_class_are_sampled_fairly():
    problem = drawn_problem(60_000, 3, 3, l2=1e-4)
    order = np.argsort(problem.y, kind="stable")
    found = lbfgs(replace(problem, X=problem.X[order], y=problem.y[order]), None, 1e-6, 100)
    expected = lbfgs(problem, None, 1e-6, 100)
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-3)


def test_scales_of_columns_hardly_change_the_number_of_passes():
    problem = drawn_problem(2000, 8, 3, l2=0.0)
    plain = lbfgs(problem, None, 1e-6, 200)
    scale = 10.0 ** np.arange(-4, 4)
    other = lbfgs(replace(problem, X=problem.X * scale), None, 1e-8, 200)
    assert other.converged
    assert other.objective == pytest.approx(plain.objective, rel=1e-6)
    assert other.n_iter <= 3 * plain.n_iter + 10


def test_extreme_columns_twins_and_constants_have_finite_answers():
    problem = drawn_problem(300, 4, 3, l2=0.0)
    plain = lbfgs(problem, None, 1e-8, 200)
    X = np.column_stack([problem.X * [1e100, 1e-100, 1.0, 1.0], problem.X[:, 2:], np.full(300, 5.0)])
    found = lbfgs(replace(problem, X=X), None, 1e-8, 200)
    assert np.isfinite(found.coef).all()
    assert found.objective == pytest.approx(plain.objective, rel=1e-6)


def test_cells_that_no_sample_shows_do_not_break_products_in_float32():
    problem = drawn_problem(3000, 210, l2=0.1)
    X = problem.X.copy()
    X[:, 7] = 0.0
    X[1, 7] = 1e30
    found = lbfgs(replace(problem, X=X), None, 1e-4, 100)
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert found.objective <= lbfgs(replace(problem, X=np.delete(X, 7, axis=1)), None, 1e-4, 100).objective + 1e-3


def test_separable_data_without_a_penalty_end_at_a_finite_point():
    X = np.repeat([0.0, 1.0, 2.0], 5)[:, None] + np.tile(np.linspace(-0.2, 0.2, 5), 3)[:, None]
    found = lbfgs(Problem(X, np.repeat([0, 1, 2], 5).astype(np.int32), None, 3, 0.0, 0.0, True), None, 1e-5, 500)
    assert np.isfinite(found.coef).all()
    assert found.objective < 1e-2


def test_parameters_add_up_to_nothing_over_the_classes():
    found = lbfgs(drawn_problem(300, 3, 4, l2=0.0), (np.ones((4, 3)), np.arange(4.0)), 1e-6, 100)
    np.testing.assert_allclose(found.coef.sum(axis=0), 0, atol=1e-12)
    assert found.intercept.sum() == pytest.approx(0, abs=1e-12)


def test_the_objective_never_rises_and_a_start_at_the_solution_stays():
    problem = drawn_problem(300, 5, 3)
    values = [lbfgs(problem, None, 1e-12, steps).objective for steps in range(10)]
    assert (np.diff(values) <= 1e-14).all()
    found = lbfgs(problem, None, 1e-8, 200)
    assert lbfgs(problem, (found.coef, found.intercept), 1e-4, 200).n_iter == 0


def test_the_number_of_threads_changes_no_bit():
    problem = drawn_problem(3000, 210, 3)
    solved_alike_on_any_number_of_threads(lambda: lbfgs(problem, None, 1e-4, 100))
