"""One generator against one discriminator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.deep.generative.losses import AdversarialLoss
from margin.deep.generative.rounds import adam, gradients_kept_off
from margin.deep.generative.watching import Watch
from margin.deep.training.average import Average
from margin.random import generator

__all__ = ["Duel", "noise", "rows_of"]


def rows_of(n: int, size: int, seed: int, what: str) -> Iterator[np.ndarray]:
    """Batches without end: every pass in an order of its own; what is left over at its end begins the next."""
    number, left = 0, np.zeros(0, np.int64)
    while True:
        while len(left) < size:
            left, number = np.concatenate([left, generator(seed, what, number).permutation(n)]), number + 1
        yield left[:size]
        left = left[size:]


def noise(n: int, latent: int, random: np.random.Generator) -> torch.Tensor:
    """Standard normal latent vectors."""
    return torch.from_numpy(random.standard_normal((n, latent), dtype=np.float32))


@dataclass
class Duel:
    """The game of a GAN: ``cases`` are rows around 0, or pictures between -1 and 1."""

    players: nn.ModuleDict
    cases: torch.Tensor
    loss: AdversarialLoss
    latent: int
    n_critic: int
    r1: float
    batch_size: int
    rates: tuple[float, float]
    beta1: float
    seed: int
    average: Average | None = None
    watch: Watch | None = None
    optimizers: dict[str, torch.optim.Optimizer] = field(default_factory=dict)
    _batches: Any = None
    _drawn: int = 0

    def __post_init__(self) -> None:
        self.players.train()
        for name, rate in zip(("generator", "discriminator"), self.rates, strict=True):
            if (made := adam(self.players[name], rate, self.beta1)) is not None:
                self.optimizers[name] = made
        self._batches = rows_of(len(self.cases), self.batch_size, self.seed, "order")
        # Normalised batches of one kind alone would hide what all of its cases share, such as their contrast: a judge
        # could not see it. So real and made cases always come together.
        self._together = any(isinstance(each, nn.BatchNorm2d) for each in self.players["discriminator"].modules())

    def turn(self, number: int) -> tuple[float, float, float]:
        """The discriminator learns ``n_critic`` times, the generator once."""
        forge, judge = self.players["generator"], self.players["discriminator"]
        learns = "generator" in self.optimizers
        for k in range(self.n_critic):
            z = noise(self.batch_size, self.latent, generator(self.seed, "noise", number, k))
            last = k == self.n_critic - 1
            with torch.set_grad_enabled(last and learns):
                made = forge(z)  # the last batch serves both players
            real = self._real()
            value, of_judge = self._judge_learns(real, made.detach(), number, k)
        if not learns:
            return value, 0.0, of_judge
        with gradients_kept_off(judge):
            told = judge(torch.cat([real, made]))[len(real) :] if self._together else judge(made)
            of_forge = self.loss.generator(told)
            self.optimizers["generator"].zero_grad(set_to_none=True)
            of_forge.backward()  # type: ignore[no-untyped-call]
        self.optimizers["generator"].step()
        if self.average is not None:
            self.average.see(forge)
        return value, float(of_forge.detach()), of_judge

    def _judge_learns(self, real: torch.Tensor, made: torch.Tensor, number: int, k: int) -> tuple[float, float]:
        judge, optimizer = self.players["discriminator"], self.optimizers["discriminator"]
        if self.r1:
            real = real.detach().requires_grad_(True)
        of_real, of_made = judge(torch.cat([real, made])).split(len(real))
        loss = self.loss.discriminator(of_real, of_made)
        value = -float(loss.detach())
        if self.loss.penalty:
            between = torch.from_numpy(generator(self.seed, "between", number, k).random(len(real), dtype=np.float32))
            share = between.reshape(-1, *[1] * (real.dim() - 1))
            x = (share * real.detach() + (1 - share) * made).requires_grad_(True)
            loss = loss + self.loss.penalty * ((_lengths(judge(x), x) - 1) ** 2).mean()
        if self.r1:
            loss = loss + 0.5 * self.r1 * (_lengths(of_real, real) ** 2).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return value, float(loss.detach())

    def _real(self) -> torch.Tensor:
        self._drawn += 1
        return self.cases[torch.from_numpy(next(self._batches))]

    def look(self, number: int) -> None:
        if self.watch is not None:
            self.watch.look(self.players["generator"], number)

    def memory(self) -> dict[str, np.ndarray]:
        kept = {"drawn": np.array(self._drawn)}
        if self.average is not None:
            kept |= {f"average/{name}": each.numpy() for name, each in self.average.tensors.items()}
            kept["averaged"] = np.array(self.average.steps)
        if self.watch is not None:
            kept["seen"] = np.array(self.watch.seen, np.float64).reshape(-1, 2)
        return kept

    def remember(self, arrays: dict[str, np.ndarray]) -> None:
        for _ in range(int(arrays["drawn"])):
            self._real()
        if self.average is not None:
            self.average.steps = int(arrays["averaged"])
            named = {n.removeprefix("average/"): a for n, a in arrays.items() if n.startswith("average/")}
            self.average.tensors = {name: torch.from_numpy(each.copy()) for name, each in named.items()}
        if self.watch is not None:
            self.watch.seen = [(int(step), share) for step, share in arrays["seen"].tolist()]


def _lengths(answers: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The length of the gradient of each answer along its case."""
    (slopes,) = torch.autograd.grad(answers.sum(), x, create_graph=True)
    return slopes.flatten(1).norm(dim=1)
