"""``margin audit``: findings on the terminal and on a page, and a sign for scripts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from margin.cli.app import cli


def margin(*words: str):
    return CliRunner().invoke(cli, ["audit", *words])


@pytest.fixture(autouse=True)
def _visits(tmp_path, monkeypatch):
    """A table of visits: three per patient, one a day; and a later one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + np.arange(180)
    lines = [f"{i // 3},{days[i]},{rng.normal():.6f},{rng.normal():.6f},{'ny'[i % 2]}" for i in range(180)]
    head = "patient,day,pulse,weight,ill\n"
    Path("visits.csv").write_text(head + "\n".join(lines[:120]) + "\n")
    Path("later.csv").write_text(head + "\n".join(lines[120:]) + "\n")
    Path("copied.csv").write_text(head + "\n".join([*lines[120:], lines[0], lines[1]]) + "\n")


def test_a_table_of_the_catalog_is_audited_in_80_columns():
    done = margin("credit")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("1 note.")
    assert "'customer' names the rows" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_groups_and_times_are_told_apart_by_their_columns():
    done = margin("visits.csv", "--target", "ill", "--group", "patient", "--time", "day")
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "trap groups on both sides of the split" in text
    assert "trap test rows from before the end of training" in text
    assert "names the rows" not in text


def test_a_second_table_that_came_later_is_clean_and_one_with_copies_is_a_leak():
    flags = ("-t", "ill", "--group", "patient", "--time", "day")
    assert margin("visits.csv", *flags, "--test", "later.csv").exit_code == 0
    done = margin("visits.csv", *flags, "--test", "copied.csv")
    assert done.exit_code == 1
    text = " ".join(done.stdout.split())
    assert "2 test rows (3.2 %) stand in the training part too" in text
    assert "leak groups on both sides of the split" in text


def test_the_page_holds_the_findings_and_the_command():
    done = margin("visits.csv", "-t", "ill", "--group", "patient", "--out", "audit.html")
    assert "Report: audit.html" in done.stdout
    page = Path("audit.html").read_text()
    assert "Leaks and traps in visits, predicting ill" in page
    assert "margin audit visits.csv --target ill --group patient" in page
    assert "groups on both sides of the split" in page
    assert "<script" not in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["visits.csv"], "--target NAME"),
        (["visits.csv", "-t", "ill", "--group", "patiant"], "did you mean 'patient'?"),
        (["visits.csv", "-t", "ill", "--time", "ill"], "must be a column besides the target"),
        (["visits.csv", "-t", "pulse"], "looks like a quantity"),
        (["visits.csv", "-t", "ill", "--out", "no/such/place.html"], "does not exist"),
        (["visits.csv", "-t", "ill", "--out", "visits.csv"], "is another file of this command"),
        (["visits.csv", "-t", "ill", "--test", "none.csv"], "there is no such file"),
    ],
)
def test_refusals_are_one_line(words, said):
    done = margin(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
