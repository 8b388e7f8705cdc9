"""Excel, JSON lists, packed files, several files, and the hard ones among them."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import numpy as np
import pytest

from margin.data import read
from margin.data.readers import unpacking
from margin.errors import DataError, DataWarning, ParameterError
from tests.data.workbooks import workbook

PEOPLE = "age,sex,since\n31,f,2024-01-05\n,m,2024-02-06\n44.5,f,2024-03-07\n"
ROWS = [["age", "sex", "since"], [31, "f", ("date", 45296)], [None, "m", ("date", 45328)], [44.5, "f", ("date", 45358)]]


@pytest.fixture
def people(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    return read(tmp_path / "people.csv")


def put(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def test_a_sheet_is_read_like_the_csv_file_of_it(people, tmp_path):
    assert read(put(tmp_path, "people.xlsx", workbook({"Tabelle1": ROWS}))) == people
    assert read(put(tmp_path, "unnamed", workbook({"Tabelle1": ROWS}))) == people


def test_a_sheet_is_chosen_by_name_or_number_and_may_stand_below_a_title(people, tmp_path):
    book = {"notes": [["made by hand"]], "data": [["All people"], [], *ROWS]}
    file = put(tmp_path, "people.xlsx", workbook(book))
    assert read(file, sheet="data", skip=1) == read(file, sheet=2, skip=1) == people
    with pytest.raises(DataError, match=r"no sheet 'dta'; sheets are 'notes', 'data' \(did you mean 'data'"):
        read(file, sheet="dta")
    with pytest.raises(ParameterError, match="only a workbook"):
        read(put(tmp_path, "a.csv", b"a,b\n1,2\n"), sheet=1)


def test_truth_values_and_errors_of_cells(tmp_path):
    rows = [["ok", "x"], [True, 1], [False, ("error", "#DIV/0!")], [True, 3]]
    table = read(put(tmp_path, "t.xlsx", workbook({"s": rows})))
    assert table["ok"].tolist() == [True, False, True]
    assert np.isnan(table["x"][1])


LAUGHS = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><worksheet>&c;</worksheet>'
NS = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
FAR = b'<row r="%d"><c r="%s%d"><v>1</v></c></row>'
SCATTERED = NS + b"".join(
    FAR % (i, b"A" if i % 2 else b"XFD", i) for i in range(1, 2000)
) + b"</sheetData></worksheet>"  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"sheet1": LAUGHS}, "declares entities"),
        ({"sheet1": b"<worksheet>"}, "is not XML"),
        ({"sheet1": NS + b"</sheetData></worksheet>"}, "sheet 's' holds no cells"),
        ({"sheet1": SCATTERED}, "lie so far apart"),
        ({"sheet1": NS + b'<row><c t="s"><v>99</v></c></row></sheetData></worksheet>'}, "does not hold"),
        ({"workbook": b"<workbook/>"}, "holds no sheet"),
    ],
    ids=["entities", "cut XML", "empty", "scattered", "lost text", "no sheet"],
)
def test_wrong_workbooks_are_refused(tmp_path, parts, message):
    with pytest.raises(DataError, match=message):
        read(put(tmp_path, "t.xlsx", workbook({"s": ROWS}, **parts)))


def test_what_is_no_workbook_is_refused(tmp_path):
    with pytest.raises(DataError, match="the contents are none"):
        read(put(tmp_path, "t.xlsx", b"a,b\n1,2\n"))
    with pytest.raises(DataError, match=r"save the sheet as \.xlsx or CSV"):
        read(put(tmp_path, "t.xls", b"\xd0\xcf\x11\xe0 old"))


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return content.getvalue()


def test_packed_files_are_the_files(people, tmp_path):
    text = PEOPLE.encode()
    for name, content in {
        "p.csv.gz": gzip.compress(text), "p.csv.xz": lzma.compress(text), "p.csv.bz2": bz2.compress(text),
        "twice.csv.gz": gzip.compress(text[:20]) + gzip.compress(text[20:]),
        "p.zip": zipped(people__csv=text), "packed": lzma.compress(text),
    }.items():  # fmt: skip
        assert read(put(tmp_path, name, content)) == people, name


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv.xz", b"a,b\n1,2\n", "the contents are not xz"),
        ("a.csv.xz", lzma.compress(b"a,b\n1,2\n")[:-9], "xz file is damaged or cut short"),
        ("a.csv.bz2", bz2.compress(b"a,b\n1,2\n" * 99)[:-9], "bzip2 file is damaged or cut short"),
        ("a.zip", zipped(a__csv="a\n1\n", b__csv="a\n2\n"), "must hold one table, but holds 'a.csv', 'b.csv'"),
        ("a.zip", zipped(), "zip"),
        ("a.zip", zipped(a__csv="a\n1\n" * 99)[:-30], "zip archive is damaged"),
    ],
    ids=["no xz", "cut xz", "cut bz2", "two files", "no file", "cut zip"],
)
def test_wrong_packing_is_refused(tmp_path, name, content, message):
    with pytest.raises(DataError, match=message):
        read(put(tmp_path, name, content))


@pytest.mark.parametrize("pack", ["gz", "xz", "bz2", "zip", "xlsx"])
def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, pack, monkeypatch):
    monkeypatch.setattr(unpacking, "most_unpacked", lambda: 1 << 20)
    big = b"1,2\n" * (1 << 19)
    packed = {
        "gz": lambda: gzip.compress(big), "xz": lambda: lzma.compress(big), "bz2": lambda: bz2.compress(big),
        "zip": lambda: zipped(a__csv=big), "xlsx": lambda: workbook({"s": ROWS}, sheet1=NS + b" " * (1 << 21)),
    }[pack]()  # fmt: skip
    ending = pack if pack in ("zip", "xlsx") else f"csv.{pack}"
    with pytest.raises(DataError, match="quarter of the machine's memory"):
        read(put(tmp_path, f"a.{ending}", packed))


def test_a_json_list_and_an_object_of_columns(people, tmp_path):
    records = b'[{"age": 31, "sex": "f", "since": "2024-01-05"}, {"sex": "m", "since": "2024-02-06"},' \
        b' {"age": 44.5, "sex": "f", "since": "2024-03-07"}]'  # fmt: skip
    columns = b'{"age": [31, null, 44.5], "sex": ["f", "m", "f"], "since": ["2024-01-05", "2024-02-06", "2024-03-07"]}'
    assert read(put(tmp_path, "a.json", records)) == read(put(tmp_path, "b.json", columns)) == people
    assert read(put(tmp_path, "c.txt", records)) == people


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[1, 2]", "a table must be a list of records"),
        (b"[]", "a table must be a list of records"),
        (b'{"a": 1}', "a table must be a list of records"),
        (b'[{"a": 1},\n{"a": }]', "line 2 is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["numbers", "nothing", "one record", "broken", "deep"],
)
def test_wrong_json_is_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(put(tmp_path, "t.json", text))


def test_several_files_are_one_table(tmp_path):
    one = put(tmp_path, "part-1.csv", b"id,plz,x\n1,01067,1\n2,10115,2\n")
    two = put(tmp_path, "part-2.csv", b"x,id,plz\n,3,10117\n4,4,10119\n")
    table = read([one, two])
    assert table.names == ("id", "plz", "x")
    assert table["plz"].tolist() == ["01067", "10115", "10117", "10119"]
    assert table["x"].tolist()[3] == 4
    assert read(str(tmp_path / "part-*.csv")) == table
    put(tmp_path, "part-3.csv", b"x,id\n1,2\n3,4\n")
    with pytest.raises(DataError, match=r"the same columns, but 'plz' stands only in one of 'part-1' and 'part-3'"):
        read(str(tmp_path / "part-*.csv"))
    with pytest.raises(DataError, match="no such file"):
        read(str(tmp_path / "none-*.csv"))


def test_what_is_piped_in_is_read(people, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PEOPLE.encode())))
    assert read("-") == people


def test_columns_can_be_dropped_or_chosen_and_lines_skipped(people, tmp_path):
    file = put(tmp_path, "titled.csv", b"All people of the house; 2024\n\n" + PEOPLE.encode())
    assert read(file, skip=1) == people
    assert read(file, skip=1, drop="since").names == read(file, skip=1, only=["sex", "age"]).names == ("age", "sex")
    with pytest.raises(ParameterError, match=r"drop: column 'sxe' is not in the table.*did you mean 'sex'"):
        read(file, skip=1, drop=["sxe"])
    with pytest.raises(ParameterError, match="no column is left"):
        read(file, skip=1, drop=people.names)
    with pytest.raises(ParameterError, match="skip must be a whole number"):
        read(file, skip=-1)


def test_bad_cells_of_a_file_are_missing_where_that_is_asked_for(tmp_path):
    file = put(tmp_path, "t.csv", ("age,x\n" + "".join(f"{i},1\n" for i in range(40)) + "old,1\n").encode())
    with pytest.warns(
        DataWarning, match=r"'age': 1 of 41 cells are no numbers and are read as missing.*'old' in line 42"
    ):
        assert np.isnan(read(file, coerce=True)["age"][40])
    with pytest.warns(DataWarning, match="coerce=True or --coerce"):
        assert read(file).schema["age"].kind == "nominal"
