"""margin.audit on odd tables: an answer or a refusal that says what to do, never anything raw; and how it prints."""

from __future__ import annotations

import json

import numpy as np
import pytest

import margin
from margin.data import Table
from margin.errors import InputError, LabelError, MarginError, ParameterError
from margin.selection import Audit


def test_tiny_tables_are_answered():
    for n in range(1, 8):
        found = margin.audit(np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 2)
        assert found.n_train + found.n_test == n
        assert not found.leaks


def test_one_class_is_told_and_nothing_breaks():
    found = margin.audit(np.random.default_rng(0).normal(size=(50, 2)), np.zeros(50))
    assert found["imbalance"][0].evidence["majority"] == 1.0
    assert "nothing to learn" in found["imbalance"][0].advice


def test_every_row_a_class_of_its_own():
    found = margin.audit(np.random.default_rng(0).normal(size=(50, 2)), np.arange(50))
    assert found.n_test == 0
    assert found["quantity_target"]


def test_all_cells_missing_and_no_columns_at_all():
    found = margin.audit(np.full((30, 2), np.nan), np.arange(30) % 2)
    assert found["all_missing"][0].columns == ("x0", "x1")
    assert margin.audit(np.empty((30, 0)), np.arange(30) % 2).leaks == ()


def test_infinite_and_huge_cells_are_looked_at():
    X = np.random.default_rng(0).normal(size=(60, 5))
    X[0, 0], X[1, 1], X[2, 2] = np.inf, -np.inf, 1e308
    X[3, 2] = -1e308
    assert margin.audit(X, np.arange(60) % 2).leaks == ()


def test_odd_names_and_labels_are_shown_as_they_are():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.array([b"<b>no</b>", b"yes"] * 30)
    table = Table.from_columns({"<script>": X[:, 0], "ä ö\n" + "x" * 200: y == b"yes"})
    found = margin.audit(table, y)
    assert found["equals_target"]
    assert "<script>" not in found._repr_html_()
    assert "x" * 100 not in str(found)


def test_frames_of_any_make_are_read_with_dates_times_and_spans():
    import pandas as pd

    n = 60
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=n, tz="Europe/Vienna"),
            "span": pd.to_timedelta(np.arange(n) % 7, unit="h"),
            "kind": pd.Categorical(list("abc") * (n // 3)),
            "whole": pd.array([None, *range(n - 1)], dtype="Int64"),
            "mixed": [1, "a", None] * (n // 3),
        }
    )
    frame.loc[3, "day"] = pd.NaT
    found = margin.audit(frame, np.arange(n) % 2)
    assert found["time_order"][0].columns == ("day",)


def test_objects_of_dates_are_dates():
    import datetime

    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(40)]
    X = np.array([[day, "ab"[i % 2]] for i, day in enumerate(days)], dtype=object)
    found = margin.audit(X, np.arange(40) // 2 % 2, (np.arange(20, 40), np.arange(20)))
    assert found["time_order"][0].columns == ("x0",)
    assert margin.audit(X[:, 1:], np.arange(40) // 2 % 2, times=days)["time_order"]


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"y": [0, 1]}, InputError, "one value for each of the 6 rows"),
        ({"y": [0, 1, None, 1, 0, 1]}, LabelError, "1 of 6 labels are missing"),
        ({"X": np.empty((0, 2)), "y": []}, MarginError, "no rows"),
        ({"X": [[1, 2], [3]]}, InputError, "rows of equal length"),
        ({"split": "half"}, ParameterError, "protocol must be one of 'training', 'hold-out'"),
        ({"split": 0.5}, ParameterError, "pairs of \\(training rows, test rows\\)"),
        ({"split": ([0, 1], [7])}, ParameterError, "test rows must lie between 0 and 5"),
        ({"split": ([], [1])}, ParameterError, "training rows must be positions"),
        ({"split": ([0.5], [1])}, ParameterError, "training rows must be positions"),
        ({"groups": [1, 2]}, InputError, "groups must have one value"),
        ({"times": list("abcdef")}, InputError, "times must be numbers or dates, not words such as 'a'"),
        ({"names": ["one"]}, InputError, "2 names are needed"),
        ({"names": ["one", "one"]}, InputError, "'one' stand there more than once"),
        ({"test": 3}, ParameterError, "must be \\(X_test, y_test\\)"),
        ({"test": (np.ones((3, 3)), None)}, InputError, "the same columns"),
        ({"test": (np.ones((3, 2)), [1])}, InputError, "the labels of the test table"),
        ({"split": ([0], [1]), "test": (np.ones((3, 2)), None)}, ParameterError, "not both"),
    ],
)
def test_refusals_say_what_must_hold(change, error, says):
    given = {"X": np.arange(12.0).reshape(6, 2), "y": [0, 1, 0, 1, 0, 1], **change}
    with pytest.raises(error, match=says):
        margin.audit(given.pop("X"), given.pop("y"), given.pop("split", None), **given)


def planted() -> Audit:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    return margin.audit(np.column_stack([rng.normal(size=200), y, np.arange(200)]), y)


def test_the_gravest_comes_first_and_each_has_evidence_and_advice():
    found = planted()
    assert [finding.severity for finding in found] == ["leak", "trap"]
    assert found.verdict == "1 leak and 1 trap."
    assert all(finding.advice.endswith(".") and finding.evidence for finding in found)
    assert repr(found) == "<Audit of 150 training and 50 test rows: leak equals_target, trap identifier>"
    assert len(found) == 2


def test_print_fits_a_page_and_says_how_the_rows_were_split():
    lines = str(planted()).splitlines()
    assert "a quarter of the rows" in lines[0]
    assert lines[2] == "LEAK: a column is the target under another name"
    assert max(map(len, lines[1:])) <= 96


def test_an_audit_is_plain_data_for_programs_and_a_table_for_notebooks():
    found = planted()
    assert json.loads(json.dumps(found.to_dict()))["findings"][0]["kind"] == "equals_target"
    assert found._repr_html_().count("<tr>") == 2


def test_an_unknown_kind_is_named():
    with pytest.raises(ParameterError, match="did you mean 'identifier'"):
        planted()["identifer"]


def test_nothing_found_says_how_much_was_looked_for():
    rng = np.random.default_rng(1)
    found = margin.audit(rng.normal(size=(100, 3)), np.arange(100) % 2)
    assert found.verdict == "Nothing found among 25 kinds of leaks and traps."
    assert str(found).startswith(found.verdict)
