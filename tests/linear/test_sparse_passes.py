"""margin.linear.solvers.sparse_objective:
loss, gradient and second derivatives over CSR rows against their definitions.
"""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from margin import parallel
from margin.linear.problem import Problem
from margin.linear.solvers.sparse_objective import SparsePasses
from margin.linear.solvers.sparse_steps import by_columns
from tests.linear.problems import gradient_by_definition, objective_by_definition, random_problem


def random_start(problem, seed=1):
    rng = np.random.default_rng(seed)
    intercept = rng.standard_normal(problem.n_scores) * problem.intercept
    return rng.standard_normal((problem.n_scores, problem.X.shape[1])), intercept


def second_derivatives(passes, table, direction, h=1e-5):
    """By differences of the gradient."""
    return (passes.smooth(table + h * direction)[1] - passes.smooth(table - h * direction)[1]) / (2 * h)


def test_two_rows_worked_by_hand():
    X = scipy.sparse.csr_matrix(np.array([[1.0, 0.0], [0.0, 2.0]]))
    problem = Problem(X, np.array([0, 1], np.int32), None, 2, 0.0, 0.0, True)
    value, gradient, state = SparsePasses(problem).smooth(np.zeros((3, 1)))
    assert value == pytest.approx(np.log(2))
    assert_allclose(gradient[:, 0], [0.25, -0.5, 0.0])
    assert_allclose(state[:, 0], [0.125, 0.125])


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 9, 14])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_and_gradient_are_those_of_the_definition(n_classes, weighted):
    problem = random_problem(n_classes=n_classes, weighted=weighted)
    start = random_start(problem)
    passes = SparsePasses(problem)
    value, gradient, _ = passes.smooth(passes.table(start))
    assert value == pytest.approx(objective_by_definition(problem, *start), rel=1e-13)
    slope, of_intercept = gradient_by_definition(problem, *start)
    found = passes.parts(gradient)
    assert_allclose(found[0], slope, atol=1e-15)
    assert_allclose(found[1], of_intercept, atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 6, 17])
@pytest.mark.parametrize("intercept", [False, True])
def test_products_and_diagonal_are_derivatives_of_the_gradient(n_classes, intercept):
    problem = random_problem(n_classes=n_classes, weighted=True, intercept=intercept, d=7)
    passes = SparsePasses(problem)
    table = passes.table(random_start(problem))
    state = passes.smooth(table)[2]
    direction = passes.table(random_start(problem, 2))
    assert_allclose(passes.product(state, direction), second_derivatives(passes, table, direction), atol=1e-8)
    diagonal = passes.diagonal(state)
    for place in [(0, 0), (3, problem.n_scores - 1), (6, 0)] + [(7, 0)] * intercept:
        unit = np.zeros_like(table)
        unit[place] = 1.0
        assert diagonal[place] == pytest.approx(passes.product(state, unit)[place], abs=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_type_of_cell_and_index_gives_the_same(dtype, index):
    usual = random_problem(dtype=np.float32)
    other = random_problem(dtype=dtype, index=index)
    other.X.data[:] = usual.X.data
    table = SparsePasses(usual).table(random_start(usual))
    for a, b in zip(SparsePasses(usual).smooth(table), SparsePasses(other).smooth(table)):
        assert_array_equal(a, b)


def test_the_number_of_threads_changes_no_bit():
    problem = random_problem(n=30_000, d=40, n_classes=3)
    table = SparsePasses(problem).table(random_start(problem))
    found = []
    for n in (1, 2, 5):
        with parallel.threads(n):
            passes = SparsePasses(problem)
            value, gradient, state = passes.smooth(table)
            found.append((value, gradient, state, passes.product(state, gradient), passes.diagonal(state)))
    for others in found[1:]:
        for a, b in zip(found[0], others):
            assert_array_equal(a, b)


@pytest.mark.parametrize("score", [800.0, -800.0, 1e100])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_certain_rows_have_finite_losses_and_no_curvature(score, n_classes):
    X = scipy.sparse.csr_matrix(np.array([[1.0], [1.0]]))
    problem = Problem(X, np.array([0, 1], np.int32), None, n_classes, 0.0, 0.0, False)
    passes = SparsePasses(problem)
    table = np.zeros(passes.shape)
    table[0, problem.n_scores - 2 if n_classes > 2 else 0] = score
    value, gradient, state = passes.smooth(table)
    assert value >= abs(score) / 2 * (1 - 1e-12)
    assert np.isfinite(gradient).all()
    assert np.isfinite(passes.product(state, gradient)).all()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6), n=st.integers(2, 80), d=st.integers(3, 60), index=st.sampled_from([np.int32, np.int64])
)
def test_columns_are_those_of_scipy(seed, n, d, index):
    X = random_problem(seed, n, d, index=index).X
    values, rows, start = by_columns(X, 2)
    expected = X.tocsc()
    expected.sort_indices()
    assert_array_equal(values, expected.data)
    assert_array_equal(rows, expected.indices)
    assert_array_equal(start, expected.indptr)
