"""Formats with types of their own: Parquet, NDJSON and LIBSVM."""

import datetime

import numpy as np
import polars as pl
import pytest

from margin.data import from_polars, read
from margin.errors import DataError


@pytest.fixture
def frame():
    return pl.DataFrame(
        {
            "n": [1, None, 3],
            "x": [0.5, float("nan"), None],
            "word": ["007", "b", None],
            "ok": [True, None, False],
            "day": [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 2)],
            "size": pl.Series(["m", "s", "m"], dtype=pl.Enum(["s", "m", "l"])),
            "colour": pl.Series(["red", "blue", None], dtype=pl.Categorical),
            "void": pl.Series([None, None, None], dtype=pl.Null),
        }
    )


KINDS = ["numeric", "numeric", "nominal", "nominal", "text", "nominal", "nominal", "numeric"]


def test_types_decide_the_kinds(frame):
    table = from_polars(frame, "mine")
    assert [c.kind for c in table.schema] == KINDS
    assert table.name == "mine"
    assert table["word"].tolist() == ["007", "b", None]
    assert table["ok"].tolist() == [True, None, False]
    assert table.schema["size"].levels == ("s", "m", "l")
    assert table["colour"].tolist() == ["red", "blue", None]
    np.testing.assert_array_equal(table["x"], [0.5, np.nan, np.nan])


def test_parquet_gives_the_same_table(frame, tmp_path):
    frame.write_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet") == from_polars(frame)


def test_records_a_line_give_a_table(written):
    table = read(written('{"a": 1, "b": "x"}\n{"b": "y", "c": true}\n', "t.jsonl"))
    assert [c.kind for c in table.schema] == ["numeric", "nominal", "nominal"]
    assert table.missing("a").tolist() == [False, True]
    assert table["c"].tolist() == [None, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ("[1, 2]\n", "line 1 is JSON but not a record"),
        ('{"a": {"b": 1}}\n', "'a' hold lists, records"),
    ],
)
def test_broken_records_are_refused(written, text, message):
    with pytest.raises(DataError, match=message):
        read(written(text, "t.ndjson"))


def test_nested_columns_are_refused_by_name():
    with pytest.raises(DataError, match="'tags', 'who' hold lists"):
        from_polars(pl.DataFrame({"a": [1], "tags": [[1, 2]], "who": [{"x": 1}]}))


def test_rubbish_is_not_parquet(written):
    with pytest.raises(DataError, match="not a readable Parquet file"):
        read(written("hello", "t.parquet"))


def test_libsvm_rows_become_dense_and_labels_stay_as_written(written):
    table = read(written("# made up\n+1 1:0.5 3:2e1\n-1 2:-1 # last\n\n+1\n", "t.libsvm"))
    assert table.names == ("feature1", "feature2", "feature3", "label")
    assert table["feature3"].tolist() == [20, 0, 0]
    assert table["label"].tolist() == ["+1", "-1", "+1"]


def test_libsvm_indices_may_start_at_zero(written):
    assert read(written("1 0:5 1:6\n", "t.svm")).names == ("feature0", "feature1", "label")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n1 1:x\n", "line 2: '1:x' is not of the form index:value"),
        ("1 1:2\n1 -1:3\n", "line 2: '-1:3'"),
        ("1 1:2\n1 qid:3 1:5\n", "line 2: 'qid:3'"),
        ("1 1:2 1:3\n", "same index twice"),
        ("1 1:2\n1 999999999:1\n", "too many for a dense table"),
        ("1 1:2 3\n", "'3' is not of the form"),
        ("# nothing\n", "there are only comments"),
    ],
)
def test_broken_libsvm_files_are_refused(written, text, message):
    with pytest.raises(DataError, match=message):
        read(written(text, "t.libsvm"))


def test_libsvm_agrees_with_scikit_learn(written):
    datasets = pytest.importorskip("sklearn.datasets")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 7)) * (rng.random((40, 7)) < 0.5)
    X[0, 6] = 1.0
    path = written("", "t.libsvm")
    datasets.dump_svmlight_file(X, rng.integers(0, 3, 40), str(path), zero_based=False)
    table = read(path)
    np.testing.assert_allclose(np.column_stack([table[n] for n in table.names[:-1]]), X)
