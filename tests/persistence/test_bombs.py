"""Files that claim to be huge, deep or many: refused at once, in hardly more memory than they have bytes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from margin.data import Table
from margin.persistence import save
from margin.persistence.container.header import canonical
from margin.persistence.container.limits import MOST_HEADER, MOST_VALUES, SPAN
from tests.persistence.weighing import Scale

DIGEST = "0" * 64
EMPTY: dict[str, Any] = {"kinds": {}, "margin": "1.0", "objects": [], "sections": {}}


@pytest.fixture(scope="module")
def scale(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scale]:
    good = save(Table.from_columns({"age": [31.0, None]}), tmp_path_factory.mktemp("good") / "good.margin")
    found = Scale(good)
    yield found
    found.end()


def file_of(text: bytes, body: bytes = b"", header_length: int | None = None, length: int | None = None) -> bytes:
    """A file of format 2 around a header, its digest right; its lengths may be others than it has."""
    padded = text.ljust(-(-(64 + len(text)) // 64) * 64 - 64, b"\0")
    n = 64 + len(padded) + len(body) if length is None else length
    lengths = struct.pack("<IIQQ", 2, 0, len(text) if header_length is None else header_length, n)
    return b"\x8bMARGIN\n" + lengths + hashlib.sha256(text).digest() + padded + body


def of_arrays(*entries: Any) -> bytes:
    return file_of(canonical({**EMPTY, "arrays": list(entries)}))


def entry(dtype: str, *shape: int, spans: int = 1) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "sha256": [DIGEST] * spans}


def zipped(parts: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return content.getvalue()


def document(state: bytes) -> bytes:
    return b'{"mark":"margin model","format":1,"version":"0.1.0","state":' + state + b"}"


def npy(*shape: int) -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return content.getvalue()


def catalogue_of_nothing(n: int) -> bytes:
    """A zip that is a list of ``n`` parts, none of which is there."""
    listed = b"".join(
        struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0) + b"%08x" % i
        for i in range(n)
    )
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 20, 20, 0, 0, n, n, len(listed), 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(listed), 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65_535, 65_535, 2**32 - 1, 2**32 - 1, 0)
    return listed + end64 + locator + end


def understated() -> bytes:
    """A zip whose list says that a part of 64 MiB has a hundred bytes."""
    content = bytearray(zipped({"model.json": document(b"null"), "arrays/0.npy": bytes(64 * 2**20)}))
    at = content.rindex(b"PK\1\2")
    content[at + 24 : at + 28] = struct.pack("<L", 100)
    return bytes(content)


def filled(unit: bytes, first: bytes, last: bytes, most: int = MOST_HEADER) -> bytes:
    """A header of as many units as fit."""
    return file_of(first + unit * ((most - len(first) - len(last)) // len(unit)) + last)


BOMBS: dict[str, Callable[[], bytes]] = {
    "lists 100,000 deep": lambda: file_of(b"[" * 100_000 + b"]" * 100_000),
    "objects 100,000 deep": lambda: file_of(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "lists that never end": lambda: file_of(b"[" * MOST_HEADER),
    "16 MiB of empty lists": lambda: filled(b"[],", b'{"arrays":[', b"[]]}"),
    "16 MiB of empty objects": lambda: filled(b"{},", b'{"arrays":[', b"{}]}"),
    "16 MiB of zeros": lambda: filled(b"0,", b'{"arrays":[', b"0]}"),
    "16 MiB of one text": lambda: filled(b"x", b'{"arrays":"', b'"}'),
    "16 MiB of quotes": lambda: filled(b'\\"', b'{"arrays":"', b'"}'),
    "16 MiB of digits": lambda: filled(b"9", b'{"arrays":', b"}"),
    "as many texts as there may be": lambda: filled('"あ",'.encode(), b'{"arrays":[', b'""]}', 6 * MOST_VALUES - 99),
    "as many objects as there may be": lambda: filled(b'{"a":1},', b'{"arrays":[', b"{}]}", 8 * MOST_VALUES // 3 - 99),
    "a length of 2^62": lambda: of_arrays(entry("<f8", 2**62)),
    "a length of 2^64": lambda: of_arrays(entry("<f8", 2**64)),
    "a length of 10^4000": lambda: of_arrays(entry("<f8", 10**4000)),
    "lengths whose product is 2^64": lambda: of_arrays(entry("<f8", 2**32, 2**32)),
    "lengths whose product is 2^67 and then 0": lambda: of_arrays(entry("<f8", 2**32, 2**32, 0, spans=0)),
    "an empty array of 2^62 columns": lambda: of_arrays(entry("<f8", 0, 2**62, spans=0)),
    "100,000 arrays": lambda: of_arrays(*[entry("<f8", 0, spans=0)] * 100_000),
    "65,536 arrays": lambda: of_arrays(*[entry("<f8", 0, spans=0)] * 65_536),
    "texts of a gigabyte": lambda: of_arrays(entry(f"<U{2**28}", 1)),
    "texts of 10^30": lambda: of_arrays(entry(f"|S{10**30}", 1)),
    "a header of a gigabyte": lambda: file_of(b"{}", header_length=2**30),
    "a header of 2^63": lambda: file_of(b"{}", header_length=2**63),
    "a file of a gigabyte": lambda: file_of(b"{}", length=2**30),
    "a zip that unpacks to 256 MiB": lambda: zipped({"model.json": document(b"null"), "arrays/0.npy": bytes(2**28)}),
    "a zip whose document unpacks to 128 MiB": lambda: zipped({"model.json": b" " * 2**27}),
    "a zip that unpacks to more than it says": understated,
    "a zip that lists 65,000 parts": lambda: catalogue_of_nothing(65_000),
    "a zip that lists a million parts": lambda: catalogue_of_nothing(1_000_000),
    "a zip of lists 100,000 deep": lambda: zipped({"model.json": document(b"[" * 100_000 + b"]" * 100_000)}),
    "a zip of 16 MiB of empty lists": lambda: zipped({"model.json": document(b"[" + b"[]," * 5_500_000 + b"[]]")}),
    "a zip with an array of 2^62": lambda: zipped({"model.json": document(b'{"array":0}'), "arrays/0.npy": npy(2**62)}),
    "a zip with an array whose size is 2^64": lambda: zipped(
        {"model.json": document(b'{"array":0}'), "arrays/0.npy": npy(2**32, 2**32)}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(tmp_path: Path, scale: Scale, name: str):
    path = tmp_path / "bomb.margin"
    path.write_bytes(BOMBS[name]())
    cost = scale.weigh(path)
    assert cost.error
    assert cost.memory <= 2 * path.stat().st_size + 64 * 2**20, cost
    assert cost.seconds < 5, cost  # of processor time: the damage is found without reading it all


def claiming(terabyte: int, spans: int) -> bytes:
    text = canonical({**EMPTY, "arrays": [entry("<f8", spans * SPAN // 8, spans=spans)]})
    return file_of(text, length=terabyte)


@pytest.mark.parametrize("mmap", [False, True], ids=["read", "mapped"])
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("zeros only", b""),
        ("a header that says nothing of it", file_of(canonical({**EMPTY, "arrays": []}), length=2**40)),
        ("a header of zeros", file_of(b"\0" * 64, header_length=MOST_HEADER, length=2**40)),
        ("one array less than the file", claiming(2**40, 100_000)),
        ("a zip", b"PK\3\4"),
    ],
)
def test_a_file_of_a_terabyte_that_is_a_hole_is_refused_at_once(tmp_path, scale, name, first, mmap):
    path = tmp_path / "hole.margin"
    path.write_bytes(first)
    os.truncate(path, 2**40)
    cost = scale.weigh(path, mmap)
    assert cost.error
    assert cost.memory <= 64 * 2**20, cost
    assert cost.seconds < 5, cost  # of processor time: the damage is found without reading it all


def test_an_array_that_fills_a_terabyte_is_more_than_memory_holds(tmp_path, scale):
    spans = 200_000
    text = canonical({**EMPTY, "arrays": [entry("<f8", spans * SPAN // 8, spans=spans)]})
    length = len(file_of(text)) + spans * SPAN
    path = tmp_path / "hole.margin"
    path.write_bytes(file_of(text, length=length))
    os.truncate(path, length)
    cost = scale.weigh(path)
    assert cost.error
    assert cost.memory <= 2 * len(text) + 64 * 2**20, cost
    assert cost.seconds < 2, cost


def test_the_files_of_these_tests_are_wrong_only_in_what_they_claim(tmp_path, scale):
    path = tmp_path / "empty.margin"
    path.write_bytes(file_of(canonical({**EMPTY, "arrays": []})))
    assert "there must be objects" in scale.weigh(path).error
    path.write_bytes(zipped({"model.json": document(json.dumps({"tuple": []}).encode())}))
    assert "is a tuple" in scale.weigh(path).error
