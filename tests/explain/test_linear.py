"""margin.explain.linear: the lines of a linear model add up to its score, in words that fit the model."""

import numpy as np
import pytest
import scipy.sparse

from margin import LinearSGD, LogisticRegression, Perceptron
from margin.data import Table, catalog
from margin.errors import NotSeparableWarning
from margin.explain import explain


def credit():
    return catalog.load("credit").target("risk")


@pytest.mark.parametrize("scale", [None, "standard", "range"])
@pytest.mark.parametrize("row", [0, 3, 100])
def test_the_lines_of_logistic_regression_multiply_to_the_odds(row, scale):
    X, y = credit()
    model = LogisticRegression(scale=scale).fit(X, y)
    told = explain(model, X.take([row]))
    odds = max(told.probabilities.values()) / min(told.probabilities.values())
    assert np.exp(sum(reason.strength for reason in told.reasons)) == pytest.approx(odds)
    assert len(told.reasons) == len(model.schema_) + 1, "one line per column, one for the average case"
    assert told.how == (
        f"Each line multiplies the odds of {told.answer} against {next(c for c in model.classes_ if c != told.answer)}"
        ", compared with an average case (numbers at their training means, every word of a column alike)."
    )


def test_lines_by_hand():
    X = np.array([[0.0, 10.0], [2.0, 10.0], [4.0, 40.0], [2.0, 20.0]])
    model = Perceptron().fit(X, ["no", "no", "yes", "yes"])
    model.coef_, model.intercept_ = np.array([[3.0, -0.5]]), np.array([1.0])
    told = explain(model, np.array([[5.0, 30.0]]))  # the means are 2 and 20
    assert (told.answer, told.probabilities) == ("yes", {})
    assert [(reason.what, reason.says) for reason in told.reasons] == [
        ("x0 = 5", "+9"),
        ("x1 = 30", "-5"),
        ("the average case itself", "-3"),
    ]
    against = explain(model, np.array([[0.0, 20.0]]))
    assert against.answer == "no"
    assert [reason.says for reason in against.reasons] == ["+6", "adds nothing", "+3"]


def test_words_are_compared_with_the_mean_over_their_column():
    table = Table.from_columns({"colour": ["red", "blue", "green", "red"], "size": [1.0, 2.0, 3.0, 4.0]})
    model = LogisticRegression().fit(table, [0, 1, 0, 1])
    blue, green, red = model.coef_[0, 1:]
    told = explain(model, table.take([0]))
    sign = 1 if told.answer == 1 else -1
    lines = {reason.what: reason.strength for reason in told.reasons}
    assert lines["colour = red"] == pytest.approx(sign * (red - (blue + green + red) / 3))
    assert lines["size = 1"] == pytest.approx(sign * model.coef_[0, 0] * (1 - 2.5))


def test_a_missing_number_says_nothing():
    X = np.random.default_rng(0).normal(size=(30, 2))
    told = explain(LogisticRegression().fit(X, X[:, 0] > 0), np.array([[1.0, np.nan]]))
    assert next(reason for reason in told.reasons if reason.what == "x1 = missing").says == "says nothing"


def test_several_classes_are_told_first_against_second():
    X, y = catalog.load("iris").target("class")
    model = LinearSGD(loss="hinge", scale="standard", random_state=0).fit(X, y)
    told = explain(model, X.take([70]))
    scores = np.sort(model.decision_function(X.take([70]))[0])
    assert sum(reason.strength for reason in told.reasons) == pytest.approx(scores[-1] - scores[-2])
    assert told.how.startswith(f"Each line adds to the score of {told.answer} against ")


def test_softmax_multiplies_the_odds_of_the_first_two():
    X, y = catalog.load("iris").target("class")
    told = explain(LogisticRegression().fit(X, y), X.take([70]))
    first, second = sorted(told.probabilities.values())[:0:-1]
    assert np.exp(sum(reason.strength for reason in told.reasons)) == pytest.approx(first / second)


@pytest.mark.parametrize("scale", [None, "standard"])
def test_only_the_stored_cells_of_a_sparse_row_are_told_in_the_given_units(scale):
    X = scipy.sparse.random_array((60, 200), density=0.05, rng=0).tocsr()
    model = LogisticRegression(scale=scale).fit(X, np.arange(60) % 2)
    told = explain(model, X[[4]])
    cells = {f"x{at} = {value:g}" for at, value in zip(X[[4]].indices, X[[4]].data)}
    assert {reason.what for reason in told.reasons} == cells | {"the row of zeros itself"}
    assert sum(reason.strength for reason in told.reasons) == pytest.approx(abs(model.decision_function(X[[4]])[0]))


def test_beyond_a_hundred_columns_the_rest_is_taken_together():
    X = np.random.default_rng(0).normal(size=(40, 130))
    model = LogisticRegression().fit(X, X[:, 0] > 0)
    told = explain(model, X[:1])
    assert len(told.reasons) == 102
    assert told.reasons[100].what == "30 other columns together"
    assert sum(reason.strength for reason in told.reasons) == pytest.approx(abs(model.decision_function(X[:1])[0]))


def test_a_vote_of_many_weights_is_said_to_be_one():
    X, y = credit()
    model = Perceptron(variant="voted", scale="standard", max_iter=3, random_state=0)
    with pytest.warns(NotSeparableWarning):
        model.fit(X, y)
    assert "vote" in explain(model, X.take([3])).how


def test_one_class_needs_no_reasons():
    told = explain(LogisticRegression().fit(np.eye(3), [1, 1, 1]), np.eye(3)[:1])
    assert (told.answer, told.reasons) == (1, ())


def test_a_class_without_rows_is_ruled_out():
    X = np.array([[0.0], [1.0], [2.0]])
    told = explain(Perceptron().fit(X, ["a", "b", "b"], [0, 1, 1]), X[:1])
    assert told.answer == "b"
    assert told.reasons[-1].says == "rules a out"
