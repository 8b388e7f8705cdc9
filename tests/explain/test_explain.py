"""margin.explain: the reasons add up to the answer."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from margin import KNeighborsClassifier, MajorityClassifier, NaiveBayes, NearestCentroid, RoteClassifier, Table
from margin.data import catalog
from margin.errors import InputError, InputTypeError
from margin.explain import Explanation, Reason, explain


def weather():
    return catalog.load("weather_numeric").target("play")


def test_the_factors_of_naive_bayes_multiply_to_the_odds():
    X, y = weather()
    model = NaiveBayes().fit(X, y)
    for row in range(len(y)):
        found = explain(model, X.take([row]))
        odds = sorted(found.probabilities.values())
        assert np.exp(sum(reason.strength for reason in found.reasons)) == pytest.approx(odds[1] / odds[0])
        assert found.answer == model.predict(X.take([row]))[0]


def test_the_votes_of_the_neighbours_add_up_to_one():
    X, y = weather()
    found = explain(KNeighborsClassifier(3, weights="distance", scale="standard").fit(X, y), X.take([3]))
    assert sum(abs(reason.strength) for reason in found.reasons) == pytest.approx(1)
    assert found.reasons[0].what == "training row 3"


def test_the_neighbours_say_how_they_were_measured():
    def steps(a, b):
        return float(np.abs(a - b).sum())

    X, y = [[0.0], [1.0], [3.0]], ["a", "b", "b"]
    for parameters, words in (
        ({}, "(euclidean distance)"),
        ({"metric": "minkowski", "p": 3.0}, "(minkowski distance, p = 3)"),
        ({"metric": "heom"}, "(heom distance)"),
        ({"metric": steps}, "(distance by steps)"),
    ):
        assert words in explain(KNeighborsClassifier(2, **parameters).fit(X, y), [[0.2]]).how


@pytest.mark.parametrize(("metric", "far"), [("euclidean", "5"), ("manhattan", "7")])
def test_the_nearest_centroid_says_how_far_each_centroid_is(metric, far):
    X = [[-1.0, 0.0], [1.0, 0.0], [3.0, 4.0], [3.0, 4.0]]
    found = explain(NearestCentroid(metric).fit(X, ["near", "near", "far", "far"]), [[0.0, 0.0]])
    assert [(reason.what, reason.says) for reason in found.reasons] == [
        ("near", "centroid at distance 0"),
        ("far", f"centroid at distance {far}"),
    ]
    assert "nearest centroid" in found.how


def test_the_nearest_centroid_with_unequal_priors_shows_the_scores_that_decide():
    model = NearestCentroid(priors=[0.9, 0.1]).fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    found = explain(model, [[3.1]])
    assert found.answer == "a"
    assert found.reasons[0].what == "a"
    assert "prior 90.0%, score" in found.reasons[0].says


def test_the_headline_names_the_answer_first_even_if_another_class_is_more_probable():
    found = Explanation("Model", "near", {"far": 0.75, "near": 0.25}, "Distances.", ())
    assert found.headline() == "Model: near (25.0%), then far (75.0%)"


def test_the_rote_learner_says_whether_it_has_seen_the_row():
    X, y = weather()
    model = RoteClassifier().fit(X.take(slice(0, 7)), y[:7])
    assert "stands among" in explain(model, X.take([0])).how
    assert "No training row" in explain(model, X.take([9])).how


def test_the_majority_shows_the_shares():
    X, y = weather()
    assert "64.3% of the training rows" in str(explain(MajorityClassifier().fit(X, y), X.take([0])))


def test_a_model_without_a_way_of_its_own_shows_its_probabilities():
    X, y = np.arange(10.0).reshape(-1, 1), np.arange(10) > 4
    found = explain(LogisticRegression().fit(X, y), X[:1])
    assert "no reasons of its own" in found.text()
    assert found.html().count("<tr>") == 2


def test_several_rows_at_once_are_refused():
    X, y = weather()
    with pytest.raises(InputError, match="one row, but has 14"):
        explain(NaiveBayes().fit(X, y), X)


def many_reasons(n):
    reasons = [Reason(f"c{i}", f"says {i}", (-1) ** i * float(i)) for i in range(n)]
    return Explanation("Model", "a", {"a": 0.7, "b": 0.3}, "How.", tuple(reasons))


def test_the_eight_strongest_reasons_are_shown_and_the_others_folded_away():
    found = many_reasons(20)
    shown, folded = found.html().split("<details>")
    assert [f"c{i}<" in shown for i in range(20)] == [i >= 12 for i in range(20)]
    assert [f"c{i}<" in folded for i in range(20)] == [i < 12 for i in range(20)]
    assert found.text().count("\n") == 10
    assert found.text().endswith("… and 12 more, no stronger than these")


def test_nothing_is_folded_where_that_would_hide_a_single_reason():
    assert "<details>" not in many_reasons(9).html()
    assert "<details>" in many_reasons(10).html()


def test_bars_reach_as_far_as_their_reasons_and_to_their_side():
    reasons = (Reason("x", "", 2.0), Reason("y", "", -1.0), Reason("z", "", 0.0), Reason("w", "", float("-inf")))
    page = Explanation("Model", "a", {}, "", reasons).html()
    assert page.count('class="bar-against"') == 2
    widths = [float(part.split('width="')[1].split('"')[0]) for part in page.split("<rect")[1:]]
    assert widths == [64.0, 32.0, 0.0, 64.0]


def test_what_rules_a_class_out_says_which_and_fills_its_bar():
    X = Table.from_columns({"a": ["x", "x", "y", "y"], "n": [1.0, 2.0, 3.0, 5.0]})
    found = explain(NaiveBayes(alpha=0).fit(X, ["p", "p", "q", "q"]), X.take([0]))
    assert "a = x                  rules q out" in found.text()
    assert "nan" not in found.html()
    assert "inf" not in found.html()
    assert 'width="64.0"' in found.html()


def test_columns_that_rule_out_every_class_leave_the_shares():
    X = Table.from_columns({"a": ["x", "x", "y"], "b": ["u", "u", "v"]})
    model = NaiveBayes(alpha=0).fit(X, ["yes", "yes", "no"])
    found = explain(model, Table.from_columns({"a": ["x"], "b": ["v"]}))
    assert "rule out every class" in found.how
    assert found.answer == "yes"
    assert [reason.what for reason in found.reasons] == ["yes", "no"]


@pytest.mark.parametrize("model", [None, 5, NaiveBayes, len])
def test_what_is_no_model_is_refused(model):
    with pytest.raises(InputTypeError, match="must be a fitted classifier"):
        explain(model, [[0.0]])


def test_overwhelming_factors_are_written_with_a_power_of_ten():
    X = np.array([[0.0], [0.1], [100.0], [100.1]])
    found = explain(NaiveBayes().fit(X, ["a", "a", "b", "b"]), [[0.05]])
    assert found.reasons[0].says.startswith("× ")
    assert "·10" in found.reasons[0].says
    assert "e+" not in found.reasons[0].says
