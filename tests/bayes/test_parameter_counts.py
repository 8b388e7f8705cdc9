"""margin.bayes: how many numbers a generative model has learnt, by the formulas of the lectures."""

import numpy as np
import pytest

from margin import (
    DiagonalLinearDiscriminantAnalysis,
    JointBayes,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from margin.data import catalog


def iris():
    return catalog.load("iris").target("class")


@pytest.mark.parametrize(
    ("model", "formula"),
    [
        (LinearDiscriminantAnalysis(), lambda p, k: p * k + p * (p + 1) // 2 + k),
        (QuadraticDiscriminantAnalysis(), lambda p, k: p * k + k * p * (p + 1) // 2 + k),
        (DiagonalLinearDiscriminantAnalysis(), lambda p, k: p * k + p + k),
        (NaiveBayes(), lambda p, k: 2 * p * k + k),
        (NaiveBayes(distributions="poisson"), lambda p, k: p * k + k),
        (NaiveBayes(distributions="bernoulli"), lambda p, k: p * k + k),
        (NaiveBayes(distributions="multinomial"), lambda p, k: (p - 1) * k + k),
    ],
    ids=lambda value: "formula" if callable(value) and not hasattr(value, "fit") else repr(value),
)
def test_four_columns_and_three_classes(model, formula):
    assert model.fit(*iris()).n_parameters_ == formula(4, 3)


def test_one_hot_columns_are_counted_one_by_one():
    X, y = catalog.load("weather_nominal").target("play")
    model = LinearDiscriminantAnalysis().fit(X, y)
    p = model.means_.shape[1]
    assert p == 3 + 3 + 2 + 2
    assert model.n_parameters_ == 2 * p + p * (p + 1) // 2 + 2


def test_naive_bayes_has_the_numbers_that_the_joint_table_says_it_would_have():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = [0, 1, 1, 0]
    joint, naive = JointBayes().fit(X, y), NaiveBayes(distributions="categorical").fit(X, y)
    assert (joint.n_parameters_, joint.n_parameters_naive_) == (2 * (2**2 - 1), 2 * 2)
    assert naive.n_parameters_ == joint.n_parameters_naive_ + 2  # the priors
    mixed, labels = catalog.load("weather_numeric").target("play")
    assert NaiveBayes().fit(mixed, labels).n_parameters_ == 2 * ((3 - 1) + (2 - 1) + 2 * 2) + 2


def test_a_kernel_density_counts_its_bumps():
    model = NaiveBayes(distributions="kernel").fit([[1.0], [2.0], [4.0], [2.0]], [0, 0, 1, 1])
    assert model.n_parameters_ == 2 * 4 + 2 + 2
