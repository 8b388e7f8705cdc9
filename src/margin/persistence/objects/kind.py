"""A kind: the name that stands in files for a class, and everything that a file may say of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from margin.persistence.objects.fields import Absent, Field, Renamed

__all__ = ["Kind", "attributes_of"]


@dataclass(frozen=True)
class Kind:
    """What files know of one class.

    Attributes
    ----------
    name
        What stands in files; never changes, wherever the class lives and whatever it is called.
    cls
        The class.
    fields
        Attribute → field. In files a field has the name of its attribute without outer underscores; an attribute that
        is called otherwise now says ``Renamed("old", field)``. One that may be missing says ``Absent(field)``.
    version
        Of the state; raise it when ``fields`` change in a way that older files do not fit.
    steps
        From each older version, a function that turns the state of a file (JSON, by field name) into the next one's.
    answers_since
        The version from which on models answer as they do now; files of older ones are not held to their witness rows.
    check
        Says what does not fit together in an object that was read (a sentence), or None. It runs before anything else
        is done with the object, so that compiled code is never handed arrays that could lead it astray.
    derived
        Attributes that are made again when they are needed, and not saved.
    build
        Makes the object of its fields (by attribute), where setting attributes is not how it is made.
    finish
        Derives at once what every use needs.
    is_model
        Whether it has parameters as scikit-learn's estimators do; they stand beside the fields.
    """

    name: str
    cls: type
    fields: Mapping[str, Field] = field(default_factory=dict)
    version: int = 1
    steps: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    answers_since: int = 1
    check: Callable[[Any], str | None] | None = None
    derived: frozenset[str] = frozenset()
    build: Callable[[dict[str, Any]], Any] | None = None
    finish: Callable[[Any], None] | None = None

    @property
    def is_model(self) -> bool:
        return hasattr(self.cls, "get_params")

    @functools.cached_property
    def named(self) -> dict[str, tuple[str, Field]]:
        """Name in files → attribute and field."""
        return {_name(attribute, each): (attribute, each) for attribute, each in self.fields.items()}

    def make(self, values: dict[str, Any], parameters: dict[str, Any]) -> Any:
        """The object of its fields (by attribute) and parameters; no ``__init__`` and no ``__setstate__`` runs."""
        if self.build is not None:
            return self.build(values)
        made: Any = object.__new__(self.cls)
        for name, value in {**parameters, **values}.items():
            object.__setattr__(made, name, value)
        if values and self.finish is not None:
            self.finish(made)
        if values and self.is_model:
            made._learnt = tuple(sorted({*vars(made), "_learnt"} - parameters.keys()))
        return made


def _name(attribute: str, each: Field) -> str:
    inner = each.field if isinstance(each, Absent) else each
    return inner.name if isinstance(inner, Renamed) else attribute.strip("_")


def attributes_of(value: object) -> dict[str, Any]:
    """Everything an object holds, whether in its ``__dict__`` or in slots."""
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        for name in getattr(cls, "__slots__", ()):
            if hasattr(value, name):
                found[name] = getattr(value, name)
    return found
