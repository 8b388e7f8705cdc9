"""margin.audit: every leak and trap planted and found with its numbers, and none found where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import margin
from margin.data import Table
from margin.evaluation import HoldOut, TrainingData

N = 400


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def clean(rng):
    """Four columns of noise with a little signal, and two classes; the first 300 rows are for training."""
    y = np.arange(N) % 2
    return rng.normal(size=(N, 4)) + 0.5 * y[:, None], y


SPLIT = (np.arange(300), np.arange(300, N))


def only(found, kind):
    assert [finding.kind for finding in found if finding.severity != "note"] == [kind], str(found)
    return found[kind][0]


def graver(found):
    return [(finding.severity, finding.kind) for finding in found if finding.severity != "note"]


# Nothing where there is nothing


@pytest.mark.parametrize("seed", range(24))
def test_clean_tables_have_neither_leaks_nor_traps(seed):
    rng = np.random.default_rng(seed)
    n, width, n_classes = int(rng.integers(40, 500)), int(rng.integers(2, 8)), int(rng.integers(2, 5))
    columns = {
        f"c{j}": rng.normal(size=n) if j % 3 else np.array(list("abcde"))[rng.integers(5, size=n)] for j in range(width)
    }
    columns["c1"] = np.where(rng.random(n) < 0.1, np.nan, columns["c1"]).round(1)
    found = margin.audit(Table.from_columns(columns), rng.integers(n_classes, size=n), seed=seed)
    assert graver(found) == []


def test_an_honest_strong_column_is_at_most_a_trap():
    from sklearn.datasets import load_iris

    found = margin.audit(*load_iris(return_X_y=True))
    assert found.leaks == ()
    assert {finding.kind for finding in found.traps} == {"column_predicts_target"}


# Rows


def test_copied_rows_across_the_split_are_counted_with_their_labels(clean):
    X, y = clean
    X[300:310] = X[:10]
    y = y.copy()
    y[300:302] = 1 - y[:2]
    y[302:310] = y[2:10]
    found = only(margin.audit(X, y, SPLIT), "duplicates_across")
    assert found.severity == "leak"
    assert found.rows.tolist() == list(range(300, 310))
    assert (found.evidence["rows"], found.evidence["share_of_test"]) == (10, 0.1)
    assert found.evidence["contradicting"] == 2
    assert "10 test rows (10.0 %)" in found.says


def test_twins_that_chance_explains_are_only_noted(rng):
    X = rng.integers(2, size=(N, 4)).astype(float)
    found = margin.audit(X, rng.integers(2, size=N), SPLIT)
    (twins,) = found["duplicates_across"]
    assert twins.severity == "note"
    assert twins.evidence["expected_by_chance"] > 50
    assert graver(found) == []


def test_a_copy_under_another_number_is_a_copy(clean):
    X, y = clean
    X[350] = X[3]
    numbered = np.column_stack([X, np.arange(N)])
    found = margin.audit(numbered, y, SPLIT)
    assert found["duplicates_across"][0].rows.tolist() == [350]
    assert found["identifier"][0].columns == ("x4",)


def test_zeros_of_either_sign_and_missing_cells_are_equal_cells(clean):
    X, y = clean
    X[0], X[399] = [0.0, np.nan, 1.0, 2.0], [-0.0, np.nan, 1.0, 2.0]
    assert margin.audit(X, y, SPLIT)["duplicates_across"][0].rows.tolist() == [399]


def test_almost_equal_rows_are_found_where_there_are_columns_enough(clean, rng):
    X, y = clean
    X[320:325] = X[5:10] + 1e-9 * rng.normal(size=(5, 4))
    found = only(margin.audit(X, y, SPLIT), "near_duplicates_across")
    assert (found.severity, found.evidence["rows"]) == ("trap", 5)


def test_copies_within_training_and_contradictions_are_noted(clean):
    X, y = clean
    X[10], X[11] = X[20], X[21]  # 10 and 20 have one label, 11 and 21 too
    y = y.copy()
    y[11] = 1 - y[21]
    found = margin.audit(X, y, SPLIT)
    assert found["duplicates_within"][0].rows.tolist() == [20, 21]
    assert found["contradictions"][0].rows.tolist() == [11, 21]
    assert found["contradictions"][0].evidence["best_accuracy"] == pytest.approx(299 / 300)


def test_rows_on_both_sides_are_a_leak(clean):
    X, y = clean
    found = only(margin.audit(X, y, (np.arange(310), np.arange(300, N))), "rows_on_both_sides")
    assert found.rows.tolist() == list(range(300, 310))
    assert margin.audit(X, y, TrainingData())["rows_on_both_sides"][0].evidence["share_of_test"] == 1.0


# Columns


@pytest.mark.parametrize("make", [lambda y: 5.0 - 3 * y, lambda y: y], ids=["numbers", "itself"])
def test_the_target_under_another_name_is_a_leak(clean, make):
    X, y = clean
    found = only(margin.audit(np.column_stack([X, make(y)]), y, SPLIT), "equals_target")
    assert (found.severity, found.columns, found.evidence["rows"]) == ("leak", ("x4",), 300)


def test_words_for_the_classes_are_the_target_too(clean):
    X, _ = clean
    table = Table.from_columns({"a": X[:, 0], "grade": np.array(["low", "mid", "top"])[np.arange(N) % 3]})
    assert only(margin.audit(table, np.arange(N) % 3), "equals_target").columns == ("grade",)


def test_a_column_that_is_nearly_the_target_is_a_leak_with_its_accuracy_and_interval(clean, rng):
    X, y = clean
    noisy = np.where(rng.random(N) < 0.01, 1 - y, y) * 2.0
    found = only(
        margin.audit(np.column_stack([X, noisy]), y, SPLIT, names=[*"abcd", "refund"]), "column_predicts_target"
    )
    assert found.columns == ("refund",)
    assert found.evidence["low"] < found.evidence["accuracy"] < found.evidence["high"]
    assert found.evidence["accuracy"] == pytest.approx((noisy[:300] == 2 * y[:300]).mean())
    assert found.evidence["majority"] == 0.5


@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_threshold_on_one_column_is_found(rng, n_classes):
    y = np.arange(N) % n_classes
    X = np.column_stack([rng.normal(size=N), 10 * y + rng.normal(size=N)])
    found = only(margin.audit(X, y, SPLIT), "column_predicts_target")
    assert (found.severity, found.columns) == ("leak", ("x1",))


def test_a_handful_of_rows_that_fit_by_chance_is_no_leak(rng):
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    X = np.column_stack([y, rng.normal(size=(10, 3))])
    assert margin.audit(X, y).leaks == ()


def test_cells_that_are_missing_with_the_outcome_give_it_away(clean):
    X, y = clean
    X[y == 1, 2] = np.nan
    found = only(margin.audit(X, y, SPLIT), "missingness_predicts_target")
    assert (found.severity, found.columns) == ("leak", ("x2",))
    assert (found.evidence["accuracy"], found.evidence["missing"]) == (1.0, 0.5)


def test_cells_missing_more_often_in_one_class_are_noted(clean, rng):
    X, y = clean
    X[(y == 1) & (rng.random(N) < 0.4), 2] = np.nan
    found = margin.audit(X, y, SPLIT)
    assert graver(found) == []
    noted = found["missing_by_class"][0]
    assert (noted.columns, noted.evidence["lowest"]) == (("x2",), 0.0)
    assert noted.evidence["highest"] == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("row", np.arange(N)),
        ("row", np.random.default_rng(0).permutation(N) + 1000),
        ("when", np.cumsum(np.random.default_rng(1).integers(1, 90, size=N))),
        ("customer_id", np.random.default_rng(2).choice(10**9, N, replace=False)),
        ("name", np.array([f"person {i * 7919 % N}" for i in range(N)])),
    ],
    ids=["running", "shuffled", "growing", "named", "words"],
)
def test_columns_that_name_the_rows_are_found(clean, name, cells):
    X, y = clean
    table = Table.from_columns({"a": X[:, 0], "b": X[:, 1], name: cells})
    found = only(margin.audit(table, y, SPLIT), "identifier")
    assert (found.severity, found.columns) == ("trap", (name,))


def test_numbers_that_happen_to_differ_name_nothing(clean, rng):
    X, y = clean
    table = Table.from_columns({"income": rng.choice(10**7, N, replace=False).astype(float), "b": X[:, 1]})
    assert margin.audit(table, y, SPLIT)["identifier"] == ()


def test_a_column_called_an_identifier_whose_values_come_back_may_name_groups(clean, rng):
    X, y = clean
    table = Table.from_columns({"a": X[:, 0], "patient_id": rng.integers(50, size=N).astype(float)})
    found = only(margin.audit(table, y, SPLIT), "possible_groups")
    assert found.columns == ("patient_id",)
    assert found.evidence["values"] == 50


def test_columns_without_a_value_or_with_one_are_named(clean):
    X, y = clean
    found = margin.audit(np.column_stack([X, np.full(N, np.nan), np.full(N, 3.0)]), y, SPLIT)
    assert found["all_missing"][0].columns == ("x4",)
    assert found["constant"][0].columns == ("x5",)
    assert graver(found) == []


# Classes


def test_imbalance_and_small_classes_are_told_with_their_sizes(clean):
    X, _ = clean
    y = np.where(np.arange(N) % 50 == 0, "rare", "common")
    found = margin.audit(X, y, SPLIT)
    assert found["imbalance"][0].evidence == {"majority": 0.98, "smallest": 6}
    assert found["small_classes"][0].evidence == {"classes": 1, "smallest": 6}


def test_classes_on_one_side_only_are_told(clean):
    X, y = clean
    y = y.copy()
    y[:5], y[390:] = 7, 8
    found = margin.audit(X, y, SPLIT)["unseen_classes"]
    assert [(each.severity, each.evidence["rows"]) for each in found] == [("trap", 10), ("note", 5)]


def test_a_target_with_a_value_for_every_row_is_no_class(rng):
    found = margin.audit(rng.normal(size=(N, 2)), rng.normal(size=N).round(6), SPLIT)
    assert found["quantity_target"][0].evidence["classes"] == 300


# Sides


def test_groups_on_both_sides_are_a_leak_and_with_our_own_split_a_trap(clean):
    X, y = clean
    groups = np.arange(N) // 2 + 1000
    groups[300] = groups[299]
    found = only(margin.audit(X, y, SPLIT, groups=groups), "groups_across")
    assert (found.severity, found.rows.tolist(), found.evidence["groups"]) == ("leak", [300], 1)
    assert margin.audit(X, y, groups=groups)["groups_across"][0].severity == "trap"
    assert margin.audit(X, y, SPLIT, groups=np.arange(N) // 100)["groups_across"] == ()


def test_test_rows_from_before_the_end_of_training_are_a_leak(clean):
    X, y = clean
    when = np.arange(N).astype("datetime64[D]")
    assert graver(margin.audit(X, y, SPLIT, times=when)) == []
    when[398:] = np.datetime64("1970-03-01")
    found = only(margin.audit(X, y, SPLIT, times=when), "time_order")
    assert (found.severity, found.rows.tolist(), found.evidence["share_of_test"]) == ("leak", [398, 399], 0.02)


def test_a_column_of_dates_is_looked_at_though_no_model_reads_it(clean):
    import polars as pl

    X, y = clean
    dates = pl.Series("day", np.arange(N)[::-1].astype("datetime64[D]"))
    found = margin.audit(pl.DataFrame({"a": X[:, 0]}).with_columns(dates), y, SPLIT)["time_order"]
    assert [(each.severity, each.columns) for each in found] == [("trap", ("day",))]
    written = Table.from_columns({"a": X[:, 0], "day": [str(day) for day in dates]}).with_kind("day", "text")
    assert margin.audit(written, y)["time_order"][0].severity == "note"


def test_a_column_may_be_named_for_groups_and_times_and_is_then_no_input(clean):
    X, y = clean
    table = Table.from_columns({"a": X[:, 0], "visit": np.arange(N), "patient": np.arange(N) % 80})
    found = margin.audit(table, y, SPLIT, groups="patient", times="visit")
    assert graver(found) == [("leak", "groups_across")]
    with pytest.raises(ValueError, match="there is no column 'patent'"):
        margin.audit(table, y, groups="patent")


def test_a_moved_column_tells_the_sides_apart(clean):
    X, y = clean
    X[300:, 1] += 1.5
    found = only(margin.audit(X, y, SPLIT), "shift")
    assert found.columns == ("x1",)
    assert found.evidence["low"] > 0.7
    assert found.evidence["p"] < 1e-6
    assert found.evidence["distance"]["x1"] == pytest.approx(0.5, abs=0.15)


def test_columns_that_only_together_tell_the_sides_apart_are_found_by_the_classifier(rng):
    n = 2000
    X = rng.normal(size=(n, 3))
    X[1500:, 1] = np.sign(X[1500:, 0]) * np.abs(X[1500:, 1])  # each column alone is as before
    found = only(margin.audit(X, np.arange(n) % 2, (np.arange(1500), np.arange(1500, n))), "shift")
    assert found.columns == ()
    assert found.evidence["low"] > 0.6


def test_missing_cells_on_one_side_and_values_never_seen_are_told(clean, rng):
    X, y = clean
    X[300:, 0] = np.where(rng.random(100) < 0.3, np.nan, X[300:, 0])
    words = np.array(["a", "b", "new"])[rng.integers(2, size=N)]
    words[350:360] = "new"
    table = Table.from_columns({**{f"x{i}": X[:, i] for i in range(4)}, "word": words})
    found = margin.audit(table, y, SPLIT)
    assert found["missing_shift"][0].columns == ("x0",)
    assert found["unseen_levels"][0].rows.tolist() == list(range(350, 360))
    assert "'new'" in found["unseen_levels"][0].says


def test_each_of_several_labels_is_looked_at_and_what_they_share_is_said_once():
    rng = np.random.default_rng(0)
    labels = (rng.random((300, 3)) < [0.5, 0.4, 0.3]).astype(int)
    X = np.column_stack([rng.normal(size=300), labels[:, 1] * 3.0 + rng.normal(size=300) / 9, np.arange(300)])
    forms = [labels, [set(np.flatnonzero(row).tolist()) for row in labels]]
    for given, split in ((forms[0], None), (forms[1], None), (forms[0], 3), (forms[0], HoldOut(0.3))):
        found = margin.selection.audit(X, given, split, names=["noise", "told", "row"])
        (leak,) = found.leaks
        assert (leak.kind, leak.columns) == ("column_predicts_target", ("told",))
        assert leak.says.startswith("Label 1: ")
        assert [finding.columns for finding in found["identifier"]] == [("row",)]
    both = margin.selection.audit(X[:200], labels[:200], test=(X[200:], labels[200:]), names=["noise", "told", "row"])
    assert both.leaks[0].says.startswith("Label 1: ")
