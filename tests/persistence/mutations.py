"""Files with something wrong in them whose digests are right all the same, as a hostile writer would make them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from margin.persistence.reading import MemorySource, Opened, open_container
from margin.persistence.writing import MemorySink, write

__all__ = ["mutated"]

ODD_VALUES: tuple[Any, ...] = (
    -1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**62, 2**70, -0.5, 0.0, 1e308, "", "x", "nan", "inf", "numeric", "text", None,
    True, False, [], {}, [0], {"float": "nan"}, {"tuple": []}, {"array": 0}, {"object": 0},
)  # fmt: skip
ODD_CELLS = (-1, 0, 1, 2, 100, 2**31 - 1, 2**62, -(2**63), 0.5, np.nan, np.inf, -np.inf, 1e308, -1e308)


def mutated(content: bytes, seed: int) -> bytes:
    """The file with one to three changes that a seed chooses, and digests that fit it again."""
    rng = random.Random(seed)
    opened = open_container(MemorySource(content))
    assert isinstance(opened, Opened)
    header = copy.deepcopy(opened.header)
    arrays = [array.copy(order="K") for array in opened.arrays()]
    header.pop("arrays")
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if arrays and rng.random() < 0.5:
            _change_array(arrays, rng)
        else:
            _change_node(header["objects"], rng)
    sink = MemorySink()
    write(sink, header, arrays)
    return bytes(sink.content)


def _change_node(objects: list[Any], rng: random.Random) -> None:
    places = list(_places(objects))
    holder, key = rng.choice(places)
    way = rng.random()
    if way < 0.25:  # what stands elsewhere
        other, at = rng.choice(places)
        holder[key] = copy.deepcopy(other[at])
    elif way < 0.35:
        del holder[key]
    elif way < 0.45 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif way < 0.65 and type(holder[key]) is int:
        holder[key] += rng.choice((-2, -1, 1, 2))
    else:
        holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))


def _places(node: Any) -> Any:
    """Every value in a tree of JSON, by what holds it and where."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        for key in list(here) if isinstance(here, dict) else range(len(here)):
            yield here, key
            if isinstance(here[key], (dict, list)):
                waiting.append(here[key])


def _change_array(arrays: list[np.ndarray], rng: random.Random) -> None:
    number = rng.randrange(len(arrays))
    arrays[number] = rng.choice(ARRAY_CHANGES)(arrays[number], arrays, rng)


def _cells(array: np.ndarray, _: Any, rng: random.Random) -> np.ndarray:
    if array.dtype.kind not in "iuf" or array.size == 0:
        return array
    value = rng.choice(ODD_CELLS)
    if array.dtype.kind != "f":
        limits = np.iinfo(array.dtype)
        value = 0 if value != value else int(min(max(value, limits.min), limits.max))
    array.flat[rng.randrange(array.size)] = value
    return array


def _shorter(array: np.ndarray, _: Any, rng: random.Random) -> np.ndarray:
    axis = rng.randrange(array.ndim)
    return np.ascontiguousarray(array.take(range(max(array.shape[axis] - 1, 0)), axis=axis))


def _longer(array: np.ndarray, _: Any, rng: random.Random) -> np.ndarray:
    axis = rng.randrange(array.ndim)
    part = array.take(range(min(array.shape[axis], rng.choice((1, 5)))), axis=axis)
    return np.concatenate([array, part], axis=axis)


ARRAY_CHANGES: tuple[Callable[[np.ndarray, list[np.ndarray], random.Random], np.ndarray], ...] = (
    _cells,
    _cells,
    _cells,
    _shorter,
    _longer,
    lambda array, arrays, rng: rng.choice(arrays),
    lambda array, arrays, rng: array[:0].copy(),
    lambda array, arrays, rng: array[::-1].copy(),
    lambda array, arrays, rng: np.asfortranarray(array),
    lambda array, arrays, rng: np.ascontiguousarray(array.T),
    lambda array, arrays, rng: array.reshape(-1),
    lambda array, arrays, rng: (
        array.astype(rng.choice(["f8", "f4", "i8", "i4"])) if array.dtype.kind in "iuf" else array
    ),
    lambda array, arrays, rng: np.full_like(array, rng.choice((-1, 0, 1))) if array.dtype.kind in "if" else array,
)
