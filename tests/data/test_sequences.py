"""Sequences: what they are read from, what they keep, and what is refused."""

import gzip

import numpy as np
import pandas as pd
import pytest

from margin.data import Sequences, Table
from margin.data.rows import count_rows, take_rows
from margin.errors import DataError, DataWarning, InputError, InputTypeError


def test_texts_tokens_and_series_of_any_make_are_sequences():
    assert Sequences(["ab", "c"]).kind == "texts"
    assert Sequences(np.array(["ab", "c"])).lengths.tolist() == [2, 1]
    assert list(Sequences(pd.Series(["ab", "c"]))) == ["ab", "c"]
    assert list(Sequences(pd.DataFrame({"note": ["a b c", "d"]}))) == ["a b c", "d"]
    assert Sequences([["a", "b"], []])[0] == ("a", "b")
    assert Sequences(np.zeros((3, 5, 2))).width == 2
    assert Sequences(np.zeros((3, 5))).width == 1
    ragged = Sequences([[1, 2, 3], [4]])
    assert (ragged.lengths.tolist(), ragged.width) == ([3, 1], 1)


def test_some_of_them_are_sequences_again_with_their_labels():
    given = Sequences(["a", "bb", "ccc"], labels=[0, 1, 0])
    for some in (given.take([2, 0]), given[np.array([2, 0])], take_rows(given, np.array([2, 0]))):
        assert (list(some), some.labels.tolist()) == (["ccc", "a"], [0, 0])
    assert list(given.take(given.lengths > 1)) == list(given[1:]) == ["bb", "ccc"]
    assert count_rows(given) == 3
    assert Sequences(given).labels is given.labels
    with pytest.raises(InputError, match="must be positions below 3"):
        given.take([3])


def test_series_in_memory_are_not_copied():
    rows = np.zeros((4, 6, 2))
    assert np.shares_memory(Sequences(rows).take([1])[0], rows)


def test_a_missing_text_is_an_empty_one_and_said():
    with pytest.warns(DataWarning, match="1 texts are missing.*rows 1"):
        assert list(Sequences(["a", None, "b"])) == ["a", "", "b"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("one text", r"\[text\] for a single one"),
        (["a", 3.5], "rows 1 are not"),
        ([["a"], "b"], "all sequences must be texts"),
        ([["a", 1]], "sequence 0 must be a list of words"),
        ([np.zeros((2, 3)), np.zeros((4, 3)), np.zeros((2, 2))], r"those of '2 \(2\)' do not"),
        ([np.zeros((2, 3, 1))], "sequence 0 is of shape"),
        ([[1, 2], ["x", 3]], "list of words"),
        ([1.0, 2.0], "sequence 0 is a single float"),
        (np.zeros((2, 2, 2, 2)), "holds no sequences"),
        (np.zeros((2, 3, 0)), "hold no numbers"),
        (7, "of type int holds no sequences"),
        (pd.DataFrame({"a": ["x y z", "w"], "b": ["u", "v w x"]}), "one column of texts"),
    ],
)
def test_what_holds_no_sequences_is_refused(given, words):
    with pytest.raises((InputError, InputTypeError), match=words):
        Sequences(given)


def test_labels_must_be_one_for_each():
    with pytest.raises(InputError, match="one label for each of 2"):
        Sequences(["a", "b"], labels=[1])


TS = """# a comment
@problemName Made
@timeStamps false
@dimensions 2
@classLabel true up down
@data
1,2,3:4,5,6:up
7,?:8,9:down
"""


def test_series_of_a_file_keep_their_lengths_and_classes(tmp_path):
    path = tmp_path / "made_TRAIN.ts.gz"
    path.write_bytes(gzip.compress(TS.encode()))
    found = Sequences.read(path)
    assert found.labels.tolist() == ["up", "down"]
    assert found[0].tolist() == [[1, 4], [2, 5], [3, 6]]
    assert np.isnan(found[1][1, 0])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (":up", ":left", "line 7: the class 'left' is none of"),
        ("4,5,6", "4,5", "line 7: dimensions of a case must be of one length"),
        ("1,2,3:", "", "there are 1 dimensions, and @dimensions says 2"),
        ("1,2,3", "1,x,3", "line 7: 'x' is no number"),
        ("@timeStamps false", "@timeStamps true", "time stamps"),
        ("@dimensions 2", "@dimensions many", "line 4: .* must name a whole number"),
        ("@data", "data", "line 6: before @data"),
    ],
)
def test_a_damaged_file_is_refused_by_its_line(old, new, words, tmp_path):
    path = tmp_path / "made.ts"
    path.write_text(TS.replace(old, new))
    with pytest.raises(DataError, match=words):
        Sequences.read(path)


def test_texts_of_a_table_come_with_their_labels(tmp_path):
    path = tmp_path / "names.tsv"
    path.write_text("kind\tname\n" + "".join(f"{'ab'[i % 2]}\tname {chr(97 + i)}\n" for i in range(20)) + "a\tNA\n")
    found = Sequences.read(path)
    assert (found.kind, len(found), found.classes, found[-1]) == ("texts", 21, ["a", "b"], "NA")
    assert Sequences.read(path, text="kind", target="name").classes[-1] == "name t"
    with pytest.raises(DataError, match="did you mean 'name'"):
        Sequences.read(path, text="nam")


def test_a_table_of_numbers_holds_series_of_one_number():
    assert Sequences(Table.from_columns({"a": [1.0, 2.0], "b": [3.0, 4.0]}))[1][:, 0].tolist() == [2, 4]


def test_real_files_are_read(shared_data):
    motions = Sequences.read(shared_data("timeseries/BasicMotions_TRAIN.ts.gz"))
    assert (len(motions), motions.width, set(motions.lengths.tolist()), len(motions.classes)) == (40, 6, {100}, 4)
    names = Sequences.read(shared_data("names.tsv.gz"))
    assert (len(names), len(names.classes), int(names.lengths.max())) == (20050, 18, 20)
