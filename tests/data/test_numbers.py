"""Numbers as people write them: units, thousands set apart, decimal commas."""

import numpy as np
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
        (["\u22123.5", "4", "-1"], [-3.5, 4, -1], "with a printed minus"),
        (["\u22121,250", "3"], [-1250, 3], "',' between thousands"),
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
        ["5 km", "6 mi"],
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
def test_dates_in_the_usual_ways_are_dates(day):
    column, _ = inferred([day, day])
    is_open = day in ("03/01/24", "1-3-2024", "3/1/2024 2:05:09 PM")
    assert column.kind == "date"
    assert column.reason == "dates" + ", the month taken to stand before the day" * is_open


@pytest.mark.parametrize("word", ["1.2.3", "10.0.0.1", "may", "3/4", "12-13"])
def test_words_that_only_resemble_dates_are_nominal(word):
    assert inferred([word, word])[0].kind == "nominal"


@pytest.mark.parametrize(
    ("words", "numbers", "writing"),
    [
        (["69.7 kg", "80 kg", None], [69.7, 80.0, np.nan], "in kg"),
        (["3kg", "4.5kg"], [3.0, 4.5], "in kg"),
        (["38.019 EUR", "950 EUR"], [38019.0, 950.0], "in EUR, '.' between thousands"),
        (["38.019 EUR", "9.5 EUR"], [38.019, 9.5], "in EUR"),
        (["EUR 5", "EUR 7.50"], [5.0, 7.5], "in EUR"),
    ],
    ids=["kg", "tight", "thousands beside small", "decimals", "before"],
)
def test_a_unit_in_letters_stands_at_every_number(words, numbers, writing):
    column, stored = infer(pl.Series(words), Written("x"))
    assert column.kind == "numeric"
    assert writing in column.reason
    np.testing.assert_array_equal(stored, numbers)


@pytest.mark.parametrize(
    "words", [["12b", "14b"], ["5 m", "6 s"], ["room 5", "room 6"], ["1990s", "1980s"], ["5 kg", "6"]]
)
def test_letters_that_are_no_unit_of_all_make_words(words):
    assert infer(pl.Series(words), Written("x"))[0].kind == "nominal"
