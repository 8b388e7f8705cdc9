"""Models of many models stand in the zoo; those that are slow beside what they gain race only if asked for by name."""

import pytest

from margin import zoo
from margin.data import catalog
from margin.experiment.running.entrants import tried
from margin.experiment.spec import Spec

BY_DEFAULT = ["forest", "boosting"]
ON_REQUEST = ["extra-trees", "bagged-c45", "mlp", "logitboost", "adaboost", "stack"]
#: In the zoo because scikit-learn is installed; the boosters of other packages would stand beside it.
ON_REQUEST += ["histgradientboosting"]


@pytest.fixture(autouse=True)
def _whole_zoo(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", {entry.name: entry for entry in zoo._ENTRIES})


def test_the_race_without_names_leaves_out_what_takes_as_long_as_all_others():
    plain = [entry.name for entry in tried(Spec("credit", "risk"))]
    assert {"c45", *BY_DEFAULT} <= set(plain)
    assert not set(ON_REQUEST) & set(plain)
    asked = tried(Spec("credit", "risk", models=("c45", *ON_REQUEST)))
    assert [entry.name for entry in asked] == ["c45", *ON_REQUEST]


def test_the_race_without_names_leaves_forests_out_of_large_tables():
    limits = {entry.name: entry.limit for entry in zoo.models(BY_DEFAULT)}
    assert limits == {"forest": 50_000, "boosting": 500_000}


@pytest.mark.parametrize("name", [*BY_DEFAULT, *ON_REQUEST])
def test_entries_learn_tables(name):
    X, y = catalog.load("iris").target("class")
    model = zoo.models([name])[0].model().fit(X, y)
    assert model.score(X, y) > 0.93
