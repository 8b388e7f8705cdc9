"""Which field each array of a file belongs to, and which model holds which: noted while a model is written.

In a state an array or an object is a bare number, and only its kind knows that it is one. The section ``outline`` says
it to readers that know no kinds, such as ``margin model show``: ``fields`` are names, ``arrays`` says which of them
each array belongs to, ``inside`` are models within models as ``[object, holder, field]``. Nothing is loaded by it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["WITNESS", "Outline"]

#: The field of arrays that stand beside the model.
WITNESS = "witness"


class Outline:
    """Kept by the packer; ``field`` says what is being packed, everything else happens within it."""

    def __init__(self) -> None:
        self._fields: dict[str, int] = {}
        self._arrays: list[int] = []
        self._inside: list[tuple[int, int, str]] = []
        self._place = WITNESS
        self._holder: tuple[int, str] | None = None

    @contextlib.contextmanager
    def field(self, kind: str, name: str, holder: int | None = None) -> Iterator[None]:
        """While a field is packed; ``holder`` is the identity of the object, if it is a model that may hold others."""
        before = self._place, self._holder
        self._place = f"{kind}.{name}"
        if holder is not None:
            self._holder = holder, name
        try:
            yield
        finally:
            self._place, self._holder = before

    @contextlib.contextmanager
    def parameter(self, kind: str, name: str) -> Iterator[None]:
        """While a parameter is packed: a model in it is a setting, not something learnt."""
        with self.field(kind, name):
            self._holder = None
            yield

    def add_array(self) -> None:
        """The next array belongs to the field that is being packed."""
        self._arrays.append(self._fields.setdefault(self._place, len(self._fields)))

    def add_model(self, number: int) -> None:
        """A model stands in the field that is being packed."""
        if self._holder is not None:
            self._inside.append((number, *self._holder))

    def section(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        """The section of the file; ``numbers`` are those of objects by their identity."""
        inside = [[number, numbers[holder], field] for number, holder, field in self._inside]
        return {"arrays": self._arrays, "fields": list(self._fields), "inside": inside}
