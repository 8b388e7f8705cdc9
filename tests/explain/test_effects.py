"""Two-way partial dependence and accumulated local effects, against what is known of simple functions."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from margin import NaiveBayes
from margin.data import catalog
from margin.errors import MarginError
from margin.explain import accumulated_effects, partial_dependence, two_way_dependence


class Formula(RegressorMixin, BaseEstimator):
    """Answers by a formula."""

    def __init__(self, of=None):
        self.of = of

    def predict(self, X):
        return self.of(np.asarray(X, dtype=float))


def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 3))
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=500)
    return X


def test_two_columns_side_by_side_have_no_interaction_and_a_product_has_one():
    X = rows()
    apart = two_way_dependence(Formula(lambda X: X[:, 0] + X[:, 2] ** 2), X, ("x0", 2))
    assert apart.interaction == pytest.approx(0, abs=1e-6)
    assert apart.mean == pytest.approx(apart.values[0][:, None] + apart.values[1][None, :] ** 2)
    assert two_way_dependence(Formula(lambda X: X[:, 0] * X[:, 2]), X, (0, 2)).interaction > 0.2


def test_means_over_the_second_column_are_the_one_way_dependence_of_words():
    X, y = catalog.load("weather_nominal").target("play")
    model = NaiveBayes().fit(X, y)
    found = two_way_dependence(model, X, ("outlook", "windy"), label="yes")
    for at, level in enumerate(found.values[1].tolist()):
        held = X.take(np.flatnonzero(X["windy"] == level))
        both = partial_dependence(model, X, "outlook", label="yes")
        assert found.values[0].tolist() == both.values.tolist()
        assert len(held) > 0
        assert 0 < found.mean[0, at] < 1


def test_accumulated_effects_are_those_of_the_formula_where_columns_go_together():
    """The second column is nearly the first; the slope of each is its own all the same."""
    found = accumulated_effects(Formula(lambda X: 3 * X[:, 0] - 2 * X[:, 1]), rows(), "x0")
    slope = np.diff(found.effect) / np.diff(found.values)
    assert slope == pytest.approx(3)
    assert found.counts[1:].sum() == 500
    assert np.all(found.low <= found.effect)


def test_effects_of_words_follow_the_answers_and_have_mean_0():
    X, y = catalog.load("weather_nominal").target("play")
    found = accumulated_effects(NaiveBayes().fit(X, y), X, "outlook", label="yes")
    by_name = dict(zip(found.values.tolist(), found.effect.tolist()))
    assert by_name["overcast"] > by_name["sunny"]
    counts = [int((X["outlook"] == level).sum()) for level in found.values]
    assert np.average(found.effect, weights=counts) == pytest.approx(0, abs=1e-12)
    assert found.to_dict()["name"] == "outlook"


def test_what_cannot_be_is_refused():
    model, X = Formula(lambda X: X[:, 0]), rows()
    for columns, message in ((("x0", "x0"), "differ"), ("x0", "two names"), (("x0", "x7"), "must be one of")):
        with pytest.raises(MarginError, match=message):
            two_way_dependence(model, X, columns)
    with pytest.raises(MarginError, match="at least 1"):
        accumulated_effects(model, X, 0, n_intervals=0)
