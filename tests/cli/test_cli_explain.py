"""``margin explain`` and ``margin importance``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from margin import NaiveBayes, persistence
from margin.cli.app import cli
from margin.data import catalog
from margin.experiment import about_model


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = catalog.load("weather_nominal")
    X, y = table.target("play")
    persistence.save(NaiveBayes().fit(X, y), "play.margin", about=about_model(table, "play", y, {}))
    table.to_pandas().to_csv("days.csv", index=False)


def margin(*words: str, **more):
    done = CliRunner().invoke(cli, list(words), **more)
    assert "Traceback" not in done.output
    return done


def test_a_model_tells_what_it_learnt():
    done = margin("explain", "play.margin")
    assert done.exit_code == 0
    assert "P(level | yes)" in done.stdout
    assert json.loads(margin("explain", "play.margin", "--json").stdout)["model"] == "NaiveBayes"


def test_a_row_is_explained_from_a_file_or_a_pipe():
    done = margin("explain", "play.margin", "days.csv", "--row", "1", "--rows", "days.csv", "--html", "case.html")
    assert done.exit_code == 0
    assert "humidity: high → normal" in done.stdout
    with open("case.html", encoding="utf-8") as page:
        assert "Another answer" in page.read()
    with open("days.csv", encoding="utf-8") as days:
        piped = margin("explain", "play.margin", "-", "--json", input=days.read())
    assert json.loads(piped.stdout)["answer"] == "no"


def test_what_would_be_is_told():
    done = margin("explain", "play.margin", "days.csv", "--set", "humidity=normal")
    assert "NaiveBayes: no → yes" in done.stdout


def test_importances_are_told():
    done = margin("importance", "play.margin", "days.csv", "--json")
    assert done.exit_code == 0
    assert {each["name"] for each in json.loads(done.stdout)["importances"]} == {
        "outlook", "temperature", "humidity", "windy",
    }  # fmt: skip
    grouped = margin("importance", "play.margin", "days.csv", "--group", "air=humidity,temperature")
    assert "air" in grouped.stdout
    again = margin("importance", "play.margin", "days.csv", "--method", "drop_column", "--train", "days.csv")
    assert again.exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("explain", "play.margin", "--row", "2"), "name its file"),
        (("explain", "play.margin", "days.csv", "--row", "99"), "has 14 rows"),
        (("explain", "play.margin", "days.csv", "--wanted", "maybe"), "one of the classes"),
        (("explain", "play.margin", "days.csv", "--keep", "wind"), "did you mean 'windy'"),
        (("importance", "play.margin", "days.csv", "--drop", "play"), "must hold the target"),
        (("importance", "play.margin", "days.csv", "--metric", "acuracy"), "did you mean 'accuracy'"),
    ],
)
def test_refusals_are_one_line_and_leave_with_2(words, message):
    done = margin(*words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
