"""Networks laid out without memory, and given first weights by a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

from margin.deep.architectures.making import give_memory, initialise

__all__ = ["made_network"]

Net = TypeVar("Net", bound=nn.Module)


def made_network(laid_out: Callable[[], Net], device: str, seed: int) -> Net:
    """The network that a function lays out: without memory on "meta", else with weights drawn by the seed.

    Layers beside convolutions, linear ones and batch norm draw theirs in a method ``initialise`` of their own.
    """
    with torch.device("meta"):
        net = laid_out().to(torch.float32)
    net.train()
    if device == "meta":
        return net
    give_memory(net, device)
    initialise(net, torch.Generator(device).manual_seed(seed))
    return net
