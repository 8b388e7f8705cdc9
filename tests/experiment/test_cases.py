"""margin.experiment.example_cases: the rows that are told in full are the ones they are said to be."""

import numpy as np
import pytest

from margin import SVC, LinearSVC, NaiveBayes, RoteClassifier
from margin.data import catalog
from margin.evaluation import SealedTest
from margin.experiment.example_cases import telling_cases


def opened(model):
    X, y = catalog.load("credit").target("risk")
    sealed = SealedTest(X, y, 0.3, 0)
    model.fit(*sealed.train)
    return model, X, y, sealed.open(model)


def test_the_surest_the_most_doubtful_and_the_surest_mistake_are_told():
    model, X, y, found = opened(NaiveBayes())
    cases = telling_cases(model, X, found)
    assert [case.title.split(":")[0] for case in cases] == [
        "The surest right answer",
        "The most doubtful answer",
        "The surest mistake",
    ]
    sureness = found.probabilities.max(axis=1)
    surest, doubtful, mistake = (max(case.explanation.probabilities.values()) for case in cases)
    right = found.predictions == found.truth
    assert np.isclose(surest, sureness[right].max())
    assert np.isclose(doubtful, sureness.min())
    assert np.isclose(mistake, sureness[~right].max())
    assert cases[2].explanation.answer != cases[2].truth
    row = int(cases[0].title.split("row ")[1]) - 1
    assert y[row] == cases[0].truth


@pytest.mark.parametrize("model", [SVC(scale="standard"), LinearSVC(scale="standard")], ids=repr)
def test_scores_say_how_sure_an_answer_is_where_there_are_no_probabilities(model):
    model, X, _, found = opened(model)
    assert found.probabilities is None
    sure, doubtful, mistake = telling_cases(model, X, found)
    lead = np.abs(model.decision_function(X.take(found.rows)))
    right = found.predictions == found.truth
    for case, expected in ((sure, lead[right].max()), (doubtful, lead.min()), (mistake, lead[~right].max())):
        assert sum(reason.strength for reason in case.explanation.reasons) == pytest.approx(expected)
    assert 'class="truth right"' in sure.html()
    assert 'class="truth wrong"' in mistake.html()


def test_a_row_without_an_answer_is_told_as_such():
    model, X, _, found = opened(RoteClassifier(unmatched="abstain"))
    cases = telling_cases(model, X, found)
    assert cases
    assert all("no answer" in case.text() for case in cases)


def test_a_card_shows_the_answer_the_truth_and_the_chances():
    model, X, _, found = opened(NaiveBayes())
    sure, _, mistake = (case.html() for case in telling_cases(model, X, found))
    assert 'class="truth right"' in sure
    assert 'class="truth wrong"' in mistake
    assert sure.count('class="chance"') == 2


def test_rows_are_numbered_as_in_the_table_where_some_were_left_out():
    model, X, _, found = opened(NaiveBayes())
    plain, moved = telling_cases(model, X, found), telling_cases(model, X, found, np.arange(1000) + 7)
    numbers = [[int(case.title.split("row ")[1]) for case in cases] for cases in (plain, moved)]
    assert [n + 7 for n in numbers[0]] == numbers[1]
