"""Networks that answer each pixel: U-Net, fully convolutional networks with and without skips, encoder and decoder."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from margin.deep.vision.making import made_network
from margin.deep.vision.segmentation.plan import SegmentationPlan

__all__ = ["SegmentationNet", "segmentation_net"]

#: How many coarser maps the answers of a fully convolutional network are added up with.
SKIPS = {"fcn32": 0, "fcn16": 1, "fcn8": 2}


class SegmentationNet(nn.Module):
    """(n, channels, height, width) to logits (n, classes, height, width); sides are multiples of ``stride``.

    ``reach`` bounds how many pixels away the input of an output pixel can lie.
    """

    #: The layers that know how many classes there are.
    head = "score"
    reach: int

    def __init__(self, plan: SegmentationPlan) -> None:
        super().__init__()
        self.plan, self.stride = plan, 2**plan.depth

    def initialise(self, random: torch.Generator) -> None:
        """Steps upwards begin as bilinear enlarging where they keep classes, else as He has it."""
        for module in self.modules():
            if isinstance(module, nn.ConvTranspose2d):
                if module.in_channels == module.out_channels:
                    module.weight.zero_()
                    maps = torch.arange(module.in_channels)
                    module.weight[maps, maps] = _bilinear(module.kernel_size[0])
                else:  # each output pixel of a 2 x 2 step has one input pixel
                    spread = (2.0 / module.in_channels) ** 0.5
                    nn.init.normal_(module.weight, std=spread, generator=random)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)


def segmentation_net(plan: SegmentationPlan, device: str = "cpu", seed: int = 0) -> SegmentationNet:
    """The network of a plan, with first weights drawn by the seed, or without memory on "meta"."""
    kinds: dict[str, Any] = {"unet": UNet, "encoder_decoder": EncoderDecoder}
    return made_network(lambda: kinds.get(plan.architecture, FCN)(plan), device, seed)


def _pair(inputs: int, maps: int, plan: SegmentationPlan) -> nn.Sequential:
    """Two 3 x 3 convolutions."""
    layers: list[nn.Module] = []
    for n in (inputs, maps):
        layers.append(nn.Conv2d(n, maps, 3, padding=int(plan.padding == "same"), bias=not plan.batch_norm))
        if plan.batch_norm:
            layers.append(nn.BatchNorm2d(maps))
        layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


class UNet(SegmentationNet):
    """Down by halvings, up again, and each level on the way up sees that on the way down (Ronneberger et al. 2015)."""

    def __init__(self, plan: SegmentationPlan) -> None:
        super().__init__(plan)
        widths = [plan.width * 2**i for i in range(plan.depth + 1)]
        self.down = nn.ModuleList(_pair(a, b, plan) for a, b in zip([plan.channels, *widths], widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in widths[-2::-1])
        self.across = nn.ModuleList(_pair(2 * w, w, plan) for w in widths[-2::-1])
        self.score = nn.Conv2d(plan.width, plan.n_classes, 1)
        self.reach = 8 * self.stride

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen: list[torch.Tensor] = []
        for i, each in enumerate(self.down):
            x = each(functional.max_pool2d(x, 2) if i else x)
            seen.append(x)
        seen.pop()
        for up, across in zip(self.up, self.across, strict=True):
            x = up(x)
            x = across(torch.cat([_middle(seen.pop(), x), x], dim=1))
        found: torch.Tensor = self.score(x)
        return found


def _middle(wide: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The middle of maps that are wider than others, as they are without padding."""
    if wide.shape[2:] == like.shape[2:]:
        return wide
    top, left = ((a - b) // 2 for a, b in zip(wide.shape[2:], like.shape[2:]))
    return wide[:, :, top : top + like.shape[2], left : left + like.shape[3]]


class FCN(SegmentationNet):
    """Classes are told on coarse maps, added up with those of finer ones, and enlarged (Long et al. 2015).

    With ``depth`` 5 the names say the stride of the finest maps: 32, 16 and 8.
    """

    def __init__(self, plan: SegmentationPlan) -> None:
        super().__init__(plan)
        self.skips = SKIPS[plan.architecture]
        widths = [plan.width * 2 ** min(i, 3) for i in range(plan.depth)]
        self.down = nn.ModuleList(_pair(a, b, plan) for a, b in zip([plan.channels, *widths], widths))
        k, last = plan.n_classes, 2 ** (plan.depth - self.skips)
        self.score = nn.ModuleDict(
            {f"pool{plan.depth - i}": nn.Conv2d(widths[-1 - i], k, 1) for i in range(self.skips + 1)}
        )
        for i in range(self.skips):
            self.score[f"up{i}"] = nn.ConvTranspose2d(k, k, 4, stride=2, padding=1, bias=False)
        self.score["last"] = nn.ConvTranspose2d(k, k, 2 * last, stride=last, padding=last // 2, bias=False)
        self.reach = 8 * self.stride

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = []
        for each in self.down:
            x = functional.max_pool2d(each(x), 2)
            maps.append(x)
        depth = len(maps)
        found: torch.Tensor = self.score[f"pool{depth}"](maps[-1])
        for i in range(self.skips):
            found = self.score[f"up{i}"](found) + self.score[f"pool{depth - 1 - i}"](maps[-2 - i])
        return self.score["last"](found)


class EncoderDecoder(SegmentationNet):
    """Down and up again, where what comes up knows of the way down only what went through the coarsest maps."""

    def __init__(self, plan: SegmentationPlan) -> None:
        super().__init__(plan)
        widths = [plan.width * 2**i for i in range(plan.depth + 1)]
        self.down = nn.ModuleList(_pair(a, b, plan) for a, b in zip([plan.channels, *widths], widths))
        self.up = nn.ModuleList(
            nn.Sequential(nn.ConvTranspose2d(2 * w, w, 2, stride=2), _pair(w, w, plan)) for w in widths[-2::-1]
        )
        self.score = nn.Conv2d(plan.width, plan.n_classes, 1)
        self.reach = 8 * self.stride

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i, each in enumerate(self.down):
            x = each(functional.max_pool2d(x, 2) if i else x)
        for up in self.up:
            x = up(x)
        found: torch.Tensor = self.score(x)
        return found


def _bilinear(size: int) -> torch.Tensor:
    """The kernel that enlarges by size / 2, each pixel weighed by how near it is."""
    factor = (size + 1) // 2
    centre = factor - 1 if size % 2 else factor - 0.5
    line = 1 - (torch.arange(size) - centre).abs() / factor
    return line[:, None] * line[None, :]
