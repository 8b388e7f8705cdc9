"""margin.linear.odds: worked by hand, then inverses of each other, then read from models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin import LogisticRegression
from margin.data import catalog
from margin.errors import InputError, ParameterError
from margin.linear import logit, odds, odds_text, probability


def test_odds_by_hand():
    assert odds(0.2) == 0.25
    assert odds(0.5) == 1.0
    assert odds(1.0) == np.inf
    assert odds([0.0, 0.8]).tolist() == pytest.approx([0.0, 4.0])


def test_logits_are_the_logarithms_of_odds_and_change_sign_at_a_half():
    assert logit(0.2) == pytest.approx(np.log(0.25))
    assert logit(0.8) == pytest.approx(-logit(0.2))
    assert logit([0.0, 0.5, 1.0]).tolist() == [-np.inf, 0.0, np.inf]


@pytest.mark.parametrize(
    ("p", "spoken"),
    [
        (0.1, "9 to 1 against"),
        (0.75, "3 to 1 on"),
        (0.5, "even"),
        (0.5009, "even"),
        (0.4, "3 to 2 against"),
        (0.6, "3 to 2 on"),
        (0.29, "2.45 to 1 against"),
        (1 / 50_001, "50,000 to 1 against"),
        (1 - 1 / 101, "100 to 1 on"),
        (1e-12, "more than 1,000,000 to 1 against"),
        (0, "impossible"),
        (1, "certain"),
    ],
)
def test_odds_are_spoken_of_as_against_and_on(p, spoken):
    assert odds_text(p) == spoken


@given(p=st.floats(1e-5, 1 - 1e-5))
def test_spoken_odds_are_the_odds_to_three_digits(p):
    said = odds_text(p)
    if said == "even":
        assert odds(p) == pytest.approx(1, rel=6e-3)
        return
    first, _, second, side = said.replace(",", "").split()
    ratio = float(first) / float(second)
    assert (ratio if side == "on" else 1 / ratio) == pytest.approx(odds(p), rel=6e-3)


def test_odds_of_several_probabilities_are_a_list_of_texts():
    assert odds_text([0.1, 0.75]) == ["9 to 1 against", "3 to 1 on"]
    with pytest.raises(InputError, match=r"odds_text\(p=2\)"):
        odds_text([0.5, 2.0])


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
