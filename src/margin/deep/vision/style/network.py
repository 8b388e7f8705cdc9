"""The network whose layers are compared: that of a file, or seeded random weights."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch
from torch import nn

from margin.deep.architectures.building import build
from margin.deep.architectures.making import give_memory, initialise
from margin.deep.weights.files import load_weights
from margin.errors import ParameterError, closest, listing
from margin.random import seed_for
from margin.typing import SeedLike

__all__ = ["layer_names", "stylist"]


def stylist(architecture: str, weights: Any, pooling: str, seed: SeedLike) -> nn.Module:
    """A network in answering mode whose weights take no gradient; of VGG its convolutions alone."""
    if weights is not None:
        net: nn.Module = build(architecture)
        load_weights(net, weights)
    elif architecture.startswith("vgg"):
        net = build(architecture, device="meta")
    else:
        net = build(architecture, random_state=seed)
    if architecture.startswith("vgg"):  # its fully connected layers are nine tenths of its weights
        net = nn.Sequential(OrderedDict([("features", net.get_submodule("features"))]))
        if weights is None:
            give_memory(net, "cpu")
            initialise(net, torch.Generator().manual_seed(seed_for(seed, "first weights", bits=63)))
    if pooling == "avg":
        _average(net)
    return net.eval().requires_grad_(False).to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def _average(net: nn.Module) -> None:
    """Means in the place of maxima: pictures come out smoother (Gatys et al. 2016)."""
    for parent in list(net.modules()):
        for name, each in list(parent.named_children()):
            if isinstance(each, nn.MaxPool2d):
                setattr(parent, name, nn.AvgPool2d(each.kernel_size, each.stride, each.padding, each.ceil_mode))


def layer_names(net: nn.Module, asked: Any, parameter: str, who: str) -> list[str]:
    """Layers by name: as modules are called, by number within ``features``, or as in papers (conv4_2)."""
    modules = [name for name, _ in net.named_modules() if name]
    known = {**dict(zip(modules, modules)), **_as_in_papers(net)}
    known |= {name.removeprefix("features."): name for name in modules if name.startswith("features.")}
    strange = [str(each) for each in asked if str(each) not in known]
    if strange:
        shown = list(_as_in_papers(net)) or modules
        raise ParameterError(
            f"{who}({parameter}={list(asked)!r}): there is no layer {strange[0]!r}; layers are {listing(shown, 40)}"
            f"{closest(strange[0], shown)}."
        )
    return [known[str(each)] for each in asked]


def _as_in_papers(net: nn.Module) -> dict[str, str]:
    """conv<stage>_<number> of the convolutions of VGG."""
    found, stage, number = {}, 1, 0
    for name, each in getattr(net, "features", nn.Sequential()).named_children():
        if isinstance(each, nn.Conv2d):
            number += 1
            found[f"conv{stage}_{number}"] = f"features.{name}"
        elif isinstance(each, nn.MaxPool2d | nn.AvgPool2d):
            stage, number = stage + 1, 0
    return found if len(found) > 5 else {}
