"""margin.data.kind_inference: one stated rule for a whole column."""

import polars as pl
import pytest

from margin.data.declared_kinds import DeclaredKind
from margin.data.kind_inference import Written, infer
from margin.errors import DataError, DataWarning


def inferred(cells, **about):
    return infer(pl.Series(cells, dtype=pl.String), Written("c", **about))


@pytest.mark.parametrize("cell", ["12", "-1.5", "+3", "1e5", "1E-05", ".5", "5.", "0", "0.5", "-0", " 7 "])
def test_plain_and_scientific_notation_are_numbers(cell):
    column, stored = inferred([cell, "2"])
    assert column.kind == "numeric"
    assert stored[0] == float(cell)


@pytest.mark.parametrize("cell", ["0x10", "1_000", "12a", "1,5", "TRUE", "1 2", "e5", "1/2"])
def test_anything_else_makes_the_column_nominal(cell):
    assert inferred([cell, "2"])[0].kind == "nominal"


@pytest.mark.parametrize("mark", ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "  "])
def test_marks_that_are_missing_everywhere(mark):
    assert inferred([mark, "red"])[0].levels == ("red",)
    assert inferred([mark, "2"])[0].kind == "numeric"


@pytest.mark.parametrize("mark", ["-", "--", ".", "none"])
def test_marks_that_are_missing_only_among_numbers(mark):
    column, stored = inferred([mark, "2"])
    assert column.kind == "numeric"
    assert stored[0] != stored[0]
    assert inferred([mark, "red"])[0].levels == tuple(sorted([mark, "red"]))


def test_own_marks_replace_the_usual_ones():
    assert inferred(["x", "2"], missing=("x",))[0].kind == "numeric"
    assert inferred(["NA", "2"], missing=("x",))[0].kind == "nominal"
    assert inferred(["", "2"], missing=())[0].kind == "numeric"


def test_a_leading_zero_anywhere_makes_names_of_numbers():
    column, _ = inferred(["7"] * 5000 + ["007"])
    assert column.kind == "nominal"
    assert "'007'" in column.reason


def test_leading_zeros_inside_sentences_do_not_count():
    assert inferred(["07732 call me", "red", "5"])[0].reason == "3 different words"


def test_decimal_commas_count_where_commas_do_not_separate():
    column, stored = inferred(["1,5", "2", "-0,25"], decimal_comma=True)
    assert column.kind == "numeric"
    assert stored.tolist() == [1.5, 2.0, -0.25]


def test_points_and_commas_in_one_column_stay_words():
    assert inferred(["1,5", "2.5"], decimal_comma=True)[0].kind == "nominal"


def test_infinity_is_a_number_only_beside_numbers():
    assert inferred(["inf", "1"])[0].kind == "numeric"
    assert inferred(["inf", "Inf"])[0].kind == "nominal"


def test_a_column_of_nothing_is_numeric_and_says_so():
    column, stored = inferred(["", "?", "NA"])
    assert column.kind == "numeric"
    assert column.reason == "every cell is missing"
    assert (stored != stored).all()


def test_few_whole_numbers_stay_numeric_with_a_remark():
    column, _ = inferred([str(i % 3) for i in range(100)])
    assert column.kind == "numeric"
    assert "3 different whole numbers" in column.reason


def test_one_stray_word_far_down_decides_the_whole_column():
    cells = ["1"] * 200_000 + ["oops"]
    said = r"column 'c' is nominal .* 1 of 200001 are not, the first 'oops' in line 200001 .*missing='oops'"
    with pytest.warns(DataWarning, match=said):
        column, _ = inferred(cells)
    assert column.kind == "nominal"
    assert column.levels == ("1", "oops")


def test_strays_are_an_error_when_numbers_were_told():
    with pytest.raises(DataError, match=r"column 'c', line 2: 'oops' is not a number"):
        inferred(["1", "oops"], declared=DeclaredKind("numeric"))


def test_told_numbers_may_have_leading_zeros():
    assert inferred(["007", "-"], declared=DeclaredKind("numeric"))[1][0] == 7.0


def test_told_levels_keep_their_order_and_refuse_others():
    column, codes = inferred(["m", "s", "?"], declared=DeclaredKind("ordinal", ("s", "m", "l")))
    assert column.levels == ("s", "m", "l")
    assert codes.tolist() == [1, 0, -1]
    with pytest.raises(DataError, match=r"line 2: 'xl' is not among the levels \(did you mean 'l'"):
        inferred(["m", "xl"], declared=DeclaredKind("ordinal", ("s", "m", "l")))


def test_told_ordinal_numbers_are_ordered_as_numbers():
    assert inferred(["10", "9"], declared=DeclaredKind("ordinal"))[0].levels == ("9", "10")


def test_words_that_all_differ_name_the_rows_unless_they_are_the_target():
    cells = [f"r{i}" for i in range(60)]
    assert inferred(cells)[0].kind == "identifier"
    assert inferred(cells, is_target=True)[0].kind == "nominal"
    assert inferred(cells[:50])[0].kind == "nominal"


def test_sentences_are_text_even_if_some_come_twice():
    cells = [f"this is the message number {i}" for i in range(60)] + ["this is the message number 0"] * 20
    assert inferred(cells)[0].kind == "text"


@pytest.mark.parametrize("name", ["id", "ID", "index", "nr", "Unnamed: 0", "customer_id", "PassengerId"])
def test_running_numbers_under_such_names_are_identifiers(name):
    cells = pl.Series([str(i) for i in range(5, 30)])
    column, codes = infer(cells, Written(name))
    assert column.kind == "identifier"
    assert column.levels[codes[3]] == "8"


def test_running_numbers_under_other_names_and_short_ones_are_numbers():
    cells = pl.Series([str(i) for i in range(25)])
    assert infer(cells, Written("age"))[0].kind == "numeric"
    assert infer(cells, Written("grid"))[0].kind == "numeric"
    assert infer(cells[:20], Written("id"))[0].kind == "numeric"
    assert infer(cells, Written("id", is_target=True))[0].kind == "numeric"
    assert infer(cells, Written("column1", unnamed=True))[0].kind == "identifier"


@pytest.mark.parametrize("cell", ["2024-02-29", "2024/02/29", "2024-02-29T10:00", "2024-02-29 10:00:59.5Z"])
def test_dates_are_dates(cell):
    column, _ = inferred([cell, "2023-01-01", None])
    assert (column.kind, column.reason) == ("date", "dates")
    assert set(column.levels) == {cell, "2023-01-01"}


def test_days_that_are_in_no_calendar_are_no_dates():
    assert inferred(["2023-02-29", "2023-01-01"])[0].kind == "nominal"


def test_days_and_months_in_two_orders_are_no_dates():
    assert inferred(["13/1/2024", "1/13/2024"])[0].kind == "nominal"
