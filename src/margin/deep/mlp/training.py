"""Training as a loop that yields: one :class:`Epoch` a turn, until there is no more progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import margin._core as _core
from margin.deep.mlp.quasi_newton import descend
from margin.deep.mlp.rates import Schedule

__all__ = ["Divergence", "Epoch", "Patience", "Training", "VisitedRows"]


@dataclass(frozen=True)
class Epoch:
    """What one pass over the rows came to.

    Attributes
    ----------
    number
        Counted from 1.
    loss
        The mean loss of the rows, each before it was learnt, with the penalty.
    validation_score
        Accuracy or R² on the rows held out; None without early stopping.
    rate
        The learning rate of its last batch; the step of L-BFGS.
    gradient_norm
        The mean length of the gradients of its batches.
    seconds
        How long it took.
    """

    number: int
    loss: float
    validation_score: float | None
    rate: float
    gradient_norm: float
    seconds: float


@dataclass(frozen=True)
class VisitedRows:
    """What the core learns from: a matrix, targets of one of two kinds, weights, and the rows in the order of visits.

    ``seed`` is that of the order; without one the rows are visited as they stand.
    """

    X: np.ndarray
    classes: np.ndarray | None
    values: np.ndarray | None
    weight: np.ndarray | None
    visits: np.ndarray
    seed: int | None

    def order(self, epoch: int) -> np.ndarray:
        return self.visits if self.seed is None else _core.deep.shuffled(self.visits, self.seed, epoch)


@dataclass(frozen=True)
class Divergence:
    """Where a loss was not finite."""

    epoch: int
    batch: int
    rate: float


@dataclass
class Patience:
    """When to stop: no progress by more than ``tol`` for more than ``n_iter_no_change`` epochs."""

    tol: float
    n_iter_no_change: int
    best: float = np.inf
    best_epoch: int = 0
    waited: int = 0

    def see(self, epoch: int, loss: float) -> bool:
        """Whether an epoch is the best so far; what falls is better."""
        self.waited = self.waited + 1 if not loss <= self.best - self.tol else 0
        better = loss < self.best
        if better:
            self.best, self.best_epoch = loss, epoch
        return better

    def is_over(self) -> bool:
        return self.waited > self.n_iter_no_change


@dataclass
class Training:
    """A run: the trainer of the core, what it learns from, and what became of it.

    ``score`` judges flat weights on rows held out; the best ones are then what is left at the end.
    """

    trainer: Any
    rows: VisitedRows
    schedule: Schedule
    patience: Patience
    batch: int
    max_iter: int
    n_threads: int
    score: Callable[[np.ndarray], float] | None = None
    first_epoch: int = 0
    seen: int = 0
    settled: bool = False
    diverged: Divergence | None = None
    curve: list[Epoch] = field(default_factory=list)
    best_weights: np.ndarray | None = None
    _good: tuple[np.ndarray, tuple[np.ndarray, np.ndarray, int]] | None = None

    def epochs(self) -> Iterator[Epoch]:
        """Mini-batches, until patience is over, ``max_iter`` is reached or a loss is not finite."""
        n = len(self.rows.visits)
        for number in range(self.max_iter):
            begun = time.perf_counter()
            self._good = self.trainer.weights(), self.trainer.memory()
            rates = self.schedule.rates(number, -(-n // self.batch), self.seen)
            loss, norm, failed = self._pass(number, rates)
            if failed >= 0 or not np.isfinite(loss):
                self.diverged = Divergence(number + 1, failed + 1, float(rates[failed]))
                self.trainer.set(self._good[0], *self._good[1])
                return
            self.seen += n
            weights, score = None, None
            if self.score is not None:
                weights = self.trainer.weights()
                score = self.score(weights)
            epoch = Epoch(number + 1, loss, score, float(rates[-1]), norm, time.perf_counter() - begun)
            self.curve.append(epoch)
            better = self.patience.see(epoch.number, loss if score is None else -score)
            if weights is not None and better:
                self.best_weights = weights
            if self.patience.is_over():
                self.settled = not self.schedule.goes_on()
                self.patience.waited = 0
            yield epoch
            if self.settled:
                return

    def _pass(self, number: int, rates: np.ndarray) -> tuple[float, float, int]:
        rows = self.rows
        return self.trainer.epoch(
            rows.X, rows.classes, rows.values, rows.weight, rows.order(self.first_epoch + number), self.batch, rates,
            self.n_threads,
        )  # fmt: skip

    def descent(self, tol: float, max_values: int) -> Iterator[Epoch]:
        """L-BFGS on all rows at once: an iteration is an epoch."""
        rows = self.rows

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            self.trainer.set(flat, None, None, 0)
            return self.trainer.objective(
                rows.X, rows.classes, rows.values, rows.weight, rows.visits, self.n_threads
            )  # fmt: skip

        begun = time.perf_counter()
        point, number = None, 0
        for number, point in enumerate(descend(objective, self.trainer.weights(), tol, max_values), start=1):
            self.trainer.set(point.x, None, None, 0)
            now = time.perf_counter()
            norm = float(np.linalg.norm(point.gradient))
            epoch = Epoch(number, point.value, None, point.step, norm, now - begun)
            begun = now
            self.curve.append(epoch)
            self.patience.see(number, point.value)
            self.seen += len(rows.visits)
            self.settled = point.done
            if not np.isfinite(point.value):
                self.diverged = Divergence(number, 1, point.step)
                return
            yield epoch
            if number >= self.max_iter:
                return
