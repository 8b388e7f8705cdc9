"""margin.persistence.load: whatever the file, the answer is a model or a PersistenceError that says what to do."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from margin.data import Table
from margin.errors import PersistenceError
from margin.persistence import FORMAT, header, load, save

GONE = object()


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> bytes:
    rng = np.random.default_rng(0)
    table = Table.from_columns(
        {"age": rng.normal(size=40).tolist(), "sex": ["f", "m"] * 20, "city": [None, "Łódź"] * 20}
    )
    return save(table, tmp_path_factory.mktemp("good") / "good.margin").read_bytes()


def written(tmp_path, content: bytes):
    path = tmp_path / "model.margin"
    path.write_bytes(content)
    return path


def changed(good: bytes, **changes) -> bytes:
    """The good file with entries of its document replaced; ``GONE`` takes one away."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "model.json":
                document = {**json.loads(data), **changes}
                data = json.dumps({k: v for k, v in document.items() if v is not GONE}).encode()
            new.writestr(name, data)
    return content.getvalue()


def test_the_file_of_these_tests_is_good(tmp_path, good):
    assert load(written(tmp_path, good)).shape == (40, 3)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(PersistenceError, match="no such file"):
        load(tmp_path / "none.margin")
    with pytest.raises(PersistenceError, match="folder"):
        load(tmp_path)


def test_a_truncated_file_is_called_damaged(tmp_path, good):
    for length in (4, len(good) // 2, len(good) - 1):
        with pytest.raises(PersistenceError, match="damaged"):
            load(written(tmp_path, good[:length]))


@pytest.mark.parametrize("content", [b"", b"age,sex\n31,f\n", pickle.dumps({"a": 1})])
def test_a_foreign_file_is_called_so(tmp_path, content):
    with pytest.raises(PersistenceError, match="not a margin model"):
        load(written(tmp_path, content))


def test_another_zip_is_foreign(tmp_path, good):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    with pytest.raises(PersistenceError, match="not a margin model"):
        load(written(tmp_path, content.getvalue()))
    with pytest.raises(PersistenceError, match="not a margin model"):
        load(written(tmp_path, changed(good, mark="something else")))


def test_a_newer_format_asks_for_an_update(tmp_path, good):
    path = written(tmp_path, changed(good, format=FORMAT + 1, version="9.0"))
    for read in (load, header):
        with pytest.raises(PersistenceError, match=r"margin 9\.0 .* \(update margin\)"):
            read(path)


@pytest.mark.parametrize("entry", ["state", "model", "format"])
def test_a_missing_entry_is_damage(tmp_path, good, entry):
    with pytest.raises(PersistenceError, match="damaged"):
        load(written(tmp_path, changed(good, **{entry: GONE})))


@pytest.mark.parametrize(
    "path",
    [
        "builtins:eval",
        "os:system",
        "subprocess:Popen",
        "marginal:Thing",
        "margin.data.table:np.ndarray",
        "margin.persistence.archive:zipfile.ZipFile",
        "margin.errors:closest",
        "margin.data:Table",
        "margin.__main__:x",
        "margin.data.table",
    ],
)
def test_only_classes_of_margin_are_made(tmp_path, good, path):
    state = {"object": {"class": path, "state": None}, "id": 0}
    with pytest.raises(PersistenceError, match="refused"):
        load(written(tmp_path, changed(good, state=state)))


def test_a_class_that_this_version_lacks_asks_for_an_update(tmp_path, good):
    state = {"object": {"class": "margin.data.table:Sheet", "state": None}, "id": 0}
    with pytest.raises(PersistenceError, match="update margin"):
        load(written(tmp_path, changed(good, state=state)))


def test_an_array_that_claims_to_be_huge_takes_no_memory(tmp_path, good):
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(huge, {"descr": "<f8", "fortran_order": False, "shape": (10**14,)})
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            new.writestr(name, huge.getvalue() if name == "arrays/0.npy" else old.read(name))
    with pytest.raises(PersistenceError, match=r"damaged.*size it states"):
        load(written(tmp_path, content.getvalue()))


def test_a_pickled_array_is_refused(tmp_path, good):
    sneaky = io.BytesIO()
    np.save(sneaky, np.array([{}], dtype=object), allow_pickle=True)
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            new.writestr(name, sneaky.getvalue() if name == "arrays/0.npy" else old.read(name))
    with pytest.raises(PersistenceError, match="damaged"):
        load(written(tmp_path, content.getvalue()))


@settings(max_examples=150, deadline=None)
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_one_changed_byte_never_causes_anything_but_a_typed_error(tmp_path_factory, good, at, byte):
    spoilt = bytearray(good)
    spoilt[int(at * len(good))] = byte
    path = written(tmp_path_factory.getbasetemp(), bytes(spoilt))
    with contextlib.suppress(PersistenceError):
        assert load(path).shape == (40, 3)


tags = (
    "array tuple dict set frozenset objects object same scalar dtype float bytes sparse enum id class state items shape"
)
nodes = st.recursive(
    st.none() | st.integers(-2, 5) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(tags.split()), inner, max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(state=nodes)
@example(state={"tuple": [{}]})
def test_any_well_formed_document_gives_a_value_or_a_typed_error(tmp_path_factory, good, state):
    path = written(tmp_path_factory.getbasetemp(), changed(good, state=state, schema=None))
    with contextlib.suppress(PersistenceError):
        load(path)
