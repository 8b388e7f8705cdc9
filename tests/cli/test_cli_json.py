"""--json of every command, and margin runs."""

import json
import os

import pytest
from click.testing import CliRunner

from margin import KNeighborsClassifier, NaiveBayes, zoo
from margin.cli.app import cli
from tests.experiment.stand_ins import loans


@pytest.fixture(autouse=True)
def _table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(loans())


def margin(*words):
    return CliRunner().invoke(cli, list(words))


COMPARE = ("compare", "loans.csv", "-t", "risk", "--models", "guess,bayes", "--folds", "3", "--repeats", "1")


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (COMPARE, "leaderboard"),
        (("evaluate", "loans.csv", "-t", "risk", "-m", "bayes", "-p", "3-fold"), "scores"),
        (("audit", "loans.csv", "-t", "risk"), "findings"),
        (("data", "show", "loans.csv"), "columns"),
        (
            ("compare", "loans.csv", "-t", "risk", "-t", "housing", "--models", "bayes", "--folds", "2"),
            "by_target",
        ),
    ],
    ids=["compare", "evaluate", "audit", "data", "several targets"],
)
def test_json_is_all_that_is_printed(words, key):
    done = margin(*words, "--json")
    assert key in json.loads(done.stdout), done.output


def test_lists_are_json_too():
    assert any(each["name"] == "credit" for each in json.loads(margin("data", "list", "--json").stdout))
    zoo.add("knn", KNeighborsClassifier)
    assert any(each["name"] == "knn" for each in json.loads(margin("models", "--json").stdout))
    assert any(each["name"] == "n_neighbors" for each in json.loads(margin("models", "knn", "--json").stdout))


def test_runs_on_record_are_listed_shown_and_compared():
    done = margin(*COMPARE, "--record", "runs")
    assert done.exit_code == 0, done.output
    assert "margin runs show runs" in done.stdout
    margin(*COMPARE, "--seed", "1", "--record", "runs", "--quiet")
    assert len(os.listdir("runs")) == 2
    listed = json.loads(margin("runs", "list", "runs", "--json").stdout)
    first, second = (each["name"] for each in listed)
    assert all(each["target"] == "risk" and each["digest"] for each in listed)
    assert first in margin("runs", "list", "runs").stdout
    shown = margin("runs", "show", "runs", second, "--out", "old.html")
    assert "margin.compare('loans.csv', 'risk'" in shown.stdout
    assert os.path.exists("old.html")
    held = json.loads(margin("runs", "compare", "runs", first, second, "--json").stdout)
    assert held["same_data"]
    assert set(held["scores"]) == {"guess", "bayes", "sealed test"}
    assert "The same data." in margin("runs", "compare", "runs", first, second).stdout
    assert margin("runs", "show", "nowhere").exit_code == 2


def test_answers_are_json_too(tmp_path):
    zoo.add("ours", NaiveBayes)
    done = margin("compare", "loans.csv", "-t", "risk", "--models", "ours", "--folds", "3", "--save", "m.margin")
    assert done.exit_code == 0, done.output
    told = json.loads(margin("predict", "m.margin", "loans.csv", "--json", "-p").stdout)
    first = told["answers"][0]
    assert told["target"] == "risk"
    assert first["row"] == 1
    assert sum(first[name] for name in first if name.startswith("P(")) == pytest.approx(1)
    assert told["agree"]["right"] <= told["agree"]["known"] == len(told["answers"])
    assert told["unseen"] == []
    several = ("compare", "loans.csv", "-t", "risk", "-t", "housing", "--models", "ours", "--folds", "2")
    margin(*several, "--save", "s.margin")
    told = json.loads(margin("predict", "s.margin", "loans.csv", "--json", "--out", "answers.csv").stdout)
    assert told["targets"] == ["risk", "housing"]
    assert set(told["agree"]) == {"risk", "housing"}
    assert (tmp_path / "answers.csv").read_text().count("\n") == len(told["answers"]) + 1
