"""Files as a hostile writer makes them: one thing in them is changed, and every digest repaired."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.errors import MarginError, PersistenceError
from margin.persistence import from_bytes
from margin.persistence.reading import MemorySource, Opened, open_container
from margin.persistence.writing import MemorySink, write

__all__ = ["mutants", "outcome", "rewritten", "taken_apart"]

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform", "apply", "kneighbors")
NUMBERS = (-(2**62), -(2**31), -2, -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**62, 2**63 - 1)
VALUES = (*NUMBERS, 0.5, -1.5, 1e308, "nan", "inf", "-inf", "", "x", None, True, False, [], {}, [0], {"array": 0})
CELLS = (np.nan, np.inf, -np.inf, -0.0, 0.5, 1e308, -1e308, 1e-320)


def taken_apart(content: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header without its table of arrays, and the arrays; both may be changed."""
    opened = open_container(MemorySource(content))
    assert isinstance(opened, Opened)
    header = {name: copy.deepcopy(part) for name, part in opened.header.items() if name != "arrays"}
    return header, [array.copy(order="K") for array in opened.arrays()]


def rewritten(header: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    """A file of these parts, with the digests that belong to them."""
    sink = MemorySink()
    write(sink, header, arrays)
    return bytes(sink.content)


def mutants(content: bytes, random: np.random.Generator, n: int) -> Iterator[tuple[str, bytes]]:
    """So many changed files, each with what was changed in it."""
    while n > 0:
        header, arrays = taken_apart(content)
        told = [_mutate(header, arrays, random) for _ in range(1 + (random.random() < 0.2))]
        try:
            changed = rewritten(header, arrays)
        except (ValueError, TypeError, OverflowError):  # nothing that could stand in a file
            continue
        n -= 1
        yield "; ".join(told), changed


def _mutate(header: dict[str, Any], arrays: list[np.ndarray], random: np.random.Generator) -> str:
    ways = [_change_json] if not arrays else [_change_json, _change_cells, _change_cells, _change_shape, _swap]
    return ways[random.integers(len(ways))](header, arrays, random)


def _places(node: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Everything below a node: how it is reached, what holds it, and by which key."""
    for key in node if isinstance(node, dict) else range(len(node)):
        here = f"{path}.{key}" if isinstance(node, dict) else f"{path}[{key}]"
        yield here, node, key
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key], here)


def _change_json(header: dict[str, Any], arrays: list[np.ndarray], random: np.random.Generator) -> str:
    found = list(_places(header["objects"], "objects"))
    path, holder, key = found[random.integers(len(found))]
    way = random.random()
    if way < 0.1:
        del holder[key]
        return f"{path} is gone"
    if way < 0.2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
        return f"{path} stands there twice"
    if way < 0.4:
        other = found[random.integers(len(found))]
        holder[key] = copy.deepcopy(other[1][other[2]])
        return f"{path} is what {other[0]} is"
    if type(holder[key]) is int and way < 0.6:
        holder[key] += int(random.choice([-2, -1, 1, 2]))
    else:
        holder[key] = copy.deepcopy(VALUES[random.integers(len(VALUES))])
    return f"{path} = {holder[key]!r}"


def _change_cells(header: dict[str, Any], arrays: list[np.ndarray], random: np.random.Generator) -> str:
    number = int(random.integers(len(arrays)))
    array = arrays[number]
    if array.size == 0:
        return "nothing"
    if array.dtype.kind not in "biuf":
        raw = bytearray(array.tobytes())
        raw[random.integers(len(raw))] = random.integers(256)
        arrays[number] = np.frombuffer(bytes(raw), dtype=array.dtype).reshape(array.shape)
        return f"array {number}: a byte"
    flat = np.ascontiguousarray(array).reshape(-1)
    places = slice(None) if random.random() < 0.1 else [int(random.integers(flat.size))]
    choices = [*CELLS, *map(float, NUMBERS)] if array.dtype.kind == "f" else [*NUMBERS, len(flat), len(flat) - 1]
    value = choices[random.integers(len(choices))] if random.random() < 0.7 else flat[random.integers(flat.size)]
    if array.dtype.kind in "iub" and random.random() < 0.3:
        value = int(flat[places][0]) + int(random.choice([-2, -1, 1, 2]))
    with np.errstate(all="ignore"):
        flat[places] = (
            np.array([int(value) & (2**64 - 1)], dtype=np.uint64).astype(array.dtype)
            if (array.dtype.kind in "iub")
            else np.array([value]).astype(array.dtype)
        )
    arrays[number] = flat.reshape(array.shape)
    return f"array {number}[{places}] = {value}"


def _change_shape(header: dict[str, Any], arrays: list[np.ndarray], random: np.random.Generator) -> str:
    number = int(random.integers(len(arrays)))
    array = arrays[number]
    ways = {
        "shorter": lambda: array[: len(array) - 1],
        "longer": lambda: np.concatenate([array, array[-1:]]),
        "empty": lambda: array[:0],
        "one column less": lambda: array[..., :-1],
        "flat": lambda: array.reshape(-1),
        "one dimension more": lambda: array[None],
        "by columns": lambda: np.asfortranarray(array),
        "wide": lambda: array.astype("f8" if array.dtype.kind in "iub" else "i8"),
        "narrow": lambda: array.astype("f4" if array.dtype.kind == "f" else "i4"),
        "turned round": lambda: array[::-1].copy(),
    }
    way = list(ways)[random.integers(len(ways))]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays[number] = ways[way]() if array.ndim else array
    return f"array {number} is {way}"


def _swap(header: dict[str, Any], arrays: list[np.ndarray], random: np.random.Generator) -> str:
    one = int(random.integers(len(arrays)))
    alike = [i for i, array in enumerate(arrays) if i != one and array.dtype == arrays[one].dtype] or [one]
    other = int(random.choice(alike))
    arrays[one], arrays[other] = arrays[other], arrays[one]
    return f"arrays {one} and {other} are swapped"


def outcome(content: bytes, asked: list[Any]) -> str:
    """``"refused"``, or ``"answered"``; anything but margin's own errors gets out."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = from_bytes(content)
        except PersistenceError:
            return "refused"
        for X in asked:
            for question in QUESTIONS:
                try:
                    if hasattr(model, question):
                        getattr(model, question)(X)
                except MarginError:
                    continue
    return "answered"
