"""Large files answered part after part: the same answers, counts and messages as reading the whole file."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from margin import NaiveBayes, persistence
from margin.cli.app import cli
from margin.data import read
from margin.data.readers import parts
from margin.data.readers.witness import ReadWhole
from margin.errors import DataWarning, MarginError
from margin.experiment import about_model, read_new_rows
from margin.experiment.answer_stream import AnswerStream
from margin.experiment.table_prediction import new_rows_in_parts

N = 600


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch, tmp_path):
    monkeypatch.setattr(parts, "PART_BYTES", 2000)
    monkeypatch.setattr(parts, "PART_ROWS", 64)
    monkeypatch.chdir(tmp_path)


def table_text(separator=",", rows=N, colour=("red", "blue", "A11"), number="{:.4g}", day="2024-{:02d}-{:02d}"):
    rng = np.random.default_rng(3)
    lines = [separator.join(("id", "a", "colour", "day", "note", "y"))]
    for i in range(rows):
        a, word = rng.normal(), colour[rng.integers(len(colour))]
        when = day.format(rng.integers(1, 13), rng.integers(1, 29))
        cells = (str(i + 1), number.format(a), word, when, f"row {i} says this and that {rng.integers(9)}")
        lines.append(separator.join((*cells, "yes" if a > 0 else "no")))
    return "\n".join(lines) + "\n"


def learnt(text=None, **reading):
    Path("train.csv").write_text(table_text() if text is None else text)
    table = read("train.csv", **reading)
    target = "y" if "y" in table.names else table.names[-1]
    X, y = table.target(target)
    model = NaiveBayes().fit(X, y)
    return model, about_model(table, target, y, reading)


def asked(model, about, file="new.csv", told=None, whole=False, extra="refuse"):
    """The answers column by column, what was counted, and how many parts there were."""
    stream, found, n = AnswerStream(model, about, True, in_parts=not whole), {}, 0
    rows = [(read_new_rows(file, about, told, extra), 1.0)] if whole else new_rows_in_parts(file, about, told, extra)
    for table, _ in rows:
        for name, cells in stream.columns(table).items():
            found.setdefault(name, []).extend(cells)
        n += 1
    counted = (stream.n_rows, stream.n_known, stream.n_right, list(stream.strange), stream.unseen)
    return found, counted, n


def assert_same(model, about, **options):
    found, counted, n = asked(model, about, **options)
    expected, told, _ = asked(model, about, whole=True, **options)
    assert n > 3
    assert counted == told
    assert list(found) == list(expected)
    assert found == expected


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_parts_give_the_answers_of_the_whole_to_the_last_bit(ending):
    model, about = learnt()
    Path("new.csv").write_text(table_text(rows=900, colour=("red", "blue", "pink")))
    if ending == "parquet":
        pl.read_csv("new.csv", schema_overrides={"id": pl.String}).write_parquet("new.parquet")
    assert_same(model, about, file=f"new.{ending}")


def test_unseen_categories_and_strange_labels_are_counted_over_all_parts():
    model, about = learnt()
    Path("new.csv").write_text(table_text(colour=("red", "pink")).replace(",yes\n", ",maybe\n"))
    _, (rows, known, _, strange, (line,)), n = asked(model, about)
    text = Path("new.csv").read_text()
    assert n > 3
    assert (rows, known, strange) == (N, text.count(",no\n"), ["maybe"])
    assert line.startswith(f"colour: {text.count(',pink,')} cells ('pink') hold a category")


ODD = {
    "quoted cells with line ends": lambda text: text.replace(",red,", ',"red",').replace(" says", ' says"').replace(
        ",row", ',"row').replace(' says"', ' ""said""\n').replace(",no\n", '",no\n').replace(",yes\n", '",yes\n'),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "letters beyond ASCII": lambda text: text.replace("red", "röd"),
    "columns turned round": lambda text: "\n".join(",".join(line.split(",")[::-1]) for line in text.split("\n")),
    "no target": lambda text: "\n".join(line.rpartition(",")[0] for line in text.split("\n")),
    "a separator at the end": lambda text: text.replace("\n", ",\n"),
    "blank lines": lambda text: text.replace(",no\n", ",no\n\n"),
    "marks of missing cells": lambda text: text.replace(",red,", ",?,"),
    "a comment at the top": lambda text: "# made by hand\n" + text,
    "one column missing at first": lambda text: text.replace(",red,", ",,", 100),
    "numbers in exponents": lambda text: text.replace(",0.1", ",1e-1"),
}  # fmt: skip


@pytest.mark.parametrize("how", ODD)
def test_ways_of_writing_files_do_not_change_answers(how):
    model, about = learnt()
    Path("new.csv").write_text(ODD[how](table_text(rows=900)))
    try:
        assert_same(model, about)
    except ReadWhole:
        assert how in ("a comment at the top",)  # fewer lines than tell what a comment is


def changed(at, **cells):
    """The rows of the table with some cells of one row replaced."""
    rows = [line.split(",") for line in table_text(rows=900).splitlines()]
    for name, cell in cells.items():
        rows[at][rows[0].index(name)] = cell
    return "\n".join(",".join(row) for row in rows) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        changed(850, a="soon"),
        changed(850, a="$5"),
        changed(850, a="inf"),
        changed(850, day="never"),
        changed(850, day="31/12/2024"),
        changed(850, colour='5" pipe'),
        changed(850, note="# this,that"),
        changed(850, y='"no'),
        table_text(rows=900).replace("\n", ",1\n", 700).replace("y,1\n", "y,z\n"),
        table_text(rows=900).encode()[:-30] + b"\xff\n",
    ],
    ids=range(10),
)  # fmt: skip
def test_what_a_part_cannot_know_is_read_whole(text):
    model, about = learnt()
    Path("new.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MarginError):
        asked(model, about)


def test_dates_whose_order_only_later_rows_tell_are_read_whole():
    """The model knows ISO dates alone, so that the other rows say what 03/04 is."""
    model, about = learnt()
    header, *rows = table_text(day="{1:02d}/{0:02d}/2024").splitlines()
    early = [row for row in rows if int(row.split(",")[3][:2]) <= 12]
    Path("new.csv").write_text("\n".join([header, *early, *rows]) + "\n")
    with pytest.raises(ReadWhole):
        asked(model, about)
    Path("new.csv").write_text("\n".join([header, *rows]) + "\n")
    assert_same(model, about)


@pytest.mark.parametrize("header", [True, False])
def test_decimal_commas_and_tables_without_names(header):
    text = table_text(separator=";").replace("2024-", "2023-")
    text = "\n".join(
        ";".join(cell.replace(".", ",") if j == 1 else cell for j, cell in enumerate(line.split(";")) if j)
        for line in text.splitlines()[not header :]
    )
    model, about = learnt(text, header=header)
    Path("new.csv").write_text(text)
    assert_same(model, about)


def test_cells_that_are_no_numbers_are_counted_over_all_parts_with_their_line():
    model, about = learnt(coerce=True)
    rows = [line.split(",") for line in table_text(rows=900).splitlines()]
    for at in (400, 500, 899):
        rows[at][1] = "soon"
    Path("new.csv").write_text("\n".join(",".join(row) for row in rows) + "\n")
    with pytest.warns(
        DataWarning, match=r"column 'a': 3 of 900 cells are no numbers .* first 'soon' in line 401"
    ) as one:
        found, _, n = asked(model, about)
    with pytest.warns(DataWarning, match="3 of 900") as other:
        expected, _, _ = asked(model, about, whole=True)
    assert n > 3
    assert found == expected
    assert [str(w.message) for w in one] == [str(w.message) for w in other]


def margin(*words):
    return CliRunner().invoke(cli, words)


def saved():
    model, about = learnt()
    persistence.save(model, "m.margin", about=about)
    Path("new.csv").write_text(table_text(rows=900, colour=("red", "pink")))


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_the_command_writes_the_same_file_in_parts(ending, monkeypatch):
    saved()
    done = margin("predict", "m.margin", "new.csv", "-p", "-o", f"parts.{ending}")
    monkeypatch.setattr(parts, "PART_BYTES", 10**9)
    again = margin("predict", "m.margin", "new.csv", "-p", "-o", f"whole.{ending}")
    assert done.exit_code == again.exit_code == 0, done.output
    assert done.output.replace("parts.", "whole.") == again.output
    if ending == "parquet":
        assert pl.read_parquet("parts.parquet").equals(pl.read_parquet("whole.parquet"))
    else:
        assert Path(f"parts.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()
    assert {path for path in os.listdir() if path.startswith(".")} == set()


def test_an_error_in_a_late_row_names_its_line_and_leaves_no_file():
    saved()
    Path("new.csv").write_text(changed(850, a="soon"))
    done = margin("predict", "m.margin", "new.csv", "-o", "a.csv")
    assert done.exit_code == 2
    assert "column 'a', line 851: 'soon' is not a number" in done.stderr
    assert not [path for path in os.listdir() if path.startswith((".", "a.csv"))]


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_ctrl_c_leaves_no_half_file(ending, monkeypatch):
    saved()
    Path(f"a.{ending}").write_text("what was there before")
    answered = AnswerStream.columns

    def stopped(self, table):
        if self.n_rows > 100:
            raise KeyboardInterrupt
        return answered(self, table)

    monkeypatch.setattr(AnswerStream, "columns", stopped)
    done = margin("predict", "m.margin", "new.csv", "-o", f"a.{ending}")
    assert done.exit_code == 130
    assert Path(f"a.{ending}").read_text() == "what was there before"
    assert not [path for path in os.listdir() if path.startswith(".")]
