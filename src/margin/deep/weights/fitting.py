"""Whether tensors are those of a network: all differences are found before a number is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

__all__ = ["Fitted", "fit_tensors", "put"]


@dataclass
class Fitted:
    """Tensors that fit, and what stands in the way.

    Attributes
    ----------
    tensors
        Those to set, by name.
    left
        Tensors of the network that keep their first weights, since they were not asked for.
    ignored
        Tensors of the file that the network has no place for and needs none.
    missing, unexpected, misshapen
        What does not fit: not in the file, not in the network, another shape or kind of number.
    """

    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    misshapen: list[str] = field(default_factory=list)


def fit_tensors(net: nn.Module, given: Mapping[str, torch.Tensor], replace_head: bool) -> Fitted:
    head = f"{getattr(net, 'head', '')}." if hasattr(net, "head") else None
    spare = tuple(f"{name}." for name in getattr(net, "auxiliary_heads", ()))
    wanted = net.state_dict()
    found = Fitted()
    for name, place in wanted.items():
        own_head = head is not None and name.startswith(head)
        # Auxiliary heads answer the same classes as the head: where that is new, so are their last layers.
        last_spare = name.startswith(spare) and name.split(".")[1] in ("fc", "fc2") if spare else False
        if replace_head and (own_head or last_spare):
            found.left.append(name)
        elif name in given:
            if wrong := _unlike(given[name], place):
                found.misshapen.append(f"{name} ({wrong})")
            else:
                found.tensors[name] = given[name]
        elif name.endswith("num_batches_tracked") or name.startswith(spare or ("\0",)):
            found.left.append(name)
        else:
            found.missing.append(name)
    for name in given:
        if name not in wanted:
            (found.ignored if spare and name.startswith(spare) else found.unexpected).append(name)
        elif name not in found.tensors and name in found.left:
            found.ignored.append(name)
    return found


def _unlike(given: torch.Tensor, place: torch.Tensor) -> str:
    """How a tensor differs from the one it is to become; empty if it does not."""
    if given.shape != place.shape:
        return f"{_shape(given)} in the file, {_shape(place)} in the network"
    if given.is_floating_point() != place.is_floating_point() or given.is_complex():
        return f"{str(given.dtype).removeprefix('torch.')} in the file"
    if given.is_floating_point() and not bool(torch.isfinite(given).all()):
        return "not finite"
    return ""


def _shape(tensor: torch.Tensor) -> str:
    return " x ".join(map(str, tensor.shape)) or "one number"


def put(net: nn.Module, tensors: Mapping[str, torch.Tensor]) -> None:
    """Set tensors of a network; numbers of any width become those of the network."""
    places = net.state_dict()
    with torch.no_grad():
        for name, tensor in tensors.items():
            places[name].copy_(tensor)
