"""Networks that forge and networks that judge: dense ones, and those of DCGAN."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.utils import parametrize

from margin.deep.architectures.making import give_memory

__all__ = ["DenseDiscriminator", "DenseGenerator", "Judge", "Sculptor", "levels_of", "made_with", "spectral"]


class DenseGenerator(nn.Module):
    """Dense layers from a latent vector to a row, or to a picture between -1 and 1."""

    def __init__(self, latent: int, hidden: Sequence[int], shape: tuple[int, ...]) -> None:
        super().__init__()
        outputs = 1
        for side in shape:
            outputs *= side
        self.shape = shape
        self.layers = nn.Sequential(*_dense([latent, *hidden, outputs]))

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.layers(z)
        return made if len(self.shape) == 1 else torch.tanh(made).reshape(-1, *self.shape)


class DenseDiscriminator(nn.Module):
    """Dense layers from a row or a picture to one number."""

    def __init__(self, hidden: Sequence[int], shape: tuple[int, ...]) -> None:
        super().__init__()
        inputs = 1
        for side in shape:
            inputs *= side
        self.layers = nn.Sequential(*_dense([inputs, *hidden, 1]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.layers(x.flatten(1))
        return made[:, 0]


def _dense(widths: Sequence[int]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.LeakyReLU(0.2, inplace=True)]
    return layers[:-1]


def levels_of(side: int) -> tuple[int, int] | None:
    """The side of the smallest maps, from 4 to 7 cells, and how many doublings lead to ``side``; None if none do.

    >>> levels_of(64), levels_of(28), levels_of(18)
    ((4, 4), (7, 2), None)
    """
    doublings = 0
    while side > 7:
        if side % 2:
            return None
        side, doublings = side // 2, doublings + 1
    return (side, doublings) if side >= 4 and doublings >= 2 else None


class Sculptor(nn.Module):
    """The generator of DCGAN: transposed convolutions, batch normalisation and ReLU, tanh at the end.

    Radford, Metz, Chintala (2016). Sides are doubled at every layer, and maps halved.
    """

    def __init__(self, latent: int, width: int, channels: int, smallest: int, doublings: int) -> None:
        super().__init__()
        maps = [width * 2**k for k in range(doublings)][::-1]
        layers: list[nn.Module] = [
            nn.ConvTranspose2d(latent, maps[0], smallest, bias=False), nn.BatchNorm2d(maps[0]), nn.ReLU(inplace=True)
        ]  # fmt: skip
        for inputs, outputs in itertools.pairwise(maps):
            layers += [
                nn.ConvTranspose2d(inputs, outputs, 4, 2, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
            ]  # fmt: skip
        layers += [nn.ConvTranspose2d(maps[-1], channels, 4, 2, 1, bias=False), nn.Tanh()]
        self.layers = nn.Sequential(*layers)

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.layers(z[:, :, None, None])
        return made


class Judge(nn.Module):
    """The discriminator of DCGAN: convolutions of stride 2, batch normalisation but at its input, LeakyReLU of .2."""

    def __init__(self, width: int, channels: int, smallest: int, doublings: int, normed: bool = True) -> None:
        super().__init__()
        maps = [width * 2**k for k in range(doublings)]
        layers: list[nn.Module] = [nn.Conv2d(channels, maps[0], 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)]
        for inputs, outputs in itertools.pairwise(maps):
            layers += [nn.Conv2d(inputs, outputs, 4, 2, 1, bias=False)]
            layers += [nn.BatchNorm2d(outputs)] if normed else []
            layers += [nn.LeakyReLU(0.2, inplace=True)]
        self.features = nn.Sequential(*layers)
        self.head = nn.Conv2d(maps[-1], 1, smallest, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.head(self.features(x))
        return made[:, 0, 0, 0]


class _UnitNorm(nn.Module):
    """A weight over its largest singular value, which one step of the power method a pass follows (Miyato 2018)."""

    u: torch.Tensor

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.register_buffer("u", torch.empty(rows))

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        matrix, u = weight.flatten(1), self.u.clone()  # a copy: the next pass changes the buffer before slopes go back
        with torch.no_grad():
            v = nn.functional.normalize(matrix.t() @ u, dim=0)
            if self.training:
                u = nn.functional.normalize(matrix @ v, dim=0)
                self.u.copy_(u)
        return weight / (u @ (matrix @ v))


def spectral(net: nn.Module) -> nn.Module:
    """The same network with every weight divided by its spectral norm."""
    for module in list(net.modules()):
        if isinstance(module, nn.Linear | nn.Conv2d):
            parametrize.register_parametrization(module, "weight", _UnitNorm(module.weight.shape[0]), unsafe=True)
    return net


def made_with(
    build: Callable[[], nn.Module], seed: int | None, initialise: Callable[[nn.Module, torch.Generator], None]
) -> nn.Module:
    """A network laid out without memory; with a seed it gets memory and first weights. torch's draws are not used."""
    with torch.device("meta"):
        net = build().to(torch.float32)
    if seed is None:
        return net
    give_memory(net, "cpu")
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for module in net.modules():
            if isinstance(module, _UnitNorm):
                module.u.normal_(generator=random)
                module.u.div_(module.u.norm())
            elif isinstance(module, nn.BatchNorm2d):
                module.reset_parameters()
        initialise(net, random)
    return net


def weight_of(module: nn.Module) -> torch.Tensor:
    """The numbers of a layer's weight, under its spectral norm where it has one."""
    if parametrize.is_parametrized(module, "weight"):
        return module.get_parameter("parametrizations.weight.original")
    plain: torch.Tensor = module.weight  # type: ignore[assignment]
    return plain


def dense_weights(net: nn.Module, random: torch.Generator) -> None:
    """Normal with variance 2 / inputs (He), zeros for biases."""
    for module in net.modules():
        if isinstance(module, nn.Linear):
            nn.init.kaiming_normal_(weight_of(module), a=0.2, generator=random)
            nn.init.zeros_(module.bias)


def narrow_weights(net: nn.Module, random: torch.Generator) -> None:
    """Normal with deviation .02, factors of batch normalisation around 1: as the paper of DCGAN has it."""
    for module in net.modules():
        if isinstance(module, nn.Conv2d | nn.ConvTranspose2d):
            nn.init.normal_(weight_of(module), std=0.02, generator=random)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.weight, 1.0, 0.02, generator=random)
