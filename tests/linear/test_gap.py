"""margin.linear.logistic.certificate: worked by hand, against the slow optimum, then as a bound that always holds."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.linear.logistic.certificate import (
    balanced_intercepts,
    chances,
    curvature,
    duality_gap,
    loss_and_gradient,
    scores,
    smallest_subgradient,
)
from margin.linear.problem import Problem
from tests.linear.slow import objective, slow_solution


def random_problem(seed, n=40, d=3, n_classes=2, l1=0.0, l2=0.05, intercept=True, weighted=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.arange(n, dtype=np.int32) % n_classes
    X[np.arange(n), y % d] += 1.0
    weight = rng.random(n) + 0.1 if weighted else None
    return Problem(X, y, weight, n_classes, l1, l2, intercept)


def zeros(problem):
    return np.zeros((problem.n_scores, problem.X.shape[1])), np.zeros(problem.n_scores)


def test_at_zero_without_intercept_the_gap_is_half_the_squared_gradient_over_the_penalty():
    problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1], dtype=np.int32), None, 2, 0.0, 0.5, False)
    # The gradient at 0 is the mean of (1/2 - y) x: (1/2 - 3/2) / 2 = -1/2; entropies and losses are all log 2.
    assert duality_gap(problem, *zeros(problem)) == pytest.approx(0.5**2 / (2 * 0.5))


def test_without_a_penalty_there_is_no_gap_to_tell():
    problem = random_problem(0, l2=0.0)
    assert duality_gap(problem, *zeros(problem)) is None


def test_an_l1_penalty_above_every_gradient_is_solved_by_zero():
    problem = random_problem(1, l1=10.0, l2=0.0)
    assert duality_gap(problem, *zeros(problem)) == pytest.approx(0.0, abs=1e-14)


SHAPES = [
    {"n_classes": 2},
    {"n_classes": 2, "intercept": False, "weighted": True},
    {"n_classes": 4, "weighted": True},
    {"n_classes": 3, "intercept": False},
    {"n_classes": 2, "l1": 0.03, "l2": 0.0},
    {"n_classes": 3, "l1": 0.03, "l2": 0.0},
    {"n_classes": 2, "l1": 0.02, "l2": 0.02, "weighted": True},
    {"n_classes": 4, "l1": 0.02, "l2": 0.02},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_at_the_slow_optimum_the_gap_closes(shape):
    problem = random_problem(2, **shape)
    best = slow_solution(problem)
    assert duality_gap(problem, best.coef, best.intercept) < 1e-7


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.floats(0, 3), shape=st.sampled_from(SHAPES))
def test_the_gap_is_never_smaller_than_the_distance_to_the_optimum(seed, size, shape):
    problem = random_problem(seed % 50, **shape)
    best = slow_solution(problem)
    rng = np.random.default_rng(seed)
    coef, intercept = best.coef + size * rng.normal(size=best.coef.shape), best.intercept.copy()
    if problem.intercept:
        intercept += size * rng.normal(size=best.intercept.shape)
    assert duality_gap(problem, coef, intercept) >= objective(problem, coef, intercept) - best.objective - 1e-9


@pytest.mark.parametrize("n_classes", [2, 4])
def test_balanced_intercepts_give_every_class_its_share(n_classes):
    problem = random_problem(3, n_classes=n_classes, weighted=True)
    z = 5 * np.random.default_rng(0).normal(size=(40, problem.n_scores))
    b = balanced_intercepts(problem, z, np.full(problem.n_scores, 30.0))
    shares = np.bincount(problem.y, problem.weight) / problem.weight.sum()
    given = problem.weight @ chances(z + b) / problem.weight.sum()
    assert given == pytest.approx(shares[-problem.n_scores :], abs=1e-14)


# The passes


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
def test_loss_gradient_and_curvature_are_those_of_differences(n_classes, form):
    problem = random_problem(4, n_classes=n_classes, l2=0.0, weighted=True)
    X = problem.X.astype(np.float32)
    X = {"float64": X.astype(np.float64), "float32": X, "csr": sp.csr_array(X.astype(np.float64))}[form]
    problem = Problem(X, problem.y, problem.weight, n_classes, 0.0, 0.0, True)
    rng = np.random.default_rng(1)
    k, d = problem.n_scores, 3
    flat = rng.normal(size=k * (d + 1))

    def at(flat):
        table = flat.reshape(k, d + 1)
        value, slope, at_zero, p = loss_and_gradient(problem, table[:, :d], table[:, d])
        assert p == pytest.approx(chances(scores(problem, table[:, :d]) + table[:, d]), abs=1e-6)
        return value, np.column_stack([slope, at_zero]).ravel(), p

    value, slope, p = at(flat)
    table = flat.reshape(k, d + 1)
    assert value == pytest.approx(objective(problem, table[:, :d], table[:, d]), rel=1e-12)
    h = 1e-6
    steps = np.eye(len(flat)) * h
    assert slope == pytest.approx([(at(flat + s)[0] - at(flat - s)[0]) / (2 * h) for s in steps], abs=1e-8)
    bend = np.array([(at(flat + s)[1] - at(flat - s)[1]) / (2 * h) for s in steps])
    assert curvature(problem, p) == pytest.approx(bend, abs=1e-8)


def test_the_smallest_subgradient_forgives_zeros_as_much_as_l1_holds_them():
    problem = random_problem(0, d=3, l1=1.0, l2=0.5)
    coef = np.array([[0.0, 2.0, 0.0]])
    slope = np.array([[0.75, -2.25, -1.5]])
    # |0.75| < 1 holds at zero; 2: -2.25 + 0.5 * 2 + 1 = -0.25; 1.5 - 1 = 0.5.
    assert smallest_subgradient(problem, coef, slope, np.array([0.125])) == pytest.approx(0.5)
    assert smallest_subgradient(problem, coef, slope, np.array([-0.625])) == pytest.approx(0.625)
