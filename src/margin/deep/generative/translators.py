"""The networks of CycleGAN: generators of residual blocks, and discriminators that judge patch by patch."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["PatchJudge", "Translator", "patch_layers_for"]


class _Block(nn.Module):
    """Two convolutions beside a shortcut; edges are mirrored."""

    def __init__(self, maps: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(maps, maps, 3), nn.InstanceNorm2d(maps), nn.ReLU(inplace=True),
            nn.ReflectionPad2d(1), nn.Conv2d(maps, maps, 3), nn.InstanceNorm2d(maps),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = x + self.layers(x)
        return made


class Translator(nn.Module):
    """c7s1-k, d2k, d4k, residual blocks of 4k maps, u2k, uk, c7s1, tanh, in the words of Johnson et al. (2016)."""

    def __init__(self, inputs: int, outputs: int, width: int, blocks: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [
            nn.ReflectionPad2d(3), nn.Conv2d(inputs, width, 7), nn.InstanceNorm2d(width), nn.ReLU(inplace=True)
        ]  # fmt: skip
        for maps in (width, 2 * width):
            layers += [nn.Conv2d(maps, 2 * maps, 3, 2, 1), nn.InstanceNorm2d(2 * maps), nn.ReLU(inplace=True)]
        layers += [_Block(4 * width) for _ in range(blocks)]
        for maps in (4 * width, 2 * width):
            layers += [
                nn.ConvTranspose2d(maps, maps // 2, 3, 2, 1, output_padding=1), nn.InstanceNorm2d(maps // 2),
                nn.ReLU(inplace=True),
            ]  # fmt: skip
        layers += [nn.ReflectionPad2d(3), nn.Conv2d(width, outputs, 7), nn.Tanh()]
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.layers(x)
        return made


class PatchJudge(nn.Module):
    """A number for each of many overlapping patches, of 70 x 70 pixels with three halvings (Isola et al. 2017)."""

    def __init__(self, channels: int, width: int, layers: int) -> None:
        super().__init__()
        made: list[nn.Module] = [nn.Conv2d(channels, width, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True)]
        inputs = width
        for k in range(1, layers + 1):
            outputs = width * min(2**k, 8)
            made += [
                nn.Conv2d(inputs, outputs, 4, 2 if k < layers else 1, 1), nn.InstanceNorm2d(outputs),
                nn.LeakyReLU(0.2, inplace=True),
            ]  # fmt: skip
            inputs = outputs
        made += [nn.Conv2d(inputs, 1, 4, 1, 1)]
        self.layers = nn.Sequential(*made)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.layers(x)
        return made


def patch_layers_for(side: int) -> int:
    """Halvings that leave patches smaller than the picture: 3 from 96 pixels on, as published, fewer below.

    >>> [patch_layers_for(side) for side in (256, 64, 32, 16)]
    [3, 2, 2, 1]
    """
    return 3 if side >= 96 else 2 if side >= 32 else 1
