"""margin.data.table: columns, kinds and conversions worked by hand."""

import pickle

import numpy as np
import pytest

from margin import MajorityClassifier, confusion, evaluate
from margin.data import Column, Schema, Table
from margin.errors import DataError, InputTypeError, MarginError, ParameterError


@pytest.fixture
def people():
    return Table.from_columns({"age": [31, None, 25], "sex": ["f", "m", None], "grade": ["2", "10", "2"]})


def test_numbers_are_stored_with_nan_and_words_as_codes(people):
    np.testing.assert_array_equal(people.cells("age"), [31, np.nan, 25])
    np.testing.assert_array_equal(people.cells("sex"), [0, 1, -1])
    assert people["sex"].tolist() == ["f", "m", None]


def test_truth_values_are_nominal_not_numeric():
    assert Table.from_columns({"ok": [True, False]}).schema["ok"].levels == (False, True)


def test_an_array_of_numbers_is_taken_as_it_is():
    assert Table.from_columns({"x": np.array([1, 2], dtype=np.int8)}).cells("x").dtype == np.float64


def test_rows_and_columns_are_picked_without_changing_the_schema(people):
    assert people.take([2, 0])["age"].tolist() == [25, 31]
    assert people[people.missing("sex")].n_rows == 1
    assert people.select(["sex", "age"]).names == ("sex", "age")
    assert people.drop("age").shape == (3, 2)


def test_an_unknown_column_names_the_nearest_one(people):
    with pytest.raises(DataError, match="did you mean 'grade'"):
        people.cells("grad")


def test_words_become_numbers_when_told(people):
    assert people.with_kind("grade", "numeric")["grade"].tolist() == [2, 10, 2]
    with pytest.raises(DataError, match="column 'sex', row 0: 'f' is not a number"):
        people.with_kind("sex", "numeric")


def test_numbers_become_levels_when_told(people):
    column = people.with_kind("age", "nominal")
    assert column.schema["age"].levels == (25, 31)
    assert column["age"].tolist() == [31, None, 25]


def test_an_ordinal_column_keeps_the_order_given(people):
    table = people.with_kind("grade", "ordinal", ["2", "10"])
    assert table.schema["grade"].levels == ("2", "10")
    assert table.cells("grade").tolist() == [0, 1, 0]
    assert people.with_kind("age", "ordinal", ["25", "31"]).cells("age").tolist() == [1, -1, 0]


def test_a_value_outside_the_levels_is_named_with_its_row(people):
    with pytest.raises(DataError, match="row 1: '10' stands in the column but not among its levels"):
        people.with_kind("grade", "ordinal", ["2", "3"])


def test_an_unknown_kind_is_refused(people):
    with pytest.raises(ParameterError, match="did you mean 'nominal'"):
        people.with_kind("sex", "nominel")


def test_frames_hold_null_for_missing_cells(people):
    assert people.to_polars().rows() == [(31.0, "f", "2"), (None, "m", "10"), (25.0, None, "2")]


def test_a_pandas_frame_holds_categories(people):
    pd = pytest.importorskip("pandas")
    frame = people.with_kind("grade", "ordinal", ["2", "10"]).to_pandas()
    assert frame["grade"].cat.ordered
    assert pd.isna(frame["sex"][2])


def test_reasons_do_not_make_tables_differ():
    assert Column("a", "numeric", reason="one") == Column("a", "numeric", reason="two")


def test_duplicate_names_are_an_error_that_names_them():
    with pytest.raises(DataError, match="'a' stand there more than once"):
        Schema([Column("a", "numeric"), Column("b", "numeric"), Column("a", "nominal")])


def test_tables_survive_pickling(people):
    assert pickle.loads(pickle.dumps(people)) == people


def small():
    return Table.from_columns({"age": [31.0, 45.0, 47.0], "sex": ["f", "m", "f"], "city": ["Rome", None, "Oslo"]})


def test_columns_are_picked_by_a_list_of_names():
    assert small()[["city", "age"]].names == ("city", "age")
    assert small().select("age").names == ("age",)


def test_rows_are_picked_by_a_position_a_mask_or_a_slice():
    table = small()
    assert table[1]["sex"].tolist() == ["m"]
    assert table[-1]["age"].tolist() == [47.0]
    assert table[table["age"] > 40]["sex"].tolist() == ["m", "f"]
    assert table.head(2)["age"].tolist() == [31.0, 45.0]
    assert len(table.take([])) == 0


@pytest.mark.parametrize("rows", [7, -4, [0, 3], 1.5, [True, False], [[0, 1]], ["sex", 3]])
def test_what_picks_no_rows_is_refused_in_words(rows):
    with pytest.raises(DataError, match="Table"):
        small()[rows]


def test_a_notebook_is_shown_the_first_columns_of_a_wide_table():
    wide = Table.from_columns({f"v{i}": [1.0] for i in range(3000)})
    assert wide._repr_html_().count("<th>") == 30
    assert "1 rows × 3,000 columns, the first 30 shown" in wide._repr_html_()


def test_a_table_is_not_gone_through_as_if_it_were_rows_or_columns():
    table = Table.from_columns({"age": [31.0, 45.0], "sex": ["f", "m"]})
    for through in (list, tuple, lambda t: next(iter(t))):
        with pytest.raises(InputTypeError, match=r"Table: a table is no sequence; table\.names"):
            through(table)


def test_a_column_is_in_a_table_by_its_name():
    table = Table.from_columns({"age": [31.0, 45.0], "sex": ["f", "m"]})
    assert "age" in table
    assert "f" not in table
    assert 0 not in table


class Gone:
    """A cell, a column or labels that raise as soon as they are looked at."""

    def __array__(self, dtype=None, copy=None):
        raise OSError("gone")

    def __hash__(self):
        raise OSError("gone")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: Table([{"a": Gone()}, {"a": 1}]), "column 'a' of type list cannot be read as an array"),
        (lambda: Table.from_columns({"a": [Gone(), "x"]}), "Table: column 'a' of type list cannot be read"),
        (lambda: Table.from_columns({"a": [[1, 2], [3]]}), "Table: column 'a' of type list cannot be read"),
        (lambda: confusion(Gone(), [0, 1]), "confusion: the labels of type Gone cannot be read"),
        (lambda: evaluate(MajorityClassifier(), Gone(), [0, 1] * 5), "inputs must be an array"),
    ],
)
def test_what_raises_when_it_is_looked_at_is_refused_by_its_name(read, message):
    with pytest.raises(MarginError, match=message):
        read()
