"""margin plot and margin report: pictures of saved models and tables, pages of runs on record."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import margin
from margin import DecisionTreeClassifier, LogisticRegression, persistence
from margin.cli.app import cli

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def call(*words, piped=None):
    return CliRunner().invoke(cli, [str(word) for word in words], input=piped)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A table, models of it that were saved, and a run on record."""
    folder = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(0)
    x, side = random.normal(size=120), random.choice(["left", "right"], 120)
    x += np.where(side == "left", -1.5, 1.5)
    lines = [f"{a:.3f},{b:.3f},{c}" for a, b, c in zip(x, random.normal(size=120), side)]
    (folder / "rows.csv").write_text("x,noise,side\n" + "\n".join(lines) + "\n")
    told = {"folds": 2, "repeats": 1}
    for name, model in (("tree", DecisionTreeClassifier(max_depth=2)), ("logistic", LogisticRegression())):
        result = margin.compare(str(folder / "rows.csv"), "side", models={name: model}, **told)
        persistence.save(result.model, folder / f"{name}.margin", about=result.about)
    from margin.experiment.records import keep_record

    keep_record(result, folder / "runs")
    (folder / "result.json").write_text(json.dumps(result.to_dict()))
    return folder


@pytest.mark.parametrize(
    ("picture", "model", "more"),
    [
        ("tree", "tree", ()),
        ("coefficients", "logistic", ()),
        ("confusion", "tree", ("rows.csv",)),
        ("roc", "logistic", ("rows.csv",)),
        ("thresholds", "logistic", ("rows.csv", "--dark")),
        ("dependence", "logistic", ("rows.csv", "--columns", "x")),
        ("regions", "tree", ("rows.csv", "--columns", "noise,x")),
    ],
)
def test_a_saved_model_is_drawn(place, tmp_path, picture, model, more):
    told = [place / word if word == "rows.csv" else word for word in more]
    done = call("plot", picture, place / f"{model}.margin", *told, "--out", tmp_path / "picture.svg", "--json")
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["picture"] == picture
    drawn = Path(said["file"]).read_text()
    assert drawn.startswith("<?xml")
    assert len(drawn) > 5_000


def test_a_table_is_drawn(place, tmp_path):
    done = call("plot", "data", place / "rows.csv", "--target", "side", "--out", tmp_path / "rows.png")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "rows.png").read_bytes()[1:4] == b"PNG"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("tree", "logistic.margin", "-o", "t.svg"), "must be a fitted decision tree"),
        (("roc", "logistic.margin", "-o", "t.svg"), "needs a table besides the model"),
        (("dependence", "logistic.margin", "rows.csv", "-o", "t.svg"), "name one column"),
        (("tree", "tree.margin", "-o", "t.bmp"), "must end in .png, .svg or .pdf"),
        (("tree", "rows.csv", "-o", "t.svg"), "margin"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(place, words, reason, monkeypatch):
    monkeypatch.chdir(place)
    done = call("plot", *words)
    assert done.exit_code == 2
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (place / "t.svg").exists()


def test_a_page_is_written_of_a_run_on_record(place, tmp_path):
    (tmp_path / "notes.txt").write_text("From the archive.\n\nSecond thoughts.")
    told = ("--title", "Left or right?", "--author", "A. Uthor", "--notes", f"@{tmp_path / 'notes.txt'}")
    done = call("report", place / "runs", *told, "--out", tmp_path / "page.html")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    for words in ("Left or right?", "A. Uthor", "<p>Second thoughts.</p>", "The columns it needs"):
        assert words in page


def test_a_page_is_written_of_piped_json_to_standard_output(place):
    done = call("report", "-", piped=(place / "result.json").read_text())
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("<!doctype html>")
    again = call("report", place / "result.json", "--json")
    assert json.loads(again.stdout)["portrait"] == json.loads((place / "result.json").read_text())["portrait"]


def test_what_is_no_result_is_refused(place, tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}')
    for source in (tmp_path / "other.json", place / "rows.csv", tmp_path / "absent.json"):
        done = call("report", source)
        assert done.exit_code == 2
        assert "result" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_comparison_writes_its_head_too(place, tmp_path):
    words = ("--models", "guess", "--folds", "2", "--repeats", "1", "-q", "--title", "Guessing")
    done = call("compare", place / "rows.csv", "-t", "side", *words, "--out", tmp_path / "page.html")
    assert done.exit_code == 0, done.stderr
    assert "<h1>Guessing</h1>" in (tmp_path / "page.html").read_text()
