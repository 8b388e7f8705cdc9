"""margin.experiment: which column is predicted, and what is refused before anything is learnt."""

from __future__ import annotations

import numpy as np
import pytest

import margin
from margin import zoo
from margin.data import Table, read
from margin.errors import DataError, LabelError, MarginError, ParameterError
from margin.experiment import Spec, open_table, resolve_target, run_to_end
from margin.experiment.problem import frame
from tests.experiment.stand_ins import flowers


@pytest.mark.parametrize(
    ("asked", "found"), [("kind", "kind"), ("last", "kind"), (1, "size"), ("2", "colour"), (3, "kind")]
)
def test_a_target_is_a_name_a_number_or_last(asked, found):
    assert resolve_target(flowers(), asked) == found


def test_a_column_that_is_called_last_or_2_wins():
    table = Table.from_columns({"last": ["a"], "2": ["b"], "c": ["d"]})
    assert resolve_target(table, "last") == "last"
    assert resolve_target(table, "2") == "2"


@pytest.mark.parametrize("asked", ["knd", 0, 4, "9"])
def test_an_unknown_target_is_refused(asked):
    with pytest.raises(ParameterError, match="target="):
        resolve_target(flowers(), asked)


def test_a_misspelt_target_hears_the_nearest_column():
    with pytest.raises(ParameterError, match=r"'size', 'colour', 'kind' \(did you mean 'kind'\?\)"):
        resolve_target(flowers(), "knid")


def test_without_a_target_the_columns_are_listed_and_what_to_write():
    with pytest.raises(ParameterError, match=r"--target NAME.*'size', 'colour', 'kind'"):
        run_to_end(Spec(flowers()))


def refusal(columns: dict, target: str = "y") -> str:
    with pytest.raises(MarginError) as refused:
        frame(Table.from_columns(columns, name="t"), target)
    return str(refused.value)


def test_one_class_is_refused():
    assert "all 4 rows have the same class, 'a'" in refusal({"x": [1.0, 2, 3, 4], "y": list("aaaa")})
    assert "all 2 rows have the same class, 1;" in refusal({"x": [1.0, 2], "y": [1.0, 1.0]})


def test_a_quantity_is_refused_with_a_way_out():
    said = refusal({"x": [1.0] * 5000, "y": np.arange(5000.0).tolist()})
    assert (
        "looks like a quantity (5,000 different numbers); margin classifies: bin it, or choose another column." in said
    )
    assert "--kind y=nominal" in refusal({"x": [1.0, 2, 3], "y": [0.5, 1.5, 0.5]})


def test_too_many_classes_are_refused():
    said = refusal({"x": [1.0] * 5000, "y": [f"c{i}" for i in range(5000)]})
    assert "5,000 different values in 5,000 rows are too many for classes (at most 100)" in said


def test_a_class_for_every_row_is_refused():
    assert "a class of its own" in refusal({"x": [1.0, 2, 3], "y": ["a", "b", "c"]})


def test_nothing_to_learn_from_is_refused():
    assert "no column is left to learn from" in refusal({"y": ["a", "b", "a"]})
    table = Table.from_columns({"id": ["u", "v", "w"], "y": ["a", "b", "a"]}).with_kind("id", "identifier")
    with pytest.raises(DataError, match=r"'id' cannot be learnt from"):
        frame(table, "y")


def test_free_text_alone_is_learnt_from_where_a_model_is_told_to_read_it():
    table = Table.from_columns({"note": ["so so", "fine", "bad"], "y": ["a", "b", "a"]}).with_kind("note", "text")
    with pytest.raises(DataError, match="--models naive-bayes,logistic"):
        frame(table, "y")
    for texts in (frozenset(["note"]), True):
        problem = frame(table, "y", {"bayes": texts})
        assert (problem.inputs.names, problem.texts) == (("note",), {"note"})
        assert problem.warnings[0] == "'note' (as told) is read in words by bayes, and left out by others."


def test_one_line_says_what_becomes_of_dates_texts_and_names():
    days = [f"2024-01-{1 + i % 28:02}" for i in range(60)]
    notes = [f"a note of many words, number {i}" for i in range(60)]
    table = read({"id": range(60), "day": days, "note": notes, "y": ["a", "b"] * 30})
    (told,) = frame(table, "y", {"logistic": True}).warnings
    assert told == (
        "'day' (dates) is read as days passed and parts of the calendar; 'note' (sentences, all different) is read in "
        "words by logistic, and left out by others; 'id' (a running number names the rows) is left out; --kind "
        "COLUMN=nominal says otherwise."
    )


def test_no_rows_and_no_labels_are_refused():
    assert "no rows" in refusal({"x": [], "y": []})
    assert "every cell is missing" in refusal({"x": [1.0, 2.0], "y": [None, None]})


def test_rows_without_a_label_are_left_out_with_their_count():
    problem = frame(Table.from_columns({"x": [1.0, 2, 3, 4, 5], "y": ["a", None, "b", "a", None]}), "y")
    assert problem.labels.tolist() == ["a", "b", "a"]
    assert problem.inputs.cells("x").tolist() == [1, 3, 4]
    assert problem.warnings[0] == "2 rows without a value for 'y' were left out."


def test_a_class_of_one_case_is_warned_of():
    problem = frame(Table.from_columns({"x": [1.0, 2, 3], "y": ["a", "rare", "a"]}), "y")
    assert problem.warnings == ("class 'rare' of 'y' has a single case: it can be learnt or tested, never both.",)


def test_whole_numbers_are_classes_and_stay_whole():
    labels = frame(Table.from_columns({"x": [1.0, 2, 3], "y": [0.0, 1.0, 0.0]}), "y").labels
    assert labels.dtype == np.int64
    assert labels.tolist() == [0, 1, 0]


def test_a_name_that_is_neither_file_nor_catalog_is_refused_with_the_nearest():
    with pytest.raises(DataError, match=r"no such file.*did you mean 'credit'"):
        open_table("credti")


def test_tables_of_the_catalog_know_their_target_and_are_read_as_they_are():
    table, target = open_table("iris")
    assert (table.n_rows, target) == (150, "class")
    with pytest.raises(ParameterError, match="catalog"):
        open_table("iris", {"header": False})


def test_labels_that_are_missing_after_all_are_no_error_of_another_type():
    with pytest.raises(LabelError):
        frame(Table.from_columns({"x": [1.0], "y": ["a"]}), "y")


def test_models_that_find_nothing_to_read_in_a_table_of_texts_are_left_out(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", {entry.name: entry for entry in zoo._ENTRIES})
    notes = [f"{'warm kind' if i % 2 else 'cold rude'} staff in room {i} on day {7 * i}" for i in range(80)]
    table = Table.from_columns({"note": notes, "y": ["bad", "good"] * 40}).with_kind("note", "text")
    result = margin.compare(table, "y", models=["majority", "tree", "naive-bayes"], folds=2, repeats=1)
    assert [(standing.name, standing.error) for standing in result.leaderboard] == [("naive-bayes", "")]
    assert "majority, tree left out: all columns are free text, which these models do not read." in result.warnings
    assert "left out: all columns" in result.html()
