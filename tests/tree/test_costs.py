"""Costs of errors: the matrix, answers of least cost, honest probabilities, and the tree they grow."""

import numpy as np
import pytest

from margin import DecisionTreeClassifier
from margin.errors import ParameterError
from margin.tree.costs import altered_priors, cost_matrix, in_few_bits


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 1, "ill", "well")


def test_pairs_that_are_not_named_cost_one():
    classes = np.array(["ill", "so-so", "well"])
    matrix = cost_matrix({("ill", "well"): 9, ("so-so", "ill"): 0.5}, classes, "model")
    assert matrix.tolist() == [[0, 1, 9], [0.5, 0, 1], [1, 1, 0]]


def test_answers_cost_least_and_probabilities_stay_shares():
    X, y = rows()
    model = DecisionTreeClassifier(costs={("ill", "well"): 10}, max_depth=3).fit(X, y)
    shares = model.predict_proba(X)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        assert shares[leaves == leaf][0, 0] == pytest.approx((y[leaves == leaf] == "ill").mean())
    expected = np.where(10 * shares[:, 0] >= shares[:, 1], "ill", "well")
    assert (model.predict(X) == expected).all()
    assert (model.predict(X[:1]) == expected[:1]).all()


def test_costs_lower_what_errors_cost():
    X, y = rows()
    fresh, truth = rows(4000, seed=1)
    costs = {("ill", "well"): 10.0}

    def price(model):
        answer = model.fit(X, y).predict(fresh)
        return 10 * ((truth == "ill") & (answer == "well")).sum() + ((truth == "well") & (answer == "ill")).sum()

    assert price(DecisionTreeClassifier(costs=costs, max_depth=3)) < 0.8 * price(DecisionTreeClassifier(max_depth=3))


def test_two_classes_grow_the_tree_of_class_weights():
    X, y = rows()
    costly = DecisionTreeClassifier(costs=[[0, 4], [1, 0]], max_depth=4).fit(X, y)
    weighted = DecisionTreeClassifier(class_weight={"ill": 4}, max_depth=4).fit(X, y)
    assert np.array_equal(costly.tree_.column, weighted.tree_.column)
    assert np.array_equal(costly.tree_.threshold, weighted.tree_.threshold)
    assert np.allclose(costly.feature_importances_, weighted.feature_importances_)
    assert np.array_equal(costly.predict(X), weighted.predict(X))


@pytest.mark.parametrize("prune", ["reduced_error", "pessimistic", "cost_complexity"])
def test_pruned_trees_know_costs_too(prune):
    X, y = rows()
    model = DecisionTreeClassifier(costs={("ill", "well"): 10}, prune=prune, random_state=0).fit(X, y)
    plain = DecisionTreeClassifier(prune=prune, random_state=0).fit(X, y)
    assert (model.predict(X) == "ill").sum() > (plain.predict(X) == "ill").sum()
    assert model.tree_.value[0] == pytest.approx([(y == "ill").sum(), (y == "well").sum()])


def test_priors_keep_the_weight_of_all():
    totals = np.array([3.0, 5.0, 7.0])
    factors = altered_priors(np.array([[0, 1, 2], [5, 0, 1], [1, 1, 0.0]]), totals)
    assert (factors * totals).sum() == pytest.approx(totals.sum())
    assert factors[1] / factors[0] == pytest.approx(2)


def test_factors_of_few_bits_are_exact_for_repeated_rows():
    third = in_few_bits(np.array([1 / 3, 0.1]))
    assert np.allclose(third, [1 / 3, 0.1], rtol=1e-7)
    assert (third * 12345 == np.full((12345, 2), third).sum(axis=0)).all()


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({("ill", "wel"): 2}, r"'wel' is not one of the classes.*did you mean 'well'"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "for each of the 2 classes"),
        ([[0, 0], [1, 0]], "errors on class 'ill' must cost something"),
        ({"ill": 3}, "must be None, a square matrix"),
        ([[0, -1], [1, 0]], "must be None, a square matrix"),
    ],
)
def test_costs_that_make_no_sense_are_refused(costs, message):
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier(costs=costs).fit(*rows(20))
