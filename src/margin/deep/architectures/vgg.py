"""VGG: 3 x 3 convolutions between halvings, with and without batch normalisation."""

from __future__ import annotations

import torch
from torch import nn

from margin.deep.architectures.plan import Network, Plan, spatial

__all__ = ["VGG", "vgg"]

#: Convolutions in each of the five stages, by the number of weighted layers (configurations A, B, D and E).
STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def vgg(plan: Plan) -> Network:
    depth, _, normed = plan.name.removeprefix("vgg").partition("-")
    return VGG(plan, STAGES[int(depth)], bool(normed))


class VGG(Network):
    """Five stages of convolutions, and three fully connected layers."""

    head = "classifier.6"

    def __init__(self, plan: Plan, stages: tuple[int, ...], normed: bool) -> None:
        super().__init__(plan)
        layers: list[nn.Module] = []
        inputs = plan.channels
        for n, maps in zip(stages, (64, 128, 256, 512, 512), strict=True):
            for _ in range(n):
                layers.append(nn.Conv2d(inputs, maps, 3, padding=1))
                if normed:
                    layers.append(nn.BatchNorm2d(maps))
                layers.append(nn.ReLU())
                inputs = maps
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        height, width = spatial(self.features, plan) if plan.small_stem else (7, 7)
        height, width = min(height, 7), min(width, 7)
        self.avgpool = nn.AdaptiveAvgPool2d((height, width))
        self.classifier = nn.Sequential(
            nn.Linear(512 * height * width, 4096), nn.ReLU(), nn.Dropout(),
            nn.Linear(4096, 4096), nn.ReLU(), nn.Dropout(),
            nn.Linear(4096, plan.n_classes),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))
