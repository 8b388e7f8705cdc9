"""margin.persistence: what goes into a file comes out of it, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import margin
from margin import GridSearch, MajorityClassifier
from margin.data import Column, Schema, Table
from margin.errors import PersistenceError
from margin.persistence import FORMAT, from_bytes, header, load, save, to_bytes
from margin.persistence.container.limits import Malformed
from margin.persistence.kinds import BY_CLASS, BY_NAME
from margin.persistence.objects.arrays import Array, Csr
from margin.persistence.objects.packing import ObjectPacker
from margin.persistence.objects.unpacking import ObjectUnpacker
from margin.persistence.objects.values import Labels, Levels, Texts, Value
from tests.persistence.round_trip import differences, same_state


def back(value: Any, field: Any = None) -> Any:
    """A value by way of its field."""
    field = field or Value()
    packer = ObjectPacker(BY_CLASS, BY_NAME)
    node = field.pack(value, packer)
    return field.unpack(node, ObjectUnpacker(BY_NAME, BY_CLASS, {}, packer.arrays))


def people() -> Table:
    return Table.from_columns({"age": [31.0, None], "sex": ["f", None], "smoker": [True, False]}, name="people")


# ---- Plain values.

plain = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
    | npst.arrays(st.sampled_from(["f8", "f4", "f2", "i4", "u1", "?", "U3", "S2"]), npst.array_shapes(min_side=0))
)  # fmt: skip


@given(
    st.recursive(
        plain,
        lambda inner: (
            st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner)
            | st.frozensets(st.integers()) | st.sets(st.text())
        ),
        max_leaves=8,
    )
)  # fmt: skip
def test_any_nesting_of_plain_values_comes_back_equal_and_of_the_same_type(value):
    assert differences(value, back(value)) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    )
)
def test_a_parameter_of_any_plain_value_comes_back_from_a_whole_file(value):
    model = GridSearch(grid={"max_depth": [value]})
    assert same_state(from_bytes(to_bytes(model)), model)


@pytest.mark.parametrize(
    "array",
    [
        np.array(["yes", None, True, 3], dtype=object),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(10)[::2],
        np.arange(12.0).reshape(3, 4)[:, 1:3],
        np.arange(3, dtype=">i4"),
        np.array(["ab", "ü"], dtype=">U3"),
    ],
)
def test_arrays_of_objects_and_odd_memory_orders_come_back(array):
    found = from_bytes(to_bytes(GridSearch(grid={"max_depth": array}))).grid["max_depth"]
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.flags.c_contiguous or array.flags.f_contiguous


def test_an_array_that_is_read_row_by_row_is_written_so():
    by_columns = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    found = back(by_columns, Array("f8", None, None))
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, by_columns)


@pytest.mark.parametrize("scalar", [np.float32(0.1), np.int64(-3), np.bool_(True), np.float64("nan"), np.uint8(200)])
def test_numpy_scalars_keep_their_type(scalar):
    found = back(scalar)
    assert type(found) is type(scalar)
    assert found.tobytes() == scalar.tobytes()


@pytest.mark.parametrize("numbers", [range(5), range(7, -3, -2), range(0)])
def test_ranges_stay_ranges(numbers):
    found = back(numbers)
    assert type(found) is range
    assert (found.start, found.stop, found.step) == (numbers.start, numbers.stop, numbers.step)


# ---- Labels, levels, texts, sparse rows.


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes", "ü"]),
        np.array(["a", "bcd"], dtype="U9"),
        np.array([b"a", b"bc"]),
        np.array([-(2**62), 2**62]),
        np.array([1, 2], dtype=np.int8),
        np.array([1, 2], dtype=np.uint16),
        np.array([0.5, -0.0]),
        np.array([False, True]),
        np.array(["a", "b"], dtype=object),
        np.array([2**70, 1], dtype=object),
        np.array([f"class {i}" for i in range(3000)], dtype=object),
        np.arange(3000),
    ],
    ids=lambda labels: f"{labels.dtype}, {len(labels)}",
)
def test_labels_come_back_in_their_type(labels):
    assert differences(labels, back(labels, Labels(distinct=True))) == []


@pytest.mark.parametrize("levels", [(), ("a", "b"), (False, True), (1, 2), (0.5, 1.5), tuple(map(str, range(2000)))])
def test_levels_come_back_in_their_type(levels):
    assert differences(levels, back(levels, Levels())) == []


@given(st.lists(st.text(), max_size=5), st.integers(0, 3))
def test_texts_come_back_from_the_header_and_from_a_buffer(texts, times):
    texts = texts * (700 * times + 1)
    assert back(texts, Texts()) == texts


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_come_back(make, index):
    matrix = make(np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    assert differences(matrix, back(matrix, Csr("n", "d"))) == []


@pytest.mark.parametrize(
    ("part", "cells"),
    [
        ("indptr", [0, 2, 1, 3]),
        ("indptr", [1, 2, 2, 3]),
        ("indptr", [0, 2, 2, 4]),
        ("indptr", [0, 2, 2, 2]),
        ("indptr", [0, -1, 2, 3]),
        # Differences of these come round beyond 64 bits and look as if they ascended.
        ("indptr", [0, 2**62 + 9, -(2**62) - 9, 3]),
        ("indices", [1, 3, 0]),
        ("indices", [1, -1, 0]),
        ("indices", [2, 1, 0]),
        ("indices", [1, 1, 0]),
    ],
)
def test_sparse_rows_that_lead_astray_are_refused(part, cells):
    matrix = scipy.sparse.csr_array(np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]))
    parts = {"data": matrix.data, "indices": matrix.indices.astype("i8"), "indptr": matrix.indptr.astype("i8")}
    parts[part] = np.array(cells, dtype=np.int64)
    node = {"data": 0, "indices": 1, "indptr": 2, "n_columns": 3, "matrix": False}
    reader = ObjectUnpacker(BY_NAME, BY_CLASS, {}, list(parts.values()))
    with pytest.raises(Malformed, match="do not fit together"):
        Csr("n", "d", sorted_columns=True).unpack(node, reader)


# ---- Objects.


def test_a_shared_array_is_stored_once_and_shared_again():
    array = np.arange(5)
    packer = ObjectPacker(BY_CLASS, BY_NAME)
    node = Value().pack([array, {"again": array}], packer)
    assert len(packer.arrays) == 1
    first, second = Value().unpack(node, ObjectUnpacker(BY_NAME, BY_CLASS, {}, packer.arrays))
    assert second["again"] is first


def test_a_shared_object_is_stored_once_and_shared_again():
    model = MajorityClassifier().fit(Table.from_columns({"age": [31.0, 45.0], "sex": ["f", "m"]}), ["a", "b"])
    packer = ObjectPacker(BY_CLASS, BY_NAME)
    packer.add_object(model)
    assert [node["kind"] for node in packer.objects] == ["schema", "columns", "mixed-encoder", "majority"]
    found = from_bytes(to_bytes(model))
    assert found._encoder.columns is found._columns


def test_schema_and_table_come_back_equal():
    table = people()
    found = from_bytes(to_bytes(table))
    assert found == table
    assert found.name == "people"
    assert isinstance(found.schema, Schema)
    assert found.schema["sex"] == Column("sex", "nominal", ("f",), found.schema["sex"].reason)


def test_a_model_that_has_learnt_nothing_keeps_its_parameters_and_can_learn():
    found = from_bytes(to_bytes(margin.DecisionTreeClassifier(max_depth=3)))
    assert found.max_depth == 3
    assert found.fit([[0.0], [1.0]], ["a", "b"]).predict([[1.0]]).tolist() == ["b"]


# ---- Files.


def test_a_file_says_what_it_holds_without_being_loaded(tmp_path):
    model = MajorityClassifier().fit([[0.0], [1.0]], ["a", "b"])
    path = save(model, tmp_path / "model.margin", about={"target": "risk"})
    head = header(path)
    assert (head.model, head.format, head.version) == ("majority", FORMAT, margin.__version__)
    assert head.about == {"target": "risk"}
    assert len(head.digest) == 64
    assert differences(model, load(path)) == []


def test_equal_models_give_equal_files(tmp_path):
    one = save(GridSearch(grid={"a": [{"x", "y", "z"}]}), tmp_path / "one.margin")
    two = save(GridSearch(grid={"a": [{"z", "y", "x"}]}), tmp_path / "two.margin")
    assert one.read_bytes() == two.read_bytes()


def test_a_loaded_model_is_saved_as_the_same_bytes(tmp_path):
    first = save(people(), tmp_path / "first.margin")
    assert save(load(first), tmp_path / "again.margin").read_bytes() == first.read_bytes()


endless: list[Any] = []
endless.append(endless)
deep: list[Any] = []
for _ in range(40):
    deep = [deep]


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (GridSearch(progress=print), "save(GridSearch): progress is a function or class (print)"),
        (GridSearch(grid={"a": [1, {"b": object()}]}), "grid['a'][1]['b'] is a object"),
        (GridSearch(grid={"a": [dict]}), "grid['a'][0] is a function or class (dict)"),
        (GridSearch(random_state=np.random.default_rng(0)), "random_state is a random generator"),
        (GridSearch(grid={"a": [np.longdouble(1)]}), "grid['a'][0] is a longdouble"),
        (GridSearch(grid={"a": endless}), "it holds itself"),
        (GridSearch(grid={"a": deep}), "nested"),
        (GridSearch(grid={"a": [*range(600_000)]}), "more than 262,144 values"),
        (GridSearch(grid={"a": ["half of \ud83d"]}), "half a character"),
        (GridSearch(random_state=10**5000), "4300 digits"),
        (GridSearch(confidence=2), "GridSearch(confidence=2): confidence must be"),
        (object(), "save(object): is a object"),
    ],
)
def test_what_cannot_be_saved_is_refused_by_its_place_and_nothing_is_written(tmp_path, value, named):
    with pytest.raises(PersistenceError) as refused:
        save(value, tmp_path / "bad.margin")
    assert named in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_another_package_is_told_what_can_be_done():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(PersistenceError, match=r"model is a LogisticRegression of sklearn.*joblib"):
        to_bytes(GridSearch(LogisticRegression(), {"C": [1.0]}))


def test_notes_must_be_plain(tmp_path):
    with pytest.raises(PersistenceError, match="about must be plain JSON"):
        save(people(), tmp_path / "bad.margin", about={"score": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(PersistenceError, match="folder does not exist"):
        save(people(), tmp_path / "nowhere" / "model.margin")


def test_what_was_there_stays_where_saving_fails(tmp_path):
    path = save(people(), tmp_path / "model.margin")
    before = path.read_bytes()
    with pytest.raises(PersistenceError):
        save(GridSearch(progress=print), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.margin"]
