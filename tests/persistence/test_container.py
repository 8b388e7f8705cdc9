"""margin.persistence.container.bytes and header: the bytes of a file, and one way only to write them."""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from margin.data import Table
from margin.persistence import from_bytes, to_bytes
from margin.persistence.container.bytes import FORMAT, MAGIC, PRELUDE
from margin.persistence.container.header import canonical, parsed
from margin.persistence.container.limits import ALIGNMENT, DEEPEST, MOST_HEADER, MOST_VALUES, SPAN, Malformed
from margin.persistence.container.reading import MemorySource, open_container
from margin.persistence.container.writing import MemorySink, write


def file_of(header: bytes, buffers: bytes = b"", **prelude) -> bytes:
    """A file of any header and any bytes behind it, its prelude true unless it is told otherwise."""
    start = -(-(PRELUDE + len(header)) // ALIGNMENT) * ALIGNMENT
    true = {
        "magic": MAGIC,
        "format": FORMAT,
        "zero": 0,
        "header_length": len(header),
        "file_length": start + len(buffers),
        "digest": hashlib.sha256(header).digest(),
    }
    first = struct.pack("<8sIIQQ32s", *(true | prelude).values())
    return (first + header).ljust(start, b"\0") + buffers


def with_arrays(*entries: dict, buffers: bytes = b"") -> bytes:
    return file_of(canonical({"arrays": list(entries)}), buffers)


def entry(content: bytes, dtype: str, shape: list[int], **more) -> dict:
    spans = [content[i : i + SPAN] for i in range(0, len(content), SPAN)]
    return {"dtype": dtype, "shape": shape, "sha256": [hashlib.sha256(span).hexdigest() for span in spans], **more}


def opened(content: bytes):
    return open_container(MemorySource(content))


CELLS = np.arange(3.0).tobytes()
PADDED = CELLS.ljust(64, b"\0")


def test_a_file_worked_by_hand_is_read():
    found = opened(with_arrays(entry(CELLS, "<f8", [3]), buffers=PADDED))
    assert [array.tolist() for array in found.arrays()] == [[0.0, 1.0, 2.0]]


def test_a_file_of_a_table_is_laid_out_as_documented():
    content = to_bytes(Table.from_columns({"a": [1.0, 2.0], "b": ["x", "y"]}))
    magic, version, zero, header_length, file_length = struct.unpack("<8sIIQQ", content[:32])
    header = content[64 : 64 + header_length]
    assert (magic, version, zero, file_length) == (b"\x8bMARGIN\n", 2, 0, len(content))
    assert hashlib.sha256(header).digest() == content[32:64]
    assert json.loads(header)["arrays"][0]["shape"] == [2]
    start = -(-(64 + header_length) // 64) * 64
    assert len(content) == start + 64 + 64
    assert np.frombuffer(content[start : start + 16]).tolist() == [1.0, 2.0]
    assert np.frombuffer(content[start + 64 : start + 72], dtype="<i4").tolist() == [0, 1]


@given(
    st.lists(
        npst.arrays(
            st.sampled_from(["f8", "f4", "i8", "u1", "?", "U2", "S3"]), npst.array_shapes(max_side=4, min_side=0)
        ),
        max_size=4,
    ),
    st.booleans(),
)
def test_any_arrays_come_back_in_their_memory_order(arrays, by_columns):
    arrays = [np.asfortranarray(array) if by_columns else array for array in arrays]
    sink = MemorySink()
    write(sink, {}, arrays)
    for found, array in zip(opened(bytes(sink.content)).arrays(), arrays, strict=True):
        assert found.dtype == array.dtype
        assert found.tobytes() == array.tobytes()
        assert found.flags.f_contiguous or not array.flags.f_contiguous
        assert found.size == 0 or found.ctypes.data % ALIGNMENT == 0


def test_an_array_of_several_spans_has_a_digest_for_each():
    sink = MemorySink()
    array = np.arange(SPAN // 8 + 5, dtype=np.float64)
    write(sink, {}, [array])
    found = opened(bytes(sink.content))
    assert len(found.buffers[0].digests) == 2
    assert np.array_equal(found.arrays()[0], array)
    sink.content[-64] ^= 1  # of the second span
    with pytest.raises(Malformed, match="does not match its digest"):
        opened(bytes(sink.content)).arrays()


# ---- The prelude.


@pytest.mark.parametrize(
    "lie",
    [
        {"zero": 1},
        {"header_length": 0},
        {"header_length": 12},
        {"header_length": 2**63},
        {"header_length": MOST_HEADER + 1},
        {"file_length": 64},
        {"file_length": 2**64 - 1},
        {"digest": bytes(32)},
        {"magic": b"\x8bMARGIN\r"},
    ],
)
def test_a_prelude_that_lies_is_refused(lie):
    with pytest.raises(Malformed):
        opened(file_of(canonical({"arrays": []}), **lie))


# ---- Buffers fill the file, zeros between them, and nothing else.


def test_something_between_the_header_and_the_first_array_is_refused():
    content = bytearray(with_arrays(entry(CELLS, "<f8", [3]), buffers=PADDED))
    content[len(content) - 65] = 1
    with pytest.raises(Malformed, match="between the header and the first array"):
        opened(bytes(content))


def test_something_in_the_zeros_behind_an_array_is_refused():
    content = bytearray(with_arrays(entry(CELLS, "<f8", [3]), buffers=PADDED))
    content[-1] = 1
    with pytest.raises(Malformed, match="behind array 0"):
        opened(bytes(content)).arrays()


def test_an_array_without_the_zeros_behind_it_is_refused():
    with pytest.raises(Malformed, match="beyond the end"):
        opened(with_arrays(entry(CELLS, "<f8", [3]), buffers=CELLS))


@pytest.mark.parametrize("more", [1, 64, 128])
def test_bytes_that_are_left_over_are_refused(more):
    with pytest.raises(Malformed, match=f"{more} bytes are left over"):
        opened(with_arrays(entry(CELLS, "<f8", [3]), buffers=PADDED + b"\0" * more))


def test_a_gap_between_two_arrays_is_refused():
    # Arrays follow one another: nothing in a header says where they stand, so that none can overlap either.
    gap = PADDED + b"\0" * 64 + PADDED
    with pytest.raises(Malformed, match="64 bytes are left over"):
        opened(with_arrays(entry(CELLS, "<f8", [3]), entry(CELLS, "<f8", [3]), buffers=gap))
    with pytest.raises(Malformed, match="dtype, shape and sha256"):
        opened(with_arrays(entry(CELLS, "<f8", [3], start=0), buffers=PADDED))


def test_arrays_without_cells_take_no_room():
    found = opened(
        with_arrays(entry(b"", "<f8", [0]), entry(CELLS, "<f8", [3]), entry(b"", "<i4", [2, 0]), buffers=PADDED)
    )
    assert [array.shape for array in found.arrays()] == [(0,), (3,), (2, 0)]


# ---- Entries of arrays.


@pytest.mark.parametrize(
    "dtype",
    ["|O", "O", ">f8", "f8", "<f16", "<c16", "<M8[s]", "<m8", "|V8", "<U", "<U0", "<U01", "<U-1", "<U9999999", "|S+3",
     "<i3", "<f8,<f8", "=f8", "", "<U٣", 8, None, ["<f8"], {"names": ["a"]}],
)  # fmt: skip
def test_only_plain_types_are_read(dtype):
    with pytest.raises(Malformed, match="arrays\\[0\\]"):
        opened(with_arrays({"dtype": dtype, "shape": [0], "sha256": []}))


@pytest.mark.parametrize(
    "shape",
    [[4], [2], [-1], [-3, -1], [3.0], [True], ["3"], [2**62], [2**40, 2**40], [0, 2**63], 3, None, [[3]], [1] * 9],
)
def test_a_shape_that_lies_is_refused(shape):
    with pytest.raises(Malformed):
        opened(with_arrays({**entry(CELLS, "<f8", [3]), "shape": shape}, buffers=PADDED)).arrays()


@pytest.mark.parametrize(
    "digests",
    [
        [],
        ["0" * 64],
        ["0" * 63],
        ["A" * 64],
        ["é" * 64],
        [None],
        [hashlib.sha256(CELLS).hexdigest()] * 2,
        "0" * 64,
        None,
    ],
)
def test_digests_that_do_not_fit_are_refused(digests):
    with pytest.raises(Malformed):
        opened(with_arrays({**entry(CELLS, "<f8", [3]), "sha256": digests}, buffers=PADDED)).arrays()


@pytest.mark.parametrize("order", ["C", "A", "f", None, 1])
def test_an_order_is_by_columns_or_not_told(order):
    with pytest.raises(Malformed, match="order must be 'F' or left out"):
        opened(with_arrays(entry(CELLS, "<f8", [3], order=order), buffers=PADDED))


def test_a_huge_shape_takes_no_memory():
    with pytest.raises(Malformed, match="beyond the end"):
        opened(with_arrays({"dtype": "<f8", "shape": [2**19], "sha256": ["0" * 64]}))


@pytest.mark.parametrize("arrays", [None, {}, "[]", [None], [[]], [{}]])
def test_the_table_of_arrays_is_a_list_of_entries(arrays):
    with pytest.raises(Malformed):
        opened(file_of(canonical({"arrays": arrays})))


# ---- The header.


@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text()
            | st.floats(allow_nan=False, allow_infinity=False),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
            max_leaves=6,
        ),
    )
)  # fmt: skip
def test_any_document_is_parsed_from_its_canonical_form(document):
    assert parsed(canonical(document)) == document


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b' {"a":1}',
        b'{"a":1.00}',
        b'{"a":1E5}',
        b'{"a":1e5}',
        b'{"a":-0}',
        b'{"a":"\\u00fc"}',
        b'{"a":"\\/"}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1e999}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b'{"a":1}x',
        b'{"a":1',
        b"\xef\xbb\xbf{}",
        b"[]",
        b"1",
        b"",
    ],
)
def test_a_document_in_another_form_is_refused(raw):
    with pytest.raises(Malformed):
        parsed(raw)


def nested(depth: int) -> bytes:
    """An object, and lists in it, so many levels in all."""
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_a_header_is_nested_so_deep_and_no_deeper():
    assert parsed(nested(DEEPEST)) == json.loads(nested(DEEPEST))
    for depth in (DEEPEST + 1, 1000, 100_000):
        with pytest.raises(Malformed, match="levels deep"):
            parsed(nested(depth))


def test_brackets_in_texts_are_no_levels():
    document = {"a": "[" * 1000 + '"' + "\\" + "{" * 1000}
    assert parsed(canonical(document)) == document


def test_a_header_holds_so_many_values_and_no_more():
    # The list, its items and the object count; so does each key by its colon.
    fits = canonical({"a": [0] * (MOST_VALUES - 2)})
    assert len(parsed(fits)["a"]) == MOST_VALUES - 2
    with pytest.raises(Malformed, match="values"):
        parsed(canonical({"a": [0] * (MOST_VALUES + 2)}))


def test_a_header_has_so_many_bytes_and_no_more():
    with pytest.raises(Malformed, match="bytes, more than"):
        parsed(canonical({"a": "x" * MOST_HEADER}))
    with pytest.raises(Malformed, match="bytes, more than"):
        write(MemorySink(), {"a": "x" * MOST_HEADER}, [])


def test_from_bytes_reads_what_was_written_by_hand():
    table = Table.from_columns({"a": [1.0, 2.0]})
    header = {
        "arrays": [entry(np.array([1.0, 2.0]).tobytes(), "<f8", [2])],
        "kinds": {"schema": 1, "table": 1},
        "margin": "0.1.0",
        "objects": [
            {
                "kind": "schema",
                "state": {
                    "columns": {
                        "kinds": [["numeric", 1]],
                        "levels": [],
                        "names": ["a"],
                        "reasons": [table.schema["a"].reason],
                    }
                },
            },
            {"kind": "table", "state": {"columns": [0], "n_rows": 2, "name": "", "schema": 0}},
        ],
        "sections": {},
    }
    content = file_of(canonical(header), np.array([1.0, 2.0]).tobytes().ljust(64, b"\0"))
    assert from_bytes(content) == table
