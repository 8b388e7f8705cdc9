"""Networks of PyTorch: their tensors as plain arrays by name. Nothing here needs PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.deep.fitting.tensors import NamedTensors
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.arrays import finite
from margin.persistence.objects.fields import Packer, Unpacker, within
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Texts

__all__ = ["KINDS"]

#: The types of number that tensors are kept in; whatever is none of them is no tensor of a network.
NUMBERS = frozenset(np.dtype(name) for name in ("f4", "f8", "i8", "i4", "u1", "?"))


class ArraysByName:
    """Arrays of any shape by name, each stored as it lies in memory."""

    def pack(self, value: Any, to: Packer) -> dict[str, Any]:
        for name, array in value.items():
            within(f"[{name!r}]", _check, array)
        # Not ascontiguousarray, which makes rows of single numbers.
        arrays = [to.add_array(np.asarray(array, order="C")) for array in value.values()]
        return {"arrays": arrays, "names": Texts().pack(list(value), to)}

    def unpack(self, node: Any, of: Unpacker) -> dict[str, np.ndarray]:
        if not isinstance(node, dict) or node.keys() != {"arrays", "names"} or not isinstance(node["arrays"], list):
            raise Malformed("must be arrays with a name each")
        names = within("names", Texts().unpack, node["names"], of)
        if len(names) != len(node["arrays"]) or len(set(names)) != len(names):
            raise Malformed("every array must have a name of its own")
        found = {name: of.array(number) for name, number in zip(names, node["arrays"])}
        for name, array in found.items():
            within(f"[{name!r}]", _check, array)
            if array.dtype.kind == "f":
                of.sizes.later(finite, array)
        return found


def _check(array: Any) -> None:
    if not isinstance(array, np.ndarray) or array.dtype not in NUMBERS:
        raise Malformed(f"must be an array of numbers, not {getattr(array, 'dtype', type(array).__name__)}")


KINDS = (
    Kind(
        "named-tensors",
        NamedTensors,
        {"arrays": ArraysByName()},
        build=lambda values: NamedTensors(values["arrays"]),
    ),
)
