"""The loop: one :class:`~margin.deep.Epoch` a turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.deep.architectures.plan import TrainingOutputs
from margin.deep.mlp.rates import Schedule
from margin.deep.mlp.training import Divergence, Epoch, Patience
from margin.deep.training.answering import answered
from margin.deep.training.batches import Batches
from margin.deep.training.surroundings import OwnRandom, threads_of_torch
from margin.errors import ConvergenceWarning, warn
from margin.random import generator

__all__ = ["OPTIMIZERS", "Loop", "make_optimizer"]

#: What auxiliary heads count beside the head (Szegedy et al. 2014).
AUXILIARY = 0.3
OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": lambda given, rate, decay: torch.optim.Adam(given, rate, weight_decay=decay, fused=True),
    "adamw": lambda given, rate, decay: torch.optim.AdamW(given, rate, weight_decay=decay, fused=True),
    "sgd": lambda given, rate, decay: torch.optim.SGD(given, rate, momentum=0.9, weight_decay=decay, fused=True),
    "nesterov": lambda given, rate, decay: torch.optim.SGD(
        given, rate, momentum=0.9, nesterov=True, weight_decay=decay, fused=True
    ),
    "rmsprop": lambda given, rate, decay: torch.optim.RMSprop(given, rate, weight_decay=decay),
}

Weights = dict[str, torch.Tensor]


@dataclass
class Loop:
    """A run over pictures: what is learnt from and judged by, how, and how long."""

    net: nn.Module
    batches: Batches
    held_out: Batches | None
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    optimizer: torch.optim.Optimizer
    schedule: Schedule
    patience: Patience | None
    batch_size: int
    n_jobs: int | None
    seed: int
    random: OwnRandom

    def epochs(self) -> Iterator[Epoch]:
        """Until ``epochs`` are done, patience is over, or a loss is not finite; then the best weights are put back.

        Whoever leaves the loop has the network as it was then. An interrupt inside an epoch, or an error, leaves what
        the last whole epoch left.
        """
        best: Weights | None = None
        for number in range(self.schedule.n_epochs):
            good = self._weights()
            try:
                made = self._epoch(number)
            except BaseException:
                self._put(good if best is None else best)
                raise
            if isinstance(made, Divergence):
                self._put(good if best is None else best)
                warn(
                    f"train: the loss of batch {made.batch} of epoch {made.epoch} was not finite at rate "
                    f"{made.rate:g}; the weights before it are kept (a smaller rate may help).",
                    ConvergenceWarning,
                )
                return
            if self.patience is not None:
                judged = made.loss if made.validation_score is None else -made.validation_score
                if self.patience.see(made.number, judged) and self.held_out is not None:
                    best = self._weights()
            yield made
            if self.patience is not None and self.patience.is_over():
                break
        if best is not None:
            self._put(best)

    def _epoch(self, number: int) -> Epoch | Divergence:
        begun = time.perf_counter()
        n = len(self.batches.codes)
        order = generator(self.seed, "order", number).permutation(n)
        rates = self.schedule.rates(number, -(-n // self.batch_size), number * n)
        total, norms, visited = 0.0, 0.0, 0
        self.net.train()
        with threads_of_torch(self.n_jobs), self.random:
            for step, (x, codes, weight) in enumerate(self.batches.of(order, self.batch_size)):
                loss = self._loss(x, codes, weight)
                value = float(loss.detach())
                if not np.isfinite(value):
                    return Divergence(number + 1, step + 1, float(rates[step]))
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()  # type: ignore[no-untyped-call]
                norms += self._gradient_norm()
                for group in self.optimizer.param_groups:
                    group["lr"] = float(rates[step]) * group.get("factor", 1.0)
                self.optimizer.step()
                total, visited = total + value * len(codes), step + 1
        score = self._score()
        seconds = time.perf_counter() - begun
        return Epoch(number + 1, total / n, score, float(rates[visited - 1]), norms / visited, seconds)

    def _loss(self, x: torch.Tensor, codes: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
        made = self.net(x)
        logits, auxiliary = made if isinstance(made, TrainingOutputs) else (made, ())
        loss = _mean(self.loss(logits, codes), weight)
        for each in auxiliary:
            loss = loss + AUXILIARY * _mean(self.loss(each, codes), weight)
        return loss

    def _gradient_norm(self) -> float:
        gradients = [each.grad for each in self.net.parameters() if each.grad is not None]
        return float(torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))))

    def _score(self) -> float | None:
        if self.held_out is None:
            return None
        held = self.held_out
        logits = answered(self.net, held.images, held.scale, held.device, self.n_jobs)
        return float(np.average(logits.argmax(axis=1) == held.codes, weights=held.weight))

    def _weights(self) -> Weights:
        return {name: each.detach().clone() for name, each in self.net.state_dict().items()}

    def _put(self, weights: Weights) -> None:
        with torch.no_grad():
            for name, place in self.net.state_dict().items():
                place.copy_(weights[name])


def _mean(losses: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    """The mean of a batch; weights are relative to their mean over all pictures, not over the batch."""
    return losses.mean() if weight is None else (losses * weight).mean()


def make_optimizer(given: Any, net: nn.Module, rate: float, decay: float) -> torch.optim.Optimizer:
    """By name, by a function of the parameters, or as it is."""
    if isinstance(given, torch.optim.Optimizer):
        return given
    learning = [each for each in net.parameters() if each.requires_grad]
    return OPTIMIZERS[given](learning, rate, decay) if isinstance(given, str) else given(learning)
