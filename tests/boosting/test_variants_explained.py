"""Boosted models say which rounds made an answer."""

from __future__ import annotations

import pytest

import margin
from margin.data import catalog
from margin.explain import explain

MODELS = [
    margin.GentleBoostClassifier(n_estimators=5),
    margin.LogitBoostClassifier(n_estimators=5),
    margin.LPBoostClassifier(n_estimators=5),
    margin.BrownBoostClassifier(n_estimators=5),
    margin.RUSBoostClassifier(n_estimators=5, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(("name", "target"), [("iris", "class"), ("weather_nominal", "play")])
def test_rounds_are_the_reasons(model, name, target):
    X, y = catalog.load(name).target(target)
    model.fit(X, y)
    why = explain(model, X[:1])
    assert why.answer == model.predict(X[:1])[0]
    assert why.reasons
    assert all(reason.what.startswith("round ") for reason in why.reasons)
    assert sum(reason.strength for reason in why.reasons) > -1e-9
