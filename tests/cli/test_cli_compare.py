"""``margin compare``: what it prints, what it writes, and that it leaves nothing half done."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier

from margin import NaiveBayes, persistence, zoo
from margin.cli.app import cli
from margin.experiment import Progress
from tests.experiment.stand_ins import loans

SOURCES = str(Path(__file__).parents[2] / "src")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "loans.csv"
    path.write_text(loans())
    return path


def margin(*words: str):
    return CliRunner().invoke(cli, [*words])


def test_the_leaderboard_and_the_answer_are_printed_in_80_columns(table):
    done = margin("compare", "loans.csv", "--target", "risk", "--folds", "3")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["model", "accuracy", "95", "%", "interval", "fit", "to", "the", "best"]
    assert lines[1].startswith("bayes")
    assert "Gaussian Bayes is right in 100.0 % of unseen cases" in " ".join(done.stdout.split())
    assert max(map(len, lines)) <= 80
    assert done.stderr == ""
    assert os.listdir() == ["loans.csv"]
    assert "--out report.html keeps a report." in done.stdout


def test_the_report_goes_where_it_was_asked_and_its_place_is_said(table):
    done = margin("compare", "loans.csv", "-t", "last", "--folds", "3", "--out", "report.html", "--seed", "4")
    assert "Report: report.html" in done.stdout
    page = Path("report.html").read_text()
    assert "margin compare loans.csv --target last --folds 3 --seed 4" in page
    assert sorted(os.listdir()) == ["loans.csv", "report.html"]


def test_a_terminal_sees_each_stage_and_a_pipe_sees_none(table):
    from rich.console import Console

    from margin.cli import progress
    from margin.experiment import Spec, run

    console = Console(force_terminal=True, width=80, file=io.StringIO())
    result = progress._with_bar(run(Spec("loans.csv", target="risk", folds=3, repeats=1)), console)
    assert result.best == "bayes"
    assert "gathering the result" in console.file.getvalue()
    assert set(progress.NEXT) == {"read", "seal", "refit", "test", "final"}
    assert progress._said(Progress("validate", 0.1, "bayes", 2, 3, 0.5)) == "bayes: fold 2 of 3, latest 0.500"


def test_quiet_prints_nothing_but_still_writes(table):
    done = margin("compare", "loans.csv", "-t", "4", "--folds", "3", "--out", "report.html", "--quiet")
    assert done.output == ""
    assert Path("report.html").exists()


def test_models_are_chosen_by_name(table):
    done = margin("compare", "loans.csv", "-t", "risk", "--models", "guess", "--folds", "3")
    assert "bayes" not in done.stdout
    assert "Majority guess is the only model that was compared." in done.stdout


def test_a_model_that_a_file_cannot_hold_is_refused_and_nothing_is_written(table):
    done = margin("compare", "loans.csv", "-t", "risk", "--folds", "3", "--save", "m.margin", "--out", "report.html")
    assert done.exit_code == 2
    assert done.stderr.startswith("margin: save(")
    assert os.listdir() == ["loans.csv"]


def test_places_that_cannot_be_written_are_refused_before_the_work(table):
    done = margin("compare", "loans.csv", "-t", "risk", "--out", "no/such/report.html")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "does not exist" in done.stderr
    done = margin("compare", "loans.csv", "-t", "risk", "--save", ".")
    assert "cannot be written" in done.stderr


class Interrupted(DummyClassifier):
    """Someone presses Ctrl-C while it learns."""

    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


def test_ctrl_c_before_any_model_is_done_says_one_line_and_writes_nothing(table):
    zoo.add("endless", Interrupted)
    done = margin("compare", "loans.csv", "-t", "risk", "--models", "endless,bayes", "--out", "report.html")
    assert done.exit_code == 130
    assert done.stderr == "margin: stopped; nothing was written.\n"
    assert os.listdir() == ["loans.csv"]


def test_ctrl_c_keeps_the_models_that_are_done(table):
    zoo.add("endless", Interrupted)
    done = margin("compare", "loans.csv", "-t", "risk", "--models", "guess,bayes,endless", "--out", "report.html")
    assert done.exit_code == 130
    assert "not done when the run was stopped by Ctrl-C" in Path("report.html").read_text()
    assert "Report: report.html" in done.stdout


def test_ctrl_c_between_two_signs_of_life_is_told_to_the_run(table):
    from margin.experiment import Spec, run

    inner = run(Spec("loans.csv", target="risk", models=("guess", "bayes"), folds=3, repeats=1))
    while next(inner).stage != "standing":
        pass
    assert inner.throw(KeyboardInterrupt).stage == "refit"
    *_, result = inner
    assert (result.best, result.stopped) == ("guess", "Stopped by Ctrl-C after 1 of 2 models.")


def test_a_real_ctrl_c_ends_a_real_process_quickly(table):
    code = (
        "import sys, time\n"
        "from sklearn.dummy import DummyClassifier\n"
        "from margin import zoo\n"
        "from margin.cli import main\n"
        "class Slow(DummyClassifier):\n"
        "    def fit(self, X, y, sample_weight=None):\n"
        "        print('fitting', flush=True)\n"
        "        time.sleep(60)\n"
        "zoo.add('slow', Slow)\n"
        "main()\n"
    )
    words = ["compare", "loans.csv", "-t", "risk", "--models", "slow", "--out", "report.html"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONPATH": SOURCES},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "fitting\n"
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.perf_counter() - sent < 5
    assert (process.returncode, said) == (130, "margin: stopped; nothing was written.\n")
    assert os.listdir() == ["loans.csv"]


def test_a_write_that_is_interrupted_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        persistence.write_whole(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_metric_to_sort_by_is_measured_too(table):
    done = CliRunner().invoke(cli, ["compare", "loans.csv", "-t", "risk", "--sort", "kappa"])
    assert done.exit_code == 0
    assert "kappa" in done.stdout.splitlines()[0]


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy", "precision", "log_loss"])
def test_the_leaderboard_fits_80_columns_whatever_it_is_sorted_by(table, metric):
    done = CliRunner().invoke(cli, ["compare", "loans.csv", "-t", "risk", "--sort", metric])
    lines = done.stdout.splitlines()
    assert any(line.rstrip().endswith("to the best") for line in lines[:2])
    assert not any("…" in line for line in lines[:4])


def test_scores_say_which_class_they_are_about(table, monkeypatch):
    monkeypatch.setitem(zoo._zoo, "naive-bayes", zoo.Entry("naive-bayes", NaiveBayes))
    words = ["compare", "loans.csv", "-t", "risk", "--models", "naive-bayes", "--sort", "recall", "--out", "r.html"]
    done = margin(*words, "--save", "m.margin")
    assert done.exit_code == 0, done.output
    assert "recall of" in " ".join(done.stdout.splitlines()[0].split())
    page = Path("r.html").read_text()
    risk = "bad"
    assert f"Recall of “{risk}”" in page
    assert f"F1 of “{risk}”" in page
    assert f"recall of {risk}" in margin("model", "show", "m.margin").stdout
    done = margin(*words, "--positive", "good")
    assert "Recall of “good”" in Path("r.html").read_text()
    assert "--positive good" in Path("r.html").read_text()
    done = margin("compare", "loans.csv", "-t", "risk", "--positive", "goods")
    assert "did you mean 'good'?" in done.stderr


def test_a_set_value_may_hold_an_equals_sign_and_a_column_name_too(table):
    said = margin("compare", "loans.csv", "--target", "risk", "--set", "bayes.distributions=age=kernel").stderr
    assert "bayes.distributions: is not a parameter" in said
    said = margin("compare", "loans.csv", "--target", "risk", "--kind", "a=b=numeric").stderr
    assert "'a=b'" in said
