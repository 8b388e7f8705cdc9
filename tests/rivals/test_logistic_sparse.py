"""Sparse rows and L1 against scikit-learn, run to the end: the same solution, an objective never higher.

scikit-learn's C and ours meet in C = 1 / (S l) with S rows. Its "liblinear" penalises the intercept, so it is compared
without one; "saga" and "lbfgs" do not.
"""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from margin.linear.solvers.coordinate_descent import coordinate_descent
from margin.linear.solvers.truncated_newton import truncated_newton
from tests.linear.problems import objective_by_definition, random_problem


def theirs(problem, solver, l1_ratio):
    strength = 1 / ((problem.l1 + problem.l2) * problem.total)
    model = LogisticRegression(
        C=strength, l1_ratio=l1_ratio, solver=solver, tol=1e-8, max_iter=3000, fit_intercept=problem.intercept
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(problem.X, problem.y, sample_weight=problem.weight)
    return model.coef_, np.broadcast_to(model.intercept_, problem.n_scores)


def compare(problem, found, solver, l1_ratio):
    coef, intercept = theirs(problem, solver, l1_ratio)
    best = objective_by_definition(problem, coef, intercept)
    assert found.converged
    assert found.objective <= best + 1e-9
    assert found.objective == pytest.approx(best, rel=1e-6)
    return coef


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_on_sparse_rows_is_lbfgs_run_to_the_end(n_classes, weighted):
    problem = random_problem(n=300, d=60, n_classes=n_classes, weighted=weighted, l2=0.003)
    found = truncated_newton(problem, None, 1e-9, 100)
    coef = compare(problem, found, "lbfgs", 0.0)
    assert_allclose(found.coef, coef, atol=1e-5)


@pytest.mark.parametrize("dense", [False, True])
def test_l1_without_an_intercept_is_liblinear(dense):
    problem = random_problem(n=300, d=60, l1=0.01, l2=0.0, intercept=False, dense=dense)
    found = coordinate_descent(problem, None, 1e-9, 200)
    coef = compare(problem, found, "liblinear", 1.0)
    assert_allclose(found.coef, coef, atol=1e-4)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_elastic_net_is_saga_run_to_the_end(dense, n_classes, ratio):
    problem = random_problem(
        n=200, d=20, n_classes=n_classes, l1=0.02 * ratio, l2=0.02 * (1 - ratio), dense=dense, weighted=True
    )
    found = coordinate_descent(problem, None, 1e-9, 300)
    compare(problem, found, "saga", ratio)
