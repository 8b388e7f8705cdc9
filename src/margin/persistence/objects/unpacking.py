"""Objects out of their nodes: each is checked whole before the next one may hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from margin import params
from margin.errors import MarginError
from margin.persistence.container.limits import Malformed, NewerKind
from margin.persistence.objects.arrays import Sizes
from margin.persistence.objects.fields import Absent, within
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.packing import parameter_names
from margin.persistence.objects.values import Value

__all__ = ["ObjectUnpacker"]

#: Models inside models: each asks the next, and Python follows only so far.
DEEPEST_MODEL = 16
#: Models of one file may be shared (a parameter and what was learnt of it), but answering must not take without end.
MOST_TIMES_ASKED = 64


class _Burden(NamedTuple):
    """What answering takes: how many models are asked, and how deep they stand in each other."""

    models: int
    depth: int

    def plus(self, other: _Burden) -> _Burden:
        return _Burden(self.models + other.models, max(self.depth, other.depth))

    def with_itself(self) -> _Burden:
        return _Burden(self.models + 1, self.depth + 1)


class ObjectUnpacker:
    """Reads the nodes of a header in order; an object can only hold what stands before it, so nothing is recursive.

    ``names`` is the closed table of kinds; nothing else can come out of a file.
    """

    def __init__(
        self,
        names: Mapping[str, Kind],
        kinds: Mapping[type, Kind],
        versions: Any,
        arrays: Sequence[np.ndarray],
        *,
        mapped: bool = False,
    ) -> None:
        self._names = names
        self._kinds = kinds
        self._versions = _checked_versions(versions, names)
        self._arrays = arrays
        self._mapped = mapped
        self._made: list[Any] = []
        self._used_arrays: set[int] = set()
        self._used_objects: set[int] = set()
        #: Of each object, itself included: models in it, one as often as it is asked, and models inside models.
        self._burdens: list[_Burden] = []
        self._burden = _Burden(0, 0)
        self.sizes = Sizes(mapped)

    def root(self, nodes: Any) -> Any:
        """The last object; everything else in the file belongs to it."""
        if not isinstance(nodes, list) or not nodes:
            raise Malformed("there must be objects")
        for number, node in enumerate(nodes):
            self._burden = _Burden(0, 0)
            made = within(f"objects[{number}]", self._object, node)
            self._burdens.append(self._burden.with_itself() if hasattr(type(made), "predict") else self._burden)
            if self._burdens[-1].models > MOST_TIMES_ASKED * len(nodes) or self._burdens[-1].depth > DEEPEST_MODEL:
                raise Malformed("models hold each other too often, or too deep", f"objects[{number}]")
            self._made.append(made)
        return self._made[-1]

    def check_nothing_is_left(self) -> None:
        """Every array and every object but the root is held by something."""
        if len(self._used_arrays) < len(self._arrays):
            raise Malformed("there are arrays that belong to nothing")
        if len(self._used_objects) < len(self._made) - 1:
            raise Malformed("there are objects that belong to nothing")

    def array(self, number: object) -> np.ndarray:
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise Malformed("must be the number of an array")
        self._used_arrays.add(number)
        return self._arrays[number]

    def object(self, number: object) -> Any:
        if type(number) is not int or not 0 <= number < len(self._made):
            raise Malformed("must be the number of an object that stands before")
        self._used_objects.add(number)
        self._burden = self._burden.plus(self._burdens[number])
        return self._made[number]

    def kind_of(self, value: Any) -> str:
        kind = self._kinds.get(type(value))
        return kind.name if kind else ""

    def _object(self, node: Any) -> Any:
        if not isinstance(node, dict) or not isinstance(node.get("kind"), str):
            raise Malformed("must be an object with a kind")
        kind = self._names.get(node["kind"])
        if kind is None or kind.name not in self._versions:
            raise Malformed(f"{node['kind']!r} is no kind of this file")
        expected = {"kind", "state", "parameters"} if kind.is_model else {"kind", "state"}
        if node.keys() != expected:
            raise Malformed(f"must have {', '.join(sorted(expected))}")
        self.sizes = Sizes(self._mapped)
        parameters = within("parameters", self._parameters, kind, node["parameters"]) if kind.is_model else {}
        values = within("state", self._state, kind, node["state"])
        return _made(kind, values, parameters)

    def _state(self, kind: Kind, state: Any) -> dict[str, Any]:
        if state is None and kind.is_model:
            return {}
        if not isinstance(state, dict):
            raise Malformed("must be an object")
        for version in range(self._versions[kind.name], kind.version):
            state = kind.steps[version](state)
        named = kind.named
        if unknown := state.keys() - named.keys():
            raise Malformed(f"a {kind.name} has no {sorted(unknown)[0]!r}")
        values = {}
        for name, (attribute, field) in named.items():
            if name in state:
                self.sizes.field = name
                values[attribute] = within(name, field.unpack, state[name], self)
            elif not isinstance(field, Absent):
                raise Malformed(f"{name!r} is missing")
            elif field.default is not None:
                values[attribute] = field.default()
        self.sizes.settle()
        return values

    def _parameters(self, kind: Kind, given: Any) -> dict[str, Any]:
        names = parameter_names(kind.cls)
        if not isinstance(given, dict) or not given.keys() <= set(names):
            raise Malformed(f"must be parameters of {kind.name}")
        defaults = {parameter.name: parameter.default for parameter in params.parameters(kind.cls)}
        found = {}
        for name in names:  # a parameter that is newer than the file has its default
            found[name] = within(name, Value().unpack, given[name], self) if name in given else defaults[name]
        return found


def _made(kind: Kind, values: dict[str, Any], parameters: dict[str, Any]) -> Any:
    try:
        made = kind.make(values, parameters)
        if kind.is_model:
            params.check(made)
        wrong = kind.check(made) if kind.check is not None and (values or not kind.is_model) else None
    except MarginError as error:
        raise Malformed(str(error)) from None
    if wrong:
        raise Malformed(f"a {kind.name}: {wrong}")
    return made


def _checked_versions(versions: Any, names: Mapping[str, Kind]) -> dict[str, int]:
    if not isinstance(versions, dict):
        raise Malformed("kinds must be an object")
    for name, version in versions.items():
        if type(version) is not int or version < 1:
            raise Malformed(f"kinds.{name} must be a version")
        if name not in names:
            raise NewerKind(f"it holds a {name!r}, which this margin does not know")
        if version > names[name].version:
            raise NewerKind(f"it holds a {name!r} of version {version}; this margin reads up to {names[name].version}")
    return versions
