"""margin.linear.odds: worked by hand, then inverses of each other, then read from models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin import LogisticRegression
from margin.data import catalog
from margin.errors import InputError, ParameterError
from margin.linear import logit, odds, probability


def test_odds_by_hand():
    assert odds(0.2) == 0.25
    assert odds(0.5) == 1.0
    assert odds(1.0) == np.inf
    assert odds([0.0, 0.8]).tolist() == pytest.approx([0.0, 4.0])


def test_logits_are_the_logarithms_of_odds_and_change_sign_at_a_half():
    assert logit(0.2) == pytest.approx(np.log(0.25))
    assert logit(0.8) == pytest.approx(-logit(0.2))
    assert logit([0.0, 0.5, 1.0]).tolist() == [-np.inf, 0.0, np.inf]


@given(z=st.floats(-30, 30))
def test_the_probability_of_a_logit_is_where_it_came_from(z):
    assert logit(probability(z)) == pytest.approx(z, rel=1e-3, abs=1e-9)
    assert probability(z) + probability(-z) == pytest.approx(1.0)


def test_extreme_log_odds_stay_probabilities():
    assert probability([-1e308, -800.0, 800.0, np.inf]).tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("bad", [-0.1, 1.5, np.nan, "half"])
def test_what_is_no_probability_is_refused(bad):
    for read in (odds, logit):
        with pytest.raises(InputError, match="probability"):
            read(bad)
    with pytest.raises(InputError, match="NaN"):
        probability(np.nan)


def test_the_odds_of_two_classes_are_the_exponential_of_the_decision():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["no", "yes", "no", "yes"])
    model = LogisticRegression().fit(X, y)
    found = model.odds(X)
    assert found.reference == "no"
    assert found.logits[:, 1] == pytest.approx(model.decision_function(X))
    p = model.predict_proba(X)
    assert found.odds == pytest.approx(p / p[:, :1])
    assert model.odds(X, reference="yes").odds == pytest.approx(p / p[:, 1:])


def test_the_odds_of_several_classes_are_ratios_of_probabilities_against_any_reference():
    X, y = catalog.load("iris").target("class")
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)
    for k, label in enumerate(model.classes_):
        found = model.odds(X, reference=label)
        assert found.odds == pytest.approx(p / p[:, [k]], rel=1e-9)
        assert np.exp(found.logits) == pytest.approx(found.odds)
    assert "odds against 'Iris-setosa'" in str(model.odds(X))
    with pytest.raises(ParameterError, match="did you mean 'Iris-setosa'"):
        model.odds(X, reference="iris-setosa")
