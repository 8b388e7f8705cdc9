"""The trial of twenty tables: that there are twenty, and that the quick half of it passes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent / "examples" / "twenty_tables.py"
#: Those that start no program and fit a few models only; the program runs them all.
QUICK = (
    *("boat", "missing-cells", "few-rows", "rare-class", "cost", "no-probabilities", "identifiers"),
    *("units", "rare-levels", "bad-cells", "total-row", "labels-by-case"),
)


@pytest.fixture(scope="module")
def tables():
    described = importlib.util.spec_from_file_location("twenty_tables", HERE)
    found = importlib.util.module_from_spec(described)
    described.loader.exec_module(found)
    return found


def test_there_are_twenty_of_them(tables):
    assert len(tables.TRIALS) == 20
    assert all(trial.__doc__ for trial in tables.TRIALS.values())


@pytest.mark.parametrize("name", QUICK)
def test_margin_says_of_a_table_what_it_should(tables, name, tmp_path):
    said, right = tables.TRIALS[name](tmp_path)
    assert right, said


def test_a_trial_that_fails_is_told_and_counted(tables, capsys, monkeypatch):
    def wrong(folder):
        """A table"""
        return "something else", False

    monkeypatch.setitem(tables.TRIALS, "wrong", wrong)
    assert tables.main(["wrong"]) == 1
    assert capsys.readouterr().out == "FAIL  wrong: A table. something else\n"
