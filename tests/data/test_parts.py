"""Tables in parts: every cell, kind and reason is that of the whole, and what has changed is refused by name."""

from __future__ import annotations

import gzip
import itertools
import json
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import margin
from margin.data import read
from margin.data.kind_inference import Written, infer
from margin.data.parts import pieces as pieces_of_files
from margin.data.parts import scan
from margin.data.parts.row_blocks import ROWS, JoinedInPairs, block_bounds, joined, n_blocks
from margin.data.parts.settling import reading_of
from margin.data.parts.summary import summary_of
from margin.errors import DataError, DataWarning, ParameterError

N = 700


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    words = np.array(["red", "blue", "green", None], dtype=object)
    return pl.DataFrame({
        "id": np.arange(N) + 1,
        "a": rng.normal(size=N),
        "b": [None if x < 0.1 else float(x) for x in rng.random(N)],
        "c": pl.Series(words[rng.integers(0, 4, N)], dtype=pl.String),
        "truth": rng.integers(0, 2, N).astype(bool),
        "name": [f"x{i}" for i in range(N)],
        "day": [f"2024-01-{i % 28 + 1:02d}" for i in range(N)],
        "plz": [f"{i % 7:03d}" for i in range(N)],
        "money": [f"{i % 300 + 900:,}" for i in range(N)],
        "few": rng.integers(0, 3, N),
        "late": ["1"] * (N - 1) + ["one"],
        "quoted": ['a "quoted",\nline' if i % 9 == 0 else "w" for i in range(N)],
        "empty": pl.Series([None] * N, dtype=pl.String),
        "y": [f"class {i % 3}" for i in range(N)],
    })  # fmt: skip


@pytest.fixture
def small_pieces(monkeypatch):
    """Pieces of so few bytes and cells that every file has many."""
    monkeypatch.setattr(pieces_of_files.cut_at_rows, "__defaults__", (3000,))
    monkeypatch.setattr(pieces_of_files, "PIECE_CELLS", 500)
    monkeypatch.setattr(pieces_of_files, "FEWEST_ROWS", 20)


def write_cut(folder, data, k, write):
    folder.mkdir()
    for i in range(k):
        part = data.slice(i * len(data) // k, (i + 1) * len(data) // k - i * len(data) // k)
        write(part, folder / f"{i:05d}")
    return folder


def assert_like(parts, whole):
    table = parts.read()
    for column in whole.schema:
        found = parts.reading(column.name).column
        assert (found.kind, found.reason) == (column.kind, column.reason), column.name
        if column.kind == "identifier":
            assert column.name not in table.names
            continue
        assert table.schema[column.name].levels == column.levels, column.name
        assert np.array_equal(table.cells(column.name), whole.cells(column.name), equal_nan=column.is_numeric)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv"])
@pytest.mark.parametrize("k", [1, 7])
@pytest.mark.filterwarnings("ignore::margin.errors.DataWarning")
def test_text_in_parts_reads_as_the_whole_does(tmp_path, small_pieces, ending, k):
    data, separator = frame(), "\t" if ending == "tsv" else ","

    def write(part, path):
        text = part.write_csv(separator=separator).encode()
        text = b"\xef\xbb\xbf" + text.replace(b'line"\n', b'line"\r\n') if path.name == "00000" else text
        path = path.with_name(f"{path.name}.{ending}")
        path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)

    parts = scan(write_cut(tmp_path / "parts", data, k, write), target="y")
    data.write_csv(tmp_path / f"whole.{ending[:3]}", separator=separator)
    assert len(parts.pieces) > k
    assert_like(parts, read(tmp_path / f"whole.{ending[:3]}", target="y"))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "ndjson"])
@pytest.mark.filterwarnings("ignore::margin.errors.DataWarning")
def test_typed_parts_read_as_the_whole_does(tmp_path, small_pieces, ending):
    data = frame().with_columns(pl.col("day").str.to_date(), kind=pl.col("c").cast(pl.Categorical))
    if ending == "ndjson":
        data = data.drop("day", "kind")  # JSON knows neither

    def write(part, path):
        path = path.with_name(f"{path.name}.{ending}")
        {"parquet": part.write_parquet, "arrow": part.write_ipc, "ndjson": part.write_ndjson}[ending](path)

    parts = scan(write_cut(tmp_path / "parts", data, 3, write), target="y")
    write(data, tmp_path / "whole")
    whole = read(data if ending == "arrow" else tmp_path / f"whole.{ending}", target="y")
    if ending != "ndjson":  # the order in which categories come first is that of the rows in both
        assert parts.reading("kind").column.reason == whole.schema["kind"].reason
    assert_like(parts, whole)


def test_arrays_and_memory_and_functions_are_parts_too(tmp_path):
    matrix = np.random.default_rng(0).normal(size=(50, 3))
    np.save(tmp_path / "rows.npy", matrix)
    assert np.array_equal(np.asarray(scan(tmp_path / "rows.npy").read()), matrix)
    assert np.array_equal(np.asarray(scan(matrix).read()), matrix)
    halves = [lambda: pl.DataFrame(matrix[:20], schema=["x0", "x1", "x2"]), lambda: matrix[20:]]
    assert np.array_equal(np.asarray(scan(halves).read()), matrix)
    table = read({"size": [1.0, None, 3.0], "kind": ["a", "b", None], "big": [True, False, True]})
    assert scan(table).read() == table


def test_folders_name_columns(tmp_path):
    for year in (2023, 2024):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        pl.DataFrame({"a": [1.0, 2.0]}).write_parquet(folder / "rows.parquet")
    table = scan(tmp_path).read()
    assert table["year"].tolist() == [2023, 2023, 2024, 2024]


def test_only_the_columns_that_are_asked_for_are_read(tmp_path):
    frame().write_parquet(tmp_path / "a.parquet")
    parts = scan(tmp_path / "a.parquet", columns=["a", "few"], target="y")
    assert parts.names == ("a", "few", "y")
    with pytest.raises(ParameterError, match="column 'aa' is not there; columns are"):
        scan(tmp_path / "a.parquet", columns=["aa"])


def test_blocks_are_the_rows_by_number_whatever_the_files_are(tmp_path, monkeypatch):
    data = pl.DataFrame({"a": np.arange(100.0), "t": [f"word{i} and more of it all" for i in range(100)]})
    folder = write_cut(tmp_path / "parts", data, 7, lambda part, path: part.write_parquet(f"{path}.parquet"))
    monkeypatch.setattr("margin.data.parts.row_blocks.ROWS", 16)
    parts = scan(folder)
    assert parts.n_blocks == 7
    assert parts.reading("t").column.kind == "text"
    for i, block in enumerate(parts.blocks()):
        assert block["a"].tolist() == list(range(16 * i, min(16 * i + 16, 100)))
        assert block["t"].tolist() == [f"word{int(a)} and more of it all" for a in block["a"]]
    assert parts.block(3)["a"].tolist() == list(range(48, 64))


def test_empty_parts_and_parts_of_one_row_are_normal(tmp_path):
    for i, rows in enumerate(["", "1,x\n", "", "2,y\n3,x\n"]):
        (tmp_path / f"{i}.csv").write_text("a,b\n" + rows)
    table = scan(tmp_path).read()
    assert table["a"].tolist() == [1, 2, 3]
    assert table.schema["b"].levels == ("x", "y")
    for i in range(4):
        (tmp_path / f"{i}.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="there are no rows in any part"):
        scan(tmp_path)


def test_a_column_is_of_one_type_in_all_parts(tmp_path):
    pl.DataFrame({"a": [1.0]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": ["x"]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"scan\('2.parquet'\): column 'a' holds words here, but numbers in the parts"):
        scan(tmp_path)
    pl.DataFrame({"b": [1.0]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"scan\('2.parquet'\): all parts must have the same columns, but 'a'"):
        scan(tmp_path)


@pytest.mark.parametrize(("ending", "content"), [
    ("parquet", b"PAR1 this is none"), ("csv.gz", gzip.compress(b"a,b\n1,2\n" * 1000)[:40]), ("npy", b"\x93NUMPY"),
    ("ndjson", b'{"a": 1}\nnothing\n'), ("csv", b"a,b\n1,\xff\n"), ("csv", b'a,b\n1,5" pipe\n2,3\n'),
    ("csv", b"a,b\r1,2\r"), ("csv", b"a\n1\n2\n"),
])  # fmt: skip
def test_damaged_parts_are_refused_by_name(tmp_path, ending, content):
    path = tmp_path / f"odd.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"\('odd\."):
        scan(path)


def test_a_part_that_changes_is_refused_by_name(tmp_path):
    for i in range(3):
        pl.DataFrame({"a": [float(i)] * 5}).write_parquet(tmp_path / f"{i}.parquet")
    parts = scan(tmp_path)
    content = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(content)  # touched, and the same
    assert parts.read()["a"].tolist() == [0.0] * 5 + [1.0] * 5 + [2.0] * 5
    pl.DataFrame({"a": [9.0] * 5}).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(DataError, match=re.escape("1.parquet' has changed since it was scanned")):
        parts.read()
    (tmp_path / "1.parquet").unlink()
    with pytest.raises(DataError, match=re.escape("1.parquet' is gone")):
        parts.read()


def test_what_was_learnt_is_kept_and_good_for_the_same_parts_alone(tmp_path):
    folder = write_cut(tmp_path / "parts", frame().drop("late"), 3, lambda part, path: part.write_csv(f"{path}.csv"))
    first = scan(folder, target="y", keep=tmp_path / "parts.json")
    again = scan(folder, target="y", keep=tmp_path / "parts.json")
    assert again == first or again.digest() == first.digest()
    assert again.read() == first.read()
    with pytest.raises(DataError, match="kept with target='y', not None"):
        scan(folder, keep=tmp_path / "parts.json")
    (folder / "9.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=re.escape("9.csv' is new since")):
        scan(folder, target="y", keep=tmp_path / "parts.json")
    (folder / "9.csv").unlink()
    (folder / "00001.csv").write_text((folder / "00001.csv").read_text().replace("red", "RED"))
    with pytest.raises(DataError, match=re.escape("00001.csv' has changed")):
        scan(folder, target="y", keep=tmp_path / "parts.json")
    (tmp_path / "parts.json").write_text(json.dumps({"format": "another"}))
    with pytest.raises(DataError, match="does not hold what scan keeps"):
        scan(folder, target="y", keep=tmp_path / "parts.json")


def test_rows_without_target_and_odd_weights_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a,w,y\n1,1,x\n2,0,\n")
    with pytest.raises(DataError, match="1 rows have no target"):
        scan(tmp_path / "a.csv", target="y")
    with pytest.raises(DataError, match="finite and above 0"):
        scan(tmp_path / "a.csv", weight="w")
    with pytest.raises(DataError, match="the weights must be numbers"):
        scan(tmp_path / "a.csv", weight="y")


def test_a_function_that_gives_other_rows_each_time_is_refused():
    rng = np.random.default_rng(0)
    parts = scan([lambda: rng.normal(size=(4, 2))])
    with pytest.raises(DataError, match="another one each time"):
        parts.read()


CELLS = st.lists(
    st.one_of(
        st.sampled_from(["1", "2.5", "-3e2", "007", "x", "y", "True", "False", "?", "NA", "-", "1,250", "$5", "12 %"]),
        st.integers(0, 40).map(str),
        st.integers(0, 999).map(lambda i: f"name {i}"),
    ),
    min_size=1,
    max_size=120,
)


@given(st.one_of(CELLS, st.lists(st.sampled_from(["1", "2", "3", "?"]), min_size=1, max_size=150)), st.integers(1, 5))
@pytest.mark.filterwarnings("ignore::margin.errors.DataWarning")
def test_pieces_of_a_column_settle_as_the_whole_does(cells, k):
    from margin.data.kind_inference import without_marks

    whole, stored = infer(pl.Series(cells, dtype=pl.String), Written("age"))
    words = without_marks(pl.DataFrame({"age": pl.Series(cells, dtype=pl.String)}))["age"]
    bounds = [len(words) * i // k for i in range(k + 1)]

    def summed(wanted):
        found = None
        for begin, end in itertools.pairwise(bounds):
            some = summary_of(words[begin:end], wanted, "age", "test")
            found = some if found is None else found.plus(some, "age", "test")
        return found

    found = summed("")
    found = summed("words") if found.mixed else found
    reading = reading_of(found, Written("age"))
    assert (reading.column.kind, reading.column.reason) == (whole.kind, whole.reason)
    if whole.kind not in ("identifier", "text"):
        assert reading.column.levels == whole.levels
        assert reading.missing == int(np.isnan(stored).sum() if whole.is_numeric else (stored < 0).sum())


def test_blocks_of_any_kind_join_in_one_shape():
    def shape(numbers, n):
        whole = JoinedInPairs(n, lambda a, b: f"({a}{b})")
        for number in numbers:
            whole.add(number, str(number))
        return whole.sum

    for n in range(1, 10):
        first = shape(range(n), n)
        assert first == shape(reversed(range(n)), n)
        for size in (2, 4):  # whoever holds a branch may join it
            runs = [range(i, min(i + size, n)) for i in range(0, n, size)]
            parts = [joined([str(b) for b in run], len(run), lambda a, b: f"({a}{b})") for run in runs]
            assert joined(parts, len(parts), lambda a, b: f"({a}{b})") == first


@pytest.mark.parametrize("n", [2**31 - 1, 2**31 + 1, 2**32 - 1, 2**32 + 1])
def test_rows_beyond_32_bits_have_their_blocks(n):
    last = n_blocks(n) - 1
    begin, end = block_bounds(last, n)
    assert end == n
    assert 0 < end - begin <= ROWS
    assert begin == last * ROWS


def test_a_column_that_is_nearly_numeric_says_so(tmp_path):
    frame().write_csv(tmp_path / "a.csv")
    with pytest.warns(DataWarning, match="column 'late' is nominal because not every cell is a number: 1 of 700"):
        scan(tmp_path / "a.csv")


def test_scan_stands_at_the_front_door():
    assert margin.scan is scan
