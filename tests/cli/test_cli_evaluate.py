"""``margin evaluate``: one model, any protocol, every score with its interval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from margin import MajorityClassifier, zoo
from margin.cli.app import cli


def margin(*words: str):
    return CliRunner().invoke(cli, ["evaluate", *words])


@pytest.fixture(autouse=True)
def _visits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(zoo._zoo, "majority", zoo.Entry("majority", MajorityClassifier))
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + np.arange(60)
    lines = [f"{i // 3},{days[i]},{rng.normal() + i % 2:.3f},{'ny'[i % 2]}" for i in range(60)]
    (tmp_path / "visits.csv").write_text("patient,day,pulse,ill\n" + "\n".join(lines) + "\n")


def test_scores_come_with_intervals_and_how_they_were_found():
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "--protocol", "3x5")
    assert done.exit_code == 0, done.output
    assert "3 × 5-fold cross-validation" in done.stdout
    assert "accuracy" in done.stdout
    assert "±" in done.stdout
    assert done.stderr == ""


def test_coin_flips_left_out_one_by_one_are_all_wrong_for_the_majority():
    done = margin("visits.csv", "-t", "ill", "--model", "majority", "--protocol", "loo", "--metrics", "error")
    assert "leave-one-out" in done.stdout
    assert "1.000" in done.stdout


def test_groups_and_times_are_columns_and_no_inputs():
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "--group", "patient")
    assert "by group" in done.stdout
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "--time", "day")
    assert "5 stretches in order of time" in done.stdout


def test_the_class_that_scores_are_about_is_told_and_can_be_named():
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "-p", "2-fold", "--metrics", "f1")
    assert "of class 'y', mean of 2 folds" in done.stdout
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "-p", "2-fold", "--metrics", "f1", "--positive", "n")
    assert "of class 'n', mean of 2 folds" in done.stdout


def test_the_past_and_a_second_file_are_test_parts_too():
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "--time", "day", "--from", "2024-02-10")
    assert done.exit_code == 0, done.output
    assert "hold-out from 2024-02-10 on" in done.stdout
    lines = Path("visits.csv").read_text().splitlines()
    Path("train.csv").write_text("\n".join(lines[:41]) + "\n")
    Path("test.csv").write_text("\n".join([lines[0], *lines[41:]]) + "\n")
    done = margin("train.csv", "-t", "ill", "--model", "bayes", "--test", "test.csv")
    assert done.exit_code == 0, done.output
    assert "Learnt from all 40 rows and asked about 20 rows of their own." in done.stdout
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "--from", "2024-02-10")
    assert "say which column holds the times" in done.stderr


def test_a_parameter_is_set_by_its_name():
    done = margin("visits.csv", "-t", "ill", "--model", "bayes", "--set", "var_smoothing=1e9", "-p", "2-fold")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["visits.csv", "-t", "ill"], "--model"),
        (["visits.csv", "-t", "ill", "-m", "bays"], "did you mean 'bayes'?"),
        (["visits.csv", "-t", "ill", "-m", "bayes", "-p", "10xx"], "protocol must be one of"),
        (["visits.csv", "-t", "ill", "-m", "bayes", "--metrics", "acuracy"], "did you mean 'accuracy'?"),
        (["visits.csv", "-t", "ill", "-m", "bayes", "--set", "depth=3"], "is not a parameter"),
        (["visits.csv", "-t", "ill", "-m", "bayes", "--group", "patent"], "did you mean 'patient'?"),
        (["visits.csv", "-t", "ill", "-m", "bayes", "--time", "day", "-p", "10x10"], "the protocol 'time'"),
    ],
)
def test_refusals_are_one_line(words, said):
    done = margin(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
