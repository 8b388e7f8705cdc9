"""Inception v3: GoogLeNet's branches with long convolutions cut into 1 x n and n x 1."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from margin.deep.architectures.googlenet import transformed
from margin.deep.architectures.plan import ConvBlock, Network, Plan, TrainingOutputs

__all__ = ["InceptionV3", "inception"]


def inception(plan: Plan) -> Network:
    return InceptionV3(plan)


def _averaged(x: torch.Tensor) -> torch.Tensor:
    return functional.avg_pool2d(x, 3, 1, 1)


def _wide(inputs: int, outputs: int, size: int = 7) -> ConvBlock:
    return ConvBlock(inputs, outputs, (1, size), padding=(0, size // 2))


def _high(inputs: int, outputs: int, size: int = 7) -> ConvBlock:
    return ConvBlock(inputs, outputs, (size, 1), padding=(size // 2, 0))


class BlockA(nn.Module):
    """1 x 1, 5 x 5, twice 3 x 3, and 1 x 1 after averaging."""

    def __init__(self, inputs: int, pooled: int) -> None:
        super().__init__()
        self.branch1x1 = ConvBlock(inputs, 64, 1)
        self.branch5x5_1 = ConvBlock(inputs, 48, 1)
        self.branch5x5_2 = ConvBlock(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = ConvBlock(inputs, 64, 1)
        self.branch3x3dbl_2 = ConvBlock(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = ConvBlock(96, 96, 3, padding=1)
        self.branch_pool = ConvBlock(inputs, pooled, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        branches = [self.branch1x1(x), self.branch5x5_2(self.branch5x5_1(x)), double, self.branch_pool(_averaged(x))]
        return torch.cat(branches, dim=1)


class BlockB(nn.Module):
    """Halves: 3 x 3, twice 3 x 3, and the largest of 3 x 3."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch3x3 = ConvBlock(inputs, 384, 3, stride=2)
        self.branch3x3dbl_1 = ConvBlock(inputs, 64, 1)
        self.branch3x3dbl_2 = ConvBlock(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = ConvBlock(96, 96, 3, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return torch.cat([self.branch3x3(x), double, functional.max_pool2d(x, 3, 2)], dim=1)


class BlockC(nn.Module):
    """1 x 1, 7 x 7 in two parts, twice that, and 1 x 1 after averaging."""

    def __init__(self, inputs: int, maps: int) -> None:
        super().__init__()
        self.branch1x1 = ConvBlock(inputs, 192, 1)
        self.branch7x7_1 = ConvBlock(inputs, maps, 1)
        self.branch7x7_2, self.branch7x7_3 = _wide(maps, maps), _high(maps, 192)
        self.branch7x7dbl_1 = ConvBlock(inputs, maps, 1)
        self.branch7x7dbl_2, self.branch7x7dbl_3 = _high(maps, maps), _wide(maps, maps)
        self.branch7x7dbl_4, self.branch7x7dbl_5 = _high(maps, maps), _wide(maps, 192)
        self.branch_pool = ConvBlock(inputs, 192, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        single = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        double = self.branch7x7dbl_5(self.branch7x7dbl_4(double))
        return torch.cat([self.branch1x1(x), single, double, self.branch_pool(_averaged(x))], dim=1)


class BlockD(nn.Module):
    """Halves: 3 x 3, 7 x 7 in two parts before 3 x 3, and the largest of 3 x 3."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch3x3_1 = ConvBlock(inputs, 192, 1)
        self.branch3x3_2 = ConvBlock(192, 320, 3, stride=2)
        self.branch7x7x3_1 = ConvBlock(inputs, 192, 1)
        self.branch7x7x3_2, self.branch7x7x3_3 = _wide(192, 192), _high(192, 192)
        self.branch7x7x3_4 = ConvBlock(192, 192, 3, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        long = self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))
        branches = [self.branch3x3_2(self.branch3x3_1(x)), self.branch7x7x3_4(long), functional.max_pool2d(x, 3, 2)]
        return torch.cat(branches, dim=1)


class BlockE(nn.Module):
    """1 x 1, 3 x 3 in two parts side by side, that after 3 x 3, and 1 x 1 after averaging."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch1x1 = ConvBlock(inputs, 320, 1)
        self.branch3x3_1 = ConvBlock(inputs, 384, 1)
        self.branch3x3_2a, self.branch3x3_2b = _wide(384, 384, 3), _high(384, 384, 3)
        self.branch3x3dbl_1 = ConvBlock(inputs, 448, 1)
        self.branch3x3dbl_2 = ConvBlock(448, 384, 3, padding=1)
        self.branch3x3dbl_3a, self.branch3x3dbl_3b = _wide(384, 384, 3), _high(384, 384, 3)
        self.branch_pool = ConvBlock(inputs, 192, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        single = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        branches = [
            self.branch1x1(x), self.branch3x3_2a(single), self.branch3x3_2b(single),
            self.branch3x3dbl_3a(double), self.branch3x3dbl_3b(double), self.branch_pool(_averaged(x)),
        ]  # fmt: skip
        return torch.cat(branches, dim=1)


class AuxiliaryHead(nn.Module):
    """Classes told from the middle of the network, so that errors reach its beginning."""

    def __init__(self, inputs: int, n_classes: int) -> None:
        super().__init__()
        self.conv0 = ConvBlock(inputs, 128, 1)
        self.conv1 = ConvBlock(128, 768, 5)
        self.fc = nn.Linear(768, n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # 17 x 17 maps of pictures of 299 pixels become 5 x 5; smaller ones are put on 5 x 5 by averaging.
        x = functional.avg_pool2d(x, 5, 3) if min(x.shape[2:]) >= 17 else functional.adaptive_avg_pool2d(x, 5)
        x = self.conv1(self.conv0(x))
        return self.fc(x.mean(dim=(2, 3)))


class InceptionV3(Network):
    """A stem of five convolutions, eleven blocks, and one fully connected layer over the means of the maps."""

    auxiliary_heads = ("AuxLogits",)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.transform_input = False
        self.Conv2d_1a_3x3 = ConvBlock(plan.channels, 32, 3, stride=1 if plan.small_stem else 2)
        self.Conv2d_2a_3x3 = ConvBlock(32, 32, 3)
        self.Conv2d_2b_3x3 = ConvBlock(32, 64, 3, padding=1)
        self.maxpool1 = nn.Identity() if plan.small_stem else nn.MaxPool2d(3, 2)
        self.Conv2d_3b_1x1 = ConvBlock(64, 80, 1)
        self.Conv2d_4a_3x3 = ConvBlock(80, 192, 3)
        self.maxpool2 = nn.MaxPool2d(3, 2)
        self.Mixed_5b, self.Mixed_5c, self.Mixed_5d = BlockA(192, 32), BlockA(256, 64), BlockA(288, 64)
        self.Mixed_6a = BlockB(288)
        self.Mixed_6b, self.Mixed_6c = BlockC(768, 128), BlockC(768, 160)
        self.Mixed_6d, self.Mixed_6e = BlockC(768, 160), BlockC(768, 192)
        self.AuxLogits = AuxiliaryHead(768, plan.n_classes) if plan.auxiliary else None
        self.Mixed_7a, self.Mixed_7b, self.Mixed_7c = BlockD(768), BlockE(1280), BlockE(2048)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout()
        self.fc = nn.Linear(2048, plan.n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor | TrainingOutputs:
        x = self._stem(transformed(x) if self.transform_input else x)
        x = self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x)))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(self.Mixed_6a(x)))))
        auxiliary = (self.AuxLogits(x),) if self.training and self.AuxLogits is not None else ()
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        logits = self.fc(self.dropout(torch.flatten(self.avgpool(x), 1)))
        return TrainingOutputs(logits, auxiliary) if auxiliary else logits

    def _stem(self, x: torch.Tensor) -> torch.Tensor:
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        return self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(self.maxpool1(x))))
