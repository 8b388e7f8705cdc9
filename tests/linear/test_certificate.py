"""margin.linear.online.mistake_bound: the mistake bound by hand, and where there is none."""

import numpy as np
import pytest

from margin.linear.geometry.hard_margin import largest_margin
from margin.linear.online.mistake_bound import certify, certify_classes


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


# more than two classes


def kesler(X, y, n_classes):
    """Every point of Kesler's construction, written out."""
    points = []
    for x, own in zip(X, y):
        for other in range(n_classes):
            if other != own:
                point = np.zeros((n_classes, len(x)))
                point[own], point[other] = x, -x
                points.append(point.ravel())
    return np.array(points)


def three_classes(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=(d, 3)) + rng.normal(size=3)).argmax(axis=1).astype(np.int32)
    y[:3] = 0, 1, 2
    return X, y


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("intercept", [True, False])
def test_several_classes_have_the_margin_of_all_points_written_out(seed, intercept):
    X, y = three_classes(seed)
    X[:3] = 10 * np.eye(3) if seed % 2 else X[:3]
    found = certify_classes(X, y, 3, intercept, 7)
    rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
    points = kesler(rows, y, 3)
    expected = largest_margin(points, np.ones(len(points)), False)
    assert found.separable == expected.separable
    assert found.radius == pytest.approx(expected.radius)
    if found.separable:
        assert found.margin == pytest.approx(expected.margin, rel=1e-7)
        assert found.bound == pytest.approx((found.radius / found.margin) ** 2)
        W = np.column_stack([found.direction, found.intercept]) if intercept else found.direction
        assert np.linalg.norm(W) == pytest.approx(1)
        assert (points @ W.ravel()).min() == pytest.approx(found.margin, rel=1e-7)


def test_two_classes_by_either_way_have_one_bound():
    X, y = three_classes(3)
    y = (y > 0).astype(np.int32)
    both = certify_classes(X, y, 2, True, 0)
    one = certify(X, np.where(y == 1, 1.0, -1.0), True, 0)
    assert both.separable == one.separable
    if one.separable:  # the difference of the two vectors is √2 times as long as both in one
        assert both.bound == pytest.approx(one.bound, rel=1e-7)


@pytest.mark.parametrize("seed", [seed for seed in range(31) if seed != 14])  # that one has no rows of one class
def test_no_perceptron_of_several_classes_makes_more_mistakes_than_promised(seed):
    X, y = three_classes(seed, n=20)
    y = (X @ np.random.default_rng(seed + 99).normal(size=(3, 3))).argmax(axis=1).astype(np.int32)
    Z, W, mistakes = np.column_stack([X, np.ones(len(X))]), np.zeros((3, 4)), 0
    for _ in range(100_000):
        before = mistakes
        for z, own in zip(Z, y):
            scores = W @ z
            scores[own] = -np.inf
            other = int(scores.argmax())
            if W[own] @ z <= W[other] @ z:
                W[own] += z
                W[other] -= z
                mistakes += 1
        if mistakes == before:
            break
    found = certify_classes(X, y, 3, True, mistakes)
    assert found.separable
    assert found.mistakes <= found.bound
