"""Fields for what users bring along: labels, levels, and parameters of any plain type.

A plain value is itself where JSON has it; everything else is an object with one key that says what it is::

    {"float": "inf"}   {"tuple": [...]}   {"map": [[key, value], ...]}   {"set": [...]}   {"bytes": "..."}
    {"scalar": ["<f4", "..."]}   {"array": 3}   {"object": 7}   {"range": [start, stop, step]}
"""

from __future__ import annotations

import base64
import binascii
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from margin.persistence.container.bytes import NUMBERS
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.fields import Packer, Unpacker, within

__all__ = ["Label", "Labels", "Levels", "Texts", "Value"]

#: Up to so many texts stand in the header itself, where people and programs can read them.
FEW_TEXTS = 1000
#: A text in the header; longer ones, and many, go into a buffer.
SHORT_TEXT = 10_000
#: Bytes of fixed-width labels that are kept as texts; more are kept as they are in memory.
SMALL_LABELS = 4 * 2**20


class Value:
    """A plain value: numbers, texts, None, and lists, tuples, mappings, sets and arrays of them.

    With ``objects`` also models and other objects that have a kind.
    """

    def __init__(self, *, objects: bool = True) -> None:
        self.objects = objects

    def pack(self, value: object, to: Packer) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        for kind, tag, items in _CONTAINERS:
            if type(value) is kind:
                nodes = [within(f"[{i}]", self.pack, item, to) for i, item in enumerate(items(value))]
                return {tag: nodes} if tag else nodes
        if type(value) is dict:
            return {"map": [[self.pack(k, to), within(f"[{k!r}]", self.pack, v, to)] for k, v in value.items()]}
        if type(value) is bytes:
            return {"bytes": base64.b64encode(value).decode()}
        return self._pack_other(value, to)

    def _pack_other(self, value: object, to: Packer) -> Any:
        if isinstance(value, np.generic) and value.dtype.newbyteorder("<").str in NUMBERS:
            little = np.asarray(value, dtype=value.dtype.newbyteorder("<"))
            return {"scalar": [little.dtype.str, base64.b64encode(little.tobytes()).decode()]}
        if isinstance(value, np.str_):
            return str(value)
        if isinstance(value, range):
            return {"range": [value.start, value.stop, value.step]}
        if isinstance(value, np.ndarray):
            return {"labels": Labels().pack(value, to)} if value.dtype == object else {"array": to.add_array(value)}
        if self.objects and to.kind_of(value):
            return {"object": to.add_object(value)}
        raise Malformed(_refusal(value))

    def unpack(self, node: Any, of: Unpacker) -> Any:
        if node is None or type(node) in (bool, int, str, float):
            return node
        if type(node) is list:
            return [within(f"[{i}]", self.unpack, item, of) for i, item in enumerate(node)]
        if type(node) is not dict or len(node) != 1:
            raise Malformed("must be a plain value")
        ((tag, inner),) = node.items()
        if tag in ("tuple", "set", "frozenset") and type(inner) is list:
            return _MAKERS[tag](within(f"[{i}]", self.unpack, item, of) for i, item in enumerate(inner))
        if tag == "map" and type(inner) is list and all(type(pair) is list and len(pair) == 2 for pair in inner):
            return {_hashable(self.unpack(k, of)): self.unpack(v, of) for k, v in inner}
        if tag == "float" and inner in ("inf", "-inf", "nan"):
            return float(inner)
        if tag == "bytes":
            return _decoded(inner)
        if tag == "scalar":
            return _scalar(inner)
        if tag == "array":
            return of.array(inner)
        if tag == "labels":
            return Labels().unpack(inner, of)
        if tag == "range":
            return _range(inner)
        if tag == "object" and self.objects:
            return of.object(inner)
        raise Malformed(f"{tag!r} is no plain value")


_CONTAINERS: tuple[tuple[type, str, Callable[[Any], Any]], ...] = (
    (list, "", list),
    (tuple, "tuple", list),
    (set, "set", lambda items: sorted(items, key=lambda item: (type(item).__name__, repr(item)))),
    (frozenset, "frozenset", lambda items: sorted(items, key=lambda item: (type(item).__name__, repr(item)))),
)
_MAKERS: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple,
    "set": lambda items: {_hashable(item) for item in items},
    "frozenset": lambda items: frozenset(_hashable(item) for item in items),
}


def _refusal(value: object) -> str:
    """Why a value cannot stand in a file, and what to do."""
    name = value.__qualname__ if isinstance(value, type) else type(value).__name__
    if hasattr(value, "bit_generator") or hasattr(value, "tomaxint"):
        return "is a random generator, whose state is not kept (fit with a whole number as seed)"
    if hasattr(value, "rvs") or hasattr(value, "get_n_splits"):
        what = "distribution" if hasattr(value, "rvs") else "splitter"
        return f"is a {what} of another package ({name}), which a file cannot hold (save the chosen model, model_)"
    if hasattr(value, "get_params") and not isinstance(value, type):
        home = type(value).__module__.split(".")[0]
        return (
            f"is a {name} of {home}, which has no place in a file (margin.from_sklearn converts fitted models of "
            "scikit-learn, joblib.dump keeps any)"
        )
    if isinstance(value, type) or callable(value):
        return (
            f"is a function or class ({getattr(value, '__name__', name)}), and files hold no code "
            "(name what margin has, or keep the model with joblib.dump)"
        )
    return f"is a {name}, which a file cannot hold (numbers, texts, lists, mappings and arrays can be saved)"


def _hashable(value: object) -> Any:
    if isinstance(value, (list, dict, set, np.ndarray)) or type(value).__hash__ is None:
        raise Malformed("a key must be a plain value")
    try:
        hash(value)
    except TypeError:
        raise Malformed("a key must be a plain value") from None
    return value


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise Malformed("must be bytes in base 64") from None


def _scalar(node: Any) -> Any:
    if type(node) is not list or len(node) != 2 or node[0] not in NUMBERS:
        raise Malformed("must be the type and the bytes of a number")
    raw, dtype = _decoded(node[1]), np.dtype(node[0])
    if len(raw) != dtype.itemsize:
        raise Malformed("must be the type and the bytes of a number")
    return np.frombuffer(raw, dtype=dtype)[0]


def _range(node: Any) -> range:
    if type(node) is not list or len(node) != 3 or not all(type(each) is int for each in node) or node[2] == 0:
        raise Malformed("must be a start, a stop and a step")
    return range(*node)


class Texts:
    """A list of texts: in the header where they are few, else in a buffer, as UTF-8 one after another."""

    def pack(self, value: Any, to: Packer) -> Any:
        texts = list(value)
        if not all(type(text) is str for text in texts):
            raise Malformed("must be texts")
        few = len(texts) <= FEW_TEXTS and all(len(text) <= SHORT_TEXT for text in texts)
        if few and to.takes_inline(len(texts)):
            return texts
        try:
            encoded = [text.encode() for text in texts]
        except UnicodeEncodeError as error:
            raise Malformed(f"holds half a character, which no file can hold ({error.reason})") from None
        start = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in encoded], out=start[1:])
        return {"utf8": to.add_array(np.frombuffer(b"".join(encoded), dtype=np.uint8)), "start": to.add_array(start)}

    def unpack(self, node: Any, of: Unpacker) -> list[str]:
        if isinstance(node, list):
            if not all(type(text) is str for text in node):
                raise Malformed("must be texts")
            return node
        if not isinstance(node, dict) or node.keys() != {"utf8", "start"}:
            raise Malformed("must be texts")
        raw, start = of.array(node["utf8"]), of.array(node["start"])
        if raw.dtype != np.uint8 or start.dtype != np.int64 or raw.ndim != 1 or start.ndim != 1 or not len(start):
            raise Malformed("must be texts")
        if start[0] != 0 or start[-1] != len(raw) or (np.diff(start) < 0).any():
            raise Malformed("texts do not begin where they should")
        content, places = raw.tobytes(), start.tolist()
        try:
            return [content[a:b].decode() for a, b in itertools.pairwise(places)]
        except UnicodeDecodeError:
            raise Malformed("texts must be UTF-8") from None


class Labels:
    """Labels in the type they came in; ``size`` names their number, ``distinct`` asks that none stands twice."""

    def __init__(self, size: str = "", *, distinct: bool = False) -> None:
        self.size = size
        self.distinct = distinct

    def pack(self, value: object, to: Packer) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim != 1:
            raise Malformed("must be an array of labels")
        kind = value.dtype.kind
        if kind == "U" and value.nbytes <= SMALL_LABELS:
            return {"texts": Texts().pack(value.tolist(), to), "width": value.dtype.itemsize // 4}
        if kind == "O":
            items = value.tolist()
            if len(items) > FEW_TEXTS and all(type(item) is str for item in items):
                return {"texts": Texts().pack(items, to)}
            return {"objects": [Value(objects=False).pack(item, to) for item in items]}
        if kind not in "biufSU":
            raise Malformed(f"labels of type {value.dtype} cannot be saved")
        if len(value) <= FEW_TEXTS and kind in "bi" and value.dtype.itemsize in (1, 8):
            return {"numbers": value.tolist(), "dtype": value.dtype.newbyteorder("<").str}
        return {"array": to.add_array(value)}

    def unpack(self, node: Any, of: Unpacker) -> np.ndarray:
        if not isinstance(node, dict):
            raise Malformed("must be labels")
        found = self._read(node, of)
        if found.ndim != 1:
            raise Malformed("labels must stand in one dimension")
        if self.size:
            of.sizes.state(self.size, len(found))
        if self.distinct and len({*found.tolist()}) != len(found):
            raise Malformed("a label stands there twice, or is missing")
        return found

    def _read(self, node: dict[str, Any], of: Unpacker) -> np.ndarray:
        keys = set(node)
        if keys == {"texts", "width"}:
            texts, width = Texts().unpack(node["texts"], of), node["width"]
            longest = max(map(len, texts), default=0)
            if type(width) is not int or width < max(longest, 1) or 4 * width * len(texts) > SMALL_LABELS:
                raise Malformed("labels are wider or narrower than they say")
            return np.array(texts, dtype=f"<U{width}")
        if keys == {"texts"}:
            return _as_objects(Texts().unpack(node["texts"], of))
        if keys == {"objects"} and isinstance(node["objects"], list):
            return _as_objects([_plain_label(Value(objects=False).unpack(item, of)) for item in node["objects"]])
        if keys == {"numbers", "dtype"}:
            return _whole_numbers(node["numbers"], node["dtype"])
        if keys == {"array"}:
            array = of.array(node["array"])
            if array.dtype.kind not in "biufSU" or (array.dtype.kind == "U" and not _are_characters(array)):
                raise Malformed("must be labels")
            return array
        raise Malformed("must be labels")


def _are_characters(array: np.ndarray) -> bool:
    points = array.reshape(-1).view(np.uint32)
    return bool((points <= 0x10FFFF).all() and not ((points >= 0xD800) & (points <= 0xDFFF)).any())


def _as_objects(items: list[Any]) -> np.ndarray:
    found = np.empty(len(items), dtype=object)
    found[:] = items
    return found


def _plain_label(value: object) -> Any:
    if isinstance(value, frozenset):  # an answer of a model of several labels
        return frozenset(map(_plain_label, value))
    if not (value is None or isinstance(value, (bool, int, float, str, bytes, np.generic))):
        raise Malformed("a label must be a text, a number, None or a set of such")
    return value


def _whole_numbers(numbers: Any, dtype: Any) -> np.ndarray:
    if not isinstance(numbers, list) or dtype not in ("|b1", "|i1", "<i8"):
        raise Malformed("must be whole numbers")
    wanted = bool if dtype == "|b1" else int
    if not all(type(number) is wanted for number in numbers):
        raise Malformed("must be whole numbers")
    try:
        return np.array(numbers, dtype=dtype)
    except OverflowError:
        raise Malformed("a number is too large for its type") from None


class Label:
    """One label: a text, a number, a boolean or bytes."""

    def pack(self, value: object, to: Packer) -> Any:
        return Value(objects=False).pack(value, to)

    def unpack(self, node: Any, of: Unpacker) -> Any:
        return _plain_label(Value(objects=False).unpack(node, of))


class Levels:
    """The levels of a column: a tuple of texts, booleans or numbers, none of them twice."""

    def pack(self, value: object, to: Packer) -> Any:
        if not isinstance(value, tuple):
            raise Malformed("must be a tuple of levels")
        if value and all(type(level) is str for level in value):
            return {"texts": Texts().pack(value, to)}
        return [Label().pack(level, to) for level in value]

    def unpack(self, node: Any, of: Unpacker) -> tuple[Any, ...]:
        if isinstance(node, dict) and node.keys() == {"texts"}:
            levels: list[Any] = Texts().unpack(node["texts"], of)
        elif isinstance(node, list):
            levels = [Label().unpack(item, of) for item in node]
        else:
            raise Malformed("must be levels")
        if len(set(levels)) < len(levels) or any(level is None or level != level for level in levels):
            raise Malformed("a level stands there twice, or is missing")
        return tuple(levels)
