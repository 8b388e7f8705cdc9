"""Slips of the pen that an audit finds: labels written in two ways, sums among the rows, dates in any format."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import margin
from margin.data import Table
from margin.data.written.dates import seconds_of_words
from margin.experiment import audit_table


def noise(n: int = 60) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 2))


def test_labels_that_differ_by_capitals_or_spaces_are_a_trap():
    labels = np.array(["yes", "no", "Yes", "no", "yes ", "no"] * 10)
    (found,) = margin.audit(noise(), labels)["similar_labels"]
    assert found.severity == "trap"
    assert "'Yes' (10 rows) and 'yes' (10 rows) and 'yes ' (10 rows)" in found.says
    assert margin.audit(noise(), np.array(["yes", "no"] * 30))["similar_labels"] == ()


def test_a_last_row_that_sums_the_others_up_is_found():
    random = np.random.default_rng(1)
    sales, n = random.integers(1, 100, size=40).astype(float), 41
    table = {"region": [*["north", "south"] * 20, "Total"], "sales": [*sales, sales.sum()]}
    (found,) = margin.audit(Table.from_columns(table), np.arange(n) % 2)["total_row"]
    assert found.rows.tolist() == [40]
    assert "says so in 'region' and holds the sum of all others in 'sales'" in found.says
    clean = Table.from_columns({name: cells[:-1] for name, cells in table.items()})
    assert margin.audit(clean, np.arange(n - 1) % 2)["total_row"] == ()


def test_zeros_and_ones_do_not_sum_up_to_a_case():
    flags = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    assert margin.audit(np.column_stack([flags, noise(8)]), np.arange(8) % 2)["total_row"] == ()


def test_rows_without_a_label_are_told_of(tmp_path):
    lines = ["x,y", *(f"{i}.5,{'' if i % 10 == 0 else 'ab'[i % 2]}" for i in range(100))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    found, _, _ = audit_table(str(tmp_path / "t.csv"), "y")
    (finding,) = found["unlabelled_rows"]
    assert finding.severity == "trap"
    assert finding.says.startswith("10 rows of 100 have no value for 'y'")


@pytest.mark.parametrize(
    "form",
    ["%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d-%m-%Y", "%B %d, %Y", "%d %b %Y", "%d-%b-%y", "%Y.%m.%d"],
)
@pytest.mark.parametrize("clock", ["", " %H:%M", "T%H:%M:%S", " %I:%M %p"])
def test_dates_are_read_in_any_format_that_files_have(form, clock):
    days = [datetime.datetime(2021, 1, 1) + datetime.timedelta(days=17 * i, hours=5 * i) for i in range(40)]
    midnight = not clock
    wanted = [(day.replace(hour=0, minute=0) if midnight else day) - datetime.datetime(1970, 1, 1) for day in days]
    found = seconds_of_words([day.strftime(form + clock) for day in days])
    assert found.tolist() == [each.total_seconds() for each in wanted]


def test_a_split_that_mixes_the_times_is_found_whatever_the_dates_look_like():
    days = [datetime.date(2021, 1, 1) + datetime.timedelta(days=i) for i in range(200)]
    table = Table.from_columns({"when": [f"{day:%b} {day.day}, {day:%Y}" for day in days], "x": noise(200)[:, 0]})
    found = margin.audit(table.with_kind("when", "text"), np.arange(200) % 2, times="when")
    assert found["time_order"]


def test_few_copies_are_no_loud_leak_and_many_are():
    X = np.random.default_rng(0).normal(size=(2000, 3))
    y = np.random.default_rng(1).integers(2, size=2000)
    split = (np.arange(1500), np.arange(1500, 2000))

    def with_copies(n: int) -> str:
        copied, labels = X.copy(), y.copy()
        copied[1500 : 1500 + n], labels[1500 : 1500 + n] = X[:n], y[:n]
        (found,) = margin.audit(copied, labels, split)["duplicates_across"]
        return found.severity

    assert [with_copies(n) for n in (3, 10, 100)] == ["note", "trap", "leak"]
