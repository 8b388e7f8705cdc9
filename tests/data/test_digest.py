"""Table.digest: by hand, then what must and what must not change it."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.data import Column, Schema, Table

TABLE = Table.from_columns({"age": [31.0, None], "sex": ["f", "m"]}, name="people")


def test_a_digest_by_hand():
    nan = struct.pack("<Q", 0x7FF8000000000000)
    content = (
        b'margin table 1\n[2,2]\n["age","numeric",[]]\n' + struct.pack("<d", 31.0) + nan
        + b'["sex","nominal",[["str","f"],["str","m"]]]\n' + struct.pack("<ii", 0, 1)
    )  # fmt: skip
    assert TABLE.digest() == hashlib.sha256(content).hexdigest()


def test_name_reasons_kinds_of_nan_and_the_sign_of_zero_do_not_count():
    minus_nan = np.array([0xFFF8000000000001], dtype=np.uint64).view(np.float64)[0]
    one = Table(Schema([Column("x", "numeric", (), "a reason")]), [np.array([np.nan, 0.0])], "one")
    two = Table(Schema([Column("x", "numeric")]), [np.array([minus_nan, -0.0])], "two")
    assert one.digest() == two.digest()


@pytest.mark.parametrize(
    "other",
    [
        Table.from_columns({"age": [31.0, None], "sex": ["m", "f"]}),
        Table.from_columns({"age": [31.5, None], "sex": ["f", "m"]}),
        Table.from_columns({"Age": [31.0, None], "sex": ["f", "m"]}),
        Table.from_columns({"sex": ["f", "m"], "age": [31.0, None]}),
        Table.from_columns({"age": [31.0, None], "sex": ["f", "n"]}),
        Table.from_columns({"age": [31.0, None]}),
        TABLE.with_kind("sex", "ordinal"),
        TABLE.take([0]),
    ],
)
def test_cells_names_order_levels_kinds_and_rows_count(other):
    assert other.digest() != TABLE.digest()


def test_the_word_1_is_another_level_than_the_number():
    words = Table(Schema([Column("x", "nominal", ("1",))]), [np.zeros(2, dtype=np.int32)])
    numbers = Table(Schema([Column("x", "nominal", (1,))]), [np.zeros(2, dtype=np.int32)])
    of_numpy = Table(Schema([Column("x", "nominal", (np.int64(1),))]), [np.zeros(2, dtype=np.int32)])
    assert words.digest() != numbers.digest() == of_numpy.digest()


def test_cells_that_do_not_lie_side_by_side_count_as_they_are():
    cells = np.arange(10.0)
    spread = Table(Schema([Column("x", "numeric")]), [cells[::2]])
    assert spread.digest() == Table.from_columns({"x": [0.0, 2.0, 4.0, 6.0, 8.0]}).digest()


@given(st.lists(st.tuples(st.floats(allow_infinity=False), st.sampled_from(["a", "b", None])), min_size=1, max_size=8))
def test_equal_tables_have_equal_digests_and_reordered_ones_others(rows):
    numbers, words = zip(*rows)
    one = Table.from_columns({"x": list(numbers), "y": [*words[:-1], "a"]})
    two = Table.from_columns({"x": list(numbers), "y": [*words[:-1], "a"]})
    assert one.digest() == two.digest()
    turned = one.take(list(range(len(one)))[::-1])
    assert (turned.digest() == one.digest()) == (turned == one)
