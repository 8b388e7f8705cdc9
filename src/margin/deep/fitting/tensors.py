"""The numbers of a network as plain arrays by name: what is kept of it in files and between processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.lazy import package_of_extra

if TYPE_CHECKING:
    import torch
    from torch import nn

__all__ = ["NamedTensors"]


class NamedTensors(Mapping[str, np.ndarray]):
    """Arrays by the names that the tensors of a network have (``state_dict``). No torch is needed to hold them.

    >>> kept = NamedTensors({"fc.weight": np.zeros((2, 3), np.float32), "fc.bias": np.zeros(2, np.float32)})
    >>> kept
    <NamedTensors: 2 tensors, 8 numbers>
    >>> kept["fc.weight"].shape
    (2, 3)
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = dict(arrays)

    @classmethod
    def of(cls, net: nn.Module) -> NamedTensors:
        """Those of a network, as copies that later training does not change."""
        # A tensor may lie in memory in another order (channels last); arrays have the usual one.
        return cls({name: each.detach().cpu().contiguous().numpy().copy() for name, each in net.state_dict().items()})

    def misfit(self, net: nn.Module) -> str | None:
        """The first difference from the tensors of a network, which may be one without memory; None if it has them."""
        wanted = net.state_dict()
        for name, place in wanted.items():
            if name not in self.arrays:
                return f"the tensor {name!r} is missing"
            given = self.arrays[name]
            if given.shape != tuple(place.shape) or str(place.dtype) != f"torch.{given.dtype.name}":
                return f"the tensor {name!r} is {_told(given.dtype.name, given.shape)}, and must be " + _told(
                    str(place.dtype).removeprefix("torch."), tuple(place.shape)
                )
        strange = [name for name in self.arrays if name not in wanted]
        return f"there is no place for the tensor {strange[0]!r}" if strange else None

    def tensors(self) -> dict[str, torch.Tensor]:
        """The same as tensors of their own, which may be written to."""
        package = package_of_extra("torch", "NamedTensors")
        return {name: package.from_numpy(each.copy()) for name, each in self.arrays.items()}

    def put_into(self, net: nn.Module) -> None:
        """Give a network these numbers; one laid out on the meta device gets its memory so."""
        net.load_state_dict(self.tensors(), strict=True, assign=True)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        return f"<NamedTensors: {len(self)} tensors, {sum(each.size for each in self.arrays.values()):,} numbers>"


def _told(dtype: str, shape: tuple[int, ...]) -> str:
    sides: Any = " x ".join(map(str, shape))
    return f"{sides or 'one number'} of {dtype}"
