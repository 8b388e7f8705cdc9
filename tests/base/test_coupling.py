"""margin.base.meta.coupling: by hand, beside a slow definition, and at its limits."""

import numpy as np
import pytest
from scipy.optimize import minimize

from margin.base.meta.coupling import couple


def pairs_of(shares):
    """What given probabilities say about each pair."""
    first, second = np.triu_indices(len(shares), 1)
    return shares[first] / (shares[first] + shares[second])


def by_search(pairwise, n_classes):
    """The definition: the sum of squares over the simplex, found by a general solver."""
    first, second = np.triu_indices(n_classes, 1)

    def off(p):
        return 2 * ((((1 - pairwise) * p[first]) - pairwise * p[second]) ** 2).sum()

    start = np.full(n_classes, 1 / n_classes)
    limits = {"type": "eq", "fun": lambda p: p.sum() - 1}
    bounds = [(0, 1)] * n_classes
    return minimize(off, start, method="SLSQP", bounds=bounds, constraints=limits, options={"ftol": 1e-16}).x


@pytest.mark.parametrize("n_classes", [2, 3, 5, 26])
def test_pairs_that_agree_give_back_what_they_came_from(n_classes):
    shares = np.random.default_rng(n_classes).dirichlet(np.ones(n_classes), 7)
    np.testing.assert_allclose(couple(np.array([pairs_of(each) for each in shares])), shares, atol=1e-12)


def test_pairs_that_disagree_give_the_least_sum_of_squares():
    pairwise = np.random.default_rng(0).random((20, 6))
    expected = [by_search(each, 4) for each in pairwise]
    np.testing.assert_allclose(couple(pairwise), expected, atol=1e-6)


def test_two_classes_are_as_their_pair_says():
    np.testing.assert_allclose(couple([[0.3], [0.0], [1.0]]), [[0.3, 0.7], [0, 1], [1, 0]], atol=1e-15)


def test_a_class_that_wins_for_certain_is_certain_and_a_circle_is_a_tie():
    np.testing.assert_allclose(couple([[1.0, 1.0, 0.5]]), [[1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(couple([[1.0, 0.0, 1.0]]), [[1 / 3] * 3], atol=1e-15)


def test_no_rows_and_many_rows_at_once():
    pairwise = np.random.default_rng(1).random((40_000, 3))
    assert couple(np.empty((0, 3))).shape == (0, 3)
    assert np.array_equal(couple(pairwise, 2), couple(pairwise, 1))
    assert np.array_equal(couple(pairwise[:9]), np.vstack([couple(each[None]) for each in pairwise[:9]]))
