"""``margin predict`` on many files has a file of answers for each; ``margin data show`` looks at parts one by one."""

from __future__ import annotations

import json
import os

import polars as pl
import pytest
from click.testing import CliRunner

import margin
from margin import persistence
from margin.cli.app import cli
from margin.data import read
from margin.experiment.table_prediction import about_model


@pytest.fixture
def files(tmp_path):
    table = read({"size": [1.0, 2.0, 8.0, 9.0], "kind": ["s", "s", "b", "b"]})
    X, y = table.target("kind")
    model = margin.NaiveBayes().fit(X, y)
    persistence.save(model, tmp_path / "m.margin", about=about_model(table, "kind", y, {}))
    new = tmp_path / "new"
    new.mkdir()
    pl.DataFrame({"size": [0.5, 7.0]}).write_parquet(new / "a.parquet")
    (new / "b.csv").write_text("size\n8.5\n1.5\n9\n")
    return tmp_path


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)


def test_each_file_has_its_file_of_answers(files):
    done = run("predict", files / "m.margin", files / "new", "--out", f"{files}/answers/")
    assert done.exit_code == 0, done.output
    assert pl.read_parquet(files / "answers" / "a.parquet")["kind"].to_list() == ["s", "b"]
    assert pl.read_csv(files / "answers" / "b.csv")["kind"].to_list() == ["b", "s", "b"]


def test_answers_that_are_there_are_kept_unless_their_rows_are_newer(files):
    run("predict", files / "m.margin", files / "new" / "*", "--out", f"{files}/answers/")
    written = files / "answers" / "b.csv"
    written.write_text("mine")
    done = run("predict", files / "m.margin", files / "new" / "*", "--out", f"{files}/answers/")
    assert "is there already" in done.output
    assert written.read_text() == "mine"
    os.utime(files / "new" / "b.csv", (2e9, 2e9))
    run("predict", files / "m.margin", files / "new" / "*", "--out", f"{files}/answers/")
    assert written.read_text() != "mine"


def test_parts_are_shown_and_kept(files):
    shown = run("data", "show", files / "new" / "*.parquet")
    assert "2 rows in 1 part, 1 columns" in " ".join(shown.output.split())
    (files / "two").mkdir()
    (files / "two" / "1.csv").write_text("x,y\n1,a\n3,b\n")
    told = json.loads(
        run("data", "show", files / "two", "--json", "--keep", files / "parts.json", "--only", "x").output
    )
    assert told["columns"][0]["high"] == 3.0
    assert (files / "parts.json").exists()
    whole = run("data", "show", files / "new" / "*.csv").output
    assert "3 rows, 1 columns" in whole  # one column: it is read whole
