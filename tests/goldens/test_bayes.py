"""The golden figures of naive Bayes in all its forms."""

import numpy as np
import pytest

from margin import BernoulliNB, GaussianNB, MultinomialNB, NaiveBayes, Table
from margin.data import catalog
from margin.evaluation import LeaveOneOut, evaluate


@pytest.mark.golden("C3")
def test_bernoulli_counts_with_one_virtual_case_for_each_side():
    """Two days of three with rain and umbrella: (2+1)/(3+2); the dry class: (0+1)/(1+2)."""
    X = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    model = BernoulliNB().fit(X, ["wet", "wet", "wet", "dry"])
    assert np.exp(model.feature_log_prob_).tolist() == [
        [pytest.approx(1 / 3), pytest.approx(1 / 3)],
        [pytest.approx(3 / 5), pytest.approx(3 / 5)],
    ]
    dry, wet = np.exp(model.joint_log_likelihood([[1, 0]]))[0]
    assert (dry, wet) == (pytest.approx(1 / 4 * 1 / 3 * 2 / 3), pytest.approx(3 / 4 * 3 / 5 * 2 / 5))


@pytest.mark.golden("C3")
def test_the_multinomial_model_of_four_short_texts():
    """Of 8 words about China 5 are "chinese": (5+1)/(8+6); the other text has one of three: (1+1)/(3+6)."""
    texts = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
    X, y = Table.from_columns({"text": texts}), ["china", "china", "china", "not"]
    new = Table.from_columns({"text": ["Chinese Chinese Chinese Tokyo Japan"]})
    for model in (MultinomialNB(), NaiveBayes(distributions={"text": "multinomial"})):
        china, other = np.exp(model.fit(X, y).joint_log_likelihood(new))[0]
        assert china == pytest.approx(3 / 4 * (6 / 14) ** 3 * (1 / 14) ** 2)
        assert other == pytest.approx(1 / 4 * (2 / 9) ** 3 * (2 / 9) ** 2)
        assert model.predict(new)[0] == "china"


@pytest.mark.golden("C5")
@pytest.mark.parametrize("distribution", ["bernoulli", "categorical", "multinomial", "poisson"])
def test_two_thousand_coin_flips_of_any_form_do_not_underflow(distribution):
    rng = np.random.default_rng(0)
    y = np.repeat(["fair", "loaded"], 100)
    heads = (rng.random((200, 2000)) < np.where(y == "fair", 0.5, 0.8)[:, None]).astype(float)
    model = NaiveBayes(distributions=distribution).fit(heads, y)
    joint, probabilities = model.joint_log_likelihood(heads), model.predict_proba(heads)
    assert np.isfinite(joint).all()
    assert joint.max() < np.log(np.finfo(float).tiny)  # the likelihoods themselves are below every number
    assert np.allclose(probabilities.sum(axis=1), 1)
    if distribution != "multinomial":  # which only tells which coins fell, not how many
        assert (model.predict(heads) == y).all()


@pytest.mark.golden("C6")
def test_new_days_are_drawn_class_first_and_then_their_weather():
    X, y = catalog.load("weather_numeric").target("play")
    model = NaiveBayes(alpha=0).fit(X, y)
    days, play = model.sample(20_000, random_state=0)
    assert days.schema == model.schema_
    yes = play == "yes"
    assert yes.mean() == pytest.approx(9 / 14, abs=0.01)
    assert (days["outlook"][~yes] == "overcast").sum() == 0
    assert (days["outlook"][yes] == "sunny").mean() == pytest.approx(2 / 9, abs=0.01)
    assert days["temperature"][yes].mean() == pytest.approx(73.0, abs=0.2)
    assert days["temperature"][yes].std(ddof=1) == pytest.approx(6.164, abs=0.15)
    again = NaiveBayes(alpha=0).fit(days, play)
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=0.05)


@pytest.mark.golden("C4")
def test_leave_one_out_on_iris_gets_143_of_150_right():
    X, y = catalog.load("iris").target("class")
    found = evaluate(GaussianNB(), X, y, LeaveOneOut())
    assert round(found.scores["accuracy"].value * 150) == 143
