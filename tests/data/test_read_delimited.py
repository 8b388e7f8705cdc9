"""CSV and relatives: files that are written in every way people write them."""

import csv
import io
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.data import Table, read
from margin.errors import DataError, DataWarning, InputTypeError, MarginError, ParameterError


def rows(table):
    return [tuple(None if v is None or v != v else v for v in row) for row in zip(*map(table.values, table.names))]


EXPECTED = [(1.0, "x"), (2.0, "y")]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ", ", "   "])
def test_the_separator_is_found(written, separator):
    table = read(written(f"a{separator}b\n1{separator}x\n2{separator}y\n", "t.txt"))
    assert table.names == ("a", "b")
    assert rows(table) == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "a,b\r\n1,x\r\n2,y\r\n",
        "a,b\r1,x\r2,y\r",
        "a,b\r\n1,x\n2,y\r",
        "\ufeffa,b\n1,x\n2,y",
        "a,b\n1,x\n2,y\n\n\n   \n",
        "\n\na,b\n\n1,x\n2,y\n",
        '"a","b"\n"1","x"\n"2","y"\n',
        'a , b\n1 , "x"\n2, "y" \n',
    ],
    ids=["crlf", "cr", "mixed", "bom", "empty tail", "blank lines", "quoted", "blanks about quotes"],
)
def test_ways_to_write_the_same_table(written, text):
    table = read(written(text))
    assert table.names == ("a", "b")
    assert rows(table) == EXPECTED


def test_quoted_cells_hold_separators_quotes_and_line_ends(written):
    table = read(written('a,b\n"x, y",1\n"two\nlines",2\n"a ""word""",3\n'))
    assert table["a"].tolist() == ["x, y", "two\nlines", 'a "word"']


def test_quotes_inside_unquoted_cells_are_quotes(written):
    assert read(written('size,price\n5" pipe,3\n"x, y",4\n'))["size"].tolist() == ['5" pipe', "x, y"]
    assert read(written('a\tb\n"hi" he said\t1\n"\t2\n', "t.tsv"))["a"].tolist() == ['"hi" he said', '"']


def test_an_unclosed_quote_is_an_error_with_its_line(written):
    with pytest.raises(DataError, match="line 2: a quote is opened and not closed"):
        read(written('a,b\n"x,1\ny,2\n'))


def test_other_encodings_are_read(written):
    assert read(written("a,b\nKöln,1\n".encode("latin-1")))["a"].tolist() == ["Köln"]
    assert read(written("a,b\nKöln,1\n".encode("utf-16")))["a"].tolist() == ["Köln"]
    assert read(written("a,b\nKöln,1\n"))["a"].tolist() == ["Köln"]


@pytest.mark.parametrize("text", ["a,b,c\n1,2,3\n4,5\n", 'a,b,c\n"1",2,3\n4,5,6,7\n', "a,b,c\n\n1\n"])
def test_ragged_rows_are_an_error_with_the_line_and_the_width(written, text):
    with pytest.raises(DataError, match=r"line 3 has \d cells?, but 3 were expected \(as in line 1\)"):
        read(written(text))


def test_line_numbers_count_the_lines_inside_quotes(written):
    with pytest.raises(DataError, match="line 5 has 1 cell,"):
        read(written('a,b\n"x\ny",1\n\nz\n'))
    with pytest.raises(DataError, match="column 'b', line 4: 'oops' is not a number"):
        read(written('a,b\n"x\ny",1\nz,oops\n'), kinds={"b": "numeric"})


def test_a_header_is_a_word_above_numbers(written):
    assert read(written("age,sex\n31,f\n25,m\n")).names == ("age", "sex")


def test_a_number_or_a_mark_in_the_first_row_means_no_header(written):
    assert read(written("31,f\n25,m\n")).names == ("column1", "column2")
    assert read(written("f,?\nm,x\n")).names == ("column1", "column2")


def test_words_that_come_again_are_no_header(written):
    assert read(written("ham,x\nspam,y\nham,y\nham,x\n")).n_rows == 4
    assert read(written("kind,word\nspam,y\nham,y\nham,x\nspam,x\n")).n_rows == 4


def test_the_header_can_be_told(written):
    assert read(written("a,b\n1,2\n"), header=False).n_rows == 2
    assert read(written("1,2\n3,4\n"), header=True).names == ("1", "2")
    with pytest.raises(ParameterError, match="header must be"):
        read(written("a,b\n1,2\n"), header="first")


def test_duplicate_names_in_a_header_are_an_error_that_names_them(written):
    with pytest.raises(DataError, match="column names must differ, but 'a' stand there more than once"):
        read(written("a,b,a\n1,2,3\n"))


def test_the_separator_can_be_told(written):
    assert read(written("a:b\n1:x\n2:y\n"), separator=":").names == ("a", "b")
    with pytest.raises(ParameterError, match="one character"):
        read(written("a,b\n1,2\n"), separator="::")


def test_one_inference_over_the_whole_file(written):
    cells = {"zip": "007", "big": "1e5", "gap": "NA", "dash": "-", "comma": '"1,5"', "truth": "TRUE"}
    plain = ",".join("1" for _ in cells)
    body = "\n".join([plain] * 30_000 + [",".join(cells.values())])
    with pytest.warns(DataWarning, match="line 30002"):
        table = read(written(",".join(cells) + "\n" + body + "\n"))
    kinds = {c.name: c.kind for c in table.schema}
    assert kinds == {
        "zip": "nominal", "big": "numeric", "gap": "numeric", "dash": "numeric", "comma": "nominal", "truth": "nominal",
    }  # fmt: skip
    assert table["big"][-1] == 100_000


def test_decimal_commas_between_semicolons(written):
    assert read(written("a;b\n1,5;2\n2,5;3\n"))["a"].tolist() == [1.5, 2.5]


def test_kinds_can_be_told(written):
    file = written("grade,size\n1,s\n2,l\n")
    table = read(file, kinds={"grade": "nominal", "size": ("ordinal", ["s", "m", "l"])})
    assert table.schema["grade"].levels == (1, 2)
    assert table.schema["size"].kind == "ordinal"
    assert table.cells("size").tolist() == [0, 2]


def test_unknown_names_and_kinds_come_with_a_hint(written):
    file = written("grade,size\n1,s\n2,l\n")
    with pytest.raises(MarginError, match="did you mean 'grade'"):
        read(file, kinds={"grad": "nominal"})
    with pytest.raises(MarginError, match="did you mean 'nominal'"):
        read(file, kinds={"grade": "nominel"})
    with pytest.raises(DataError, match=r"target 'siz' is not a column.*did you mean 'size'"):
        read(file, target="siz")


def test_missing_marks_can_be_told(written):
    assert read(written("a\n1\n-999\n"), missing=["-999"]).missing("a").tolist() == [False, True]
    assert read(written("a\n1\n-999\n"), missing=[-999]).missing("a").tolist() == [False, True]


def test_a_blank_line_in_a_single_column_is_a_missing_cell(written):
    assert read(written("a\n1\n\n2\n\n")).missing("a").tolist() == [False, True, False]


def test_the_first_column_without_a_name_is_a_running_number(written):
    text = ",x\n" + "".join(f"{i},{i % 4}.5\n" for i in range(30))
    assert read(written(text)).schema["column1"].kind == "identifier"


def test_three_header_lines_of_orange_are_understood(written):
    text = "y\tx\tz\tname\n0 1\tcontinuous\td\tstring\nclass\t\t\tmeta\n1\t5\t7\tann\n0\t6\t8\tbob\n"
    table = read(written(text, "t.tab"))
    assert [c.kind for c in table.schema] == ["nominal", "numeric", "nominal", "nominal"]
    assert table.n_rows == 2
    assert table.schema["y"].levels == ("0", "1")


def test_gzip_is_unpacked_and_the_table_named_after_the_file(written):
    table = read(written("a,b\n1,x\n2,y\n", "people.csv.gz"))
    assert table.name == "people"
    assert rows(table) == EXPECTED
    assert read(written("a\n1\n"), name="mine").name == "mine"


@pytest.mark.parametrize(
    ("contents", "name", "message"),
    [
        ("", "t.csv", "the file is empty"),
        ("\n\n  \n", "t.csv", "the file is empty"),
        ("a,b\n", "t.csv", "a header but no row"),
        ('"" ', "t.data", "a header but no row"),
        (bytes(range(256)) * 4, "t.csv", "not text"),
        (bytes(range(256)) * 4, "t.weird", "'.weird' is not known"),
    ],
)
def test_files_that_are_no_tables_are_refused(written, contents, name, message):
    with pytest.raises(DataError, match=message):
        read(written(contents, name))


def test_missing_files_folders_and_bad_packing_are_refused(tmp_path, written):
    written("a\n1\n", "people.csv")
    with pytest.raises(DataError, match=r"there is no file .*did you mean 'people.csv'"):
        read(tmp_path / "peple.csv")
    with pytest.raises(DataError, match="is a folder"):
        read(tmp_path)
    (tmp_path / "a.csv.gz").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(DataError, match="not gzip"):
        read(tmp_path / "a.csv.gz")
    (tmp_path / "b.csv.gz").write_bytes(written("a,b\n1,2\n" * 50, "c.csv.gz").read_bytes()[:-9])
    with pytest.raises(DataError, match="damaged or cut short"):
        read(tmp_path / "b.csv.gz")
    with pytest.raises(InputTypeError, match="data of type int are no table; give the path of a file"):
        read(5)


def test_an_unknown_ending_is_read_by_its_contents(written):
    assert read(written("a;b\n1;2\n", "t.weird")).names == ("a", "b")
    assert read(written("@relation r\n@attribute a numeric\n@data\n1\n", "t.weird")).names == ("a",)
    assert read(written('{"a": 1}\n', "t.weird")).names == ("a",)
    assert read(written("+1 1:0.5\n-1 2:1\n", "t.data")).names == ("feature1", "feature2", "label")


words = st.text(string.ascii_letters + " ,;\"'\n%{}\\é", min_size=1, max_size=8).map(str.strip).filter(bool)
numbers = st.floats(-1e9, 1e9).map(lambda x: round(x, 3))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), n=st.integers(2, 12))
def test_a_table_written_as_csv_comes_back(tmp_path_factory, data, n):
    columns = {
        "number": data.draw(st.lists(st.none() | numbers, min_size=n, max_size=n)),
        "word": data.draw(st.lists(st.none() | words.map(lambda w: "w" + w), min_size=n, max_size=n)),
        "other": data.draw(st.lists(st.sampled_from(["u", "v"]), min_size=n, max_size=n)),
    }
    columns["number"][0] = 0.5
    columns["word"][0] = "w"
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=data.draw(st.sampled_from(["\n", "\r\n"])))
    writer.writerows([list(columns), *zip(*columns.values())])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(out.getvalue().encode())
    assert read(path, header=True, separator=",") == Table.from_columns(columns)


@settings(max_examples=200, deadline=None)
@given(text=st.text("ab1,\"\n\t; .-?'0", max_size=60))
def test_any_text_is_a_table_or_a_refusal(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "t.csv"
    path.write_text(text)
    try:
        table = read(path)
    except DataError:
        return
    assert table.n_rows > 0
    assert all(len(table.cells(name)) == table.n_rows for name in table.names)
