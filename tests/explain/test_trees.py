"""margin.explain of trees: the questions on the way lead from all rows to the answer."""

import numpy as np
import pytest

from margin import ID3, DecisionTreeClassifier, DecisionTreeRegressor
from margin.data import catalog
from margin.explain import explain


def test_the_steps_add_up_from_the_share_of_all_rows_to_that_of_the_leaf():
    X, y = catalog.load("credit").target("risk")
    model = DecisionTreeClassifier(min_samples_leaf=20).fit(X, y)
    start = model.tree_.value[0] / model.tree_.value[0].sum()
    for row in range(20):
        found = explain(model, X.take([row]))
        place = model.classes_.tolist().index(found.answer)
        assert start[place] + sum(reason.strength for reason in found.reasons) == pytest.approx(
            found.probabilities[found.answer]
        )


def test_also_where_the_record_goes_several_ways():
    X, y = catalog.load("weather_numeric").target("play")
    model = DecisionTreeClassifier(missing="fractional", max_depth=2).fit(X, y)
    cells = [np.full(1, np.nan) if c.is_numeric else np.full(1, -1, np.int32) for c in X.schema]
    found = explain(model, type(X)(X.schema, cells))
    start = model.tree_.value[0] / model.tree_.value[0].sum()
    place = model.classes_.tolist().index(found.answer)
    assert start[place] + sum(reason.strength for reason in found.reasons) == pytest.approx(
        found.probabilities[found.answer]
    )


def test_reads_as_questions_and_answers():
    X, y = catalog.load("weather_nominal").target("play")
    assert explain(ID3().fit(X, y), X.take([0])).text().splitlines() == [
        "ID3: no (100.0%), then yes (0.0%)",
        "Each line is a question on the way to the leaf, and what it makes of the share of no, "
        "which is 35.7% among all 14 training rows.",
        "  outlook = sunny  5 rows, 35.7% → 60.0%",
        "  humidity = high  3 rows, 60.0% → 100.0%",
    ]


def test_a_tree_that_asks_nothing_says_so():
    found = explain(DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], ["a", "a"]), [[0.5]])
    assert found.how == "The tree is one leaf: it asks nothing."


def test_a_regression_shows_how_its_answer_moves():
    model = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0]], [1.0, 2.0, 9.0])
    found = explain(model, [[9.0]])
    assert found.answer == "9"
    assert [(reason.what, reason.says) for reason in found.reasons] == [("x0 = 9, > 5", "1 row, 4 → 9")]
    assert found.reasons[0].strength == 5
