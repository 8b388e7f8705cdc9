"""Numbers as people write them: units, thousands set apart, decimal commas."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.data import read
from margin.data.kind_inference import Written, infer


def inferred(cells, **about):
    return infer(pl.Series(cells, dtype=pl.String), Written("c", **about))


@pytest.mark.parametrize(
    ("cells", "numbers", "writing"),
    [
        (["1,250", "3", "1,000,000.5"], [1250, 3, 1000000.5], "',' between thousands"),
        (["1.250,5", "3", "-2.000"], [1250.5, 3, -2000], "'.' between thousands"),
        (["1 250", "3\u00a0000,25", "7"], [1250, 3000.25, 7], "blanks between thousands"),
        (["1'250.5", "3"], [1250.5, 3], '"\'" between thousands'),
        (["12.5%", "-7 %", "0%"], [12.5, -7, 0], "in %"),
        (["$5", "-$1,250.50", "$ 7"], [5, -1250.5, 7], "in $, ',' between thousands"),
        (["5 €", "-7.5€"], [5, -7.5], "in €"),
    ],
)
def test_a_column_written_in_one_way_is_numeric_and_says_which(cells, numbers, writing):
    column, stored = inferred([*cells, "NA"])
    assert column.kind == "numeric"
    assert stored[:-1].tolist() == numbers
    assert column.reason == f"every cell is a number, {writing}, 1 missing"


def test_decimal_commas_and_a_unit_go_together_where_commas_do_not_separate():
    assert inferred(["1,5 %", "12 %"], decimal_comma=True)[1].tolist() == [1.5, 12]


@pytest.mark.parametrize(
    "cells",
    [
        ["$5", "€5"],
        ["5 %", "5"],
        ["1.5", "1,5"],
        ["1.250", "1,5"],
        ["1,25", "3"],
        ["12,34,567", "1"],
        ["$5$", "$6"],
        ["5 km", "6 km"],
        ["10:30", "11:45"],
        ["1-2", "3-4"],
    ],
)
def test_columns_written_in_two_ways_or_in_another_are_left_alone(cells):
    assert inferred(cells)[0].kind == "nominal"


def test_one_comma_stays_a_decimal_where_commas_do_not_separate():
    assert inferred(["1,250", "3,5"], decimal_comma=True)[1].tolist() == [1.25, 3.5]
    assert inferred(["1,250", "1,250,000"], decimal_comma=True)[1].tolist() == [1250, 1250000]


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20))
def test_numbers_written_with_thousands_set_apart_are_read_back(numbers):
    column, stored = inferred([f"{number:,}" for number in numbers])
    assert column.kind == "numeric"
    assert stored.tolist() == numbers


def test_a_file_of_prices_is_read_as_numbers(tmp_path):
    file = tmp_path / "prices.csv"
    file.write_text('price,share\n"$1,250.00",5 %\n$3.50,12.5 %\n')
    table = read(file)
    assert table["price"].tolist() == [1250, 3.5]
    assert table["share"].tolist() == [5, 12.5]


@pytest.mark.parametrize(
    "day",
    ["2024-03-01", "1.3.2024", "03/01/24", "1-3-2024", "March 1, 2024", "1 Mar 2024", "01-Mar-24", "1.3.2024 14:05",
     "3/1/2024 2:05:09 PM"],
)  # fmt: skip
def test_dates_in_the_usual_ways_are_text(day):
    column, _ = inferred([day, day])
    assert (column.kind, column.reason) == ("text", "dates, which models do not use")


@pytest.mark.parametrize("word", ["1.2.3", "10.0.0.1", "may", "3/4", "12-13"])
def test_words_that_only_resemble_dates_are_nominal(word):
    assert inferred([word, word])[0].kind == "nominal"
