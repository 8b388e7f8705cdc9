"""From a plan to a network with its first weights."""

from __future__ import annotations

import torch
from torch import nn

from margin.deep.architectures.alexnet import alexnet
from margin.deep.architectures.cards import Card
from margin.deep.architectures.googlenet import googlenet
from margin.deep.architectures.inception import inception
from margin.deep.architectures.lenet import lenet
from margin.deep.architectures.plan import Network, Plan
from margin.deep.architectures.resnet import resnet
from margin.deep.architectures.small_nets import nin, small, small_resnet
from margin.deep.architectures.vgg import vgg
from margin.errors import ParameterError
from margin.random import seed_for
from margin.typing import SeedLike

__all__ = ["FAMILIES", "give_memory", "initialise", "made"]

FAMILIES = {
    "small": small, "lenet": lenet, "alexnet": alexnet, "vgg": vgg, "nin": nin, "googlenet": googlenet,
    "inception": inception, "resnet": resnet, "small_resnet": small_resnet,
}  # fmt: skip


def made(card: Card, plan: Plan, device: str, seed: SeedLike) -> Network:
    """The network of a plan. It is laid out without memory first: a summary of a large one costs nothing."""
    if min(plan.image_size) < (card.smallest_stem if plan.small_stem else card.smallest):
        raise ParameterError(_too_small(card, plan))
    with torch.device("meta"):
        net = FAMILIES[card.family](plan).to(torch.float32)
    net.train()
    if device == "meta":
        return net
    give_memory(net, device)
    initialise(net, torch.Generator(device).manual_seed(seed_for(seed, "first weights", bits=63)))
    return net


def give_memory(net: nn.Module, device: str) -> None:
    """What ``to_empty`` does, which would import a whole algebra system first."""
    for module in net.modules():
        for name, each in module._parameters.items():
            if each is not None:
                empty = torch.empty(each.shape, dtype=each.dtype, device=device)
                module._parameters[name] = nn.Parameter(empty, requires_grad=each.requires_grad)
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = torch.empty(buffer.shape, dtype=buffer.dtype, device=device)


def _too_small(card: Card, plan: Plan) -> str:
    side = card.smallest_stem if plan.small_stem else card.smallest
    hint = "" if plan.small_stem or card.smallest_stem >= card.smallest else (
        f" (stem='small' takes them from {card.smallest_stem} up)"
    )  # fmt: skip
    height, width = plan.image_size
    return (
        f"architectures.build({card.name!r}, image_size={(height, width)}): the sides of pictures must have "
        f"{side} pixels or more{hint}."
    )


def initialise(net: nn.Module, random: torch.Generator) -> None:
    """First weights of every layer: normal with variance 2 / inputs (He), zeros for biases, little for the head.

    Layers that know better have a method ``initialise`` of their own, which has the last word.
    """
    with torch.no_grad():
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.reset_parameters()
            elif isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu", generator=random)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        if isinstance(net, Network) and isinstance(head := net.get_submodule(net.head), nn.Linear):
            nn.init.normal_(head.weight, std=0.01, generator=random)
        for module in net.modules():
            if callable(own := getattr(module, "initialise", None)):
                own(random)
