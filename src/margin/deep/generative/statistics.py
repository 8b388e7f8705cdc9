"""What is worked out with a generator once it has learnt: means of its layers, and vectors that lead to a case."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from margin.deep.generative.duel import noise
from margin.random import generator

__all__ = ["nearest_vectors", "settle_statistics"]

#: Batches over which means and variances of layers are taken.
BATCHES = 20
#: Starts of the search for a latent vector, and what a vector's squared length counts beside the squared distance.
STARTS, SHORT = 4, 1e-3


def settle_statistics(forge: nn.Module, latent: int, batch_size: int, seed: int) -> None:
    """Means and variances of normalised layers over made cases: those of training lag behind the weights."""
    normed = [each for each in forge.modules() if isinstance(each, nn.BatchNorm2d)]
    momenta = [each.momentum for each in normed]
    if not normed:
        return
    for each in normed:
        each.reset_running_stats()
        each.momentum = None
    forge.train()
    with torch.no_grad():
        for k in range(BATCHES):
            forge(noise(batch_size, latent, generator(seed, "statistics", k)))
    for each, momentum in zip(normed, momenta, strict=True):
        each.momentum = momentum


def nearest_vectors(
    forge: nn.Module, cases: torch.Tensor, latent: int, steps: int, rate: float, random: np.random.Generator
) -> np.ndarray:
    """For each case the latent vector, of those that several starts lead to, whose forgery is nearest."""
    n = len(cases)
    z = noise(STARTS * n, latent, random).requires_grad_(True)
    wanted = cases.repeat(STARTS, *[1] * (cases.dim() - 1))
    optimizer = torch.optim.Adam([z], rate)

    def distances() -> torch.Tensor:
        return ((forge(z) - wanted) ** 2).flatten(1).mean(dim=1)

    for _ in range(steps):
        optimizer.zero_grad()
        (distances().sum() + SHORT * (z**2).mean(dim=1).sum()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    with torch.no_grad():
        best = distances().reshape(STARTS, n).argmin(dim=0)
        made: np.ndarray = z.reshape(STARTS, n, latent)[best, torch.arange(n)].numpy().copy()
    return made
