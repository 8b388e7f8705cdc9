"""What a field of a model may be: written as JSON and arrays, and read back only if it is what it must be.

A field knows two ways. ``pack(value, to)`` gives the JSON that stands for a value; arrays and objects are put into
``to`` and stand there by their number. ``unpack(node, of)`` gives the value, or raises :class:`Malformed`. The kind of
the model says which field stands where, so that nothing in a file names a type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from margin.persistence.container.limits import Malformed

__all__ = [
    "ANY_NUMBER",
    "Absent",
    "Either",
    "Field",
    "Fixed",
    "Flag",
    "ListOf",
    "MapOf",
    "Maybe",
    "Model",
    "Number",
    "Object",
    "Packer",
    "Renamed",
    "SetOf",
    "Text",
    "TupleOf",
    "Unpacker",
    "Whole",
]


class Packer(Protocol):
    """Where arrays and objects are put while a model is written."""

    def add_array(self, array: np.ndarray) -> int: ...

    def add_object(self, value: object) -> int: ...

    def takes_inline(self, n: int) -> bool: ...

    def kind_of(self, value: object) -> str: ...


class Unpacker(Protocol):
    """Where arrays and objects are found while a model is read. ``sizes`` are those of the object being read."""

    sizes: Any

    def array(self, number: int) -> np.ndarray: ...

    def object(self, number: int) -> Any: ...

    def kind_of(self, value: Any) -> str: ...


class Field(Protocol):
    """One thing that a model holds."""

    def pack(self, value: object, to: Packer) -> Any: ...

    def unpack(self, node: Any, of: Unpacker) -> Any: ...


class Absent:
    """A field that need not be there: some settings, or older files, do without it.

    With ``default``, a function without arguments, an older file gets what it gives.
    """

    def __init__(self, field: Field, default: Callable[[], Any] | None = None) -> None:
        self.field = field
        self.default = default

    def pack(self, value: object, to: Packer) -> Any:
        return self.field.pack(value, to)

    def unpack(self, node: Any, of: Unpacker) -> Any:
        return self.field.unpack(node, of)


class Renamed:
    """A field whose attribute has another name now; in files it keeps ``name``."""

    def __init__(self, name: str, field: Field) -> None:
        self.name = name
        self.field = field

    def pack(self, value: object, to: Packer) -> Any:
        return self.field.pack(value, to)

    def unpack(self, node: Any, of: Unpacker) -> Any:
        return self.field.unpack(node, of)


class Flag:
    """True or False."""

    def pack(self, value: object, to: Packer) -> Any:
        if not isinstance(value, (bool, np.bool_)):
            raise Malformed(f"must be True or False, not {value!r}")
        return bool(value)

    def unpack(self, node: Any, of: Unpacker) -> bool:
        if type(node) is not bool:
            raise Malformed(f"must be true or false, not {_shown(node)}")
        return node


class Whole:
    """A whole number from ``low`` to ``high``; ``size`` names the length that it states."""

    def __init__(self, low: int = -(2**63), high: int = 2**63 - 1, size: str = "") -> None:
        self.low, self.high, self.size = (0 if size and low < 0 else low), high, size

    def pack(self, value: object, to: Packer) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise Malformed(f"must be a whole number, not {value!r}")
        return int(value)

    def unpack(self, node: Any, of: Unpacker) -> int:
        if type(node) is not int or not self.low <= node <= self.high:
            raise Malformed(f"must be a whole number from {self.low} to {self.high}, not {_shown(node)}")
        if self.size:
            of.sizes.state(self.size, node)
        return node


class Number:
    """A number from ``low`` to ``high``; ``finite=False`` lets infinities through, ``missing=True`` NaN."""

    def __init__(
        self, low: float = -math.inf, high: float = math.inf, *, finite: bool = True, missing: bool = False
    ) -> None:
        self.low, self.high, self.finite, self.missing = low, high, finite, missing

    def pack(self, value: object, to: Packer) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise Malformed(f"must be a number, not {value!r}")
        number = float(value)
        return number if math.isfinite(number) else str(number)

    def unpack(self, node: Any, of: Unpacker) -> float:
        if type(node) is float:
            number = node
        elif node in ("inf", "-inf", "nan"):
            number = float(node)
        else:
            raise Malformed(f"must be a number, not {_shown(node)}")
        if math.isnan(number):
            fits = self.missing
        else:
            fits = self.low <= number <= self.high and (math.isfinite(number) or not self.finite)
        if not fits:
            raise Malformed(f"must be a number from {self.low} to {self.high}, not {number}")
        return number


#: Objectives, scores, ends of intervals and the like, which may come out as infinity or not at all.
ANY_NUMBER = Number(finite=False, missing=True)


class Text:
    """A text; one of ``choices``, if there are any. ``choices`` may be a function that gives them."""

    def __init__(self, *choices: str, known: Callable[[], Any] | None = None) -> None:
        self._choices = choices
        self._known = known

    def pack(self, value: object, to: Packer) -> str:
        if not isinstance(value, str):
            raise Malformed(f"must be a text, not {value!r}")
        return str(value)

    def unpack(self, node: Any, of: Unpacker) -> str:
        if type(node) is not str:
            raise Malformed(f"must be a text, not {_shown(node)}")
        choices = tuple(self._known()) if self._known else self._choices
        if choices and node not in choices:
            raise Malformed(f"must be one of {', '.join(map(repr, choices))}, not {_shown(node)}")
        return node


class Maybe:
    """A field that may be None."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def pack(self, value: object, to: Packer) -> Any:
        return None if value is None else self.field.pack(value, to)

    def unpack(self, node: Any, of: Unpacker) -> Any:
        return None if node is None else self.field.unpack(node, of)


class Either:
    """One of several fields; the first that takes the value is used, and its number stands before it."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    def pack(self, value: object, to: Packer) -> list[Any]:
        reasons = []
        for number, field in enumerate(self.fields):
            try:
                return [number, field.pack(value, to)]
            except Malformed as wrong:
                reasons.append(str(wrong))
        raise Malformed(" or ".join(reasons))

    def unpack(self, node: Any, of: Unpacker) -> Any:
        if not isinstance(node, list) or len(node) != 2 or type(node[0]) is not int:
            raise Malformed("must be a choice and a value")
        if not 0 <= node[0] < len(self.fields):
            raise Malformed(f"there is no choice {node[0]}")
        return self.fields[node[0]].unpack(node[1], of)


class ListOf:
    """A list of values of one field; ``size`` names its length."""

    make: Callable[[list[Any]], Any] = list

    def __init__(self, field: Field, size: str = "") -> None:
        self.field = field
        self.size = size

    def pack(self, value: object, to: Packer) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise Malformed(f"must be a list, not {type(value).__name__}")
        return [within(f"[{i}]", self.field.pack, item, to) for i, item in enumerate(value)]

    def unpack(self, node: Any, of: Unpacker) -> Any:
        if not isinstance(node, list):
            raise Malformed(f"must be a list, not {_shown(node)}")
        if self.size:
            of.sizes.state(self.size, len(node))
        return type(self).make([within(f"[{i}]", self.field.unpack, item, of) for i, item in enumerate(node)])


class TupleOf(ListOf):
    """A tuple of values of one field."""

    make = tuple


class SetOf(ListOf):
    """A frozen set of texts or numbers, in files sorted."""

    make = frozenset

    def pack(self, value: object, to: Packer) -> list[Any]:
        if not isinstance(value, (set, frozenset)):
            raise Malformed(f"must be a set, not {type(value).__name__}")
        return super().pack(sorted(value), to)


class Fixed:
    """A tuple of so many values, each of its own field."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    def pack(self, value: object, to: Packer) -> list[Any]:
        if not isinstance(value, (list, tuple)) or len(value) != len(self.fields):
            raise Malformed(f"must be a tuple of {len(self.fields)}")
        return [within(f"[{i}]", f.pack, item, to) for i, (f, item) in enumerate(zip(self.fields, value))]

    def unpack(self, node: Any, of: Unpacker) -> tuple[Any, ...]:
        if not isinstance(node, list) or len(node) != len(self.fields):
            raise Malformed(f"must be a list of {len(self.fields)}")
        return tuple(within(f"[{i}]", f.unpack, item, of) for i, (f, item) in enumerate(zip(self.fields, node)))


class MapOf:
    """A mapping from texts to values of one field."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def pack(self, value: object, to: Packer) -> list[Any]:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise Malformed("must be a mapping from texts")
        return [[key, within(f"[{key!r}]", self.field.pack, item, to)] for key, item in value.items()]

    def unpack(self, node: Any, of: Unpacker) -> dict[str, Any]:
        if not isinstance(node, list) or not all(
            isinstance(e, list) and len(e) == 2 and type(e[0]) is str for e in node
        ):
            raise Malformed("must be a list of pairs of a text and a value")
        found = {key: within(f"[{key!r}]", self.field.unpack, item, of) for key, item in node}
        if len(found) < len(node):
            raise Malformed("a key stands there twice")
        return found


class Object:
    """Another object, of one of ``kinds``; ``where`` says which of its numbers are lengths of this one.

    ``Object("columns", where={"d": lambda columns: columns.n})`` makes ``d`` the number of columns.
    """

    def __init__(self, *kinds: str, where: Mapping[str, Callable[[Any], int]] | None = None) -> None:
        self.kinds = kinds
        self.where = dict(where or {})

    def pack(self, value: object, to: Packer) -> int:
        kind = to.kind_of(value)
        if kind not in self.kinds:
            raise Malformed(f"must be of kind {' or '.join(self.kinds)}, not {kind or type(value).__name__}")
        return to.add_object(value)

    def unpack(self, node: Any, of: Unpacker) -> Any:
        found = of.object(node)
        if (kind := of.kind_of(found)) not in self.kinds:
            raise Malformed(f"must be of kind {' or '.join(self.kinds)}, not {kind}")
        for size, length in self.where.items():
            of.sizes.state(size, int(length(found)))
        return found


class Model:
    """Another model, fitted, of any kind; ``where`` says which of its numbers are lengths of this one.

    What has no kind, such as a model of scikit-learn, is refused with what can be done instead.
    """

    def __init__(self, where: Mapping[str, Callable[[Any], int]] | None = None) -> None:
        self.where = dict(where or {})

    def pack(self, value: object, to: Packer) -> int:
        return to.add_object(value)

    def unpack(self, node: Any, of: Unpacker) -> Any:
        found = of.object(node)
        if not hasattr(type(found), "get_params") or not hasattr(found, "predict"):
            raise Malformed(f"must be a model, not of kind {of.kind_of(found)}")
        if "_learnt" not in vars(found):
            raise Malformed("must be a fitted model")
        for size, length in self.where.items():
            of.sizes.state(size, int(length(found)))
        return found


def within(step: str, act: Callable[..., Any], *given: Any) -> Any:
    """Do something; what is wrong in it is told with the step that led there."""
    try:
        return act(*given)
    except Malformed as wrong:
        raise wrong.inside(step) from None


def _shown(node: Any) -> str:
    text = repr(node)
    return text if len(text) <= 40 else text[:40] + "…"
