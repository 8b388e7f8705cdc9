"""margin.persistence.load: whatever the file, the answer is a model or a PersistenceError that says what to do."""

from __future__ import annotations

import os
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import MajorityClassifier
from margin.data import Table
from margin.errors import PersistenceError
from margin.persistence import FORMAT, from_bytes, header, load, save, verify
from tests.persistence.changing import changed, outcome

EVERY_READER = (load, header, verify, lambda path: load(path, mmap=True))


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> bytes:
    rng = np.random.default_rng(0)
    table = Table.from_columns(
        {"age": rng.normal(size=40).tolist(), "sex": ["f", "m"] * 20, "city": [None, "Łódź"] * 20}
    )
    return save(table, tmp_path_factory.mktemp("good") / "good.margin").read_bytes()


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> bytes:
    table = Table.from_columns({"age": [31.0, 45.0, 18.0], "sex": ["f", "m", None]})
    fitted = MajorityClassifier().fit(table, ["no", "yes", "yes"])
    return save(fitted, tmp_path_factory.mktemp("model") / "model.margin").read_bytes()


def written(tmp_path, content: bytes):
    path = tmp_path / "model.margin"
    path.write_bytes(content)
    return path


def test_the_files_of_these_tests_are_good(tmp_path, good, model):
    assert load(written(tmp_path, good)).shape == (40, 3)
    assert from_bytes(model).predict([[20.0, "m"]]).tolist() == ["yes"]


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for read in EVERY_READER:
        with pytest.raises(PersistenceError, match="no such file"):
            read(tmp_path / "none.margin")
        with pytest.raises(PersistenceError, match="folder"):
            read(tmp_path)


def test_what_is_no_plain_file_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.margin")
    with pytest.raises(PersistenceError, match="no plain file"):
        load(tmp_path / "pipe.margin")


def test_a_truncated_file_is_called_damaged(tmp_path, good):
    for length in (4, 8, 63, 64, 65, len(good) // 2, len(good) - 64, len(good) - 1):
        for read in EVERY_READER:
            with pytest.raises(PersistenceError, match="damaged"):
                read(written(tmp_path, good[:length]))


def test_a_file_with_something_behind_it_is_called_damaged(tmp_path, good):
    for more in (b"\0", b"\0" * 64, b"PK\5\6"):
        with pytest.raises(PersistenceError, match="damaged"):
            load(written(tmp_path, good + more))


@pytest.mark.parametrize("content", [b"", b"age,sex\n31,f\n", pickle.dumps({"a": 1}), b"\x8bMARGIN\r\n" + b"\0" * 99])
def test_a_foreign_file_is_called_so(tmp_path, content):
    for read in EVERY_READER:
        with pytest.raises(PersistenceError, match="not a margin model"):
            read(written(tmp_path, content))


def test_a_newer_format_asks_for_an_update(tmp_path, good):
    newer = good[:8] + struct.pack("<I", FORMAT + 1) + good[12:]
    for read in EVERY_READER:
        with pytest.raises(PersistenceError, match=rf"format {FORMAT + 1}, .* \(update margin\)"):
            read(written(tmp_path, newer))
    with pytest.raises(PersistenceError, match="update margin"):
        from_bytes(newer)


# ---- Kinds, sections, and what belongs to nothing.


def test_a_newer_version_of_a_kind_asks_for_an_update(good):
    content = changed(good, lambda head, _: head["kinds"].update(table=99))
    with pytest.raises(PersistenceError, match=r"'table' of version 99.*update it"):
        from_bytes(content)


def test_a_kind_that_this_version_lacks_asks_for_an_update(good):
    def other(head, _):
        head["kinds"]["sheet"] = 1
        head["objects"][-1]["kind"] = "sheet"

    with pytest.raises(PersistenceError, match=r"written by margin .*'sheet', which this margin does not know.*update"):
        from_bytes(changed(good, other))


@pytest.mark.parametrize("name", ["builtins:eval", "margin.data.table:Table", "Table", "os.system", "__class__", ""])
def test_a_kind_is_one_of_the_table_and_nothing_else(good, name):
    def other(head, _):
        head["objects"][-1]["kind"] = name

    with pytest.raises(PersistenceError, match="no kind of this file"):
        from_bytes(changed(good, other))


def test_a_section_that_may_be_skipped_is_and_another_one_asks_for_an_update(tmp_path, good):
    def with_section(optional):
        return lambda head, _: head["sections"].update(future={"data": [1], "optional": optional})

    assert from_bytes(changed(good, with_section(True))).shape == (40, 3)
    path = written(tmp_path, changed(good, with_section(False)))
    for read in EVERY_READER:
        with pytest.raises(PersistenceError, match=r"'future'.*must not skip.*update"):
            read(path)
    for odd in (1, "yes", None):
        with pytest.raises(PersistenceError):
            from_bytes(changed(good, with_section(odd)))


@pytest.mark.parametrize("entry", ["kinds", "objects", "sections", "margin"])
def test_a_missing_entry_is_damage(good, entry):
    with pytest.raises(PersistenceError, match="damaged"):
        from_bytes(changed(good, lambda head, _: head.pop(entry)))


def test_an_entry_that_no_header_has_is_damage(good):
    with pytest.raises(PersistenceError, match="damaged"):
        from_bytes(changed(good, lambda head, _: head.update(more=1)))


def test_an_array_that_belongs_to_nothing_is_damage(good):
    with pytest.raises(PersistenceError, match="arrays that belong to nothing"):
        from_bytes(changed(good, lambda _, arrays: arrays.append(np.zeros(3))))


def test_an_object_that_belongs_to_nothing_is_damage(good):
    def twice(head, _):
        head["objects"].insert(0, head["objects"][0])
        head["objects"][-1]["state"]["schema"] = 1

    with pytest.raises(PersistenceError, match="objects that belong to nothing"):
        from_bytes(changed(good, twice))


@pytest.mark.parametrize("number", [-1, 1, 2, 2**62, 0.0, "0", None, True, [0]])
def test_an_object_holds_only_what_stands_before_it(good, number):
    def other(head, _):
        head["objects"][-1]["state"]["schema"] = number

    with pytest.raises(PersistenceError, match="must be the number of an object that stands before"):
        from_bytes(changed(good, other))


def test_an_object_has_the_fields_of_its_kind_and_no_others(good):
    with pytest.raises(PersistenceError, match="'name' is missing"):
        from_bytes(changed(good, lambda head, _: head["objects"][-1]["state"].pop("name")))
    with pytest.raises(PersistenceError, match="has no 'colour'"):
        from_bytes(changed(good, lambda head, _: head["objects"][-1]["state"].update(colour=1)))


def test_codes_that_stand_for_no_level_are_refused(good):
    def beyond(_, arrays):
        arrays[1][3] = 2

    with pytest.raises(PersistenceError, match="codes that stand for no level"):
        from_bytes(changed(good, beyond))


def test_columns_of_other_lengths_are_refused(good):
    def shorter(_, arrays):
        arrays[0] = arrays[0][:-1]

    with pytest.raises(PersistenceError, match="where n"):
        from_bytes(changed(good, shorter))


def test_parameters_are_those_of_the_model(model):
    with pytest.raises(PersistenceError, match="must be parameters of majority"):
        from_bytes(changed(model, lambda head, _: head["objects"][-1]["parameters"].update(depth=1)))


def test_other_answers_to_the_witness_rows_are_told(tmp_path, model):
    def other(_, arrays):
        priors = next(array for array in arrays if array.shape == (2,))
        priors[:] = priors[::-1]

    path = written(tmp_path, changed(model, other))
    with pytest.raises(PersistenceError, match="witness rows"):
        load(path)
    assert load(path, check=False).predict([[20.0, "m"]]).tolist() == ["no"]


# ---- Anything at all.


@settings(max_examples=150, deadline=None)
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_one_changed_byte_never_causes_anything_but_a_typed_error(tmp_path_factory, good, at, byte):
    place = int(at * len(good))
    spoilt = bytearray(good)
    spoilt[place] = byte
    path = written(tmp_path_factory.getbasetemp(), bytes(spoilt))
    if byte == good[place]:
        assert load(path).shape == (40, 3)
    else:
        with pytest.raises(PersistenceError):
            load(path)


leaves = (
    st.none()
    | st.integers(-2, 5)
    | st.text("ab", max_size=2)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
)
names = "kind state parameters name columns schema n_rows kinds levels names reasons texts utf8 start map tuple object"
nodes = st.recursive(
    leaves | st.sampled_from(["table", "schema", "majority", "columns"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(names.split()), inner, max_size=4),
)


@settings(max_examples=150, deadline=None)
@given(objects=nodes | st.lists(st.fixed_dictionaries({"kind": nodes, "state": nodes}), max_size=3))
def test_any_well_formed_header_gives_a_value_or_a_typed_error(good, objects):
    content = changed(good, lambda head, _: head.update(objects=objects))
    assert outcome(content, [[[20.0, "m"]]]) in ("refused", "answered")
