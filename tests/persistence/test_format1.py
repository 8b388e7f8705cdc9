"""margin.persistence.format1: files of format 1 are read for ever, and the hostile ones among them refused."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from margin.errors import PersistenceError
from margin.persistence import from_bytes, header, to_bytes
from margin.persistence.format1_classes import KIND_OF
from margin.persistence.kinds import BY_NAME
from tests.contract.estimators import frame

GOLDEN = Path(__file__).parent / "golden" / "0.1.0-format1"
GONE = object()


@pytest.fixture(scope="module")
def good() -> bytes:
    return (GOLDEN / "MajorityClassifier-table.margin").read_bytes()


def rezipped(good: bytes, parts: dict[str, bytes | object]) -> bytes:
    """The good file with parts replaced or added; ``GONE`` takes one away."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(content, "w") as new:
        found = {name: old.read(name) for name in old.namelist()} | parts
        for name, data in found.items():
            if data is not GONE:
                new.writestr(name, data)
    return content.getvalue()


def changed(good: bytes, **changes) -> bytes:
    """The good file with entries of its document replaced; ``GONE`` takes one away."""
    with zipfile.ZipFile(io.BytesIO(good)) as old:
        document = {**json.loads(old.read("model.json")), **changes}
    kept = {name: entry for name, entry in document.items() if entry is not GONE}
    return rezipped(good, {"model.json": json.dumps(kept).encode()})


# ---- What version 0.1.0 wrote (test_golden_files asks every one of them).


def test_a_file_says_that_it_is_old(good):
    assert header(GOLDEN / "MajorityClassifier-table.margin").format == 1


def test_an_old_model_is_saved_in_the_new_format(good):
    model = from_bytes(good)
    X = frame(40)[0]
    again = from_bytes(to_bytes(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_old_classes_are_kinds_or_stand_inside_one():
    assert set(KIND_OF.values()) - BY_NAME.keys() <= {"column", "perceptron-voters"}


# ---- What nobody should write.


def test_a_zip_of_something_else_is_foreign(good):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    with pytest.raises(PersistenceError, match="not a margin model"):
        from_bytes(content.getvalue())
    with pytest.raises(PersistenceError, match="not a margin model"):
        from_bytes(changed(good, mark="something else"))


def test_a_zip_of_a_newer_format_asks_for_an_update(good):
    with pytest.raises(PersistenceError, match=r"margin 9\.0 .*\(update margin\)"):
        from_bytes(changed(good, format=3, version="9.0"))


def test_a_truncated_zip_is_called_damaged(good):
    for length in (4, len(good) // 2, len(good) - 1):
        with pytest.raises(PersistenceError, match="damaged"):
            from_bytes(good[:length])


@pytest.mark.parametrize("entry", ["state", "format"])
def test_a_missing_entry_is_damage(good, entry):
    with pytest.raises(PersistenceError, match="damaged"):
        from_bytes(changed(good, **{entry: GONE}))


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
        "margin.data.table:Sheet",
    ],
)
def test_only_classes_of_models_are_made(good, path):
    state = {"object": {"class": path, "state": None}, "id": 0}
    with pytest.raises(PersistenceError, match="refused"):
        from_bytes(changed(good, state=state))


def test_an_array_that_claims_to_be_huge_takes_no_memory(good):
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(huge, {"descr": "<f8", "fortran_order": False, "shape": (10**14,)})
    with pytest.raises(PersistenceError, match=r"damaged.*size it states"):
        from_bytes(rezipped(good, {"arrays/0.npy": huge.getvalue()}))


def test_a_pickled_array_is_refused(good):
    sneaky = io.BytesIO()
    np.save(sneaky, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(PersistenceError, match="damaged"):
        from_bytes(rezipped(good, {"arrays/0.npy": sneaky.getvalue()}))


def test_a_zip_that_unpacks_to_far_more_than_it_is_takes_no_memory(good):
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr("model.json", old.read("model.json"))
        new.writestr("arrays/0.npy", b"\0" * (64 * 2**20))
    assert len(content.getvalue()) < 2**20
    with pytest.raises(PersistenceError, match="would unpack to"):
        from_bytes(content.getvalue())


def test_a_part_that_is_there_twice_is_damage(good):
    content = io.BytesIO(good)
    with zipfile.ZipFile(content, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("model.json", "{}")
    with pytest.raises(PersistenceError, match="twice"):
        from_bytes(content.getvalue())


def test_nodes_deeper_than_any_model_has_are_damage(good):
    with pytest.raises(PersistenceError, match="levels deep"):
        from_bytes(rezipped(good, {"model.json": b'{"mark":"margin model","state":' + b"[" * 999 + b"]" * 999 + b"}"}))


@settings(max_examples=150, deadline=None)
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_one_changed_byte_never_causes_anything_but_a_typed_error(good, at, byte):
    spoilt = bytearray(good)
    spoilt[int(at * len(good))] = byte
    with contextlib.suppress(PersistenceError):
        assert from_bytes(bytes(spoilt)).n_features_in_ == 5


tags = (
    "array tuple dict set frozenset objects object same scalar dtype float bytes sparse enum id class state items shape"
)
nodes = st.recursive(
    st.none() | st.integers(-2, 5) | st.text("ab", max_size=2) | st.sampled_from(sorted(KIND_OF)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(tags.split()), inner, max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(state=nodes)
@example(state={"tuple": [{}]})
@example(state={"object": {"class": "margin.data.schema:Schema", "state": {"same": 0}}, "id": 0})
def test_any_well_formed_document_gives_a_value_or_a_typed_error(good, state):
    with contextlib.suppress(PersistenceError):
        from_bytes(changed(good, state=state))
