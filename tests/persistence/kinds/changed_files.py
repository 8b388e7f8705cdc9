"""Model files with one thing changed and every digest put right again, and what comes of asking the model."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.errors import MarginError, PersistenceError
from margin.persistence import from_bytes
from margin.persistence.reading import MemorySource, Opened, open_container
from margin.persistence.writing import MemorySink, write

__all__ = ["asked", "changed", "opened"]

Parts = tuple[dict[str, Any], list[np.ndarray]]
WHOLE = (-1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63), 2**64)
NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 1e-300, "nan", "inf", "-inf")
OTHERS: tuple[Any, ...] = (None, True, False, "", "x", [], {}, 0, -1, 1.5, "rbf", "precomputed", "ovo", "one_vs_rest")
CELLS = (0, 1, -1, 2, 5, 2**31 - 1, -(2**31), 2**62, -(2**62), np.nan, np.inf, -np.inf, 1e300, -1e300)


def opened(content: bytes) -> Parts:
    """The header without its table of arrays, and the arrays."""
    found = open_container(MemorySource(content))
    assert isinstance(found, Opened)
    return {name: value for name, value in found.header.items() if name != "arrays"}, found.arrays()


def changed(parts: Parts, rng: random.Random) -> tuple[str, bytes]:
    """The file with one thing changed, and in words which."""
    header, arrays = copy.deepcopy(parts[0]), list(parts[1])
    what = _change_header(header, rng) if rng.random() < 0.5 or not arrays else _change_arrays(arrays, rng)
    sink = MemorySink()
    try:
        write(sink, header, arrays)
    except (ValueError, OverflowError):  # nothing that a header can hold
        return what, b""
    return what, bytes(sink.content)


def _places(node: Any, path: str) -> Iterator[tuple[Any, Any, str]]:
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key, f"{path}[{key!r}]"
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key], f"{path}[{key!r}]")


def _change_header(header: dict[str, Any], rng: random.Random) -> str:
    places = list(_places(header["objects"], ""))
    holder, key, path = rng.choice(places)
    way, old = rng.choice(("number", "number", "other", "another", "another", "gone")), holder[key]
    if way == "gone":
        del holder[key]
        return f"{path} gone"
    if way == "another":
        source, place, _ = rng.choice(places)
        new = copy.deepcopy(source[place])
    elif way == "other":
        new = rng.choice(OTHERS)
    else:
        new = rng.choice(NUMBERS if type(old) is float else WHOLE)
    holder[key] = new
    return f"{path}: {old!r:.80} is {new!r:.80}"


def _change_arrays(arrays: list[np.ndarray], rng: random.Random) -> str:
    at = rng.randrange(len(arrays))
    old = arrays[at]
    way = rng.choice(("cell", "cell", "cell", "row", "shorter", "longer", "swapped", "empty", "type", "turned", "same"))
    if way == "swapped":
        other = rng.randrange(len(arrays))
        arrays[at], arrays[other] = arrays[other], arrays[at]
        return f"arrays {at} and {other} swapped"
    arrays[at] = new = _changed_array(old.copy(), way, rng)
    return f"array {at} {old.dtype}{old.shape}: {way}, {new.dtype}{new.shape}"


def _changed_array(array: np.ndarray, way: str, rng: random.Random) -> np.ndarray:
    if way == "empty":
        return array[:0]
    if way == "shorter":
        return array[:-1] if rng.random() < 0.5 or array.ndim < 2 else np.ascontiguousarray(array[..., :-1])
    if way == "longer":
        by_row = rng.random() < 0.5 or array.ndim < 2
        return np.concatenate([array, array[-1:] if by_row else array[..., -1:]], axis=0 if by_row else -1)
    if way == "type":
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return array.astype(rng.choice(("f8", "f4", "i8", "i4")) if array.dtype.kind != "U" else "f8")
    if way == "turned":
        return np.asfortranarray(array) if rng.random() < 0.5 else np.ascontiguousarray(array.T)
    if array.size and array.dtype.kind in "fiu" and way in ("cell", "row"):
        cells = array.reshape(-1)
        place = slice(None) if way == "row" else rng.randrange(cells.size)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells[place] = np.array(rng.choice(CELLS)).astype(array.dtype)
    return array


def asked(content: bytes, rows: Any) -> str:
    """What becomes of a file: ``"refused"``, ``"answered"`` or ``"refused to answer"``; any other error is raised."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = from_bytes(content)
        except PersistenceError:
            return "refused"
        try:
            for X in rows:
                for method in ("predict", "predict_proba", "decision_function"):
                    if hasattr(model, method):
                        getattr(model, method)(X)
        except MarginError:
            return "refused to answer"
    return "answered"
