"""Every estimator says what it learnt, and why it answers a case, in more than a generic table."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Foreign

import margin.explain
from margin.errors import MarginError
from margin.explain import explain
from tests.contract.estimators import (
    frame,
    is_model,
    learnt,
    numbers,
    one_of_each_estimator,
)


def fitted(estimator):
    """On a mixed table where it takes one, else on numbers."""
    for make in (frame, numbers):
        try:
            return learnt(estimator, make), make()[0]
        except MarginError as refused:
            said = refused
    pytest.skip(f"takes neither: {said}")


@pytest.mark.filterwarnings("ignore")
@one_of_each_estimator
def test_the_model_tells_what_its_own_method_learnt(estimator):
    model, _ = fitted(estimator)
    found = margin.explain.model(model)
    assert found.own
    assert found.sections
    assert all(section.rows or section.lines or section.how for section in found.sections)
    assert {section.title for section in found.sections} != {"Parameters"}
    assert found.text().startswith(f"{type(model).__name__}: ")
    assert found.html().count("<h4>") == len(found.sections)
    assert json.loads(json.dumps(found.to_dict()))["own"] is True


@pytest.mark.filterwarnings("ignore")
@one_of_each_estimator
def test_the_case_is_explained_by_the_method_by_columns_and_by_its_place(estimator):
    if not is_model(estimator) and type(estimator).__name__ != "OneClassSVM":
        pytest.skip("it answers nothing")
    model, X = fitted(estimator)
    one = X.iloc[[3]] if hasattr(X, "iloc") else X[3:4]
    wanted = None if hasattr(model, "classes_") or type(model).__name__ == "OneClassSVM" else (0.0, 0.1)
    found = margin.explain.case(model, one, X, wanted=wanted, most_changes=1)
    assert "no reasons of its own" not in found.explanation.how
    assert len(found.columns) == X.shape[1]
    assert found.place.distance == 0
    assert found.place.nearest == 3
    assert found.text().startswith(found.explanation.text())
    assert json.loads(json.dumps(found.to_dict()))["columns"]
    assert "<h4>Column by column</h4>" in found.html()


def test_a_model_of_another_package_tells_its_parameters_and_its_columns():
    X, y = numbers()
    model = Foreign().fit(X, y)
    learnt_by_it = margin.explain.model(model)
    assert not learnt_by_it.own
    assert learnt_by_it.sections[0].title == "Parameters"
    found = margin.explain.case(model, X[:1], X)
    assert len(found.columns) == X.shape[1]
    assert found.change is not None


def test_the_function_leads_to_the_longer_ones():
    assert explain.case is margin.explain.case
    assert explain.model is margin.explain.model
    assert explain.what_if is margin.explain.what_if


def test_what_is_no_model_is_refused():
    for ask in (margin.explain.model, lambda it: margin.explain.case(it, [[0.0]])):
        with pytest.raises(MarginError, match="fitted"):
            ask(Foreign)
    with pytest.raises(MarginError, match="both"):
        margin.explain.model(Foreign().fit(*numbers()), np.zeros((2, 2)))
