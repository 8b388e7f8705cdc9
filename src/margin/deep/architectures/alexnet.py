"""AlexNet: of one column as it is used today, and of two groups as it was published."""

from __future__ import annotations

import torch
from torch import nn

from margin.deep.architectures.plan import Network, Plan, spatial

__all__ = ["AlexNet", "alexnet"]


def alexnet(plan: Plan) -> Network:
    return AlexNet(plan, _two_groups(plan) if plan.name == "alexnet-2012" else _one_column(plan))


def _first(plan: Plan, maps: int) -> nn.Conv2d:
    if plan.small_stem:
        return nn.Conv2d(plan.channels, maps, 5, padding=2)
    return nn.Conv2d(plan.channels, maps, 11, stride=4, padding=2)


def _one_column(plan: Plan) -> nn.Sequential:
    return nn.Sequential(
        _first(plan, 64), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(),
        nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2),
    )  # fmt: skip


def _two_groups(plan: Plan) -> nn.Sequential:
    # torch divides alpha by the size of the neighbourhood, the paper does not.
    def normed() -> nn.LocalResponseNorm:
        return nn.LocalResponseNorm(5, alpha=5e-4, beta=0.75, k=2.0)

    return nn.Sequential(
        _first(plan, 96), nn.ReLU(), normed(), nn.MaxPool2d(3, 2),
        nn.Conv2d(96, 256, 5, padding=2, groups=2), nn.ReLU(), normed(), nn.MaxPool2d(3, 2),
        nn.Conv2d(256, 384, 3, padding=1), nn.ReLU(),
        nn.Conv2d(384, 384, 3, padding=1, groups=2), nn.ReLU(),
        nn.Conv2d(384, 256, 3, padding=1, groups=2), nn.ReLU(), nn.MaxPool2d(3, 2),
    )  # fmt: skip


class AlexNet(Network):
    """Five convolutions and three fully connected layers, with dropout between these."""

    head = "classifier.6"

    def __init__(self, plan: Plan, features: nn.Sequential) -> None:
        super().__init__(plan)
        self.features = features
        height, width = spatial(features, plan) if plan.small_stem else (6, 6)
        height, width = min(height, 6), min(width, 6)
        self.avgpool = nn.AdaptiveAvgPool2d((height, width))
        self.classifier = nn.Sequential(
            nn.Dropout(), nn.Linear(256 * height * width, 4096), nn.ReLU(),
            nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(),
            nn.Linear(4096, plan.n_classes),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))
