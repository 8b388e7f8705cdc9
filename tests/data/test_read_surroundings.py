"""What stands around a table in real files: a separator line, comments, titles, separators too many, other files."""

import zipfile

import pytest

from margin.data import read
from margin.errors import DataError

ROWS = "1.5,x,no\n2.5,y,yes\n3.5,x,no\n"
TABLE = "a,b,c\n" + ROWS


def same(table):
    assert table.names == ("a", "b", "c")
    assert table["a"].tolist() == [1.5, 2.5, 3.5]
    assert table["c"].tolist() == ["no", "yes", "no"]


@pytest.mark.parametrize("line", ["sep=,", "SEP=,", '"sep=,"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_separator_line_of_spreadsheets_is_obeyed(written, line, end):
    same(read(written((line + "\n" + TABLE).replace("\n", end))))


def test_the_separator_line_decides_where_cells_could_be_split_in_two_ways(written):
    assert read(written("sep=;\na,b;c\n1,5;2\n2,5;3\n")).names == ("a,b", "c")


@pytest.mark.parametrize(
    "text",
    [
        "# made by hand\n# in 2024, by two people\n" + TABLE,
        "% made by hand\n\n" + TABLE,
        "a,b,c\n1.5,x,no\n  # half\n2.5,y,yes\n3.5,x,no\n#end",
    ],
)
def test_comments_are_no_rows(written, text):
    same(read(written(text)))


def test_a_line_that_looks_like_a_row_is_one_whatever_it_begins_with(written):
    table = read(written("#a,b\n1,#x\n#2,y\n"))
    assert table.names == ("#a", "b")
    assert table["#a"].tolist() == ["1", "#2"]


def test_a_line_inside_a_quoted_cell_is_no_comment(written):
    assert read(written('a,b\n"one\n# two",1\n"x",2\n'))["a"].tolist() == ["one\n# two", "x"]


def test_line_numbers_count_comments_and_the_separator_line(written):
    with pytest.raises(DataError, match="line 5 has 2 cells, but 3 were expected"):
        read(written("sep=,\n# note\na,b,c\n1,2,3\n4,5\n6,7,8\n"))


def test_a_file_of_comments_is_refused(written):
    with pytest.raises(DataError, match="only comments"):
        read(written("sep=;\n\n"))


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c,\n" + ROWS.replace("\n", ",\n"),
        "a,b,c\n" + ROWS.replace("\n", ",\n"),
        "a,b,c,\n" + ROWS,
        "a,b,c,,\n" + ROWS.replace("\n", ",,\n"),
    ],
    ids=["everywhere", "below", "above", "two"],
)
def test_separators_at_the_end_of_lines_make_no_column(written, text):
    same(read(written(text)))


def test_a_row_too_long_by_a_cell_that_holds_something_is_refused(written):
    with pytest.raises(DataError, match="line 1 has 2 cells, but 3 were expected"):
        read(written("price,city\n1,250,Rome\n2,500,Oslo\n"))


def test_a_title_above_the_names_is_named_as_the_odd_line(written):
    path = written("Sales of 2024\n\n" + TABLE)
    with pytest.raises(
        DataError, match=r"line 1 has 1 cell, but 3 were expected .as in line 3.; what stands above .* by skip=2"
    ):
        read(path)
    assert read(path, skip=2).names == read(written(TABLE)).names


def test_unnamed_columns_with_cells_stay(written):
    assert read(written("a,,c\n1,x,2\n3,y,4\n")).names == ("a", "column2", "c")


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1", r"save the sheet as \.xlsx or CSV"),
        (b"%PDF-1.7\n", "PDF document"),
        (b"\x89PNG\r\n", "is a picture"),
        (b"<?xml version='1.0'?>\n<a/>", "web page or XML"),
        (b"<!DOCTYPE html>\n<p>", "web page or XML"),
        (b' [ {"a": 1}, {"a": 2 ]', "line 1 is not JSON"),
        (b"BZh91AY", "bzip2 file is damaged"),
    ],
)
def test_files_that_are_no_tables_say_what_to_do(written, start, said):
    with pytest.raises(DataError, match=said):
        read(written(start + b"\0" * 10 if start[:1] != b" " else start))


def test_a_zip_archive_or_a_list_under_the_name_of_a_table_is_told_apart(written, tmp_path):
    with zipfile.ZipFile(tmp_path / "t.csv", "w") as archive:
        archive.writestr("t.csv", TABLE)
    assert read(tmp_path / "t.csv") == read(written(TABLE))
    assert read(written('[{"a": 1}, {"a": 2}]', "list.csv"))["a"].tolist() == [1, 2]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_text_in_any_usual_encoding_is_read(written, encoding):
    assert read(written("a,b\n1,“größe” €\n2,x\n".encode(encoding)))["b"][0] == "“größe” €"


def test_libsvm_tables_have_the_columns_that_kinds_tell_of(written):
    table = read(written("+1 1:2\n-1 2:1\n", "t.libsvm"), kinds={"feature4": "numeric"})
    assert table.names == ("feature1", "feature2", "feature3", "feature4", "label")
    assert table["feature4"].tolist() == [0, 0]
