"""Files of format 1, a zip of ``model.json`` and one ``.npy`` per array: read for ever, by way of format 2.

Its nodes name classes by the place where they lived then. Here such a name is looked up in a table of kinds and nothing
else; what a file says of an object becomes the fields of its kind, is written as format 2 in memory, and is read and
checked like any other file.
"""

from __future__ import annotations

import base64
import codecs
import io
import json
import math
import re
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from margin.errors import PersistenceError
from margin.persistence.container.header import look_over
from margin.persistence.container.limits import MOST_ARRAYS, MOST_DIMENSIONS, MOST_HEADER, Malformed
from margin.persistence.container.writing import MemorySink, write
from margin.persistence.format1_classes import KIND_OF, SLOTS
from margin.persistence.kinds import BY_CLASS, BY_NAME
from margin.persistence.objects.packing import Legacy, ObjectPacker

__all__ = ["as_format_2"]

MARK = "margin model"
#: What a file may unpack to: so much, and so many times its own size.
MOST_UNPACKED, MOST_TIMES = 16 * 2**20, 50
#: A zip has its table of contents at its end, before a comment of at most 64 kB.
END_OF_ZIP = 22 + 65_535
#: Nodes of format 1 are nested, unlike those of format 2.
DEEPEST_NODE = 300
codecs.lookup("cp437")  # names in a zip are in this code page; found now, so that reading a file imports nothing


def as_format_2(source: Any) -> bytes:
    """A file of format 1 as one of format 2; still to be checked like any other."""
    document, arrays = _unpacked(source)
    packer = ObjectPacker(BY_CLASS, BY_NAME)
    packer.add_object(_Decoder(arrays).decode(document["state"]))
    about = document.get("about")
    header = {
        "kinds": packer.versions(),
        "margin": str(document.get("version")),
        "objects": packer.objects,
        "sections": {
            "about": {"data": about if isinstance(about, dict) else {}, "optional": True},
            "outline": {"data": packer.outline(), "optional": True},
        },
    }
    sink = MemorySink()
    write(sink, header, packer.arrays)
    return bytes(sink.content)


def _unpacked(source: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    if b"PK\5\6" not in source.read(max(0, source.size - END_OF_ZIP), source.size):
        raise Malformed("it begins as a zip and does not end as one")
    content = source.read(0, source.size)
    if content.count(b"PK\1\2") > MOST_ARRAYS + 1:  # each costs more in memory than in the file
        raise Malformed("it has too many parts")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except Exception as error:  # zlib, struct, zipfile: whatever a broken archive raises
        raise Malformed(f"{type(error).__name__}: {error}") from None
    with archive:
        _check_sizes(archive, source.size)
        document = _document(archive)
        numbers = sum(name.startswith("arrays/") for name in archive.namelist())
        return document, [_from_npy(_content(archive, f"arrays/{number}.npy")) for number in range(numbers)]


def _check_sizes(archive: zipfile.ZipFile, size: int) -> None:
    """What the parts will take, added up before any of them is unpacked."""
    entries = archive.infolist()
    if "model.json" not in archive.namelist():
        raise PersistenceError("load: not a margin model (a zip of something else).")
    if len(entries) > MOST_ARRAYS + 1 or len(set(archive.namelist())) < len(entries):
        raise Malformed("it has too many parts, or one of them twice")
    if any(
        entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1
        for entry in entries
    ):
        raise Malformed("a part is packed in a way that model files are not")
    if archive.getinfo("model.json").file_size > MOST_HEADER:
        raise Malformed(f"model.json has more than {MOST_HEADER:,} bytes")
    total = sum(entry.file_size for entry in entries)
    if total > MOST_UNPACKED + MOST_TIMES * size:
        raise Malformed(f"its {size:,} bytes would unpack to {total:,}")


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    entry = archive.getinfo(name)
    try:
        with archive.open(entry) as part:
            return part.read(entry.file_size)  # and not what it holds, which may be more than it says
    except Exception as error:
        raise Malformed(f"{name}: {type(error).__name__}: {error}") from None


def _document(archive: zipfile.ZipFile) -> dict[str, Any]:
    raw = _content(archive, "model.json")
    look_over(raw, deepest=DEEPEST_NODE)
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from None
    if not isinstance(document, dict) or document.get("mark") != MARK:
        raise PersistenceError("load: not a margin model (a zip of something else).")
    if type(document.get("format")) is not int or "state" not in document:
        raise Malformed("it names no format, or holds nothing")
    if document["format"] != 1:
        raise PersistenceError(
            f"load: written by margin {str(document.get('version'))[:40]} in format {document['format']} as a zip, "
            "which only format 1 is (update margin)."
        )
    return document


def _from_npy(content: bytes) -> np.ndarray:
    """An array out of ``.npy`` bytes; the stated shape is checked against the bytes before memory is taken.

    NumPy's own reader takes the header for Python and has it compiled; here it has the one form that NumPy writes.
    """
    wide = content[6:7] != b"\1"
    start = 12 if wide else 10
    end = start + int.from_bytes(content[8:start], "little")
    found = _NPY.fullmatch(content, start, end) if content.startswith(b"\x93NUMPY") and end <= len(content) else None
    if found is None:
        raise Malformed("an array does not begin as arrays do")
    dtype = np.dtype(found[1].decode())
    shape = tuple(int(n) for n in found[3].split(b",") if n.strip())
    if len(shape) > MOST_DIMENSIONS or math.prod(shape) * dtype.itemsize != len(content) - end:
        raise Malformed("an array does not have the size it states")
    order: Any = "F" if found[2] == b"True" else "C"
    return np.frombuffer(bytearray(content[end:]), dtype=dtype).reshape(shape, order=order)


_NPY = re.compile(
    rb"\{'descr': '([<>|][biufUS]\d{1,7})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,19}(?:, ?|(?=\))))*)\), \} *\n"
)


class _Decoder:
    """Nodes of format 1 as values; objects stay what the file says of them until their kind has looked at it."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self._arrays = arrays
        self._known: dict[int, Any] = {}

    def decode(self, node: Any) -> Any:
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        tag = next(iter(node), "")
        if tag == "object":
            return self._object(node[tag], node.get("id"))
        read = _READERS.get(tag)
        if read is None:
            raise Malformed(f"it holds {tag!r}, which format 1 does not know")
        value = read(self, node[tag])
        if "id" in node:
            self._known[node["id"]] = value
        return value

    def same(self, number: int) -> Any:
        return self._known[number]

    def array(self, number: int) -> np.ndarray:
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise Malformed(f"it speaks of array {number}, but holds {len(self._arrays)}")
        return self._arrays[number]

    def objects(self, node: dict[str, Any]) -> np.ndarray:
        array = np.empty(len(node["items"]), dtype=object)
        for i, item in enumerate(node["items"]):
            array[i] = self.decode(item)
        return array.reshape(node["shape"])

    def sparse(self, node: dict[str, Any]) -> Any:
        make = {"csr_array": scipy.sparse.csr_array, "csr_matrix": scipy.sparse.csr_matrix}.get(node["kind"])
        if make is None:
            raise Malformed(f"a sparse matrix of kind {node['kind']!r} is in no model")
        matrix = make(tuple(self.decode(node["parts"])), shape=tuple(node["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def _object(self, node: dict[str, Any], number: Any) -> Legacy:
        path = node["class"]
        if path not in KIND_OF:
            raise Malformed(f"it asks for {path!r}, which is no class of a model; it is refused")
        made = Legacy(KIND_OF[path], {})
        self._known[number] = made  # before its parts are read: they may point back
        made.attributes.update(_attributes(made.kind, self.decode(node["state"])))
        return made


def _attributes(kind: str, state: Any) -> dict[str, Any]:
    """What an object held, by attribute, in each of the shapes in which objects gave their state."""
    if kind == "schema":
        return {"_columns": tuple(state)}
    if kind in SLOTS:
        return dict(zip(SLOTS[kind], state, strict=True))
    if isinstance(state, tuple):
        plain, slots = state
        return {**(plain or {}), **(slots or {})}
    return dict(state or {})


_READERS: dict[str, Callable[[_Decoder, Any], Any]] = {
    "float": lambda _, text: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text],
    "bytes": lambda _, text: base64.b64decode(text, validate=True),
    "tuple": lambda decoder, items: tuple(decoder.decode(item) for item in items),
    "set": lambda decoder, items: {decoder.decode(item) for item in items},
    "frozenset": lambda decoder, items: frozenset(decoder.decode(item) for item in items),
    "dict": lambda decoder, pairs: {decoder.decode(key): decoder.decode(value) for key, value in pairs},
    "scalar": lambda _, pair: np.frombuffer(base64.b64decode(pair[1], validate=True), dtype=np.dtype(pair[0]))[0],
    "array": _Decoder.array,
    "objects": _Decoder.objects,
    "sparse": _Decoder.sparse,
    "same": _Decoder.same,
}
