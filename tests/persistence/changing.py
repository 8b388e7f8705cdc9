"""Files as a hostile writer makes them by hand: taken apart, changed, and put together with digests that fit."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from margin.errors import MarginError, PersistenceError
from margin.persistence import from_bytes
from margin.persistence.container.reading import MemorySource, Opened, open_container
from margin.persistence.container.writing import MemorySink, write

__all__ = ["Change", "array_of", "changed", "outcome", "put", "rewritten", "state_of", "taken_apart", "value_of"]

#: What is done to the header and the arrays of a file.
Change = Callable[[dict[str, Any], list[np.ndarray]], Any]
QUESTIONS = ("predict", "predict_proba", "decision_function", "transform", "apply", "kneighbors")


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


def changed(content: bytes, *changes: Change) -> bytes:
    """The file after some changes, with digests that fit again."""
    header, arrays = taken_apart(content)
    for change in changes:
        change(header, arrays)
    return rewritten(header, arrays)


def state_of(header: dict[str, Any], kind: str) -> dict[str, Any]:
    """The state of the first object of a kind that has learnt something."""
    return next(node["state"] for node in header["objects"] if node["kind"] == kind and node["state"] is not None)


def value_of(kind: str, field: str, value: Any) -> Change:
    """A change: a field of the first object of a kind is something else."""
    return lambda header, _: state_of(header, kind).__setitem__(field, value)


def array_of(kind: str, field: str | tuple[Any, ...], act: Callable[[np.ndarray], Any], alone: bool = False) -> Change:
    """A change: what a function makes of an array in a field, or deeper in it, takes its place.

    ``alone``: objects that share the array keep it as it was.
    """
    *way, last = (field,) if isinstance(field, str) else field

    def change(header: dict[str, Any], arrays: list[np.ndarray]) -> None:
        holder: Any = state_of(header, kind)
        for step in way:
            holder = holder[step]
        given = arrays[holder[last]]
        new = np.array(act(given.copy()), dtype=given.dtype, order="C")
        if alone:
            arrays.append(new)
            holder[last] = len(arrays) - 1
        else:
            arrays[holder[last]] = new

    return change


def put(place: Any, value: Any) -> Callable[[np.ndarray], np.ndarray]:
    """What puts a value into cells of an array."""

    def act(array: np.ndarray) -> np.ndarray:
        array[place] = value
        return array

    return act


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
