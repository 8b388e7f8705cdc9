"""margin.linear.certificate: the mistake bound by hand, and where there is none."""

import numpy as np
import pytest

from margin.linear.certificate import certify


def test_two_opposite_rows_cost_one_mistake_at_most():
    found = certify(np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([1, -1]), False, 1)
    assert found.separable
    assert (found.radius, found.margin, found.bound) == pytest.approx((5, 5, 1))
    assert found.direction == pytest.approx([0.6, 0.8])
    assert found.intercept == 0
    assert found.mistakes == 1


def test_the_constant_of_an_intercept_counts_in_radius_and_margin():
    found = certify(np.array([[0.0], [2.0]]), np.array([-1, 1]), True, 3)
    assert found.radius == pytest.approx(np.sqrt(5))
    assert found.margin == pytest.approx(np.sqrt(0.5))
    assert found.bound == pytest.approx(10)
    assert "bound (R/γ)²: 10\nmistakes made: 3" in str(found)


def test_the_petals_of_iris_promise_748_mistakes_at_most():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    found = certify(X[:, 2:], np.where(y == 0, 1, -1), True, 4)
    assert found.bound == pytest.approx(747.69, abs=0.01)
    rows = np.column_stack([X[:, 2:], np.ones(150)]) * np.where(y == 0, 1, -1)[:, None]
    assert (rows @ np.r_[found.direction, found.intercept]).min() == pytest.approx(found.margin)


def test_classes_that_cannot_be_separated_have_no_bound():
    found = certify(np.array([[0.0], [1.0], [2.0]]), np.array([1, -1, 1]), True, 99)
    assert not found.separable
    assert found.bound is None
    assert found.margin is None
    assert found.direction is None
    assert "no plane separates" in str(found)


def test_a_bound_beyond_all_numbers_is_infinite():
    found = certify(np.array([[1e-200], [2e-200]]), np.array([-1, 1]), True, 0)
    assert found.separable
    assert found.bound == np.inf
