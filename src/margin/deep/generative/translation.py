"""The game of CycleGAN: two generators, two discriminators, and ways there and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from margin.deep.generative.duel import rows_of
from margin.deep.generative.rounds import gradients_kept_off
from margin.random import generator

__all__ = ["Pool", "Translation", "cycle_losses"]


@dataclass
class Pool:
    """Old forgeries: half of what a discriminator is shown is one of them (Shrivastava et al. 2017)."""

    size: int
    kept: list[torch.Tensor] = field(default_factory=list)

    def mixed(self, made: torch.Tensor, random: np.random.Generator) -> torch.Tensor:
        shown = []
        for each in made:
            if len(self.kept) < self.size:
                self.kept.append(each.clone())
                shown.append(each)
            elif self.size and random.random() < 0.5:
                at = int(random.integers(self.size))
                shown.append(self.kept[at])
                self.kept[at] = each.clone()
            else:
                shown.append(each)
        return torch.stack(shown)


def cycle_losses(
    there: nn.Module, back: nn.Module, a: torch.Tensor, b: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Forgeries of both sides, the mean distance of what comes back from what was sent, and of what should stay.

    Of generators that change nothing both distances are 0.
    """
    made_b, made_a = there(a), back(b)
    cycle = (back(made_b) - a).abs().mean() + (there(made_a) - b).abs().mean()
    stays = torch.zeros(())
    if a.shape[1] == b.shape[1]:
        stays = (there(b) - b).abs().mean() + (back(a) - a).abs().mean()
    return made_a, made_b, cycle, stays


@dataclass
class Translation:
    """``players`` are a_to_b, b_to_a, judge_a and judge_b."""

    players: nn.ModuleDict
    a: torch.Tensor
    b: torch.Tensor
    batch_size: int
    rate: float
    beta1: float
    cycle: float
    identity: float
    pool_size: int
    n_steps: int
    seed: int
    optimizers: dict[str, torch.optim.Optimizer] = field(default_factory=dict)
    pools: dict[str, Pool] = field(default_factory=dict)
    cycles: list[float] = field(default_factory=list)
    _drawn: int = 0

    def __post_init__(self) -> None:
        self.players.train()
        for side, names in ("generators", ("a_to_b", "b_to_a")), ("discriminators", ("judge_a", "judge_b")):
            learning = [each for name in names for each in self.players[name].parameters()]
            self.optimizers[side] = torch.optim.Adam(learning, self.rate, betas=(self.beta1, 0.999), fused=True)
        self.pools = {"a": Pool(self.pool_size), "b": Pool(self.pool_size)}
        self._batches = self._both()

    def _both(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        orders = (
            rows_of(len(each), self.batch_size, self.seed, f"order of {side}")
            for side, each in (("a", self.a), ("b", self.b))
        )
        return zip(*orders, strict=True)

    def turn(self, number: int) -> tuple[float, float, float]:
        """The generators learn once, then the discriminators."""
        self._set_rate(number)
        self._drawn += 1
        a, b = (x[torch.from_numpy(rows)] for x, rows in zip((self.a, self.b), next(self._batches), strict=True))
        there, back = self.players["a_to_b"], self.players["b_to_a"]
        judges = nn.ModuleList([self.players["judge_a"], self.players["judge_b"]])
        with gradients_kept_off(judges):
            made_a, made_b, cycle, stays = self._ways(there, back, a, b)
            fooled = ((judges[0](made_a) - 1) ** 2).mean() + ((judges[1](made_b) - 1) ** 2).mean()
            loss = fooled + self.cycle * (cycle + self.identity * stays)
            self.optimizers["generators"].zero_grad(set_to_none=True)
            loss.backward()
        self.optimizers["generators"].step()
        self.cycles.append(float(cycle.detach()) / 2)
        value, of_judges = self._judges_learn(number, a, b, made_a.detach(), made_b.detach())
        return value, float(loss.detach()), of_judges

    def _ways(
        self, there: nn.Module, back: nn.Module, a: torch.Tensor, b: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        if self.identity:
            return cycle_losses(there, back, a, b)
        made_b, made_a = there(a), back(b)
        return made_a, made_b, (back(made_b) - a).abs().mean() + (there(made_a) - b).abs().mean(), torch.zeros(())

    def _judges_learn(
        self, number: int, a: torch.Tensor, b: torch.Tensor, made_a: torch.Tensor, made_b: torch.Tensor
    ) -> tuple[float, float]:
        random = generator(self.seed, "pool", number)
        loss = torch.zeros(())
        for side, real, made in ("a", a, made_a), ("b", b, made_b):
            judge = self.players[f"judge_{side}"]
            shown = self.pools[side].mixed(made, random)
            loss = loss + 0.5 * ((judge(real) - 1) ** 2).mean() + 0.5 * (judge(shown) ** 2).mean()
        self.optimizers["discriminators"].zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizers["discriminators"].step()
        return -float(loss.detach()), float(loss.detach())

    def _set_rate(self, number: int) -> None:
        """As it is in the first half, then falling to 0 on a line."""
        half = self.n_steps // 2
        share = 1.0 if number < half else max(0.0, (self.n_steps - number) / max(self.n_steps - half, 1))
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = self.rate * share

    def look(self, number: int) -> None:
        """There is nothing to watch but the losses."""

    def memory(self) -> dict[str, np.ndarray]:
        kept = {"drawn": np.array(self._drawn), "cycles": np.array(self.cycles)}
        for side, pool in self.pools.items():
            if pool.kept:
                kept[f"pool/{side}"] = torch.stack(pool.kept).numpy()
        return kept

    def remember(self, arrays: dict[str, np.ndarray]) -> None:
        self._drawn, self.cycles = int(arrays["drawn"]), arrays["cycles"].tolist()
        for _ in range(self._drawn):
            next(self._batches)
        for side, pool in self.pools.items():
            pool.kept = [torch.from_numpy(each.copy()) for each in arrays.get(f"pool/{side}", ())]
