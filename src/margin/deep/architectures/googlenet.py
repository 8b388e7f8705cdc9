"""GoogLeNet: branches of 1 x 1, 3 x 3 and 5 x 5 convolutions side by side; as published and as torchvision has it."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from margin.deep.architectures.plan import ConvBlock, Network, Plan, TrainingOutputs

__all__ = ["GoogLeNet", "googlenet", "transformed"]

#: Maps of each block: 1 x 1; 1 x 1 before 3 x 3; 3 x 3; 1 x 1 before 5 x 5; 5 x 5; 1 x 1 after pooling.
BLOCKS = {
    "3a": (64, 96, 128, 16, 32, 32), "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64), "4b": (160, 112, 224, 24, 64, 64), "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64), "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128), "5b": (384, 192, 384, 48, 128, 128),
}  # fmt: skip


def googlenet(plan: Plan) -> Network:
    return GoogLeNet(plan, as_published=plan.name == "googlenet-2014")


def transformed(x: torch.Tensor) -> torch.Tensor:
    """Pictures without ImageNet's mean and spread of each colour, put on the scale -1 to 1 of the first weights."""
    spread = x.new_tensor([0.229, 0.224, 0.225])[:, None, None]
    mean = x.new_tensor([0.485, 0.456, 0.406])[:, None, None]
    return x * (spread / 0.5) + (mean - 0.5) / 0.5


class InceptionBlock(nn.Module):
    """Four branches of one input, their maps side by side."""

    def __init__(self, inputs: int, maps: tuple[int, ...], as_published: bool) -> None:
        super().__init__()
        one, before3, three, before5, five, pooled = maps
        normed, size = not as_published, 5 if as_published else 3
        self.branch1 = ConvBlock(inputs, one, 1, normed=normed)
        self.branch2 = nn.Sequential(
            ConvBlock(inputs, before3, 1, normed=normed), ConvBlock(before3, three, 3, padding=1, normed=normed)
        )
        self.branch3 = nn.Sequential(
            ConvBlock(inputs, before5, 1, normed=normed),
            ConvBlock(before5, five, size, padding=size // 2, normed=normed),
        )
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), ConvBlock(inputs, pooled, 1, normed=normed))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)], dim=1)


class AuxiliaryHead(nn.Module):
    """Classes told from the middle of the network, so that errors reach its beginning."""

    def __init__(self, inputs: int, n_classes: int, as_published: bool) -> None:
        super().__init__()
        self.as_published = as_published
        self.conv = ConvBlock(inputs, 128, 1, normed=not as_published)
        self.fc1 = nn.Linear(2048, 1024)
        self.fc2 = nn.Linear(1024, n_classes)
        self.dropout = nn.Dropout(0.7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.as_published and tuple(x.shape[2:]) == (14, 14):
            x = functional.avg_pool2d(x, 5, 3)
        else:
            x = functional.adaptive_avg_pool2d(x, 4)
        x = torch.flatten(self.conv(x), 1)
        return self.fc2(self.dropout(torch.relu(self.fc1(x))))


class GoogLeNet(Network):
    """Three convolutions, nine blocks of four branches, and one fully connected layer over the means of the maps."""

    auxiliary_heads = ("aux1", "aux2")

    def __init__(self, plan: Plan, as_published: bool) -> None:
        super().__init__(plan)
        normed = not as_published
        #: Whether pictures come as published weights of other networks expect them, and are put on another scale here.
        self.transform_input = False
        if plan.small_stem:
            self.conv1 = ConvBlock(plan.channels, 64, 3, padding=1, normed=normed)
        else:
            self.conv1 = ConvBlock(plan.channels, 64, 7, stride=2, padding=3, normed=normed)
        self.maxpool1 = nn.Identity() if plan.small_stem else nn.MaxPool2d(3, 2, ceil_mode=True)
        self.conv2 = ConvBlock(64, 64, 1, normed=normed)
        self.conv3 = ConvBlock(64, 192, 3, padding=1, normed=normed)
        self.maxpool2 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.maxpool3 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.maxpool4 = nn.MaxPool2d(3 if as_published else 2, 2, ceil_mode=True)
        self.norm1 = nn.LocalResponseNorm(5) if as_published else nn.Identity()
        self.norm2 = nn.LocalResponseNorm(5) if as_published else nn.Identity()
        inputs = 192
        for name, maps in BLOCKS.items():
            self.add_module(f"inception{name}", InceptionBlock(inputs, maps, as_published))
            if plan.auxiliary and name in ("4a", "4d"):
                outputs = maps[0] + maps[2] + maps[4] + maps[5]
                head = AuxiliaryHead(outputs, plan.n_classes, as_published)
                self.add_module("aux1" if name == "4a" else "aux2", head)
            inputs = maps[0] + maps[2] + maps[4] + maps[5]
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout(0.4 if as_published else 0.2)
        self.fc = nn.Linear(inputs, plan.n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor | TrainingOutputs:
        auxiliary = []
        heads = {"4a": "aux1", "4d": "aux2"} if self.training and self.plan.auxiliary else {}
        x = self._stem(transformed(x) if self.transform_input else x)
        for name in BLOCKS:
            if name in ("4a", "5a"):
                x = (self.maxpool3 if name == "4a" else self.maxpool4)(x)
            x = self.get_submodule(f"inception{name}")(x)
            if name in heads:
                auxiliary.append(self.get_submodule(heads[name])(x))
        logits = self.fc(self.dropout(torch.flatten(self.avgpool(x), 1)))
        return TrainingOutputs(logits, tuple(auxiliary)) if auxiliary else logits

    def _stem(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm1(self.maxpool1(self.conv1(x)))
        return self.maxpool2(self.norm2(self.conv3(self.conv2(x))))
