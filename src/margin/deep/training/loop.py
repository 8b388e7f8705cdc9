"""The loop: one :class:`~margin.deep.Epoch` a turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from margin.deep.architectures.plan import TrainingOutputs
from margin.deep.mlp.rates import Schedule
from margin.deep.mlp.training import Divergence, Epoch, Patience
from margin.deep.training.average import Average
from margin.deep.training.devices import narrow_products, on_device
from margin.deep.training.lessons import Batch, Lessons
from margin.deep.training.mixing import mixed_loss
from margin.deep.training.surroundings import OwnRandom, threads_of_torch
from margin.random import generator

__all__ = ["OPTIMIZERS", "Loop", "make_optimizer", "steps_of", "take_weights", "weights_of"]

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

CPU = torch.device("cpu")

Weights = dict[str, torch.Tensor]


class Keeper(Protocol):
    """Who writes down where a run is after every epoch."""

    def write(self, run: Loop) -> None: ...


@dataclass
class Loop:
    """A run: what is learnt from and judged by, how, how long, and what became of it.

    Attributes
    ----------
    before_epoch
        Called with the number of every epoch, counted from 0, once the network is in training mode: to freeze layers.
    mixup
        The parameter of the Beta distribution by which cases are mixed; 0 for none.
    average
        Weights averaged over the steps; they are those that are judged and answer.
    device, narrow
        Where the network is; whether products are of bfloat16 in training.
    keeper
        Writes every epoch down.
    curve, best, diverged
        The epochs until now; the weights of the best one with ``held_out``; where a loss was not finite.
    """

    net: nn.Module
    lessons: Lessons
    held_out: Lessons | None
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    optimizer: torch.optim.Optimizer
    schedule: Schedule
    patience: Patience
    batch_size: int
    n_jobs: int | None
    seed: int
    random: OwnRandom
    before_epoch: Callable[[int], None] = lambda number: None
    mixup: float = 0.0
    average: Average | None = None
    device: torch.device = CPU
    narrow: bool = False
    keeper: Keeper | None = None
    curve: list[Epoch] = field(default_factory=list)
    best: Weights | None = None
    diverged: Divergence | None = None

    def epochs(self) -> Iterator[Epoch]:
        """Until all epochs are done, patience is over, or a loss is not finite; then the best weights are put back.

        Whoever leaves the loop has the network as it was then. An interrupt inside an epoch, or an error, leaves what
        the last whole epoch left: its best weights where cases are held out.
        """
        while len(self.curve) < self.schedule.n_epochs and not self.patience.is_over():
            good = self._answering()
            try:
                made = self._epoch(len(self.curve))
            except BaseException:
                take_weights(self.net, good if self.best is None else self.best)
                raise
            if isinstance(made, Divergence):
                self.diverged = made
                take_weights(self.net, good if self.best is None else self.best)
                return
            self._judge(made)
            self.curve.append(made)
            if self.keeper is not None:
                self.keeper.write(self)
            learning = None if self.average is None else weights_of(self.net)
            take_weights(self.net, self._answering()) if learning is not None else None
            yield made
            if learning is not None:
                take_weights(self.net, learning)
        self.finish()

    def finish(self) -> None:
        """Give the network the weights that are to answer."""
        if self.best is not None:
            take_weights(self.net, self.best)
        elif self.average is not None:
            take_weights(self.net, self._answering())

    def _answering(self) -> Weights:
        """The weights that would answer now."""
        now = weights_of(self.net)
        return now if self.average is None or not self.average.steps else self.average.over(now)

    def _judge(self, made: Epoch) -> None:
        judged = made.loss if made.validation_score is None else -made.validation_score
        if self.patience.see(made.number, judged) and self.held_out is not None:
            self.best = self._answering()

    def _epoch(self, number: int) -> Epoch | Divergence:
        begun = time.perf_counter()
        n = len(self.lessons)
        order = generator(self.seed, "order", number).permutation(n)
        draws = generator(self.seed, "changes", number)
        rates = self.schedule.rates(number, -(-n // self.batch_size), number * n)
        total, norms, visited = 0.0, 0.0, 0
        self.net.train()
        self.before_epoch(number)
        with threads_of_torch(self.n_jobs), self.random:
            for step, (x, targets, weight) in enumerate(self.lessons.of(order, self.batch_size, draws)):
                loss = self._loss(x, targets, weight, draws)
                value, rate = float(loss.detach()), float(rates[min(step, len(rates) - 1)])
                if not np.isfinite(value):
                    return Divergence(number + 1, step + 1, rate)
                self._step(loss, rate)
                norms += self._gradient_norm()
                total, visited = total + value * len(targets), step + 1
        score = self._score()
        seconds = time.perf_counter() - begun
        return Epoch(number + 1, total / n, score, rate, norms / visited, seconds)

    def _step(self, loss: torch.Tensor, rate: float) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group.get("factor", 1.0)
        self.optimizer.step()
        if self.average is not None:
            self.average.see(self.net)

    def _loss(
        self, x: Any, targets: torch.Tensor, weight: torch.Tensor | None, draws: np.random.Generator
    ) -> torch.Tensor:
        if self.mixup and isinstance(x, torch.Tensor):
            x, targets, weight = (on_device(each, self.device) for each in (x, targets, weight))
            with narrow_products(self.device, self.narrow):
                ask = partial(_mean, self.net)
                return mixed_loss(ask, self.loss, x, targets, weight, self.mixup, draws)
        return self.loss_of(self.net, x, targets, weight, self.narrow)

    def loss_of(
        self, net: nn.Module, x: Any, targets: torch.Tensor, weight: torch.Tensor | None, narrow: bool
    ) -> torch.Tensor:
        """The mean loss of a batch; weights are relative to their mean over all cases, not over the batch."""
        x, targets, weight = (on_device(each, self.device) for each in (x, targets, weight))

        def of_cases(logits: torch.Tensor) -> torch.Tensor:
            losses = self.loss(logits, targets)
            return losses if weight is None else losses * weight

        with narrow_products(self.device, narrow):
            return _mean(net, x, of_cases)

    def _gradient_norm(self) -> float:
        gradients = [each.grad for each in self.net.parameters() if each.grad is not None]
        return float(torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))))

    def _score(self) -> float | None:
        if self.held_out is None:
            return None
        if self.average is None:
            return self.held_out.score(self.net, self.n_jobs)
        learning = weights_of(self.net)
        take_weights(self.net, self._answering())
        try:
            return self.held_out.score(self.net, self.n_jobs)
        finally:
            take_weights(self.net, learning)


@contextmanager
def steps_of(run: Loop) -> Iterator[Callable[[float], float]]:
    """A function that takes one step of a run at a rate, batch after batch, and gives the loss before it."""

    def batches() -> Iterator[tuple[Batch, np.random.Generator]]:
        for number in count():
            draws = generator(run.seed, "changes", number)
            order = generator(run.seed, "order", number).permutation(len(run.lessons))
            for batch in run.lessons.of(order, run.batch_size, draws):
                yield batch, draws

    coming = batches()

    def step(rate: float) -> float:
        batch, draws = next(coming)
        loss = run._loss(*batch, draws)
        value = float(loss.detach())
        if np.isfinite(value):
            run._step(loss, rate)
        return value

    run.net.train()
    run.before_epoch(0)
    with threads_of_torch(run.n_jobs), run.random:
        yield step


def _mean(net: nn.Module, x: Any, of_cases: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """The mean over cases, auxiliary heads among them."""
    made = net(x)
    logits, auxiliary = made if isinstance(made, TrainingOutputs) else (made, ())
    loss = of_cases(logits).mean()
    for each in auxiliary:
        loss = loss + AUXILIARY * of_cases(each).mean()
    return loss


def weights_of(net: nn.Module) -> Weights:
    """Copies of all numbers of a network, statistics of batches among them."""
    return {name: each.detach().clone() for name, each in net.state_dict().items()}


def take_weights(net: nn.Module, weights: Weights) -> None:
    """Put such numbers back."""
    with torch.no_grad():
        for name, place in net.state_dict().items():
            place.copy_(weights[name])


def make_optimizer(given: Any, net: nn.Module, rate: float, decay: float) -> torch.optim.Optimizer:
    """By name, by a function of the parameters, or as it is."""
    if isinstance(given, torch.optim.Optimizer):
        return given
    learning = [each for each in net.parameters() if each.requires_grad]
    return OPTIMIZERS[given](learning, rate, decay) if isinstance(given, str) else given(learning)
