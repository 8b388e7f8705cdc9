"""margin.persistence.objects.fields, arrays, values: what goes in comes back, and nothing else gets through."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from margin.persistence.container.limits import Malformed
from margin.persistence.objects.arrays import (
    Array,
    Csr,
    at_least,
    below,
    finite,
    permutation,
    starts,
    strictly_ascending,
)
from margin.persistence.objects.fields import (
    Either,
    Fixed,
    Flag,
    ListOf,
    MapOf,
    Maybe,
    Number,
    SetOf,
    Text,
    TupleOf,
    Whole,
)
from margin.persistence.objects.values import Label, Labels, Levels, Texts, Value
from tests.persistence.toy import back, read, refusal, written

ROUND_TRIPS = [
    (Flag(), True),
    (Flag(), np.bool_(False)),
    (Whole(), -3),
    (Number(), 0.1),
    (Number(finite=False), -math.inf),
    (Text("a", "b"), "b"),
    (Maybe(Text()), None),
    (Either(Whole(), Text()), "x"),
    (ListOf(Whole()), [1, 2]),
    (TupleOf(Number()), (1.0, 2.5)),
    (SetOf(Text()), frozenset({"z", "a"})),
    (Fixed(Text(), Whole()), ("a", 1)),
    (MapOf(Whole()), {"b": 1, "a": 2}),
    (Label(), b"bytes"),
    (Levels(), ("f", "m")),
    (Levels(), (False, True)),
    (Levels(), tuple(f"level {i}" for i in range(2000))),
]


@pytest.mark.parametrize(
    ("field", "value"), ROUND_TRIPS, ids=lambda part: type(part).__name__ if hasattr(part, "unpack") else None
)
def test_what_is_written_is_read_as_it_was(field, value):
    found = back(field, value)
    assert found == value
    assert type(found) is type(value) or isinstance(value, np.bool_)


def test_a_mapping_keeps_its_order():
    assert list(back(MapOf(Whole()), {"b": 1, "a": 2})) == ["b", "a"]


def test_nan_is_a_number_only_where_it_may_be_missing():
    assert math.isnan(back(Number(missing=True), math.nan))
    assert refusal(Number(), "nan")
    assert refusal(Number(finite=False), "nan")


@pytest.mark.parametrize(
    ("field", "node"),
    [
        (Flag(), 1),
        (Flag(), None),
        (Whole(0, 9), 10),
        (Whole(0, 9), True),
        (Whole(), 2.0),
        (Whole(), 2**63),
        (Number(0, 1), 2.0),
        (Number(), "inf"),
        (Number(), 3),
        (Number(), "1.0"),
        (Text("a"), "b"),
        (Text(), 3),
        (Either(Whole(), Text()), [2, "x"]),
        (Either(Whole(), Text()), [-1, 1]),
        (Either(Whole(), Text()), [True, 1]),
        (Either(Whole(), Text()), {"0": 1}),
        (ListOf(Whole()), (1,)),
        (ListOf(Whole()), {"0": 1}),
        (Fixed(Whole(), Whole()), [1]),
        (MapOf(Whole()), [["a", 1], ["a", 2]]),
        (MapOf(Whole()), [[1, 1]]),
        (Levels(), ["a", "a"]),
        (Levels(), [None]),
        (Levels(), [{"float": "nan"}]),
        (Label(), {"tuple": []}),
        (Texts(), [1]),
        (Texts(), {"utf8": 0, "start": 1}),
        (Value(), {"tuple": 3}),
        (Value(), {"eval": "1"}),
        (Value(), {"float": "1.0"}),
        (Value(), {"map": [[[1], 2]]}),
        (Value(), {"set": [[1]]}),
        (Value(), {"bytes": "?"}),
        (Value(), {"scalar": ["|O", "AAAA"]}),
        (Value(), {"scalar": ["<f8", "AAAA"]}),
        (Value(), {"array": 0}),
        (Value(), {"object": 0}),
        (Value(), {"object": True}),
        (Value(), {}),
        (Labels(), []),
        (Labels(), {"objects": [{"tuple": []}]}),
        (Labels(), {"numbers": [1.5], "dtype": "<i8"}),
        (Labels(), {"numbers": [2**70], "dtype": "<i8"}),
        (Labels(), {"numbers": [1], "dtype": "|O"}),
        (Labels(), {"texts": ["abc"], "width": 2}),
        (Labels(), {"texts": ["a"], "width": 2**40}),
        (Labels(distinct=True), {"numbers": [1, 1], "dtype": "<i8"}),
    ],
    ids=lambda part: type(part).__name__ if hasattr(part, "unpack") else repr(part),
)
def test_what_is_not_what_it_must_be_is_refused(field, node):
    assert refusal(field, node)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 2, 3]),
        np.array([2**53, 2**53 + 1]),
        np.array([-1, 4], dtype=np.int8),
        np.array([1, 2], dtype=np.uint16),
        np.array([False, True]),
        np.array([0.5, -1.5]),
        np.array(["ä", "long"]),
        np.array([b"a", b"b"]),
        np.array(["a", "b"], dtype=object),
        np.array([1, 2**70], dtype=object),
        np.array([b"x", b"y"], dtype=object),
        np.arange(5000),
        np.array([f"label {i}" for i in range(3000)]),
        np.array([f"label {i}" for i in range(3000)], dtype=object),
        np.array(["a" * 2000, *map(str, range(3000))]),
    ],
    ids=lambda labels: f"{labels.dtype}×{len(labels)}",
)
def test_labels_come_back_in_their_type(labels):
    found = back(Labels("k", distinct=True), labels)
    assert found.dtype == labels.dtype
    assert found.tolist() == labels.tolist()


def test_half_a_character_in_a_long_list_is_refused_when_it_is_written():
    with pytest.raises(Malformed, match="half a character"):
        written(Texts(), ["\ud800"] * 2000)


def test_characters_beyond_unicode_are_refused():
    array = np.array([0x110000], dtype=np.uint32).view("<U1")
    assert refusal(Labels(), {"array": 0}, [array])


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.frozensets(st.integers(), max_size=3)
    ),
    max_leaves=8,
)


@given(plain)
def test_any_plain_value_comes_back_equal_and_of_its_type(value):
    found = back(Value(), value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("scalar", [np.float32(0.1), np.int64(-3), np.bool_(True), np.float64("nan")])
def test_numbers_of_numpy_keep_their_type(scalar):
    found = back(Value(), scalar)
    assert type(found) is type(scalar)
    assert found.tobytes() == scalar.tobytes()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (len, "files hold no code"),
        (dict, "files hold no code"),
        (np.random.default_rng(0), "whole number as seed"),
        (object(), "cannot hold"),
        (np.array([object()]), "cannot hold"),
        (np.array([1.0], dtype=np.longdouble), "float64"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "cannot be saved"),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_what_cannot_be_written_says_why_and_what_to_do(value, says):
    with pytest.raises(Malformed, match=says):
        written(Value(), value)


def test_a_model_of_another_package_is_told_of_the_converter():
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(Malformed, match="from_sklearn"):
        written(Value(), DecisionTreeClassifier())


# Arrays


def test_letters_mean_one_length_everywhere():
    field = Fixed(Array("f8", "k", "d"), Array("f8", "k"), Array("i4", "d+1"))
    good = (np.zeros((2, 3)), np.zeros(2), np.zeros(4, dtype=np.int32))
    assert len(back(field, good)) == 3
    for i, other in enumerate((np.zeros((2, 4)), np.zeros(3), np.zeros(3, dtype=np.int32))):
        bad = [*good]
        bad[i] = other
        assert refusal(field, *written(field, tuple(bad)))


@pytest.mark.parametrize(
    ("array", "field"),
    [
        (np.zeros(3, dtype=np.float32), Array("f8", None)),
        (np.zeros((3, 1)), Array("f8", None)),
        (np.zeros(3), Array("f8", 4)),
        (np.asfortranarray(np.zeros((3, 2))), Array("f8", None, None)),
        (np.array([1.0, np.nan]), Array("f8", None, finite)),
        (np.array([1.0, np.inf]), Array("f8", None, finite)),
        (np.array([-1.0]), Array("f8", None, at_least(0))),
        (np.array([np.nan]), Array("f8", None, at_least(0))),
        (np.array([0, 3]), Array("i8", "n", below("n"))),
        (np.array([0, -1]), Array("i8", "n", below("n"))),
        (np.array([0, 0]), Array("i8", "n", permutation)),
        (np.array([0, 2]), Array("i8", "n", permutation)),
        (np.array([0.0, 0.0]), Array("f8", None, strictly_ascending)),
        (np.array([np.nan, 0.0]), Array("f8", None, strictly_ascending)),
        (np.array([0, 2, 1, 4]), Array("i8", "n", starts("n"))),
        (np.array([1, 4, 4, 4]), Array("i8", "n", starts("n"))),
        (np.array([0, 1, 2, 3]), Array("i8", "n", starts("n"))),
        (np.empty(0, dtype=np.int64), Array("i8", "n", starts("n"))),
    ],
)
def test_an_array_of_another_type_shape_or_content_is_refused(array, field):
    assert refusal(field, 0, [array])


@pytest.mark.parametrize("number", [-1, 1, True, None, "0", 0.0])
def test_an_array_is_named_by_its_number(number):
    assert refusal(Array("f8", None), number, [np.zeros(1)])


def test_of_a_mapped_array_only_what_kernels_rely_on_is_looked_at():
    large = np.full(2**18, np.nan)
    assert read(Array("f8", "n", finite), 0, [large], mapped=True) is large
    with pytest.raises(Malformed):
        read(Array("i8", "n", below("n")), 0, [np.full(2**18, -1)], mapped=True)


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_sparse_rows_come_back(make):
    matrix = make(np.array([[0.0, 2.0], [3.0, 0.0]]))
    found = back(Csr("n", "d"), matrix)
    assert type(found) is type(matrix)
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("indices", np.array([0, 9], dtype=np.int32)),
        ("indices", np.array([0, -1], dtype=np.int32)),
        ("indices", np.array([0], dtype=np.int32)),
        ("indptr", np.array([0, 3, 2], dtype=np.int32)),
        ("indptr", np.array([0, 1, 1], dtype=np.int32)),
        ("indptr", np.array([1, 1, 2], dtype=np.int32)),
        ("indptr", np.empty(0, dtype=np.int32)),
    ],
)
def test_sparse_rows_that_lead_astray_are_refused(part, value):
    node, arrays = written(Csr("n", "d"), scipy.sparse.csr_array(np.array([[0.0, 2.0], [3.0, 0.0]])))
    arrays[node[part]] = value
    assert refusal(Csr("n", "d"), node, arrays)


def test_sparse_rows_whose_columns_must_ascend_are_refused_where_they_do_not():
    node, arrays = written(Csr("n", "d"), scipy.sparse.csr_array(np.array([[1.0, 2.0], [3.0, 0.0]])))
    assert not refusal(Csr("n", "d", sorted_columns=True), node, arrays)
    arrays[node["indices"]] = arrays[node["indices"]][[1, 0, 2]]
    assert refusal(Csr("n", "d", sorted_columns=True), node, arrays)


def test_texts_beyond_what_the_header_holds_go_into_buffers():
    field = ListOf(Texts())
    many = [[f"{i} {j}" for j in range(900)] for i in range(100)]
    node, arrays = written(field, many)
    assert isinstance(node[0], list)
    assert isinstance(node[-1], dict)
    assert read(field, node, arrays) == many
