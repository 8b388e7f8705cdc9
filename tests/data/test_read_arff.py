"""ARFF files: what the format allows, worked by hand, then a round trip."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.data import Column, Schema, Table, read
from margin.errors import DataError


@pytest.fixture
def arff(written):
    def write(declared, rows, head="@relation test\n"):
        return written(head + declared + "\n@data\n" + rows, "t.arff")

    return write


def test_keywords_may_be_in_any_case_and_types_may_have_ranges(arff):
    declared = "@ATTRIBUTE a REAL\n@Attribute b INTEGER [1,10]\n@attribute\tc\tnumeric\n@attribute d {x,y}"
    table = read(arff(declared, "1.5,2,3e2,y\n", head="% a comment\n\n@RELATION 'a b'\n"))
    assert [c.kind for c in table.schema] == ["numeric", "numeric", "numeric", "nominal"]
    assert [table[n][0] for n in table.names] == [1.5, 2.0, 300.0, "y"]


def test_names_and_values_may_be_quoted_with_blanks_commas_and_escapes(arff):
    declared = (
        "@attribute 'a name' {'x, y', \"it's\", 'don\\'t', plain}\n@attribute \"other {name}\" {u} % said to be u\n"
    )
    table = read(arff(declared, "'x, y',u\n\"it's\",u\n'don\\'t',u\nplain,u\n"))
    assert table.names == ("a name", "other {name}")
    assert table["a name"].tolist() == ["x, y", "it's", "don't", "plain"]


def test_an_unquoted_question_mark_is_missing_a_quoted_one_a_value(arff):
    table = read(arff("@attribute a {'?', b}\n@attribute n numeric", "'?',1\n?,?\nb,2\n"))
    assert table["a"].tolist() == ["?", None, "b"]
    assert table.missing("n").tolist() == [False, True, False]


def test_levels_keep_the_declared_order_even_if_unused(arff):
    table = read(arff("@attribute a {z, never, b}", "b\nz\n"))
    assert table.schema["a"].levels == ("z", "never", "b")
    assert table.cells("a").tolist() == [2, 0]


def test_levels_may_run_over_several_lines(arff):
    table = read(arff("@attribute a {red,\n  'dark green',\n  blue}\n@attribute b numeric", "'dark green',1\n"))
    assert table.schema["a"].levels == ("red", "dark green", "blue")


def test_comments_may_stand_between_and_behind_rows(arff):
    table = read(arff("@attribute a numeric % the first\n@attribute b {x} % {y}", "% none\n1,x\n\n%\n2,x % last\n"))
    assert table["a"].tolist() == [1, 2]
    assert table.schema["b"].levels == ("x",)


def test_sparse_rows_leave_out_zeros_and_first_levels(arff):
    declared = "@attribute a numeric\n@attribute b {no, yes}\n@attribute c numeric\n@attribute d {'u v', w}"
    table = read(arff(declared, "{0 5, 1 yes}\n{2 -1.5, 3 'u v'}\n{}\n{ 3 w , 0 ? }\n1,no,2,w\n"))
    np.testing.assert_array_equal(table["a"], [5, 0, 0, np.nan, 1])
    assert table["b"].tolist() == ["yes", "no", "no", "no", "no"]
    assert table["c"].tolist() == [0, -1.5, 0, 0, 2]
    assert table["d"].tolist() == ["u v", "u v", "u v", "w", "w"]


def test_rows_may_be_set_with_tabs_or_blanks(arff):
    declared = "@attribute a numeric\n@attribute b {x,'y z'}"
    assert read(arff(declared, "1\tx\n2   x\n"))["a"].tolist() == [1, 2]
    assert read(arff(declared, "1\tx\n2 'y z'\n"))["b"].tolist() == ["x", "y z"]
    assert read(arff(declared, "1,\tx\n2 , x\n"))["a"].tolist() == [1, 2]


def test_strings_are_text_and_dates_are_dates(arff):
    declared = "@attribute s string\n@attribute d date 'yyyy-MM-dd'\n@attribute n numeric"
    table = read(arff(declared, "'one\\ntwo',2024-01-01,1\nthree,?,2\n"))
    assert [c.kind for c in table.schema] == ["text", "date", "numeric"]
    assert table["s"].tolist() == ["one\ntwo", "three"]
    assert table["d"].tolist() == ["2024-01-01", None]
    odd = read(arff("@attribute d date 'yyyyMMdd'\n@attribute n numeric", "20240101,1\n20240102,2\n"))
    assert odd.schema["d"].kind == "text"


def test_plain_and_quoted_rows_keep_their_order(arff):
    table = read(arff("@attribute i numeric\n@attribute a {x,'y z'}", "1,x\n2,'y z'\n3,x\n4,'y z'\n5,x\n"))
    assert table["i"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("declared", "rows", "message"),
    [
        ("@attribute a {red, blue}", "red\nbleu\n", r"line 5: column 'a': 'bleu' is not among .*did you mean 'blue'"),
        ("@attribute a numeric", "1\n% c\noops\n", "line 6: column 'a': 'oops' is not a number"),
        ("@attribute a numeric\n@attribute b {x}", "1,x\n2\n", "line 6 has 1 cells, but 2 were expected"),
        ("@attribute a {x}\n@attribute b {x}", "'x',x\n'x',x,x\n", "line 6 has 3 cells, but 2 were expected"),
        ("@attribute a {x}\n@attribute b {x}", "'x,x\n", "line 5: a quote is opened and not closed"),
        ("@attribute a relational", "1\n", "column 'a' is relational"),
        ("@attribute a complex", "1\n", "unknown type 'complex'"),
        ("@attribute a numeric\n@attribute a numeric", "1,1\n", "'a' stand there more than once"),
        ("@attribute a {x, y", "x\n", "not closed|no @data"),
        ("@attribute a numeric", "{1 5}\n", "index 1 is too large"),
        ("@attribute a numeric", "{x}\n", "sparse row must read"),
        ("@attribute a numeric", "\n", "no row follows @data"),
        ("", "1\n", "no @attribute is declared"),
        ("hello", "1\n", "line 2: 'hello' is neither"),
    ],
)
def test_broken_files_are_refused_with_the_line(arff, declared, rows, message):
    with pytest.raises(DataError, match=message):
        read(arff(declared, rows))


def test_a_file_without_data_is_refused(written):
    with pytest.raises(DataError, match="no @data line"):
        read(written("@relation x\n@attribute a numeric\n", "t.arff"))


def test_kinds_and_marks_can_be_told(arff):
    file = arff("@attribute size {s,m,l,none}\n@attribute n numeric", "s,1\nnone,-1\nl,2\n")
    table = read(file, missing=["none", -1], kinds={"size": ("ordinal", ["s", "m", "l"])})
    assert table["size"].tolist() == ["s", None, "l"]
    assert table.missing("n").tolist() == [False, True, False]
    assert table.schema["size"].kind == "ordinal"


def quoted(word):
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


words = st.text("ab ?,%{}'\"\\\n\té0", min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(
    levels=st.lists(words, min_size=1, max_size=5, unique=True),
    data=st.data(),
    n=st.integers(1, 8),
    always_quote=st.booleans(),
)
def test_a_table_written_as_arff_comes_back(tmp_path_factory, levels, data, n, always_quote):
    def shown(word):
        return quoted(word) if always_quote or not word.isalnum() else word

    codes = data.draw(st.lists(st.integers(-1, len(levels) - 1), min_size=n, max_size=n))
    numbers = data.draw(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=n, max_size=n))
    lines = [
        "@relation r",
        "@attribute 'the word' {" + ",".join(map(shown, levels)) + "}",
        "@attribute n real",
        "@data",
    ]
    for code, number in zip(codes, numbers):
        lines.append(f"{'?' if code < 0 else shown(levels[code])},{'?' if number is None else repr(number)}")
    path = tmp_path_factory.mktemp("arff") / "t.arff"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    schema = Schema([Column("the word", "nominal", tuple(levels)), Column("n", "numeric")])
    assert read(path) == Table(schema, [codes, [np.nan if v is None else v for v in numbers]])


def test_a_declared_column_whose_words_name_the_rows_is_an_identifier_unless_it_is_the_target(arff):
    names = [f"animal{i}" for i in range(60)]
    declared = f"@attribute name {{{','.join(names)}}}\n@attribute legs numeric"
    path = arff(declared, "".join(f"{name},{i % 5}\n" for i, name in enumerate(names)))
    column = read(path).schema["name"]
    assert column.kind == "identifier"
    assert "60 different words in 60 cells name the rows" in column.reason
    assert read(path, target="name").schema["name"].kind == "nominal"
    assert read(path, kinds={"name": "nominal"}).schema["name"].kind == "nominal"
