"""Objects as JSON nodes and arrays, and back.

Plain values are themselves. Everything else is an object with one key that says what it is::

    {"tuple": [...]}   {"dict": [[key, value], ...]}   {"array": 3}   {"object": {"class": ..., "state": ...}, "id": 7}

Arrays are listed apart and named by their number; an array or object met again is a reference, so what was
shared stays shared. Only classes of margin are made again, empty at first and then given their state: no name in a file
is ever called.
"""

from __future__ import annotations

import base64
import binascii
import enum
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from margin.errors import PersistenceError

__all__ = ["Decoder", "Encoder", "class_path"]

#: Deepest nesting that is followed; a model is data a few levels deep, more is a cycle or an attack.
DEEPEST = 100


def class_path(cls: type) -> str:
    """Where a class lives: ``'margin.bayes.naive:NaiveBayes'``."""
    return f"{cls.__module__}:{cls.__qualname__}"


class Encoder:
    """Turns objects into nodes and collects their arrays.

    >>> encoder = Encoder()
    >>> encoder.encode({"weights": np.zeros(2), "names": ("a", None)})
    {'dict': [['weights', {'array': 0}], ['names', {'tuple': ['a', None]}]]}
    >>> encoder.arrays
    [array([0., 0.])]
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self._nodes: dict[int, dict[str, Any]] = {}
        self._alive: list[Any] = []  # keeps every object that was numbered, so that no id is used twice
        self._path: list[str] = []

    def encode(self, value: Any) -> Any:
        if len(self._path) > DEEPEST:
            raise self._refusal(value, "is nested too deeply or holds itself")
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        for kind, write in _WRITERS:
            if type(value) is kind:
                return write(self, value)
        return self._encode_other(value)

    def inside(self, step: str, value: Any) -> Any:
        """The node of a part, with the way to it kept for error messages."""
        self._path.append(step)
        node = self.encode(value)
        self._path.pop()
        return node

    def _encode_other(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._once(value, self._array)
        if isinstance(value, np.generic):
            return self._scalar(value)
        if isinstance(value, np.dtype):
            return {"dtype": value.str}
        if _is_sparse(value):
            return self._once(value, self._sparse)
        if isinstance(value, type) or not _is_ours(type(value)):
            raise self._refusal(value, "is not something a .margin file can hold")
        if isinstance(value, enum.Enum):
            return {"enum": [class_path(type(value)), value.name]}
        return self._once(value, self._object)

    def _once(self, value: Any, write: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        if id(value) in self._nodes:
            return self._nodes[id(value)]
        number = len(self._alive)
        self._alive.append(value)
        self._nodes[id(value)] = {"same": number}  # before its parts are written: they may point back
        node = write(value)
        if "array" in node:
            self._nodes[id(value)] = node
            return node
        return {**node, "id": number}

    def _array(self, array: np.ndarray) -> dict[str, Any]:
        if array.dtype.kind in "OT":
            items = [self.inside(f"[{i}]", item) for i, item in enumerate(array.ravel().tolist())]
            return {"objects": {"shape": list(array.shape), "items": items}}
        self.arrays.append(np.asarray(array))
        return {"array": len(self.arrays) - 1}

    def _scalar(self, value: np.generic) -> dict[str, Any]:
        if value.dtype.hasobject:
            raise self._refusal(value, "is not something a .margin file can hold")
        return {"scalar": [value.dtype.str, base64.b64encode(value.tobytes()).decode()]}

    def _sparse(self, matrix: Any) -> dict[str, Any]:
        parts = matrix.tocsc() if matrix.format == "csc" else matrix.tocsr()
        arrays = [self.encode(np.asarray(part)) for part in (parts.data, parts.indices, parts.indptr)]
        return {"sparse": {"kind": type(parts).__name__, "shape": list(parts.shape), "parts": arrays}}

    def _object(self, value: Any) -> dict[str, Any]:
        state = value.__getstate__()
        return {"object": {"class": class_path(type(value)), "state": self.inside("", state)}}

    def _refusal(self, value: Any, why: str) -> PersistenceError:
        where = "".join(self._path) or "the model"
        kind = type(value).__name__ if not isinstance(value, type) else value.__name__
        home = type(value).__module__ if not isinstance(value, type) else value.__module__
        return PersistenceError(
            f"save: {where.lstrip('.')} {why} ({kind} of {home}); files hold margin's own models, "
            f"numbers, texts and arrays (for anything else use joblib.dump)."
        )


def _write_dict(encoder: Encoder, value: dict[Any, Any]) -> dict[str, Any]:
    return {"dict": [[encoder.encode(key), encoder.inside(_step(key), item)] for key, item in value.items()]}


def _write_items(name: str) -> Callable[[Encoder, Any], Any]:
    def write(encoder: Encoder, value: Any) -> Any:
        items = (
            value
            if isinstance(value, (list, tuple))
            else sorted(value, key=lambda item: (type(item).__name__, repr(item)))
        )
        nodes = [encoder.inside(f"[{i}]", item) for i, item in enumerate(items)]
        return nodes if name == "list" else {name: nodes}

    return write


def _write_bytes(_: Encoder, value: bytes) -> dict[str, Any]:
    return {"bytes": base64.b64encode(value).decode()}


_WRITERS: tuple[tuple[type, Callable[[Encoder, Any], Any]], ...] = (
    (dict, _write_dict),
    (list, _write_items("list")),
    (tuple, _write_items("tuple")),
    (set, _write_items("set")),
    (frozenset, _write_items("frozenset")),
    (bytes, _write_bytes),
)


def _step(key: Any) -> str:
    return f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"


def _is_ours(cls: type) -> bool:
    return cls.__module__.split(".")[0] == "margin"


def _is_sparse(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.sparse") and hasattr(value, "format")


class Decoder:
    """Turns nodes back into objects.

    >>> Decoder([np.zeros(2)]).decode({"dict": [["weights", {"array": 0}], ["names", {"tuple": ["a", None]}]]})
    {'weights': array([0., 0.]), 'names': ('a', None)}
    """

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self._known: dict[int, Any] = {}

    def decode(self, node: Any) -> Any:
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        tag = next(iter(node), "nothing")
        if tag == "object":
            return self.instance(node[tag], node["id"])
        read = _READERS.get(tag)
        if read is None:
            raise PersistenceError(f"the file holds {tag!r}, which this version of margin does not know.")
        value = read(self, node[tag])
        if "id" in node:
            self._known[node["id"]] = value
        return value

    def same(self, number: int) -> Any:
        return self._known[number]

    def array(self, number: int) -> np.ndarray:
        if not 0 <= number < len(self.arrays):
            raise PersistenceError(f"the file speaks of array {number}, but holds {len(self.arrays)}.")
        return self.arrays[number]

    def objects(self, node: dict[str, Any]) -> np.ndarray:
        array = np.empty(len(node["items"]), dtype=object)
        for i, item in enumerate(node["items"]):
            array[i] = self.decode(item)
        return array.reshape(node["shape"])

    def sparse(self, node: dict[str, Any]) -> Any:
        import scipy.sparse

        kinds = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
        if node["kind"] not in kinds:
            raise PersistenceError(
                f"the file holds a sparse matrix of kind {node['kind']!r}; known are {', '.join(kinds)}."
            )
        matrix = getattr(scipy.sparse, node["kind"])(tuple(self.decode(node["parts"])), shape=tuple(node["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def instance(self, node: dict[str, Any], number: int) -> Any:
        cls = _our_class(node["class"])
        made: Any = object.__new__(cls)
        self._known[number] = made
        _restore(made, self.decode(node["state"]))
        return made


_READERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "float": lambda _, text: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text],
    "bytes": lambda _, text: base64.b64decode(text, validate=True),
    "tuple": lambda decoder, items: tuple(decoder.decode(item) for item in items),
    "set": lambda decoder, items: {decoder.decode(item) for item in items},
    "frozenset": lambda decoder, items: frozenset(decoder.decode(item) for item in items),
    "dict": lambda decoder, pairs: {decoder.decode(key): decoder.decode(value) for key, value in pairs},
    "dtype": lambda _, text: np.dtype(text),
    "scalar": lambda _, pair: np.frombuffer(base64.b64decode(pair[1], validate=True), dtype=np.dtype(pair[0]))[0],
    "enum": lambda _, pair: _our_class(pair[0])[pair[1]],  # type: ignore[index]
    "array": Decoder.array,
    "objects": Decoder.objects,
    "sparse": Decoder.sparse,
    "same": Decoder.same,
}

#: What broken nodes can raise while they are read.
BROKEN = (
    KeyError, IndexError, TypeError, ValueError, AttributeError,
    binascii.Error, OverflowError, MemoryError, RecursionError,
)  # fmt: skip


def _our_class(path: str) -> type:
    """The class a path names: a class of margin and nothing else, found where it says it lives."""
    module, _, name = path.partition(":")
    if module.split(".")[0] != "margin" or module == "margin.__main__" or not name:
        raise PersistenceError(f"the file asks for {path!r}; only classes of margin are loaded, so it is refused.")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        raise PersistenceError(
            f"the file needs {path!r}, which this version of margin does not have (update margin)."
        ) from None
    if not isinstance(found, type) or class_path(found) != path:
        raise PersistenceError(f"the file asks for {path!r}, which is no class of margin, so it is refused.")
    return found


def _restore(made: Any, state: Any) -> None:
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    plain, slots = state if isinstance(state, tuple) else (state, None)
    if plain:
        made.__dict__.update(plain)
    for name, value in (slots or {}).items():
        object.__setattr__(made, name, value)
