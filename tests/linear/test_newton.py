"""margin.linear.solvers.newton: by hand, against the definition, and where curvature is no help."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from margin.data import read
from margin.linear.problem import Problem
from margin.linear.solvers.newton import newton
from tests.linear.problems import (
    DRAWN,
    differences_of,
    drawn_problem,
    objective_by_definition,
    solved_alike_on_any_number_of_threads,
)
from tests.shared_data import shared_data


def test_an_intercept_alone_is_the_log_odds_of_the_classes():
    y = np.array([1, 1, 1, 0], dtype=np.int32)
    found = newton(Problem(np.zeros((4, 1)), y, None, 2, 0.0, 1.0, True), None, 1e-10, 100)
    assert found.converged
    assert found.intercept[0] == pytest.approx(np.log(3))
    assert found.coef[0, 0] == 0


def test_two_points_with_a_penalty_meet_the_equation_of_their_slope():
    X, y = np.array([[-1.0], [1.0]]), np.array([0, 1], dtype=np.int32)
    found = newton(Problem(X, y, None, 2, 0.0, 0.3, True), None, 1e-12, 100)
    w = found.coef[0, 0]
    assert 0.3 * w == pytest.approx(1 / (1 + np.exp(w)))
    assert found.intercept[0] == pytest.approx(0, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    n_classes=st.integers(2, 5),
    l2=st.sampled_from([0.0, 1e-4, 0.1, 10.0]),
    **DRAWN,
)
def test_the_gradient_of_the_definition_vanishes_at_the_solution(n_classes, l2, intercept, **drawn):
    problem = drawn_problem(250, 4, n_classes, l2=l2, intercept=intercept, **drawn)
    found = newton(problem, None, 1e-8, 100)
    assert found.converged
    assert found.gradient_norm <= 1e-8
    assert found.objective == pytest.approx(objective_by_definition(problem, found.coef, found.intercept), rel=1e-12)
    np.testing.assert_allclose(differences_of(problem, found), 0, atol=2e-9 + 1e-8)
    if n_classes > 2:
        np.testing.assert_allclose(found.coef.sum(axis=0), 0, atol=1e-10)
        assert found.intercept.sum() == pytest.approx(0, abs=1e-10)
    if not intercept:
        assert not found.intercept.any()


def test_whole_number_weights_are_repeated_rows():
    problem = drawn_problem(weighted=True)
    times = problem.weight.astype(int)
    repeated = Problem(problem.X.repeat(times, axis=0), problem.y.repeat(times), None, 2, 0.0, problem.l2, True)
    a, b = newton(problem, None, 1e-10, 100), newton(repeated, None, 1e-10, 100)
    np.testing.assert_allclose(a.coef, b.coef, rtol=1e-8)
    np.testing.assert_allclose(a.intercept, b.intercept, rtol=1e-8)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_weights_count_relative_to_each_other(factor):
    problem = drawn_problem(weighted=True)
    a = newton(problem, None, 1e-10, 100)
    b = newton(replace(problem, weight=problem.weight * factor), None, 1e-10, 100)
    np.testing.assert_allclose(a.coef, b.coef, rtol=1e-9)


def test_many_rows_are_solved_by_way_of_a_sample_to_the_same_solution():
    problem = drawn_problem(80_000, 3, l2=1e-5)
    found = newton(problem, None, 1e-7, 100)
    rival = LogisticRegression(C=1 / (1e-5 * 80_000), solver="newton-cholesky", tol=1e-10).fit(problem.X, problem.y)
    assert found.converged
    np.testing.assert_allclose(found.coef, rival.coef_, atol=1e-6)
    assert found.objective <= objective_by_definition(problem, rival.coef_, rival.intercept_) * (1 + 1e-9)


def test_a_sample_without_one_of_the_classes_misleads_nobody():
    problem = drawn_problem(80_000, 2, l2=1e-4)
    y = np.zeros(80_000, dtype=np.int32)
    y[[17, 40_000, 79_999]] = 1
    found = newton(replace(problem, y=y), None, 1e-8, 100)
    assert found.converged
    np.testing.assert_allclose(differences_of(replace(problem, y=y), found), 0, atol=2e-8)


def test_scales_and_means_of_columns_change_nothing_without_a_penalty():
    problem = drawn_problem(l2=0.0)
    plain = newton(problem, None, 1e-9, 100)
    scale, shift = np.array([1e-100, 1e100, 1e-3, 1.0, 1e3, 7.0]), np.array([0, 0, 1e3, 1e7, 0, 0])
    other = newton(replace(problem, X=problem.X * scale + shift), None, 1e-9, 100)
    assert other.converged
    assert other.objective == pytest.approx(plain.objective, rel=1e-7)
    np.testing.assert_allclose(other.coef * scale, plain.coef, rtol=1e-5, atol=1e-6)


def test_columns_that_are_there_twice_or_constant_do_no_harm_without_a_penalty():
    problem = drawn_problem(l2=0.0)
    plain = newton(problem, None, 1e-9, 100)
    X = np.column_stack([problem.X, problem.X, np.full(len(problem.X), 3.0), np.zeros(len(problem.X))])
    found = newton(replace(problem, X=X), None, 1e-9, 100)
    assert found.objective == pytest.approx(plain.objective, rel=1e-9)
    assert np.isfinite(found.coef).all()
    assert np.abs(found.coef).max() < 100


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separable_data_without_a_penalty_end_at_a_finite_point_with_next_to_no_loss(n_classes):
    X = (
        np.repeat(np.arange(n_classes, dtype=np.float64), 5)[:, None] * 2
        + np.tile(np.linspace(-0.5, 0.5, 5), n_classes)[:, None]
    )
    y = np.repeat(np.arange(n_classes, dtype=np.int32), 5)
    found = newton(Problem(X, y, None, n_classes, 0.0, 0.0, True), None, 1e-6, 200)
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert found.objective < 1e-3


@pytest.mark.parametrize("y", [[0, 0, 0], [0, 0, 2]])
def test_classes_without_rows_get_a_finite_answer(y):
    X = np.array([[0.0], [1.0], [2.0]])
    found = newton(Problem(X, np.array(y, dtype=np.int32), None, 3, 0.0, 0.1, True), None, 1e-6, 200)
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.intercept).all()


def test_one_row_and_more_columns_than_rows_are_solved():
    problem = drawn_problem(10, 30, l2=0.1)
    found = newton(problem, None, 1e-9, 100)
    assert found.converged
    np.testing.assert_allclose(differences_of(problem, found), 0, atol=1e-7)
    alone = newton(Problem(np.ones((1, 2)), np.zeros(1, dtype=np.int32), None, 2, 0.0, 1.0, True), None, 1e-6, 100)
    assert np.isfinite(alone.intercept).all()


def test_the_objective_never_rises():
    problem = drawn_problem(200, 5, l2=0.0)
    values = [newton(problem, None, 1e-12, steps).objective for steps in range(8)]
    assert (np.diff(values) <= 1e-14).all()


def test_a_start_at_the_solution_takes_no_more_steps_and_a_bad_one_gets_there_too():
    problem = drawn_problem(l2=0.05)
    found = newton(problem, None, 1e-10, 100)
    again = newton(problem, (found.coef, found.intercept), 1e-6, 100)
    assert again.n_iter == 0
    far = newton(problem, (found.coef + 50.0, found.intercept - 50.0), 1e-10, 100)
    np.testing.assert_allclose(far.coef, found.coef, atol=1e-7)


def test_iterations_run_out_without_a_loop_and_say_so():
    found = newton(drawn_problem(), None, 1e-12, 1)
    assert (found.n_iter, found.converged) == (1, False)


def test_the_number_of_threads_changes_no_bit():
    problem = drawn_problem(6000, 5, 3)
    solved_alike_on_any_number_of_threads(lambda: newton(problem, None, 1e-6, 100))


def test_spam_with_columns_as_they_are_is_solved_to_the_last_millionth():
    table, labels = read(shared_data("spambase.arff.gz")).target("class")
    X = np.column_stack([table.cells(name) for name in table.names]).astype(np.float64)
    y = (labels == np.unique(labels)[1]).astype(np.int32)
    problem = Problem(X, y, None, 2, 0.0, 1 / len(y), True)
    found = newton(problem, None, 1e-4, 100)
    rival = LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y)
    assert found.converged
    assert found.objective <= objective_by_definition(problem, rival.coef_, rival.intercept_) * (1 + 1e-8)
