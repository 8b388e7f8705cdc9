"""A small convolutional network that gives maps of a picture: what captions and questions look at."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["Eye", "recurrent_weights"]


class Eye(nn.Module):
    """(n, channels, height, width) to (n, places, maps): maps at an eighth of each side, at least one place.

    Two numbers beside the maps say where each place is, from -1 to 1.
    """

    def __init__(self, channels: int, width: int, size: tuple[int, int]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs, sides = channels, list(size)
        for maps in (width, 2 * width, 2 * width):
            layers += [nn.Conv2d(inputs, maps, 3, padding=1, bias=False), nn.BatchNorm2d(maps), nn.ReLU(inplace=True)]
            if min(sides) >= 2:
                layers.append(nn.MaxPool2d(2))
                sides = [side // 2 for side in sides]
            inputs = maps
        self.layers = nn.Sequential(*layers)
        self.sides, self.maps = (sides[0], sides[1]), inputs + 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = self.layers(x)
        rows, columns = (torch.linspace(-1, 1, n, device=x.device) for n in self.sides)
        where = torch.stack(torch.meshgrid(rows, columns, indexing="ij")).expand(len(x), -1, -1, -1)
        return torch.cat([maps, where], dim=1).flatten(2).transpose(1, 2)


def recurrent_weights(net: nn.Module, random: torch.Generator) -> None:
    """First weights of words and recurrent cells: orthogonal for the state, forget gates that begin open."""
    for module in net.modules():
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=0.3, generator=random)
        elif isinstance(module, nn.LSTMCell | nn.GRUCell | nn.RNNCell):
            for each in module.weight_hh.chunk(len(module.weight_hh) // module.hidden_size):
                nn.init.orthogonal_(each, generator=random)
            nn.init.xavier_uniform_(module.weight_ih, generator=random)
            nn.init.zeros_(module.bias_ih)
            nn.init.zeros_(module.bias_hh)
            if isinstance(module, nn.LSTMCell):
                module.bias_ih.chunk(4)[1].fill_(1.0)
