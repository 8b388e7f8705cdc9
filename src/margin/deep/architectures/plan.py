"""How a network is to be built, and what all networks say of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


def spatial(layers: nn.Module, plan: Plan) -> tuple[int, int]:
    """Height and width of the maps that layers make of the plan's pictures; the layers are on the meta device."""
    with torch.no_grad():
        maps = layers.eval()(torch.empty(1, plan.channels, *plan.image_size, device="meta"))
    return int(maps.shape[2]), int(maps.shape[3])
