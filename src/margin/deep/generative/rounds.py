"""The loop of a game between networks: one :class:`Round` a turn."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch import nn

from margin.deep.generative.round import Round
from margin.deep.training.loop import Weights, take_weights, weights_of
from margin.deep.training.surroundings import threads_of_torch

if TYPE_CHECKING:
    from margin.deep.generative.saving import RunFile

__all__ = ["Game", "Rounds"]

#: After so many rounds weights are put aside, to go back to where a loss is not finite, and runs are written down.
SAFE = 50


class Game(Protocol):
    """Networks with their optimisers, and a turn of each."""

    players: nn.ModuleDict
    optimizers: dict[str, torch.optim.Optimizer]

    def turn(self, number: int) -> tuple[float, float, float]:
        """Both sides learn once: the value, the loss of the generator, that of the discriminator."""
        ...

    def look(self, number: int) -> None:
        """What is to be watched from time to time."""
        ...

    def memory(self) -> dict[str, np.ndarray]:
        """What a run that goes on needs besides weights and optimisers."""
        ...

    def remember(self, arrays: dict[str, np.ndarray]) -> None: ...


@dataclass
class Rounds:
    """A run.

    Attributes
    ----------
    curve
        The rounds until now.
    diverged
        The round in which a loss was not finite, counted from 1; None if there was none.
    """

    game: Game
    n_rounds: int
    n_jobs: int | None
    keeper: RunFile | None = None
    curve: list[Round] = field(default_factory=list)
    diverged: int | None = None
    _good: Weights = field(default_factory=dict)

    def play(self) -> Iterator[Round]:
        """Until all rounds are played or a loss is not finite; then the weights put aside last are put back."""
        while len(self.curve) < self.n_rounds:
            number, begun = len(self.curve), time.perf_counter()
            if number % SAFE == 0 or not self._good:
                self._good = weights_of(self.game.players)
            with threads_of_torch(self.n_jobs):
                value, of_generator, of_discriminator = self.game.turn(number)
                if not all(map(math.isfinite, (value, of_generator, of_discriminator))):
                    take_weights(self.game.players, self._good)
                    self.diverged = number + 1
                    return
                if (number + 1) % SAFE == 0:
                    self.game.look(number + 1)
            self.curve.append(Round(number + 1, value, of_generator, of_discriminator, time.perf_counter() - begun))
            if self.keeper is not None and ((number + 1) % SAFE == 0 or number + 1 == self.n_rounds):
                self.keeper.write(self)
            yield self.curve[-1]


def adam(net: nn.Module, rate: float, beta1: float) -> torch.optim.Optimizer | None:
    """Adam for what learns in a network; None where nothing does."""
    learning = [each for each in net.parameters() if each.requires_grad]
    return torch.optim.Adam(learning, rate, betas=(beta1, 0.999), fused=True) if learning else None


def gradients_kept_off(net: nn.Module) -> Any:
    """Inside a ``with`` block the parameters of a network get no gradients: those of its inputs cost half as much."""
    return _Frozen(net)


class _Frozen:
    def __init__(self, net: nn.Module) -> None:
        self.learning = [each for each in net.parameters() if each.requires_grad]

    def __enter__(self) -> None:
        for each in self.learning:
            each.requires_grad_(False)

    def __exit__(self, *_: object) -> None:
        for each in self.learning:
            each.requires_grad_(True)
