"""margin.svm.kernel_machine.dual: worked by hand, then a slow solver, then odd input, then real data."""

from __future__ import annotations

import _thread
import gzip
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.svm.kernel_machine.dual import DualProblem, solve, solve_all
from margin.svm.kernels.function import KernelFunction
from tests.shared_data import shared_data
from tests.svm.dual import conditions, objective, problem_of, random_problem, slow_dual

LINEAR = KernelFunction("linear")


def blobs(n, d=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    sign = np.where(X[:, 0] * X[:, 1] + X[:, 2] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, sign


def libsvm_file(name):
    from sklearn.datasets import load_svmlight_file

    with gzip.open(shared_data(name)) as file:
        X, y = load_svmlight_file(file)
    return X, y


# Worked by hand.


def test_two_points_share_the_weight_of_the_widest_margin():
    found = solve(LINEAR.source(np.array([[0.0], [2.0]])), problem_of([-1, 1], 10.0), tol=1e-12)
    np.testing.assert_allclose(found.alpha, [0.5, 0.5])  # w = 1, margin 2 / |w| = 2
    assert found.bias == pytest.approx(-1)
    assert found.objective == pytest.approx(-0.5)
    assert found.primal == pytest.approx(0.5)
    assert found.gap == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found.gradient, [-1, 1])  # s (f - bias) - 1 = s x - 1: -1 * 0 - 1 and 1 * 2 - 1
    assert not found.unbounded


def test_a_small_bound_leaves_both_points_inside_the_margin():
    found = solve(LINEAR.source(np.array([[0.0], [2.0]])), problem_of([-1, 1], 0.1))
    np.testing.assert_allclose(found.alpha, [0.1, 0.1])  # w = .2, f = .2 x - .2
    assert found.bias == pytest.approx(-0.2)
    assert found.primal == pytest.approx(0.5 * 0.04 + 0.1 * (0.8 + 0.8))
    assert found.objective == pytest.approx(0.5 * 0.04 - 0.2)


def test_a_row_with_the_bound_zero_takes_no_part_but_has_a_slope():
    found = solve(LINEAR.source(np.array([[0.0], [2.0], [1.5]])), problem_of([-1, 1, -1], [10, 10, 0]), tol=1e-12)
    np.testing.assert_allclose(found.alpha, [0.5, 0.5, 0])
    np.testing.assert_allclose(found.gradient, [-1, 1, -2.5])


@pytest.mark.parametrize("sign", [[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])
def test_one_class_alone_needs_no_weight(sign):
    found = solve(LINEAR.source(np.arange(3.0).reshape(-1, 1)), problem_of(sign, 1.0))
    np.testing.assert_array_equal(found.alpha, 0)
    assert found.bias == sign[0]
    assert found.violation == found.gap == 0


def test_no_rows_and_no_problems_are_solved_at_once():
    source = LINEAR.source(np.zeros((1, 1)))
    assert solve_all(source, []) == []
    empty = DualProblem(np.empty(0, np.uint32), np.empty(0), np.empty(0))
    assert len(solve(source, empty).alpha) == 0


@pytest.mark.golden("E3")
def test_heart_scale_has_the_known_solution():
    X, y = libsvm_file("heart_scale.libsvm.gz")
    source = KernelFunction("rbf", gamma=1 / 13).source(np.ascontiguousarray(X.toarray()))
    found = solve(source, problem_of(y, 1.0))
    assert found.objective == pytest.approx(-100.8773, abs=1e-3)
    assert found.bias == pytest.approx(-0.4245, abs=1e-3)
    assert (found.alpha > 0).sum() == 132
    assert (found.alpha == 1).sum() == 107


# A slow solver.


@pytest.mark.parametrize("block", range(10))
def test_the_objective_is_that_of_a_slow_solver(block):
    for seed in range(block * 50, block * 50 + 50):
        kernel, X, problem = random_problem(seed)
        K = kernel.source(X).block(problem.rows, problem.rows, 1)
        best = objective(K, problem.sign, slow_dual(K, problem.sign, problem.upper))
        found = solve(kernel.source(X), problem, tol=1e-8, gap_tol=1e-7, max_steps=1_000_000)
        reached = objective(K, problem.sign, found.alpha)
        assert reached == pytest.approx(best, rel=1e-6, abs=1e-9), seed
        assert found.objective == pytest.approx(reached, rel=1e-9)
        assert -found.objective <= found.primal * (1 + 1e-9)
        assert (found.alpha >= 0).all()
        assert (found.alpha <= problem.upper).all()
        assert problem.sign @ found.alpha == pytest.approx(0, abs=1e-9 * problem.upper.max())


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("cache_size", [0.0, 1.0, 200.0])
def test_rounds_of_any_size_reach_the_conditions_by_definition(single, cache_size):
    X, sign = blobs(1500)
    kernel = KernelFunction("rbf", gamma=0.3)
    problem = problem_of(sign, np.where(sign > 0, 1.0, 3.0))
    found = solve(kernel.source(X, single=single), problem, tol=1e-4, cache_size=cache_size)
    K = kernel.source(X).block(problem.rows, problem.rows, 1)
    assert found.violation <= 1e-4
    assert conditions(K, problem, found.alpha) < 2e-4
    f = K @ (sign * found.alpha) + found.bias
    np.testing.assert_allclose(found.gradient, sign * (f - found.bias) - 1, atol=1e-4)
    slack = np.maximum(0, 1 - sign * f)
    primal = 0.5 * (sign * found.alpha) @ K @ (sign * found.alpha) + problem.upper @ slack
    assert found.primal == pytest.approx(primal, rel=1e-4)
    assert found.gap == pytest.approx((primal + found.objective) / primal, abs=1e-5)


def test_the_gap_is_met_when_it_is_asked_for():
    X, sign = blobs(300)
    source = KernelFunction("rbf", gamma=0.5).source(X)
    loose = solve(source, problem_of(sign, 10.0), tol=1.0)
    tight = solve(source, problem_of(sign, 10.0), tol=1.0, gap_tol=1e-6)
    assert loose.gap > 1e-3
    assert 0 <= tight.gap <= 1e-6


# Properties.


def test_the_same_bits_come_for_any_number_of_threads_alone_and_together():
    X, sign = blobs(2500)
    source = KernelFunction("rbf", gamma=0.3).source(X, single=True)
    problems = [
        DualProblem(rows.astype(np.uint32), sign[rows], np.ones(len(rows)))
        for rows in (np.arange(2500), np.arange(0, 2500, 2), np.arange(7, 400))
    ]
    alone = [solve(source, problem, n_threads=1) for problem in problems]
    for n_threads in (1, 2, 3):
        for one, other in zip(alone, solve_all(source, problems, n_threads=n_threads), strict=True):
            np.testing.assert_array_equal(one.alpha, other.alpha)
            np.testing.assert_array_equal(one.gradient, other.gradient)
            assert (one.bias, one.primal, one.steps) == (other.bias, other.primal, other.steps)


def test_a_warm_start_saves_steps_and_ends_in_the_same_place():
    X, sign = blobs(1200)
    source = KernelFunction("rbf", gamma=0.3).source(X)
    first = solve(source, problem_of(sign, 1.0))
    cold = solve(source, problem_of(sign, 1.1))
    warm = solve(source, problem_of(sign, 1.1, first.alpha * 1.1))
    assert warm.steps < 0.7 * cold.steps
    assert warm.objective == pytest.approx(cold.objective, rel=1e-5)
    assert solve(source, problem_of(sign, 1.1, cold.alpha)).steps <= 5


@settings(max_examples=40, deadline=None)
@given(
    start=st.lists(st.floats(-3, 3), min_size=6, max_size=6),
    sign=st.lists(st.sampled_from([-1.0, 1.0]), min_size=6, max_size=6),
)
def test_any_start_is_made_feasible(start, sign):
    source = KernelFunction("rbf").source(np.arange(12.0).reshape(6, 2) ** 0.5)
    found = solve(source, problem_of(sign, 1.0, start), tol=1e-6)
    cold = solve(source, problem_of(sign, 1.0), tol=1e-6)
    assert found.objective == pytest.approx(cold.objective, abs=1e-6)
    assert np.dot(sign, found.alpha) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("C", [100.0, 1e4])
def test_a_linear_kernel_with_a_large_bound_comes_to_its_end(C):
    # Pairs alone need millions of steps here; all free variables are moved together.
    X, sign = blobs(400, noise=0.5)
    found = solve(LINEAR.source(X), problem_of(sign, C), tol=1e-3, gap_tol=1e-4, max_steps=1_000_000)
    assert found.steps < 1_000_000
    assert found.gap <= 1e-4


# Odd input.


def test_equal_rows_with_different_labels_all_reach_the_bound():
    found = solve(KernelFunction("rbf").source(np.ones((10, 2))), problem_of([1.0, -1.0] * 5, 2.0))
    np.testing.assert_array_equal(found.alpha, 2)
    assert (found.objective, found.primal, found.gap) == (-20, 20, 0)


def test_a_hard_margin_that_exists_is_found():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]])
    found = solve(LINEAR.source(X), problem_of([-1, -1, 1, 1], np.inf), tol=1e-10)
    assert not found.unbounded
    assert found.primal == pytest.approx(0.5)  # w = (1, 0)
    assert found.gap == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("X", [[[0.0], [1.0], [2.0]], [[0.0], [0.0], [0.0]]])
def test_a_hard_margin_that_does_not_exist_is_said_to_have_no_end(X):
    found = solve(LINEAR.source(np.array(X)), problem_of([1, -1, 1], np.inf), tol=1e-6)
    assert found.unbounded
    assert np.isfinite(found.alpha).all()


@pytest.mark.parametrize("C", [1e-12, 1e6, 1e10])
def test_extreme_bounds_end_with_a_finite_answer(C):
    X, sign = blobs(60, noise=0.3)
    found = solve(KernelFunction("rbf", gamma=1.0).source(X), problem_of(sign, C), max_steps=200_000)
    assert np.isfinite(found.alpha).all()
    assert np.isfinite([found.objective, found.primal, found.bias]).all()
    assert found.steps <= 200_000


def test_a_kernel_that_is_not_positive_semi_definite_ends():
    X, sign = blobs(200)
    found = solve(KernelFunction("sigmoid", gamma=2.0, coef0=-1.0).source(X), problem_of(sign, 5.0), max_steps=100_000)
    assert np.isfinite(found.alpha).all()
    assert np.isfinite(found.objective)
    assert (found.alpha >= 0).all()
    assert (found.alpha <= 5).all()


def test_scales_of_the_kernel_do_not_matter():
    X, sign = blobs(80)
    steps = [
        solve(LINEAR.source(X * scale), problem_of(sign, 1 / scale**2)).steps for scale in (2.0**-40, 1.0, 2.0**40)
    ]
    assert steps[0] == steps[1] == steps[2]


def test_the_number_of_steps_is_bounded():
    X, sign = blobs(500)
    found = solve(KernelFunction("rbf", gamma=0.5).source(X), problem_of(sign, 100.0), max_steps=17)
    assert found.steps == 17
    assert found.violation > 1e-3


def test_it_can_be_interrupted():
    X, sign = blobs(3000, noise=3.0)
    source = KernelFunction("rbf", gamma=0.5).source(X)
    ended = threading.Event()

    def interrupt() -> None:
        """Again after a while: Python loses an interrupt that falls into a finaliser."""
        while not ended.wait(0.3 if time.perf_counter() - began < 0.3 else 2.0):
            _thread.interrupt_main()

    began = time.perf_counter()
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            solve_all(source, [problem_of(sign, 1e5)] * 1000, tol=1e-9)
    finally:
        ended.set()
    assert time.perf_counter() - began < 10
