"""What a picture shares with another: the maps of deep layers, and how the maps of a layer go together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

__all__ = ["Targets", "gram", "maps_of", "roughness"]


class _Enough(Exception):
    """All layers that are asked for have answered."""


def gram(maps: torch.Tensor) -> torch.Tensor:
    """How the maps (channels, height, width) of a layer go together, whatever is where: F Fᵀ / (C·H·W).

    >>> gram(torch.tensor([[[1.0, 2.0]], [[0.0, 1.0]]])).tolist()
    [[1.25, 0.5], [0.5, 0.25]]
    """
    flat = maps.flatten(1)
    return flat @ flat.T / flat.numel()


def roughness(x: torch.Tensor) -> torch.Tensor:
    """The mean square of differences between neighbours (total variation)."""
    sides = [x.diff(dim=axis).square().mean() for axis in (2, 3) if x.shape[axis] > 1]
    return torch.stack(sides).sum() if sides else x.new_zeros(())


def maps_of(net: nn.Module, x: torch.Tensor, layers: Sequence[str]) -> dict[str, torch.Tensor]:
    """The maps of layers for one picture (1, channels, height, width); layers above all of them are not asked."""
    found: dict[str, torch.Tensor] = {}
    with _watched(net, layers, found), contextlib.suppress(_Enough):
        net(x)
    return {name: each[0] for name, each in found.items()}


@contextlib.contextmanager
def _watched(net: nn.Module, layers: Sequence[str], found: dict[str, torch.Tensor]) -> Iterator[None]:
    def see(name: str) -> Any:
        def hook(_module: nn.Module, _given: Any, made: torch.Tensor) -> None:
            found[name] = made
            if len(found) == len(layers):
                raise _Enough

        return hook

    hooks = [net.get_submodule(name).register_forward_hook(see(name)) for name in layers]
    try:
        yield
    finally:
        for each in hooks:
            each.remove()


@dataclass(frozen=True)
class Targets:
    """What a picture should come near to; worked out once.

    ``styles`` has for each style its share and the Gram matrix of each layer.
    """

    content: dict[str, torch.Tensor]
    styles: tuple[tuple[float, dict[str, torch.Tensor]], ...]

    @classmethod
    def of(
        cls, net: nn.Module, content: torch.Tensor, styles: Sequence[tuple[float, torch.Tensor]],
        content_layers: Sequence[str], style_layers: Sequence[str],
    ) -> Targets:  # fmt: skip
        with torch.no_grad():
            kept = maps_of(net, content, content_layers) if content_layers else {}
            grams = [
                (share, {name: gram(each) for name, each in maps_of(net, picture, style_layers).items()})
                for share, picture in styles
            ]
        return cls(kept, tuple(grams))

    def losses(self, net: nn.Module, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """How far the content is: the mean square of differences of maps. How far the style is: the sum of squares of
        differences of Gram matrices, averaged over layers and, by their shares, over styles."""
        styled = list(self.styles[0][1]) if self.styles else []
        maps = maps_of(net, x, list(dict.fromkeys([*self.content, *styled])))
        content = x.new_zeros(())
        for name, wanted in self.content.items():
            content = content + (maps[name] - wanted).square().mean() / len(self.content)
        style = x.new_zeros(())
        for name in styled:
            now = gram(maps[name])
            for share, wanted_of in self.styles:
                style = style + share * (now - wanted_of[name]).square().sum() / len(styled)
        return content, style
