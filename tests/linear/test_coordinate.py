"""margin.linear.solvers.coordinate_descent:
L1 and elastic net by hand, by proximal gradients and by their conditions.
"""

import dataclasses

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from margin.linear.problem import Problem
from margin.linear.solvers import gram_steps as dense_columns
from margin.linear.solvers.coordinate_descent import centred, coordinate_descent
from tests.linear.problems import (
    gradient_by_definition,
    objective_by_definition,
    random_problem,
    smallest_subgradient,
    solved_alike_on_any_number_of_threads,
)

KINDS = pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])


def proximal_gradients(problem, passes=20_000):
    """The slow definition: a step down the smooth part, then a step towards 0 (accelerated)."""
    width = problem.X.shape[1]
    cells = np.asarray(problem.X.todense()) if problem.is_sparse else problem.X
    rate = 1 / (np.linalg.norm(np.column_stack([cells, np.ones(len(cells))]), 2) ** 2 / len(cells) + problem.l2)
    w = ahead = np.zeros((problem.n_scores, width + 1))
    for t in range(passes):
        slope, of_intercept = gradient_by_definition(problem, ahead[:, :-1], ahead[:, -1])
        moved = ahead - rate * np.column_stack([slope, of_intercept])
        moved[:, :-1] = np.sign(moved[:, :-1]) * np.maximum(np.abs(moved[:, :-1]) - rate * problem.l1, 0)
        w, ahead = moved, moved + t / (t + 3) * (moved - w)
    return w[:, :-1], w[:, -1]


@KINDS
def test_one_column_worked_by_hand(dense):
    """Ones, two of ten in class 1, no intercept: p - 0.2 = l1 at the solution, so w = log(.3 / .7)."""
    X = np.ones((10, 1)) if dense else scipy.sparse.csr_matrix(np.ones((10, 1)))
    y = np.array([1, 1] + [0] * 8, np.int32)
    found = coordinate_descent(Problem(X, y, None, 2, 0.1, 0.0, False), None, 1e-10, 100)
    assert found.coef[0, 0] == pytest.approx(np.log(0.3 / 0.7))


@KINDS
def test_a_penalty_beyond_the_largest_slope_leaves_only_the_intercept(dense):
    problem = random_problem(l2=0.0, dense=dense)
    share = problem.y.mean()
    start = np.zeros((1, problem.X.shape[1])), np.array([np.log(share / (1 - share))])
    largest = np.abs(gradient_by_definition(problem, *start)[0]).max()
    above = coordinate_descent(dataclasses.replace(problem, l1=1.01 * largest), None, 1e-9, 100)
    below = coordinate_descent(dataclasses.replace(problem, l1=0.99 * largest), None, 1e-9, 100)
    assert np.count_nonzero(above.coef) == 0
    assert above.intercept == pytest.approx(start[1])
    assert np.count_nonzero(below.coef) == 1


@KINDS
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l2", [0.0, 0.02])
def test_agrees_with_proximal_gradients(dense, n_classes, l2):
    problem = random_problem(n=60, d=12, n_classes=n_classes, l1=0.02, l2=l2, dense=dense)
    found = coordinate_descent(problem, None, 1e-8, 500)
    slow = proximal_gradients(problem, 2000)
    assert found.objective == pytest.approx(objective_by_definition(problem, *slow), rel=1e-7)
    if l2 > 0 or n_classes == 2:
        assert_allclose(found.coef, slow[0], atol=1e-4)
        assert_array_equal(found.coef == 0, np.abs(slow[0]) < 1e-12)


@KINDS
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_conditions_hold_where_it_stops(dense, n_classes, weighted, intercept):
    problem = random_problem(
        n_classes=n_classes, weighted=weighted, intercept=intercept, l1=0.01, l2=0.001, dense=dense
    )
    found = coordinate_descent(problem, None, 1e-7, 300)
    assert found.converged
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1.01e-7
    assert found.objective == pytest.approx(objective_by_definition(problem, found.coef, found.intercept), rel=1e-13)
    assert 0 < np.count_nonzero(found.coef) < found.coef.size


@KINDS
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    d=st.integers(3, 80),
    l1=st.sampled_from([1e-3, 1e-2, 0.1]),
    l2=st.sampled_from([0.0, 1e-2]),
)
def test_rows_fewer_or_more_than_columns_come_to_the_solution(dense, seed, n, d, l1, l2):
    problem = random_problem(seed, n, d, l1=l1, l2=l2, dense=dense)
    found = coordinate_descent(problem, None, 1e-6, 300)
    assert found.converged
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1.01e-6


@pytest.mark.parametrize("n_classes", [2, 4, 8])
def test_sparse_and_dense_rows_have_one_solution(n_classes):
    a, b = (random_problem(n=300, n_classes=n_classes, l1=0.005, l2=0.005, dense=dense) for dense in (False, True))
    found, other = coordinate_descent(a, None, 1e-9, 500), coordinate_descent(b, None, 1e-9, 500)
    assert_allclose(found.coef, other.coef, atol=1e-6)
    assert_array_equal(found.coef == 0, other.coef == 0)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(3, 6),
    penalties=st.sampled_from([(1.0, 0.0), (0.3, 0.7), (0.0, 1.0), (1e-3, 1.0)]),
)
def test_the_centre_of_a_column_has_the_least_penalty(seed, n_classes, penalties):
    problem = random_problem(n=10, d=4, n_classes=n_classes, l1=penalties[0], l2=penalties[1])
    table = np.random.default_rng(seed).standard_normal((5, n_classes))
    w = centred(table, problem)[:-1]

    def penalty(shift):
        return (problem.l1 * np.abs(w - shift) + problem.l2 / 2 * (w - shift) ** 2).sum(axis=1)

    assert_allclose(np.ptp(w - table[:-1], axis=1), 0, atol=1e-14)
    for shift in (-1.0, -1e-3, 1e-3, 1.0):
        assert (penalty(0.0) <= penalty(shift) + 1e-12).all()


@KINDS
def test_without_l1_it_is_ridge(dense):
    problem = random_problem(l1=0.0, l2=0.01, dense=dense)
    found = coordinate_descent(problem, None, 1e-8, 300)
    assert found.converged
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1.01e-8


@KINDS
def test_a_path_of_penalties_is_cheap_with_warm_starts(dense):
    problem = random_problem(n=500, dense=dense, l2=0.0)
    start, cold, warm = None, 0, 0
    for l1 in np.geomspace(0.05, 0.005, 10):
        here = dataclasses.replace(problem, l1=l1)
        found = coordinate_descent(here, start, 1e-6, 200)
        cold += coordinate_descent(here, None, 1e-6, 200).n_iter
        warm += found.n_iter
        start = found.coef, found.intercept
    assert warm < cold
    assert coordinate_descent(here, start, 1e-6, 200).n_iter <= 1


@KINDS
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_type_of_cell_and_index_is_solved(dense, dtype, index):
    problem = random_problem(dtype=dtype, index=index, l1=0.01, dense=dense)
    found = coordinate_descent(problem, None, 1e-7, 200)
    assert found.converged
    assert found.coef.dtype == np.float64
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1e-6


@KINDS
@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("intercept", [False, True])
def test_one_class_alone_ends(dense, n_classes, intercept):
    X = random_problem(n=20, dense=dense).X
    problem = Problem(X, np.zeros(20, np.int32), None, n_classes, 0.01, 0.0, intercept)
    found = coordinate_descent(problem, None, 1e-4, 200)
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.intercept).all()


@KINDS
@pytest.mark.parametrize("scale", [1e100, 1e-100])
def test_extreme_cells_give_finite_answers(dense, scale):
    problem = random_problem(dense=dense)
    found = coordinate_descent(Problem(problem.X * scale, problem.y, None, 2, 0.01, 0.0, True), None, 1e-4, 30)
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.objective)


@KINDS
@pytest.mark.parametrize("n_classes", [2, 3])
def test_duplicated_and_constant_columns_come_to_the_solution(dense, n_classes):
    cells = np.asarray(random_problem(n_classes=n_classes).X.todense())
    cells = np.column_stack([cells, cells[:, :5], np.full(len(cells), 3.0)])
    y = random_problem(n_classes=n_classes).y
    problem = Problem(cells if dense else scipy.sparse.csr_matrix(cells), y, None, n_classes, 0.01, 0.0, True)
    found = coordinate_descent(problem, None, 1e-6, 500)
    assert found.converged
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1.01e-6


@KINDS
def test_columns_far_from_0_come_to_the_solution(dense):
    cells = np.random.default_rng(0).standard_normal((200, 4)) + np.array([0, 100, 1000, -500]) / (1 if dense else 100)
    y = (cells[:, 1] + cells[:, 2] > cells[:, 1:3].mean(axis=0).sum()).astype(np.int32)
    problem = Problem(cells if dense else scipy.sparse.csr_matrix(cells), y, None, 2, 0.01, 0.0, True)
    found = coordinate_descent(problem, None, 1e-5, 500)
    assert found.converged
    assert smallest_subgradient(problem, found.coef, found.intercept) <= 1.1e-5


@KINDS
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_number_of_threads_changes_no_bit(dense, n_classes):
    problem = random_problem(n=20_000, d=40, n_classes=n_classes, l1=0.002, dense=dense)
    solved_alike_on_any_number_of_threads(lambda: coordinate_descent(problem, None, 1e-5, 100))


@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_a_matrix_smaller_than_the_columns_leads_to_the_same_solution(n_classes, monkeypatch):
    problem = random_problem(n=200, n_classes=n_classes, l1=0.01, l2=0.01, dense=True)
    whole = coordinate_descent(problem, None, 1e-8, 300)
    monkeypatch.setattr(dense_columns, "MOST_LINES", 5 if n_classes == 8 else 5 * problem.n_scores)
    found = coordinate_descent(problem, None, 1e-8, 1000)
    assert found.converged
    assert found.n_iter > whole.n_iter
    assert_allclose(found.coef, whole.coef, atol=1e-6)


def test_many_scores_go_together_or_one_by_one_to_one_solution(monkeypatch):
    problem = random_problem(n=200, n_classes=8, l1=0.01, l2=0.01, dense=True)
    together = coordinate_descent(problem, None, 1e-8, 300)
    monkeypatch.setattr(dense_columns, "LINES_TOGETHER", 0)
    one_by_one = coordinate_descent(problem, None, 1e-8, 1000)
    assert together.converged
    assert one_by_one.converged
    assert_allclose(together.coef, one_by_one.coef, atol=1e-6)


def test_many_classes_that_can_nearly_be_told_apart_take_few_iterations():
    """A model that lies above the loss stalled here: 1,000 iterations were not enough for seven classes."""
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(9), 40).astype(np.int32)
    X = random.normal(size=(9, 6))[y] * 2 + random.normal(size=(360, 6)) * 0.5
    found = coordinate_descent(Problem(X, y, None, 9, 1e-3, 0.0, True), None, 1e-6, 60)
    assert found.converged


@KINDS
def test_iterations_are_bounded_and_told(dense):
    found = coordinate_descent(random_problem(l1=0.01, dense=dense), None, 1e-12, 1)
    assert found.n_iter == 1
    assert not found.converged
