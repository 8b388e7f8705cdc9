"""Bad input on the command line: one line on standard error, exit code 2, nothing written, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from margin.cli.app import cli
from margin.errors import MarginError
from tests.experiment.stand_ins import loans

SOURCES = str(Path(__file__).parents[2] / "src")
BAD = {
    "empty.csv": "",
    "header.csv": "x,y\n",
    "one-class.csv": "x,y\n" + "".join(f"{i},a\n" for i in range(30)),
    "quantity.csv": "x,y\n" + "".join(f"{i % 7},{i}.5\n" for i in range(5000)),
    "names.csv": "x,y\n" + "".join(f"{i % 7},name{i}\n" for i in range(5000)),
    "only-target.csv": "y\n" + "a\nb\n" * 10,
    "loans.csv": loans(),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in BAD.items():
        (tmp_path / name).write_text(content)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.csv", "-t", "y"], "'missing.csv': there is no such file"),
        (["creditt"], "did you mean 'credit'?"),
        (["empty.csv", "-t", "y"], "the file is empty"),
        (["header.csv", "-t", "y"], "no row below it"),
        (["one-class.csv", "-t", "y"], "all 30 rows have the same class, 'a'"),
        (["quantity.csv", "-t", "y"], "looks like a quantity (5,000 different numbers); margin classifies: bin it"),
        (["names.csv", "-t", "y"], "5,000 different values"),
        (["only-target.csv", "-t", "y"], "no column is left to learn from"),
        (["loans.csv", "-t", "rsik"], "did you mean 'risk'?"),
        (["loans.csv"], "--target NAME"),
        (["loans.csv", "-t", "risk", "--models", "bays"], "did you mean 'bayes'?"),
        (["loans.csv", "-t", "risk", "--test-share", "2"], "test_share must be above 0 and below 1"),
        (["loans.csv", "-t", "risk", "--folds", "1"], "folds must be a whole number, 2 or more"),
        (["loans.csv", "-t", "risk", "--repeats", "often"], "repeats must be"),
        (["loans.csv", "-t", "risk", "--kind", "income=number"], "must be one of 'numeric'"),
        (["loans.csv", "-t", "risk", "--kind", "incom=numeric"], "did you mean 'income'?"),
        (["loans.csv", "-t", "risk", "--metrics", "acuracy"], "did you mean 'accuracy'?"),
        (["loans.csv", "-t", "risk", "--sort", "f2"], "metric must be one of 'accuracy'"),
        (["credit", "--no-header"], "cannot be changed"),
    ],
)
def test_compare_refuses_in_one_line_and_writes_nothing(words, said):
    done = CliRunner().invoke(cli, ["compare", *words, "--out", "report.html", "--save", "model.margin"])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("margin: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert sorted(os.listdir()) == sorted(BAD)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare"], "Missing argument 'FILE' (margin compare --help says more)."),
        (
            ["compar", "x"],
            "there is no command 'compar'; commands are audit, compare, data, evaluate, explain, importance, model, "
            "models, net, picture, plot, predict, report, runs, train",
        ),
        (["data", "shw", "x"], "No such command 'shw'. Did you mean 'show'?"),
        (["compare", "x", "--kind", "age"], "'age' must read COLUMN=KIND"),
        (["compare", "x", "--folds", "many"], "'many' is not a valid integer"),
        (["compare", "x", "--zzzz"], "there is no option --zzzz (margin"),
        (["compare", "x", "--targte", "y"], "there is no option --targte (did you mean '--target'?)"),
    ],
)
def test_wrong_usage_is_told_in_one_line_too(words, said):
    done = CliRunner().invoke(cli, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("margin: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_without_words_the_help_is_shown():
    done = CliRunner().invoke(cli, [])
    assert (done.exit_code, done.stderr) == (0, "")
    assert "margin compare table.csv --target y" in done.stdout


@pytest.mark.parametrize(
    "words",
    [["--out", "loans.csv"], ["--save", "loans.csv"], ["--out", "one", "--save", "one"], ["--out", "./loans.csv"]],
)
def test_compare_never_writes_over_the_table_or_its_own_files(words):
    done = CliRunner().invoke(cli, ["compare", "loans.csv", "-t", "risk", *words])
    assert done.exit_code == 2
    assert "is another file of this command" in done.stderr
    assert {name: Path(name).read_text() for name in os.listdir()} == BAD


def test_a_target_that_differs_in_capitals_is_suggested():
    done = CliRunner().invoke(cli, ["compare", "loans.csv", "-t", "RISK"])
    assert "(did you mean 'risk'?)" in done.stderr


def test_what_is_worth_knowing_is_said_in_one_line_without_code():
    Path("stray.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20 + "oops,a\n")
    done = CliRunner().invoke(cli, ["data", "show", "stray.csv"])
    assert done.exit_code == 0
    assert done.stderr.startswith("! read('stray.csv'): column 'x' is nominal")
    assert done.stderr.count("\n") == 1
    assert "DataWarning" not in done.stderr


def test_debug_shows_where_a_refusal_comes_from(monkeypatch):
    done = CliRunner().invoke(cli, ["--debug", "compare", "missing.csv"])
    assert isinstance(done.exception, MarginError)
    monkeypatch.setenv("MARGIN_DEBUG", "1")
    assert isinstance(CliRunner().invoke(cli, ["compare", "missing.csv"]).exception, MarginError)


def python(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCES, "COLUMNS": "80"}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=environment, timeout=60, check=False
    )


def test_python_m_margin_refuses_like_the_command():
    done = python("-m", "margin", "compare", "missing.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("margin: 'missing.csv': there is no such file")
    assert done.stderr.count("\n") == 1


def test_help_and_version_load_nothing_heavy():
    done = python("-X", "importtime", "-m", "margin", "--help")
    assert done.returncode == 0
    assert "compare" in done.stdout
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert not loaded & {"numpy", "sklearn", "scipy", "polars", "pandas", "jinja2", "rich"}
    assert python("-m", "margin", "--version").stdout == "margin, version 0.1.0\n"


def test_every_command_has_a_help_with_a_first_line():
    for words in ([], ["compare"], ["data"], ["data", "show"], ["data", "list"], ["predict"], ["models"]):
        done = CliRunner().invoke(cli, [*words, "--help"])
        assert done.exit_code == 0
        assert "Usage: margin" in done.output
