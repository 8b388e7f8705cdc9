"""Files changed in one place by someone who repairs the digests: values of the header, cells and shapes of arrays."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.persistence.reading import MemorySource, Opened, open_container
from margin.persistence.writing import MemorySink, write

__all__ = ["mutated", "opened", "written"]

WHOLE = (-1, 0, 1, 2, 3, 7, 255, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63))
VALUES = (*WHOLE, 0.0, -1.0, 0.5, 1e308, 5e-324, "inf", "-inf", "nan", "", "euclidean", "cosine", "haversine", "heom",
          "full scan", None, True, False, [], {}, [0], [1, 0], {"float": "nan"})  # fmt: skip
REALS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, 1e-300)


def opened(content: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header (without the table of arrays) and arrays of a file."""
    found = open_container(MemorySource(content))
    assert isinstance(found, Opened)
    return {key: value for key, value in found.header.items() if key != "arrays"}, found.arrays()


def written(header: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    """The file of a header and arrays, all digests right."""
    sink = MemorySink()
    write(sink, header, arrays)
    return bytes(sink.content)


def mutated(header: dict[str, Any], arrays: list[np.ndarray], rng: random.Random) -> bytes:
    """The file with one thing changed, now and then two."""
    header, arrays = copy.deepcopy(header), list(arrays)
    for _ in range(1 + (rng.random() < 0.15)):
        if rng.random() < 0.45 or not arrays:
            _change_value(header["objects"], rng)
        else:
            at = rng.randrange(len(arrays))
            arrays[at] = _changed_array(arrays[at], arrays, rng)
    return written(header, arrays)


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    items = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    for key, value in items:
        yield node, key
        yield from _places(value)


def _change_value(objects: list[Any], rng: random.Random) -> None:
    places = list(_places(objects))
    owner, key = rng.choice(places)
    how = rng.random()
    if how < 0.6:
        owner[key] = copy.deepcopy(rng.choice(VALUES))
    elif how < 0.9:
        other, at = rng.choice(places)
        owner[key] = copy.deepcopy(other[at])
    elif isinstance(owner, dict):
        del owner[key]
    else:
        owner.insert(key, copy.deepcopy(owner[key]))


def _changed_array(array: np.ndarray, arrays: list[np.ndarray], rng: random.Random) -> np.ndarray:
    how = rng.random()
    if how < 0.6 and array.size:
        return _changed_cells(array, rng)
    if how < 0.8:
        return _reshaped(array, rng)
    if how < 0.9:
        return rng.choice(arrays)
    return np.ascontiguousarray(array[::-1]) if array.ndim else array


def _changed_cells(array: np.ndarray, rng: random.Random) -> np.ndarray:
    found = array.copy()
    flat = found.reshape(-1)
    at = [rng.randrange(flat.size) for _ in range(rng.choice((1, 1, 1, 3)))] if rng.random() < 0.9 else slice(None)
    if found.dtype.kind == "f":
        with np.errstate(over="ignore"):
            flat[at] = np.array(rng.choice(REALS)).astype(found.dtype)
    elif found.dtype.kind in "iub":
        n = len(array)
        number = rng.choice((*WHOLE, n - 1, n, n + 1, int(flat[rng.randrange(flat.size)])))
        flat[at] = np.array(number % 2**64, dtype=np.uint64).astype(found.dtype)
    return found


def _reshaped(array: np.ndarray, rng: random.Random) -> np.ndarray:
    how = rng.randrange(6)
    if how == 0:
        return array[:-1].copy() if array.ndim else array
    if how == 1:
        return np.concatenate([array, array[:1]]) if array.ndim else array
    if how == 2:
        return array[:0].copy() if array.ndim else array
    if how == 3:
        return np.ascontiguousarray(array.T) if array.ndim == 2 else array.reshape(-1, 1)
    if how == 4:
        return np.ascontiguousarray(array[:, :-1]) if array.ndim == 2 else array.astype(np.float32)
    return array.reshape(-1).copy()
