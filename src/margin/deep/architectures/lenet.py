"""LeNet-5, as it is built today and as it was published."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from margin.deep.architectures.plan import Network, Plan, spatial
from margin.random import generator

__all__ = ["LeNet5", "LeNet5Of1998", "lenet"]

#: Which maps of S2 each map of C3 sees (table I of the paper).
TABLE = (
    (0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 5), (4, 5, 0), (5, 0, 1),
    (0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 0), (4, 5, 0, 1), (5, 0, 1, 2),
    (0, 1, 3, 4), (1, 2, 4, 5), (0, 2, 3, 5), (0, 1, 2, 3, 4, 5),
)  # fmt: skip


def lenet(plan: Plan) -> Network:
    return LeNet5Of1998(plan) if plan.name == "lenet5-1998" else LeNet5(plan)


def _padding(plan: Plan) -> int:
    """Pictures of 28 pixels get a rim, so that they are as large as the 32 pixels of the paper."""
    return 2 if min(plan.image_size) < 32 else 0


class LeNet5(Network):
    """Two convolutions with max pooling, three fully connected layers, ReLU throughout."""

    head = "classifier.4"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.features = nn.Sequential(
            nn.Conv2d(plan.channels, 6, 5, padding=_padding(plan)), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        )  # fmt: skip
        height, width = spatial(self.features, plan)
        self.classifier = nn.Sequential(
            nn.Linear(16 * height * width, 120), nn.ReLU(),
            nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, plan.n_classes),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.features(x), 1))


class Squash(nn.Module):
    """A tanh(S a) with A = 1.7159 and S = 2/3, so that f(1) = 1 and f(-1) = -1."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1.7159 * torch.tanh(x * (2.0 / 3.0))


class Subsampling(nn.Module):
    """The sum of each 2 x 2 square times a weight of the map, plus its bias."""

    def __init__(self, maps: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(maps))
        self.bias = nn.Parameter(torch.empty(maps))

    def initialise(self, random: torch.Generator) -> None:
        nn.init.uniform_(self.weight, -0.6, 0.6, generator=random)
        nn.init.zeros_(self.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sums = 4.0 * nn.functional.avg_pool2d(x, 2)
        return sums * self.weight[:, None, None] + self.bias[:, None, None]


class JoinedMaps(nn.Module):
    """A convolution whose maps see some of the input's maps each, by a table; other pairs have no weights."""

    where: torch.Tensor

    def __init__(self, table: tuple[tuple[int, ...], ...], inputs: int, size: int) -> None:
        super().__init__()
        self.shape = (len(table), inputs, size, size)
        self.table = table
        n = sum(map(len, table))
        self.weight = nn.Parameter(torch.empty(n, size, size))
        self.bias = nn.Parameter(torch.empty(len(table)))
        self.register_buffer("where", torch.empty(n, dtype=torch.long), persistent=False)

    def tabulate(self) -> None:
        """What follows from the table, and is no weight."""
        places = [out * self.shape[1] + seen for out, maps in enumerate(self.table) for seen in maps]
        self.where = torch.tensor(places, device=self.weight.device)

    def initialise(self, random: torch.Generator) -> None:
        self.tabulate()
        fan_in = self.weight[0].numel() * self.weight.shape[0] / self.shape[0]
        _by_fan_in(self.weight, fan_in, random)
        nn.init.zeros_(self.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        outputs, inputs, size, _ = self.shape
        whole = self.weight.new_zeros(outputs * inputs, size, size).index_copy(0, self.where, self.weight)
        return nn.functional.conv2d(x, whole.view(self.shape), self.bias)


class Codes(nn.Module):
    """Minus the squared distance of what is seen from the fixed code of each class, -1 or +1 for each unit."""

    codes: torch.Tensor

    def __init__(self, n_classes: int, units: int) -> None:
        super().__init__()
        self.register_buffer("codes", torch.empty(n_classes, units))

    def initialise(self, random: torch.Generator) -> None:
        drawn = generator(0, "codes of LeNet-5").integers(0, 2, tuple(self.codes.shape))
        self.codes.copy_(torch.from_numpy((2.0 * drawn - 1.0).astype(np.float32)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return -(x[:, None, :] - self.codes).square().sum(dim=2)


class LeNet5Of1998(Network):
    """C1, S2, C3, S4, C5, F6 and the distances of 84 units from codes."""

    head = "output"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.C1 = nn.Conv2d(plan.channels, 6, 5, padding=_padding(plan))
        self.S2 = Subsampling(6)
        self.C3 = JoinedMaps(TABLE, 6, 5)
        self.S4 = Subsampling(16)
        self.C5 = nn.Conv2d(16, 120, 5)
        self.F6 = nn.Linear(120, 84)
        self.output = Codes(plan.n_classes, 84)
        self.squash = Squash()

    def initialise(self, random: torch.Generator) -> None:
        for layer in (self.C1, self.C5, self.F6):
            _by_fan_in(layer.weight, layer.weight[0].numel(), random)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        squash = self.squash
        x = squash(self.S2(squash(self.C1(x))))
        x = squash(self.S4(squash(self.C3(x))))
        x = squash(self.C5(x)).amax(dim=(2, 3))  # 1 x 1 for pictures of 32 pixels
        return self.output(squash(self.F6(x)))


def _by_fan_in(weight: torch.Tensor, fan_in: float, random: torch.Generator) -> None:
    """Uniform within 2.4 divided by the number of inputs' root, so that squashed units are neither flat nor dead."""
    reach = 2.4 / fan_in**0.5
    nn.init.uniform_(weight, -reach, reach, generator=random)
