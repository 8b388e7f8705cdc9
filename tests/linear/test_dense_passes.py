"""margin.linear.solvers.dense_objective, units and curvature: against definitions in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import parallel
from margin.linear.problem import Problem
from margin.linear.solvers.curvature import (
    DOUBLE_COLUMNS,
    Blocks,
    Factor,
    Units,
    class_blocks,
    sampled_rows,
    whole_curvature,
)
from margin.linear.solvers.dense_objective import Objective, sample_of, zero_sum
from tests.linear.problems import drawn_problem, objective_by_definition


def test_no_coefficients_cost_the_logarithm_of_two_and_pull_towards_the_classes():
    X, y = np.array([[1.0], [3.0]]), np.array([0, 1], dtype=np.int32)
    point = Objective(Problem(X, y, None, 2, 0.0, 0.0, True)).at(np.zeros((1, 2)))
    assert point.value == pytest.approx(np.log(2))
    np.testing.assert_allclose(point.gradient, [[(0.5 * 1 - 0.5 * 3) / 2, 0.0]])


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 200),
    d=st.integers(1, 30),
    n_classes=st.integers(2, 14),
    weighted=st.booleans(),
    intercept=st.booleans(),
    single=st.booleans(),
    offset=st.sampled_from([0.0, 1e4]),
)
def test_value_and_gradient_are_those_of_the_definition(n, d, n_classes, weighted, intercept, single, offset):
    dtype = np.float32 if single else np.float64
    problem = drawn_problem(n, d, n_classes, weighted=weighted, intercept=intercept, dtype=dtype)
    problem = Problem(problem.X + dtype(offset), problem.y, problem.weight, n_classes, 0.0, 0.1, intercept)
    objective = Objective(problem)
    rng = np.random.default_rng(1)
    theta = rng.normal(size=objective.shape) / 4
    theta[:, -1] *= intercept
    moved = np.column_stack([theta[:, :-1], theta[:, -1] - theta[:, :-1] @ objective.units.moved])
    point = objective.at(theta, keep=True)
    assert point.value == pytest.approx(objective_by_definition(problem, moved[:, :-1], moved[:, -1]), rel=1e-9)
    direction = rng.normal(size=theta.shape)
    direction[:, -1] *= intercept
    h = 1e-5 / (1 + offset * (objective.units.origin is None))
    change = (objective.at(theta + h * direction).value - objective.at(theta - h * direction).value) / (2 * h)
    assert np.vdot(point.gradient, direction) == pytest.approx(change, rel=1e-4, abs=1e-6 * (1 + offset))
    assert point.probability.shape == (n, problem.n_scores)
    if problem.n_scores > 1:
        np.testing.assert_allclose(point.probability.sum(axis=1), 1)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_results_do_not_depend_on_the_number_of_threads(n_classes):
    objective = Objective(drawn_problem(5000, 7, n_classes, weighted=True))
    theta = np.random.default_rng(0).normal(size=objective.shape)
    with parallel.threads(1):
        one, product = objective.at(theta), objective.units.gram(objective.problem.X, objective.shares)
    with parallel.threads(3):
        more, products = objective.at(theta), objective.units.gram(objective.problem.X, objective.shares)
    assert one.value == more.value
    np.testing.assert_array_equal(one.gradient, more.gradient)
    np.testing.assert_array_equal(product, products)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_step_with_the_whole_curvature_solves_the_equations_of_newton(n_classes, intercept):
    problem = drawn_problem(200, 4, n_classes, intercept=intercept, weighted=True)
    objective = Objective(problem)
    theta = zero_sum(np.random.default_rng(0).normal(size=objective.shape) / 3)
    theta[:, -1] *= intercept
    point = objective.at(theta, keep=True)
    step = whole_curvature(problem, objective.units, objective.shares, point.probability).solve(point.gradient)
    h = 1e-5
    change = (objective.at(theta + h * step).gradient - objective.at(theta - h * step).gradient) / (2 * h)
    np.testing.assert_allclose(change, point.gradient, atol=1e-7)


def test_blocks_of_all_rows_are_the_curvature_of_each_class_by_itself():
    problem = drawn_problem(150, 3, 3, l2=0.2)
    objective = Objective(problem)
    point = objective.at(objective.start(None), keep=True)
    blocks = class_blocks(problem, objective.units, objective.shares, point.probability, 1000)
    design = np.column_stack([problem.X, np.ones(150)])
    for k in range(3):
        p = point.probability[:, k]
        matrix = design.T @ (design * (p * (1 - p) / 150)[:, None]) + 0.2 * np.diag([1, 1, 1, 0])
        np.testing.assert_allclose(blocks.solve(point.gradient)[k], np.linalg.solve(matrix, point.gradient[k]))


def test_blocks_of_a_sample_are_near_those_of_all_rows():
    problem = drawn_problem(20_000, 5, 3)
    objective = Objective(problem)
    point = objective.at(objective.start(None), keep=True)
    all_rows = class_blocks(problem, objective.units, objective.shares, point.probability, 20_000)
    some = class_blocks(problem, objective.units, objective.shares, point.probability, 4000)
    assert isinstance(some, Blocks)
    a, b = all_rows.solve(point.gradient), some.solve(point.gradient)
    assert np.abs(a - b).max() < 0.1 * np.abs(a).max()


def test_products_of_many_columns_are_kept_in_float32():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, DOUBLE_COLUMNS + 1)) * 100 + 5000
    units = Units(X, True)
    weight, rows = rng.random(100), sampled_rows(300, 100)
    found = units.gram(X, weight, rows)
    z = np.column_stack([(X[rows] - units.shift) * units.scale, np.ones(100)])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, z.T @ (z * weight[:, None]), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1e-5, 1.0, 1e100])
def test_units_make_columns_of_any_scale_alike(scale):
    X = np.random.default_rng(0).normal(size=(100, 2)) * [1.0, scale]
    units = Units(X, True)
    z = (X - units.shift) * units.scale
    assert 0.4 < z[:, 0].std() < 1.1
    assert 0 < z[:, 1].std() < 1.1


def test_a_matrix_that_is_singular_is_raised_by_as_little_as_it_takes():
    matrix = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    found = Factor(matrix).solve(np.array([[4.0, 4.0, 0.0]]))
    np.testing.assert_allclose(matrix @ found[0], [4.0, 4.0, 0.0], rtol=1e-8)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 5000), count=st.integers(1, 5000))
def test_a_sample_takes_every_row_at_most_once_and_as_many_as_asked_for(n, count):
    rows = sampled_rows(n, count)
    assert len(rows) == min(n, count)
    assert (np.diff(rows) > 0).all()
    assert rows[0] >= 0
    assert rows[-1] < n


def test_a_sample_of_rows_in_turn_sees_every_class():
    y = np.tile(np.arange(10, dtype=np.int32), 1000)
    some = sample_of(Problem(np.zeros((10_000, 1)), y, None, 10, 0.0, 0.0, True), 1000)
    assert np.bincount(some.y, minlength=10).min() > 50
