"""Weights averaged over the steps of training, which answer better than the last ones where steps are long."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import nn

__all__ = ["Average"]


@dataclass
class Average:
    """An exponential average: every step moves it by ``1 - memory`` of the way to the weights (Polyak).

    At its beginning it is their plain mean, so that first weights are soon forgotten.
    """

    memory: float
    steps: int = 0
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def see(self, net: nn.Module) -> None:
        self.steps += 1
        now = dict(net.named_parameters())
        if not self.tensors:
            self.tensors = {name: each.detach().clone() for name, each in now.items()}
            return
        share = max(1.0 - self.memory, 1.0 / self.steps)
        with torch.no_grad():
            torch._foreach_lerp_(list(self.tensors.values()), [now[name].detach() for name in self.tensors], share)

    def over(self, state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The state of a network with averaged weights in the place of its own; statistics stay as they are."""
        return {**state, **{name: each.clone() for name, each in self.tensors.items()}}
