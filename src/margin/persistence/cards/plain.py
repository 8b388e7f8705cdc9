"""Values out of a header without knowing kinds: labels, levels, names and parameters, for people to read.

Small arrays are read where they are needed, digests checked; larger ones are only spoken of.
"""

from __future__ import annotations

import binascii
import itertools
import math
import struct
from typing import Any, TypeGuard

from margin.persistence.container.head import Head
from margin.persistence.container.limits import DEEPEST, SPAN, Malformed

__all__ = ["FIRST_LEVELS", "Plain"]

#: Levels of a column that are told; their number always is.
FIRST_LEVELS = 5
_CODES = {
    "|b1": "?", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I", "<i8": "q", "<u8": "Q",
    "<f2": "e", "<f4": "f", "<f8": "d",
}  # fmt: skip
_TYPES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "U": "str", "S": "bytes"}


class Plain:
    """The values of one file."""

    def __init__(self, head: Head) -> None:
        self._head = head

    def is_array(self, number: object) -> TypeGuard[int]:
        """Whether a number is that of an array."""
        return type(number) is int and 0 <= number < len(self._head.buffers)

    def shape(self, number: object) -> tuple[int, ...]:
        """The shape of an array."""
        if not self.is_array(number):
            raise Malformed(f"{number!r} is not the number of an array")
        return self._head.buffers[number].shape

    def cells(self, number: Any) -> list[Any] | None:
        """The cells of an array in the order in which they are stored; None if it is too large for a look."""
        self.shape(number)
        buffer = self._head.buffers[number]
        if buffer.n_bytes > SPAN:
            return None
        raw = self._head.content(number)
        if buffer.dtype in _CODES:
            n = math.prod(buffer.shape)
            return list(struct.unpack(f"<{n}{_CODES[buffer.dtype]}", raw))
        width = int(buffer.dtype[2:]) * (4 if buffer.dtype[1] == "U" else 1)
        items = [raw[at : at + width] for at in range(0, len(raw), width)]
        if buffer.dtype[1] == "U":
            return [item.decode("utf-32-le", "replace").rstrip("\0") for item in items]
        return [item.rstrip(b"\0") for item in items]

    def texts(self, node: Any, most: int | None = None) -> tuple[int, list[str]]:
        """How many texts there are, and the first of them; none where they are too long for a look."""
        if isinstance(node, list) and all(type(text) is str for text in node):
            return len(node), node[:most]
        if not isinstance(node, dict) or node.keys() != {"utf8", "start"}:
            raise Malformed("must be texts")
        n, long = math.prod(self.shape(node["start"])), math.prod(self.shape(node["utf8"])) > SPAN
        places = self.cells(node["start"])
        if not places or long:
            return max(n - 1, 0), []
        content = self._head.content(node["utf8"])
        if not all(type(place) is int for place in places) or not places[0] >= 0 or places != sorted(places):
            raise Malformed("texts do not begin where they should")
        pairs = itertools.islice(itertools.pairwise(places), most)
        return n - 1, [content[a:b].decode(errors="replace") for a, b in pairs]

    def labels(self, node: Any) -> tuple[str, list[Any] | None]:
        """The type of some labels and the labels; None where they are too many for a look."""
        if not isinstance(node, dict):
            raise Malformed("must be labels")
        if "texts" in node:
            n, texts = self.texts(node["texts"])
            return "str", texts if len(texts) == n else None
        if isinstance(node.get("objects"), list):
            return "objects", [self.value(item) for item in node["objects"]]
        if isinstance(node.get("numbers"), list) and isinstance(node.get("dtype"), str):
            return _type_name(node["dtype"]), list(node["numbers"])
        if "array" in node:
            self.shape(node["array"])
            return _type_name(self._head.buffers[node["array"]].dtype), self.cells(node["array"])
        raise Malformed("must be labels")

    def levels(self, node: Any) -> tuple[int, list[Any]]:
        """How many levels a column has, and the first of them."""
        if isinstance(node, dict):
            return self.texts(node.get("texts"), FIRST_LEVELS)
        if not isinstance(node, list):
            raise Malformed("must be levels")
        return len(node), [self.value(item) for item in node[:FIRST_LEVELS]]

    def value(self, node: Any, deep: int = 0) -> Any:
        """A parameter as a plain value: arrays and models in it as a text that says what they are."""
        if node is None or type(node) in (bool, int, str, float):
            return node
        if deep > DEEPEST:
            raise Malformed("is nested too deep")
        if type(node) is list:
            return [self.value(item, deep + 1) for item in node]
        if type(node) is not dict or len(node) != 1:
            raise Malformed("must be a plain value")
        ((tag, inner),) = node.items()
        if tag in ("tuple", "set", "frozenset") and type(inner) is list:
            return [self.value(item, deep + 1) for item in inner]
        if tag == "map" and type(inner) is list and all(type(pair) is list and len(pair) == 2 for pair in inner):
            return {str(self.value(key, deep + 1)): self.value(item, deep + 1) for key, item in inner}
        return self._tagged(tag, inner)

    def _tagged(self, tag: str, inner: Any) -> Any:
        if tag == "float" and inner in ("inf", "-inf", "nan"):
            return float(inner)
        if tag == "bytes" and type(inner) is str:
            return binascii.a2b_base64(inner)
        if tag == "scalar" and type(inner) is list and len(inner) == 2 and inner[0] in _CODES:
            return struct.unpack(f"<{_CODES[inner[0]]}", binascii.a2b_base64(inner[1]))[0]
        if tag == "labels":
            return self.labels(inner)[1]
        if tag == "array":
            return f"array of {' × '.join(map(str, self.shape(inner)))}"
        if tag == "object":
            return self._named(inner)
        raise Malformed(f"{tag!r} is no plain value")

    def _named(self, number: object) -> str:
        """An object that is a setting: by its kind, and a model with its own settings that are plain."""
        node = object_of(self._head.header, number)
        given = node.get("parameters")
        if not isinstance(given, dict):
            return str(node["kind"])
        plain = [f"{name}={item!r}" for name, item in given.items() if type(item) in (bool, int, float, str)]
        return f"{node['kind']}({', '.join(plain)})"


def object_of(header: dict[str, Any], number: object) -> dict[str, Any]:
    """One object of a header."""
    objects = header.get("objects")
    if not isinstance(objects, list) or type(number) is not int or not 0 <= number < len(objects):
        raise Malformed(f"{number!r} is not the number of an object")
    node = objects[number]
    if not isinstance(node, dict) or not isinstance(node.get("kind"), str):
        raise Malformed(f"objects[{number}] must be an object with a kind")
    return node


def _type_name(dtype: str) -> str:
    kind = _TYPES.get(dtype[1:2], dtype)
    return kind if kind in ("str", "bytes", "bool") else f"{kind}{8 * int(dtype[2:])}"
