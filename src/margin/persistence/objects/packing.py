"""Objects as a list of nodes and a list of arrays: an object stands behind everything that it holds."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from margin import params
from margin.errors import MarginError
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.fields import Absent, within
from margin.persistence.objects.kind import Kind, attributes_of
from margin.persistence.objects.outline import Outline
from margin.persistence.objects.values import Value

__all__ = ["Legacy", "ObjectPacker"]

#: Texts and labels that stand in the header itself; it holds only so many values, and arrays and objects need theirs.
MOST_INLINE = 2**16


class Legacy:
    """An object of an older file: its kind and its attributes, still unchecked."""

    def __init__(self, kind: str, attributes: dict[str, Any]) -> None:
        self.kind = kind
        self.attributes = attributes


class ObjectPacker:
    """Turns objects into nodes; what is shared is written once.

    ``kinds`` is the table by class. Nodes read ``{"kind": "schema", "state": {...}}``, models have ``"parameters"``
    too, and ``"state"`` is null for one that has learnt nothing.
    """

    def __init__(self, kinds: Mapping[type, Kind], names: Mapping[str, Kind]) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: list[np.ndarray] = []
        self._kinds = kinds
        self._names = names
        self._numbers: dict[int, int] = {}
        self._room = MOST_INLINE
        self._alive: list[Any] = []  # so that no id is used twice
        self._open: set[int] = set()
        self._outline = Outline()

    def versions(self) -> dict[str, int]:
        """The kinds that were met, with the versions of their states."""
        return {node["kind"]: self._names[node["kind"]].version for node in self.objects}

    def takes_inline(self, n: int) -> bool:
        """Whether there is room for so many more values in the header; what there is not goes into buffers."""
        self._room -= n
        return self._room >= 0

    def outline(self) -> dict[str, Any]:
        """Which field each array belongs to and which model holds which, for readers that know no kinds."""
        return self._outline.section(self._numbers)

    def kind_of(self, value: object) -> str:
        kind = self._kind(value)
        return kind.name if kind else ""

    def _kind(self, value: object) -> Kind | None:
        return self._names.get(value.kind) if isinstance(value, Legacy) else self._kinds.get(type(value))

    def add_array(self, array: np.ndarray) -> int:
        if id(array) not in self._numbers:
            if array.dtype.hasobject or array.dtype.kind not in "biufUS" or array.dtype.itemsize == 0:
                raise Malformed(f"an array of {array.dtype} cannot be saved")
            if array.dtype.kind == "f" and array.dtype.itemsize > 8:
                raise Malformed(f"an array of {array.dtype} cannot be saved (use float64)")
            self._remember(array, len(self.arrays))
            self.arrays.append(np.asarray(array))
            self._outline.add_array()
        return self._numbers[id(array)]

    def add_object(self, value: object) -> int:
        kind = self._kind(value)
        if id(value) not in self._numbers:
            self._add_new(kind, value)
        number = self._numbers[id(value)]
        if kind is not None and kind.is_model:
            self._outline.add_model(number)
        return number

    def _add_new(self, kind: Kind | None, value: object) -> None:
        if id(value) in self._open:
            raise Malformed("holds itself")
        if kind is None:
            Value().pack(value, self)  # says why
            raise Malformed(f"is a {type(value).__name__}, which has no kind")
        self._open.add(id(value))
        node = self._node(kind, value)
        self._open.discard(id(value))
        self._remember(value, len(self.objects))
        self.objects.append(node)

    def _remember(self, value: object, number: int) -> None:
        self._alive.append(value)
        self._numbers[id(value)] = number

    def _node(self, kind: Kind, value: object) -> dict[str, Any]:
        attributes = value.attributes if isinstance(value, Legacy) else attributes_of(value)
        if not kind.is_model:
            return {"kind": kind.name, "state": self._state(kind, attributes, None)}
        if not isinstance(value, Legacy):
            _check_parameters(value)
        names = parameter_names(kind.cls)
        given = {name: attributes[name] for name in names if name in attributes}
        packed = {name: self._parameter(kind, name, item) for name, item in given.items()}
        learnt = attributes.keys() - given.keys() - kind.derived - {"_learnt"}
        state = self._state(kind, attributes, id(value)) if learnt & kind.fields.keys() else None
        return {"kind": kind.name, "parameters": packed, "state": state}

    def _parameter(self, kind: Kind, name: str, item: Any) -> Any:
        with self._outline.parameter(kind.name, name):
            return within(name, Value().pack, item, self)

    def _state(self, kind: Kind, attributes: dict[str, Any], holder: int | None) -> dict[str, Any]:
        state = {}
        for name, (attribute, field) in kind.named.items():
            if attribute in attributes:
                with self._outline.field(kind.name, name, holder):
                    state[name] = within(attribute, field.pack, attributes[attribute], self)
            elif not isinstance(field, Absent):
                raise Malformed(f"a {kind.name} has no {attribute}")
        return state


def _check_parameters(model: Any) -> None:
    """A parameter that breaks its rule is refused now rather than by whoever loads the file."""
    try:
        params.check(model)
    except MarginError as error:
        raise Malformed(str(error).rstrip(".")) from None


@functools.cache
def parameter_names(cls: Any) -> tuple[str, ...]:
    """The parameters of an estimator, as scikit-learn finds them."""
    return tuple(cls._get_param_names())
