"""A table of two toy kinds, and a way to write and read a field without a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.persistence.container.limits import Malformed
from margin.persistence.objects.arrays import Sizes
from margin.persistence.objects.packing import ObjectPacker
from margin.persistence.objects.unpacking import ObjectUnpacker

__all__ = ["back", "read", "refusal", "written"]


def written(field: Any, value: Any) -> tuple[Any, list[np.ndarray]]:
    """The JSON of a value, and its arrays."""
    packer = ObjectPacker({}, {})
    return field.pack(value, packer), packer.arrays


def read(field: Any, node: Any, arrays: list[np.ndarray] | None = None, *, mapped: bool = False) -> Any:
    """The value of a node, with all its lengths and rules looked at."""
    reader = ObjectUnpacker({}, {}, {}, arrays or [], mapped=mapped)
    reader.sizes = Sizes(mapped)
    value = field.unpack(node, reader)
    reader.sizes.settle()
    return value


def back(field: Any, value: Any) -> Any:
    """A value written and read."""
    return read(field, *written(field, value))


def refusal(field: Any, node: Any, arrays: list[np.ndarray] | None = None) -> str:
    """Why a node is refused; empty if it is not."""
    try:
        read(field, node, arrays)
    except Malformed as wrong:
        return str(wrong)
    return ""
