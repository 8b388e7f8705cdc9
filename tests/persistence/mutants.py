"""Damaged model files, made from a good one by number: the same number is the same file every time.

A quarter of them are damage alone. In the others every digest was put right again, as one who means harm would do it,
so that nothing but the structure itself can give them away.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.persistence.container.bytes import PRELUDE, Prelude, aligned, opening
from margin.persistence.container.reading import MemorySource, open_container
from margin.persistence.container.writing import MemorySink, write

__all__ = ["Mutant", "Mutants", "Parts", "change", "damaged"]

NUMBERS = (-1, 0, 1, 2, 3, 7, 255, 256, 65_535, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1, 2**62, 2**63 - 1, 10**30)
FRACTIONS = (0.0, -0.0, 0.5, 1.0, -1.0, 1e-300, 5e-324, 1e300, -1e300, 1.7976931348623157e308)
CELLS = (float("nan"), float("inf"), float("-inf"), *FRACTIONS)
OTHERS: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, "", "x", "nan", "inf", "-inf", [], {}, [[]], {"a": 1})
TYPES = ("|b1", "|i1", "|u1", "<i2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "<U1", "<U3", "|S1", "|S8")


@dataclass(frozen=True)
class Mutant:
    """A damaged file, in words what was done to it, and whether its digests were put right again."""

    content: bytes
    what: str
    repaired: bool


@dataclass
class Parts:
    """A file taken apart: its header without the table of arrays, and the arrays."""

    header: dict[str, Any]
    arrays: list[np.ndarray]

    def written(self) -> bytes:
        sink = MemorySink()
        write(sink, self.header, self.arrays)
        return bytes(sink.content)


class Mutants:
    """The mutants of one good file: ``mutants[7]`` is the seventh; of ``repaired`` of them all digests are right."""

    def __init__(self, good: bytes, seed: str = "0", repaired: float = 0.75) -> None:
        found = open_container(MemorySource(good))
        assert not isinstance(found, Prelude)
        self.good = good
        self._seed = seed
        self._repaired = repaired
        self._text = found.header_bytes
        self._entries = found.header["arrays"]
        self._document = json.dumps({key: value for key, value in found.header.items() if key != "arrays"})
        self._arrays = found.arrays()
        self._at = aligned(PRELUDE + len(self._text))

    def __getitem__(self, number: int) -> Mutant:
        rng = random.Random(f"{self._seed}/{number}")
        repaired = rng.random() < self._repaired
        way = rng.choices((self._bytes, self._text_of_header, self._body, self._entry, self._parts), (1, 1, 1, 2, 9))[0]
        content, what = way(rng, repaired)
        return Mutant(content, what, repaired)

    def _bytes(self, rng: random.Random, repaired: bool) -> tuple[bytes, str]:
        """The file as a string of bytes; its own length put right."""
        content, what = damaged(self.good, rng)
        if repaired and len(content) >= PRELUDE:
            content = content[:24] + len(content).to_bytes(8, "little") + content[32:]
        return content, f"file: {what}"

    def _text_of_header(self, rng: random.Random, repaired: bool) -> tuple[bytes, str]:
        text, what = damaged(self._text, rng)
        if not repaired:
            return self.good[:PRELUDE] + text + self.good[PRELUDE + len(self._text) :], f"header: {what}"
        return _assembled(text, self.good[self._at :]), f"header: {what}"

    def _body(self, rng: random.Random, repaired: bool) -> tuple[bytes, str]:
        body, what = damaged(self.good[self._at :], rng)
        if not repaired or len(body) != len(self.good) - self._at:
            return self.good[: self._at] + body, f"arrays: {what}"
        return Parts(json.loads(self._document), self._cut(body)).written(), f"arrays: {what}"

    def _cut(self, body: bytes) -> list[np.ndarray]:
        """Other bytes as the arrays that stand there."""
        found, at = [], 0
        for array in self._arrays:
            raw = bytearray(body[at : at + array.nbytes])
            order: Any = "C" if array.flags.c_contiguous else "F"
            found.append(np.frombuffer(raw, dtype=array.dtype).reshape(array.shape, order=order))
            at = aligned(at + array.nbytes)
        return found

    def _entry(self, rng: random.Random, repaired: bool) -> tuple[bytes, str]:
        """The table of arrays says something else than what stands behind it; the header's own digest is right."""
        header = {**json.loads(self._document), "arrays": json.loads(json.dumps(self._entries))}
        what = _change_json(header["arrays"], rng, "arrays") if self._entries else "nothing"
        body = self.good[self._at :]
        content = opening(header, 0)
        if repaired:
            content = opening(header, len(content) + len(body))
        return content + body, what

    def _parts(self, rng: random.Random, repaired: bool) -> tuple[bytes, str]:
        parts = Parts(json.loads(self._document), list(self._arrays))
        done = [change(parts, rng) for _ in range(rng.choices((1, 2, 3), (8, 2, 1))[0])]
        try:
            content = parts.written()
        except ValueError:  # nothing that a header can hold
            return damaged(self.good, rng)[0], "file: cut or changed"
        if not repaired:
            content = content[:32] + self.good[32:64] + content[64:]
        return content, "; ".join(done)


def _assembled(text: bytes, body: bytes) -> bytes:
    """A header as it is, digested anew, and what stands behind it."""
    import hashlib

    padded = text.ljust(aligned(PRELUDE + len(text)) - PRELUDE, b"\0")
    lengths = len(text).to_bytes(8, "little") + (PRELUDE + len(padded) + len(body)).to_bytes(8, "little")
    first = b"\x8bMARGIN\n" + (2).to_bytes(4, "little") + bytes(4) + lengths + hashlib.sha256(text).digest()
    return first + padded + body


def damaged(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Bytes that were cut, flipped, zeroed, moved, doubled, lost or overwritten, and in words which."""
    data, n = bytearray(content), max(len(content), 1)
    first = rng.randrange(n)
    last = min(first + rng.choice((1, 8, 64, 512, n)), n)
    to = rng.randrange(n)
    way = rng.choice(("cut", "flipped", "zeroed", "moved", "doubled", "lost", "random"))
    if way == "cut":
        del data[first:]
    elif way == "flipped":
        for _ in range(rng.choice((1, 1, 2, 8))):
            if data:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif way == "zeroed":
        data[first:last] = bytes(last - first)
    elif way == "moved":
        span = data[first:last]
        del data[first:last]
        data[to:to] = span
    elif way == "doubled":
        data[to:to] = data[first:last]
    elif way == "lost":
        del data[first:last]
    else:
        data[first:last] = rng.randbytes(last - first)
    return bytes(data), f"{way} from {first} to {last}"


def change(parts: Parts, rng: random.Random) -> str:
    """Change one value or one array of a file taken apart, and say in words which."""
    ways: list[Callable[[Parts, random.Random], str]] = [_change_header]
    if parts.arrays:
        ways += [_change_cells, _change_cells, _change_array]
    return rng.choice(ways)(parts, rng)


def _change_header(parts: Parts, rng: random.Random) -> str:
    where = rng.choices(("objects", "sections", "kinds", ""), (12, 2, 1, 1))[0]
    node = parts.header.get("state" if "state" in parts.header else where) if where else parts.header
    if not isinstance(node, (dict, list)) or not node:
        where, node = "", parts.header
    return _change_json(node, rng, where)


def _places(node: Any, path: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Every value inside a document: what holds it, by which key, and the way there."""
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        step = f"{path}.{key}" if isinstance(node, dict) else f"{path}[{key}]"
        yield node, key, step
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key], step)


def _change_json(document: Any, rng: random.Random, name: str) -> str:
    """Change one value of a document."""
    places = list(_places(document, name))
    if not places:
        return "nothing"
    holder, key, path = rng.choice(places)
    old = holder[key]
    way = rng.choice(("other type", "extreme", "extreme", "another", "another", "gone", "twice", "swapped", "renamed"))
    if way == "gone":
        del holder[key]
    elif way == "twice" and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(old)))
    elif way == "swapped":
        other, at, step = rng.choice(places)
        taken = other[at]
        if not _inside(taken, holder) and not _inside(old, other):
            other[at], holder[key] = old, taken
        path = f"{path} with {step}"
    elif way == "renamed" and isinstance(holder, dict):
        holder[rng.choice([str(step) for _, step, _ in places] + ["", "state"])] = holder.pop(key)
    elif way == "other type":
        holder[key] = rng.choice((*OTHERS, [old], {"array": old}, {"object": old}, {"tuple": [old]}))
    elif way == "another":
        other, at, _ = rng.choice(places)
        holder[key] = json.loads(json.dumps(other[at]))
    else:
        holder[key] = _extreme(old, rng)
    return f"{path} {way}"


def _inside(node: Any, holder: Any) -> bool:
    """Whether something holds itself after a swap."""
    if node is holder:
        return True
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return any(_inside(each, holder) for each in inner)


def _extreme(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((*NUMBERS, value + 1, value - 1, 2 * value, -value))
    if isinstance(value, float):
        return rng.choice((*FRACTIONS, -value, value * 2, "nan", "inf", "-inf"))
    if isinstance(value, str):
        return rng.choice(("", value + "x", value * 3, value[:-1], "\0", "nan", "🂡", "x" * 10_000))
    if isinstance(value, list):
        return rng.choice((value[:-1], value[1:], value * 2, value[::-1], sorted(value, key=str)))
    return rng.choice(OTHERS)


def _change_cells(parts: Parts, rng: random.Random) -> str:
    number = rng.randrange(len(parts.arrays))
    array = parts.arrays[number] = parts.arrays[number].copy(order="A")  # another one may be the same array
    cells = array.reshape(-1, order="A")
    if cells.dtype.kind == "U":
        cells = cells.view(np.uint32)  # characters that are none cannot be moved as texts
    if not cells.size:
        return "nothing"
    way = rng.choice(("cell", "cell", "cell", "bits", "run", "all", "reversed", "shuffled", "sorted", "swapped"))
    at = rng.randrange(cells.size)
    if way in ("cell", "run", "all"):
        last = {"cell": at + 1, "run": at + rng.randrange(1, 9), "all": cells.size}[way]
        cells[0 if way == "all" else at : last] = _cell(cells, parts, rng)
    elif way == "bits":
        cells[at : at + 1].view(np.uint8)[:] = rng.choice((0, 1, 2, 127, 128, 255))
    elif way == "reversed":
        cells[:] = cells[::-1].copy()
    elif way == "sorted":
        cells[:] = np.sort(cells)
    elif way == "shuffled":
        cells[:] = cells[rng.sample(range(cells.size), cells.size)]
    else:
        other = rng.randrange(cells.size)
        cells[at], cells[other] = cells[other].copy(), cells[at].copy()
    return f"array {number} {way} at {at}"


def _cell(cells: np.ndarray, parts: Parts, rng: random.Random) -> Any:
    kind = cells.dtype.kind
    if kind == "f":
        with np.errstate(over="ignore"):
            return cells.dtype.type(rng.choice((*CELLS, *cells[:2].tolist(), 1.0 * cells.size, -cells.size)))
    if kind in "iu":
        lengths = [length for array in parts.arrays for length in array.shape]
        wanted = rng.choice((*NUMBERS[:-1], *lengths, cells.size, cells.size - 1, cells.size + 1))
        held = np.iinfo(cells.dtype)
        return max(min(wanted, held.max), held.min)
    return rng.choice(cells.tolist()) if rng.random() < 0.5 else cells.dtype.type()


def _change_array(parts: Parts, rng: random.Random) -> str:
    """Another shape, another type, another order, another number of arrays."""
    number = rng.randrange(len(parts.arrays))
    array = parts.arrays[number]
    way = rng.choice(
        ("shorter", "longer", "empty", "flat", "turned", "type", "seen as", "order", "swapped", "of another")
    )
    if way == "shorter" and array.ndim:
        array = array[:-1]
    elif way == "longer" and array.ndim and len(array):
        array = np.concatenate([array, array[-1:]])
    elif way == "empty":
        array = np.empty((0,) * max(array.ndim, 1), array.dtype)
    elif way == "flat":
        array = array.reshape(-1) if array.ndim != 1 else array[None]
    elif way == "turned":
        array = np.ascontiguousarray(array.T)
    elif way == "order":
        array = np.asfortranarray(array)
    elif way == "type":
        array = _cast(array, rng.choice(TYPES))
    elif way == "seen as":
        wanted = np.dtype(rng.choice(TYPES))
        raw = np.frombuffer(array.tobytes(), np.uint8)
        array = raw[: len(raw) // wanted.itemsize * wanted.itemsize].view(wanted)
    elif way == "swapped":
        other = rng.randrange(len(parts.arrays))
        parts.arrays[other], array = array, parts.arrays[other]
    elif way == "of another":
        array = rng.choice(parts.arrays)
    parts.arrays[number] = array
    return f"array {number} {way}"


def _cast(array: np.ndarray, wanted: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        try:
            return array.astype(wanted)
        except (TypeError, ValueError, SystemError):  # texts that are no numbers, or no texts
            return np.ones(array.shape, wanted)
