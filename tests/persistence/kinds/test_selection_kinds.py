"""Searches, scores, protocols and metrics in files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from margin import C45, DecisionTreeClassifier, GridSearch, MajorityClassifier, RandomSearch
from margin.errors import PersistenceError
from margin.evaluation.intervals.interval import Interval, Score
from margin.evaluation.metrics.definitions import METRICS
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.given import Given
from margin.evaluation.protocols.stratified import HoldOut, StratifiedFolds
from margin.persistence import from_bytes, to_bytes
from tests.contract.estimators import frame, numbers
from tests.persistence.changing import changed, state_of, value_of
from tests.persistence.kinds.search_models import DEPTHS, METRICS_WITH_OPTIONS, PROTOCOLS, SEARCHES
from tests.persistence.round_trip import differences, same_answers, saved_and_loaded, without_a_place


@pytest.mark.parametrize("estimator", SEARCHES, ids=lambda e: str(e)[:80])
def test_a_search_comes_back_with_all_that_it_tried(estimator, tmp_path):
    X, y = numbers()
    model = estimator.fit(X, y)
    assert without_a_place(model) == []
    content = to_bytes(model)
    for found in (saved_and_loaded(model, tmp_path), saved_and_loaded(model, tmp_path, mmap=True)):
        assert differences(model, found) == []
        assert same_answers(model, found, X)
        assert str(found.results_) == str(model.results_)
        assert str(found.best_score_) == str(model.best_score_)
        assert to_bytes(found) == content


def test_a_search_of_a_table_comes_back(tmp_path):
    X, y = frame()
    model = GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2).fit(X, np.array(["no", "yes"])[y])
    found = saved_and_loaded(model, tmp_path)
    assert differences(model, found) == []
    assert same_answers(model, found, frame(30, seed=5)[0])


def test_the_same_search_is_the_same_file_however_long_it_took():
    X, y = numbers()
    one, two = (GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2).fit(X, y) for _ in range(2))
    assert not np.array_equal(one.results_.fit_seconds, two.results_.fit_seconds)
    assert to_bytes(one) == to_bytes(two)
    assert np.isnan(from_bytes(to_bytes(one)).results_.fit_seconds).all()


def test_a_loaded_search_can_search_again(tmp_path):
    search = GridSearch(C45(), {"confidence": [0.1, 0.25]}, cv=2)
    found = saved_and_loaded(search.fit(*numbers()), tmp_path)
    others = numbers(50, seed=3)
    assert differences(search.fit(*others), found.fit(*others)) == []


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_protocols_come_back(protocol):
    found = from_bytes(to_bytes(protocol))
    assert differences(protocol, found) == []
    assert found.name == protocol.name


@pytest.mark.parametrize("name", sorted(METRICS))
def test_metrics_come_back_by_name(name):
    assert from_bytes(to_bytes(METRICS[name])) is METRICS[name]


@pytest.mark.parametrize("given", METRICS_WITH_OPTIONS, ids=repr)
def test_metrics_come_back_with_their_options(given):
    assert from_bytes(to_bytes(given)) == given


@pytest.mark.parametrize(
    "score",
    [
        Score(0.5),
        Score(float("nan"), None, "no interval"),
        Score(0.8, Interval(0.7, 0.9, 0.95, "exact"), "on 10 cases"),
        Score(0.8, Interval(float("-inf"), float("inf"), 0.95, "t"), "mean of 2 folds"),
    ],
)
def test_scores_come_back(score):
    found = from_bytes(to_bytes(score))
    assert differences(score, found) == []
    assert str(found) == str(score)


# ---- What cannot be saved, and what does not fit.


@pytest.mark.parametrize(
    ("search", "told"),
    [
        (GridSearch(progress=print), r"progress is a function or class \(print\)"),
        (
            RandomSearch(C45(), {"confidence": loguniform(0.1, 0.5)}),
            r"\['confidence'\] is a distribution.*save the chosen",
        ),
        (RandomSearch(C45(), {"confidence": lambda random: 0.1}), r"distributions\['confidence'\] is a function"),
        (GridSearch(cv=KFold(3)), "cv is a splitter of another package.*save the chosen model"),
        (GridSearch(LogisticRegression(), {"C": [1.0]}), "model is a LogisticRegression of sklearn"),
    ],
)
def test_what_is_no_data_is_refused_by_name(search, told):
    with pytest.raises(PersistenceError, match=told):
        to_bytes(search)


def chosen() -> GridSearch:
    return GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2).fit(*numbers())


def test_the_chosen_model_of_a_search_that_cannot_be_saved_can():
    X, y = numbers()
    model = RandomSearch(DecisionTreeClassifier(), {"ccp_alpha": loguniform(1e-3, 1e-1)}, n=2, cv=2).fit(X, y)
    assert same_answers(from_bytes(to_bytes(model.model_)), model.model_, X)


#: The cost of an answer that is a list.
UNHASHABLE = {"tuple": [{"tuple": [{"tuple": ["a", ["b"]]}, 2]}]}


def last_state(head: dict[str, Any]) -> Any:
    return head["objects"][-1]["state"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (value_of("grid-search", "best_index", 3), "none of those tried"),
        (
            value_of("grid-search", "classes", {"numbers": [0, 1, 5], "dtype": "<i8"}),
            "other classes",
        ),
        (
            value_of("grid-search", "classes", {"numbers": [0, 1], "dtype": "<i8"}),
            "other classes",
        ),
        (value_of("grid-search", "results", 0), "must be of kind search-results"),
        (value_of("grid-search", "model", 0), "must be a fitted model"),
        (lambda head, _: last_state(head).update({"model": last_state(head)["best_score"]}), "must be a model"),
        (lambda head, _: state_of(head, "search-results")["settings"].pop(), "where s"),
        (lambda head, _: state_of(head, "search-results")["errors"].pop(), "where s"),
        (value_of("interval", "confidence", 2.0), "from 0 to 1"),
    ],
)
def test_a_search_that_does_not_fit_is_refused(change, told):
    with pytest.raises(PersistenceError, match=told):
        from_bytes(changed(to_bytes(chosen()), change))


def test_a_search_passes_on_a_fitted_classifier_of_its_columns():
    X, y = numbers()
    model = chosen()
    model.model_ = MajorityClassifier().fit(X[:, :2], y)
    with pytest.raises(PersistenceError, match="other columns"):
        from_bytes(to_bytes(model))
    model.model_ = MajorityClassifier()
    with pytest.raises(PersistenceError, match="fitted"):
        from_bytes(to_bytes(model))


@pytest.mark.parametrize(
    ("given", "change", "told"),
    [
        (METRICS["accuracy"], {"base": "nonsense"}, "must be one of"),
        (METRICS["accuracy"], {"base": "log_loss"}, "another kind of metric"),
        (METRICS["f1"], {"options": [["colour", 1]]}, "no such option"),
        (METRICS["f1"], {"options": [["average", "nobody"]]}, "average must be"),
        (METRICS["f1"], {"options": [["positive", 1], ["positive", 2]]}, "twice"),
        (METRICS["cost"], {"options": [["costs", UNHASHABLE]]}, "holds what cannot be compared"),
        (HoldOut(), {"test_share": 1.0}, "between 0 and 1"),
        (StratifiedFolds(), {"folds": 1}, "2 or more"),
        (Given([([0], [1])]), {"splits": []}, "at least one split"),
        (Bootstrap(), {"estimate": ".999"}, "estimate"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_protocols_and_metrics_that_nobody_could_make_are_refused(given, change, told):
    with pytest.raises(PersistenceError, match=told):
        from_bytes(changed(to_bytes(given), lambda head, _: last_state(head).update(change)))
