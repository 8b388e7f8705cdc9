"""The golden figures of Bayes' rule and of the joint classifier."""

import itertools

import numpy as np
import pytest

from margin import JointBayes, NaiveBayes, bayes_rule
from margin.data import catalog


@pytest.mark.golden("C1")
def test_a_stiff_neck_means_meningitis_in_2_of_10000_cases():
    assert round(bayes_rule(0.5, 1 / 50_000, evidence=1 / 20), 10) == 0.0002


@pytest.mark.golden("C2")
def test_the_joint_classifier_solves_xor_and_the_naive_one_cannot():
    X, y = catalog.load("xor").target("y")
    for alpha in (0.0, 1.0):
        assert np.array_equal(JointBayes(alpha=alpha).fit(X, y).predict(X), y)
        assert np.allclose(NaiveBayes(alpha=alpha).fit(X, y).predict_proba(X), 0.5)
    numbers = np.array(list(itertools.product([0, 1], repeat=2)))
    assert np.array_equal(JointBayes().fit(numbers, numbers[:, 0] ^ numbers[:, 1]).predict(numbers), [0, 1, 1, 0])


@pytest.mark.golden("C2")
@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_two_classes_and_n_binary_columns_have_so_many_free_numbers(n):
    X = np.array(list(itertools.product([0, 1], repeat=n)))
    model = JointBayes().fit(X, X[:, 0])
    assert (model.n_parameters_, model.n_parameters_naive_) == (2 * (2**n - 1), 2 * n)
