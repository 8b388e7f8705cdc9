"""Models of many models stand in the zoo, and race only if they are asked for by name."""

import pytest

from margin import zoo
from margin.data import catalog
from margin.experiment.running.race import tried
from margin.experiment.spec import Spec

ON_REQUEST = ["forest", "extra-trees", "boosting", "bagged-c45", "mlp", "logitboost", "adaboost", "stack"]


@pytest.fixture(autouse=True)
def _whole_zoo(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", {entry.name: entry for entry in zoo._ENTRIES})


def test_the_race_without_names_leaves_out_what_takes_as_long_as_all_others():
    plain = [entry.name for entry in tried(Spec("credit", "risk"))]
    assert "c45" in plain
    assert not set(ON_REQUEST) & set(plain)
    asked = tried(Spec("credit", "risk", models=("c45", *ON_REQUEST)))
    assert [entry.name for entry in asked] == ["c45", *ON_REQUEST]


@pytest.mark.parametrize("name", ON_REQUEST)
def test_entries_learn_tables(name):
    X, y = catalog.load("iris").target("class")
    model = zoo.models([name])[0].model().fit(X, y)
    assert model.score(X, y) > 0.93
