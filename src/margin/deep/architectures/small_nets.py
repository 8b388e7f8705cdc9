"""Networks for small pictures: two convolutions, network in network, ResNets for CIFAR."""

from __future__ import annotations

import torch
from torch import nn

from margin.deep.architectures.plan import Network, Plan, spatial

__all__ = ["NetworkInNetwork", "SmallNet", "SmallResNet", "nin", "small", "small_resnet"]


def small(plan: Plan) -> Network:
    return SmallNet(plan)


def nin(plan: Plan) -> Network:
    return NetworkInNetwork(plan)


def small_resnet(plan: Plan) -> Network:
    return SmallResNet(plan, (int(plan.name.removeprefix("resnet")) - 2) // 6)


class SmallNet(Network):
    """Two 3 x 3 convolutions with batch normalisation, a halving after each, and one fully connected layer."""

    head = "classifier"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.features = nn.Sequential(
            nn.Conv2d(plan.channels, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
        )  # fmt: skip
        height, width = (min(side, 7) for side in spatial(self.features, plan))
        self.avgpool = nn.AdaptiveAvgPool2d((height, width))
        self.dropout = nn.Dropout(0.25)
        self.classifier = nn.Linear(64 * height * width, plan.n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.dropout(torch.flatten(self.avgpool(self.features(x)), 1)))


class NetworkInNetwork(Network):
    """Three stages of a convolution and two 1 x 1 convolutions; the last has a map for each class, averaged."""

    head = "features.18"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)

        def stage(inputs: int, size: int, first: int, second: int, third: int) -> list[nn.Module]:
            return [
                nn.Conv2d(inputs, first, size, padding=size // 2), nn.ReLU(),
                nn.Conv2d(first, second, 1), nn.ReLU(),
                nn.Conv2d(second, third, 1), nn.ReLU(),
            ]  # fmt: skip

        *last, _ = stage(192, 3, 192, 192, plan.n_classes)
        self.features = nn.Sequential(
            *stage(plan.channels, 5, 192, 160, 96), nn.MaxPool2d(3, 2, ceil_mode=True), nn.Dropout(),
            *stage(96, 5, 192, 192, 192), nn.AvgPool2d(3, 2, ceil_mode=True), nn.Dropout(),
            *last,
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.features(x).mean(dim=(2, 3))


class PlainShortcut(nn.Module):
    """Every second pixel, and maps of zeros for those that are new: a shortcut without parameters."""

    def __init__(self, new_maps: int) -> None:
        super().__init__()
        self.new_maps = new_maps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.new_maps // 2, self.new_maps // 2))


class SmallBlock(nn.Module):
    """Two 3 x 3 convolutions beside a shortcut."""

    def __init__(self, inputs: int, maps: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, maps, 3, stride=maps // inputs, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(maps)
        self.conv2 = nn.Conv2d(maps, maps, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(maps)
        self.shortcut = nn.Identity() if maps == inputs else PlainShortcut(maps - inputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class SmallResNet(Network):
    """6n + 2 weighted layers: three stages of n blocks with 16, 32 and 64 maps."""

    def __init__(self, plan: Plan, n: int) -> None:
        super().__init__(plan)
        self.conv1 = nn.Conv2d(plan.channels, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)

        def stage(inputs: int, maps: int) -> nn.Sequential:
            return nn.Sequential(SmallBlock(inputs, maps), *(SmallBlock(maps, maps) for _ in range(n - 1)))

        self.layer1, self.layer2, self.layer3 = stage(16, 16), stage(16, 32), stage(32, 64)
        self.fc = nn.Linear(64, plan.n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean(dim=(2, 3)))
