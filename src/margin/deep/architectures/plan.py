"""How a network is to be built, and what all networks say of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import nn

__all__ = ["ConvBlock", "Network", "Plan", "TrainingOutputs", "spatial"]


@dataclass(frozen=True)
class Plan:
    """Everything that the shapes of a network follow from."""

    name: str
    n_classes: int
    channels: int
    image_size: tuple[int, int]
    small_stem: bool = False
    auxiliary: bool = False


class TrainingOutputs(NamedTuple):
    """What a network with auxiliary heads says while it is trained: logits, and those of each auxiliary head."""

    logits: torch.Tensor
    auxiliary: tuple[torch.Tensor, ...]


class Network(nn.Module):
    """A network for pictures: ``forward`` takes (n, channels, height, width) and gives a logit for each class."""

    #: The layer that answers, as in names of tensors.
    head: str = "fc"
    #: Heads that only training needs.
    auxiliary_heads: tuple[str, ...] = ()

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan


class ConvBlock(nn.Module):
    """A convolution without bias, batch normalisation and ReLU; or, not ``normed``, a convolution and ReLU."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel_size: int | tuple[int, int],
        stride: int = 1,
        padding: int | tuple[int, int] = 0,
        normed: bool = True,
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel_size, stride, padding, bias=not normed)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001) if normed else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.conv(x)
        return torch.relu(x if self.bn is None else self.bn(x))


def spatial(layers: nn.Sequential, plan: Plan) -> tuple[int, int]:
    """Height and width of the maps that convolutions and poolings make of the plan's pictures.

    They are worked out: asking layers without memory would cost seconds for what torch then imports.
    """
    height, width = plan.image_size
    for layer in layers:
        if isinstance(layer, nn.Conv2d | nn.MaxPool2d):
            height, width = (_side(side, layer, axis) for axis, side in enumerate((height, width)))
    return height, width


def _side(side: int, layer: nn.Conv2d | nn.MaxPool2d, axis: int) -> int:
    def of(given: Any) -> int:
        return int(given[axis] if isinstance(given, tuple) else given)

    seen = of(layer.dilation) * (of(layer.kernel_size) - 1) + 1
    return (side + 2 * of(layer.padding) - seen) // of(layer.stride) + 1
