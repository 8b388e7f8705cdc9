"""margin.persistence: what goes into a file comes out of it, bit for bit."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import margin
import margin.lazy
from margin.data import Column, Schema, Table
from margin.errors import PersistenceError
from margin.persistence import FORMAT, header, load, save
from margin.persistence.codec import Decoder, Encoder


def back(value: Any) -> Any:
    encoder = Encoder()
    node = encoder.encode(value)
    return Decoder(encoder.arrays).decode(node)


def same(a: Any, b: Any) -> bool:
    """Equal in type and content, NaN equal to itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype == object:
            return all(same(x, y) for x, y in zip(a.ravel(), b.ravel()))
        return a.tobytes() == b.tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return a == b


plain = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
    | npst.arrays(st.sampled_from(["f8", "f4", "i4", "u1", "?", "U3", "S2", ">f8"]), npst.array_shapes(min_side=0))
)  # fmt: skip


@given(
    st.recursive(
        plain,
        lambda inner: (
            st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner)
            | st.frozensets(st.integers())
        ),
        max_leaves=8,
    )
)  # fmt: skip
def test_any_nesting_of_plain_values_comes_back_equal_and_of_the_same_type(value):
    assert same(back(value), value)


@pytest.mark.parametrize(
    "array",
    [
        np.array(["yes", None, True, 3], dtype=object),
        np.array([["a"], ["b"]], dtype=object),
        np.empty(0, dtype=object),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(10)[::2],
    ],
)
def test_arrays_of_objects_and_odd_memory_orders_come_back(array):
    found = back(array)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype
    assert found.flags.f_contiguous or not array.flags.f_contiguous


@pytest.mark.parametrize("scalar", [np.float32(0.1), np.int64(-3), np.bool_(True), np.str_("ü"), np.float64("nan")])
def test_numpy_scalars_keep_their_type(scalar):
    found = back(scalar)
    assert type(found) is type(scalar)
    assert found.tobytes() == scalar.tobytes()


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "csr_matrix", "csc_matrix"])
def test_sparse_matrices_come_back(kind):
    matrix = getattr(scipy.sparse, kind)(np.array([[0.0, 2.0], [3.0, 0.0]]))
    found = back({"X": matrix, "again": matrix})
    assert type(found["X"]) is type(matrix)
    assert found["X"] is found["again"]
    np.testing.assert_array_equal(found["X"].toarray(), matrix.toarray())


def test_a_shared_array_is_stored_once_and_shared_again():
    array = np.arange(5)
    encoder = Encoder()
    node = encoder.encode([array, {"again": array}])
    assert len(encoder.arrays) == 1
    first, second = Decoder(encoder.arrays).decode(node)
    assert second["again"] is first


def test_schema_and_table_come_back_equal():
    table = Table.from_columns({"age": [31.0, None], "sex": ["f", None], "smoker": [True, False]}, name="people")
    found = back(table)
    assert found == table
    assert found.name == "people"
    assert isinstance(found.schema, Schema)
    assert found.schema["sex"] == Column("sex", "nominal", ("f",), found.schema["sex"].reason)


class Thing:
    """Stands for a class of margin in these tests."""

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)


class Slotted:
    __slots__ = ("left", "right")


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Frozen:
    weight: float
    name: str = "x"


@pytest.fixture(autouse=True)
def _as_if_of_margin(monkeypatch):
    """Put the classes above where margin's classes live, so that the codec takes them."""
    for cls in (Thing, Slotted, Colour, Frozen):
        monkeypatch.setattr(cls, "__module__", "margin.lazy")
        monkeypatch.setattr(margin.lazy, cls.__name__, cls, raising=False)


def test_dataclasses_slots_and_enums_come_back():
    slotted = Slotted()
    slotted.left, slotted.right = 1, (2,)
    found = back([Frozen(0.1), slotted, Colour.RED])
    assert found[0] == Frozen(0.1)
    assert (found[1].left, found[1].right) == (1, (2,))
    assert found[2] is Colour.RED


def test_objects_that_point_at_each_other_come_back_so():
    parent = Thing(name="parent")
    parent.child = Thing(parent=parent)
    found = back(parent)
    assert found.child.parent is found


def test_a_file_says_what_it_holds_without_being_loaded(tmp_path):
    model = Thing(schema_=Schema([Column("age", "numeric")]), weights=np.ones(3))
    path = save(model, tmp_path / "thing.margin", about={"target": "risk"})
    head = header(path)
    assert (head.model, head.format, head.version) == ("margin.lazy:Thing", FORMAT, margin.__version__)
    assert head.about == {"target": "risk"}
    assert len(head.schema) == 16
    np.testing.assert_array_equal(load(path).weights, model.weights)


def test_equal_models_give_equal_files(tmp_path):
    one = save(Thing(a=np.arange(3), b={"x", "y", "z"}), tmp_path / "one.margin")
    two = save(Thing(a=np.arange(3), b={"z", "y", "x"}), tmp_path / "two.margin")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Thing(rule=len), "rule"),
        (Thing(parts=[1, {"inner": object()}]), "parts[1].inner"),
        (Thing(kind=dict), "kind"),
    ],
)
def test_what_cannot_be_saved_is_refused_by_its_place_and_nothing_is_written(tmp_path, value, named):
    with pytest.raises(PersistenceError) as refused:
        save(value, tmp_path / "bad.margin")
    assert f"save: {named} is not something" in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_list_that_holds_itself_is_refused():
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(PersistenceError, match="holds itself"):
        Encoder().encode(endless)


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(PersistenceError, match="folder does not exist"):
        save(Thing(), tmp_path / "nowhere" / "model.margin")
