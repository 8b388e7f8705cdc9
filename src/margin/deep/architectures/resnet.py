"""ResNet for photographs: 18 and 34 layers of plain blocks, 50, 101 and 152 of bottlenecks."""

from __future__ import annotations

import torch
from torch import nn

from margin.deep.architectures.plan import Network, Plan

__all__ = ["ResNet", "resnet"]

#: Blocks in each of the four stages, by the number of weighted layers.
STAGES = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def resnet(plan: Plan) -> Network:
    depth = int(plan.name.removeprefix("resnet"))
    return ResNet(plan, BasicBlock if depth < 50 else Bottleneck, STAGES[depth])


def _downsample(inputs: int, outputs: int, stride: int) -> nn.Sequential | None:
    """The shortcut of a block that changes the shape; others hand on what they are given."""
    if stride == 1 and inputs == outputs:
        return None
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))


class BasicBlock(nn.Module):
    """Two 3 x 3 convolutions beside a shortcut."""

    expansion = 1

    def __init__(self, inputs: int, maps: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, maps, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(maps)
        self.conv2 = nn.Conv2d(maps, maps, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(maps)
        self.downsample = _downsample(inputs, maps, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    """A 3 x 3 convolution between two of 1 x 1, which narrow and widen again, beside a shortcut."""

    expansion = 4

    def __init__(self, inputs: int, maps: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, maps, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(maps)
        self.conv2 = nn.Conv2d(maps, maps, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(maps)
        self.conv3 = nn.Conv2d(maps, 4 * maps, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * maps)
        self.downsample = _downsample(inputs, 4 * maps, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        y = torch.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(Network):
    """A stem, four stages of blocks, and one fully connected layer over the means of the maps."""

    def __init__(self, plan: Plan, block: type[BasicBlock] | type[Bottleneck], stages: tuple[int, ...]) -> None:
        super().__init__(plan)
        if plan.small_stem:
            self.conv1 = nn.Conv2d(plan.channels, 64, 3, 1, 1, bias=False)
        else:
            self.conv1 = nn.Conv2d(plan.channels, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.Identity() if plan.small_stem else nn.MaxPool2d(3, 2, 1)
        self.n_maps = 64

        def stage(maps: int, n: int, stride: int) -> nn.Sequential:
            blocks = []
            for i in range(n):
                blocks.append(block(self.n_maps, maps, stride if i == 0 else 1))
                self.n_maps = maps * block.expansion
            return nn.Sequential(*blocks)

        self.layer1, self.layer2 = stage(64, stages[0], 1), stage(128, stages[1], 2)
        self.layer3, self.layer4 = stage(256, stages[2], 2), stage(512, stages[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(self.n_maps, plan.n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))
