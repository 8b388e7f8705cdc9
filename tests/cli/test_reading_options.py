"""The options that say how files are read, in ``compare`` and ``predict``, and how answers are written."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from margin import persistence, zoo
from margin.cli.app import cli


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(zoo, "_zoo", {entry.name: entry for entry in zoo._ENTRIES})
    rng = np.random.default_rng(0)
    rows = ["Loans of the year;", "id,age,job,spoilt,risk"]
    for i in range(120):
        risk = rng.choice(["low", "high"])
        age = "unknown" if i == 7 else rng.integers(20, 40) + 25 * (risk == "low")
        rows.append(f"{i + 1},{age},{rng.choice(['cook', 'clerk'])},{risk}!,{risk}")
    Path("loans.csv").write_text("\n".join(rows) + "\n")
    Path("new.csv").write_text("id,age,job,note\n1,63,cook,x\n2,22,pilot,y\n3,,clerk,z\n")


def margin(*words: str, given: str | None = None):
    done = CliRunner().invoke(cli, [*words], input=given)
    assert "Traceback" not in done.output
    return done


COMPARE = ("compare", "loans.csv", "-t", "risk", "--skip", "1", "--drop", "spoilt", "--coerce")
QUICK = ("--models", "naive-bayes", "--folds", "3", "--repeats", "1", "--save", "m.margin")


@pytest.fixture
def saved():
    done = margin(*COMPARE, *QUICK)
    assert done.exit_code == 0, done.output
    return done


def test_columns_are_dropped_lines_skipped_and_bad_cells_missing(saved):
    about = persistence.header("m.margin").about
    assert dict(about["columns"]) == {"id": "identifier", "age": "numeric", "job": "nominal", "risk": "nominal"}
    assert about["dropped"] == ["spoilt"]
    assert "spoilt!" not in saved.output
    words = persistence.load("m.margin").schema_
    assert [column.name for column in words] == ["age", "job"]


def test_a_column_that_is_not_there_cannot_be_dropped():
    done = margin("compare", "loans.csv", "-t", "risk", "--skip", "1", "--drop", "spolt")
    assert done.exit_code != 0
    assert "did you mean 'spoilt'" in done.output


def test_only_some_columns_are_kept():
    done = margin(
        "compare", "loans.csv", "-t", "risk", "--skip", "1", "--only", "age", "--only", "risk", "--coerce", *QUICK
    )
    assert done.exit_code == 0, done.output
    assert [column.name for column in persistence.load("m.margin").schema_] == ["age"]
    assert (
        margin("predict", "m.margin", "new.csv", "--skip", "0").exit_code == 0
    )  # what was not chosen is not asked for


def test_new_columns_are_refused_or_ignored(saved):
    done = margin("predict", "m.margin", "new.csv", "--skip", "0")
    assert done.exit_code != 0
    assert "--extra ignore" in done.output


def test_unseen_categories_are_counted_and_said(saved):
    Path("titled.csv").write_text("New loans\n" + Path("new.csv").read_text())
    done = margin("predict", "m.margin", "titled.csv", "--extra", "ignore", "-o", "a.csv")
    assert done.exit_code == 0, done.output
    assert "! job: 1 cell ('pilot') holds a category that was not there at fit" in done.output
    answers = list(csv.DictReader(Path("a.csv").read_text().splitlines()))
    assert [row["risk"] for row in answers[:2]] == ["low", "high"]
    assert [row["id"] for row in answers] == ["1", "2", "3"]


def test_the_ending_says_how_answers_are_written(saved):
    Path("titled.csv").write_text("New loans\n" + Path("new.csv").read_text())
    for ending in ("csv", "tsv", "json", "jsonl", "parquet"):
        done = margin("predict", "m.margin", "titled.csv", "--drop", "note", "-o", f"a.{ending}")
        assert done.exit_code == 0, done.output
    expected = [row["risk"] for row in csv.DictReader(Path("a.csv").read_text().splitlines())]
    assert [row["risk"] for row in json.loads(Path("a.json").read_text())] == expected
    assert [json.loads(line)["risk"] for line in Path("a.jsonl").read_text().splitlines()] == expected
    assert pl.read_parquet("a.parquet")["risk"].to_list() == expected
    assert [row["risk"] for row in csv.DictReader(Path("a.tsv").read_text().splitlines(), delimiter="\t")] == expected
    done = margin("predict", "m.margin", "titled.csv", "--drop", "note", "-o", "a.docx")
    assert done.exit_code != 0
    assert "the ending must be one of" in done.output


def test_rows_are_piped_in(saved):
    text = "New loans\n" + Path("new.csv").read_text()
    done = margin("predict", "m.margin", "-", "--drop", "note", "-o", "a.csv", given=text)
    assert done.exit_code == 0, done.output
    assert len(Path("a.csv").read_text().splitlines()) == 4
