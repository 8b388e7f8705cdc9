"""Formats with types of their own: Parquet, NDJSON and LIBSVM."""

import datetime
import io
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from margin.data import from_polars, read
from margin.data.readers.parquet_structure import StructureError, check_structure
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


KINDS = ["numeric", "numeric", "nominal", "nominal", "date", "nominal", "nominal", "numeric"]


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


READ_AND_SAY = """
import sys
from margin.data import read
from margin.errors import DataError
try:
    read(sys.argv[1])
except DataError as refusal:
    print(refusal)
"""


def test_a_damaged_count_in_parquet_is_refused_before_memory_is_reserved_for_it(tmp_path):
    path = tmp_path / "damaged.parquet"
    pl.DataFrame({"n": [1, None, 3] * 20}).write_parquet(path, compression="uncompressed")
    assert read(path).n_rows == 60
    content = path.read_bytes()
    # The head of a page: a structure with the number of values, 60, as a zigzag number; 0x7f is -64.
    assert content.count(b"\x2c\x15\x78") == 1
    path.write_bytes(content.replace(b"\x2c\x15\x78", b"\x2c\x15\x7f"))
    # In a process of its own, since what reserves such an amount of memory takes its process down.
    answer = subprocess.run([sys.executable, "-c", READ_AND_SAY, path], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "this is not a readable Parquet file (a page of" in answer.stdout
    assert "cannot hold -64 values" in answer.stdout


def sample() -> pa.Table:
    words = [None if i % 7 == 0 else f"w{i % 30}" for i in range(2_000)]
    return pa.table({"x": np.arange(2_000) / 3, "word": words, "ok": [True, None] * 1_000})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0", "compression": "zstd"},
        {"use_dictionary": False, "row_group_size": 300},
        {"data_page_size": 100, "write_page_index": True, "write_page_checksum": True},
    ],
    ids=str,
)
def test_parquet_files_of_every_layout_pass_the_look_at_their_counts(tmp_path, options):
    pq.write_table(sample(), tmp_path / "sample.parquet", **options)
    table = read(tmp_path / "sample.parquet")
    assert table.n_rows == 2_000
    assert table["word"][:3].tolist() == [None, "w1", "w2"]


def test_any_byte_of_the_description_may_be_damaged_and_nothing_foreign_is_raised():
    written = io.BytesIO()
    pq.write_table(sample()[:20], written)
    content = written.getvalue()
    check_structure(content)
    refused = 0
    for at in range(len(content) - 300, len(content)):
        for value in (content[at] ^ 1, content[at] ^ 128, 0, 127, 255):
            try:
                check_structure(content[:at] + bytes([value]) + content[at + 1 :])
            except StructureError:
                refused += 1
    assert refused > 50


@pytest.mark.parametrize("cut", [5, 100, 500])
def test_a_parquet_file_that_is_cut_short_is_refused(tmp_path, cut):
    pq.write_table(sample(), tmp_path / "sample.parquet")
    content = (tmp_path / "sample.parquet").read_bytes()
    (tmp_path / "short.parquet").write_bytes(content[:-cut])
    (tmp_path / "hollow.parquet").write_bytes(content[:1000] + content[1000 + cut :])
    for name in ("short", "hollow"):
        with pytest.raises(DataError, match="not a readable Parquet file"):
            read(tmp_path / f"{name}.parquet")


FLIP_AND_READ = """
import random, sys
from pathlib import Path
from margin.data import read
from margin.errors import DataError
content, chance, path, refused = Path(sys.argv[1]).read_bytes(), random.Random(0), Path(sys.argv[2]), 0
for _ in range(400):
    damaged = bytearray(content)
    for _ in range(chance.choice([1, 1, 4])):
        damaged[chance.randrange(len(damaged))] = chance.choice([0, 127, 128, 255, chance.randrange(256)])
    path.write_bytes(damaged)
    print(damaged.hex(), file=sys.stderr)
    try:
        read(path)
    except DataError:
        refused += 1
print(refused)
"""


@pytest.mark.parametrize(
    "options",
    [
        {"row_group_size": 10},
        {"data_page_version": "2.0", "compression": "zstd"},
        {"use_dictionary": False, "compression": "none", "column_encoding": {"word": "DELTA_BYTE_ARRAY", "x": "PLAIN"}},
    ],
    ids=str,
)
def test_whatever_bytes_of_a_parquet_file_are_damaged_it_is_read_or_refused(tmp_path, options):
    pq.write_table(sample()[:40], tmp_path / "whole.parquet", **options)
    command = [sys.executable, "-W", "ignore", "-c", FLIP_AND_READ, tmp_path / "whole.parquet", tmp_path / "t.parquet"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # what aborts takes its process down
    assert answer.returncode == 0, f"{answer.returncode}: {answer.stderr.splitlines()[-1]}"
    assert int(answer.stdout) > 20
