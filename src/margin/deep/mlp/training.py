"""Training as a loop that yields: one :class:`Epoch` a turn, until there is no more progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from margin.deep.mlp.inputs import VisitedRows
from margin.deep.mlp.quasi_newton import descend
from margin.deep.mlp.rates import Schedule

__all__ = ["Divergence", "Epoch", "Patience", "State", "Training"]


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
class State:
    """The weights of a trainer, and all else that its next step depends on.

    ``average`` are the averaged weights and ``norms`` the running means of batch norm, where there are such.
    """

    weights: np.ndarray
    first: np.ndarray | None = None
    second: np.ndarray | None = None
    steps: int = 0
    average: np.ndarray | None = None
    norms: np.ndarray | None = None

    @classmethod
    def of(cls, trainer: Any) -> State:
        first, second, steps = trainer.memory()
        return cls(trainer.weights(), first, second, steps, trainer.average(), trainer.norms())

    def give(self, trainer: Any, dtype: np.dtype[Any]) -> None:
        """Let a trainer go on from here."""
        arrays = self.weights, self.first, self.second, self.average, self.norms
        w, first, second, average, norms = (None if each is None else each.astype(dtype) for each in arrays)
        trainer.set(w, first, second, self.steps, average, norms)


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


class Keeper(Protocol):
    """Who writes down where a run is after every epoch."""

    def write(self, run: Training) -> None: ...


@dataclass
class Training:
    """A run: the trainer of the core, what it learns from, and what became of it.

    ``score`` judges weights that answer on rows held out; the best ones are then what is left at the end.
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
    keeper: Keeper | None = None
    curve: list[Epoch] = field(default_factory=list)
    best_weights: np.ndarray | None = None
    _good: State | None = None

    def epochs(self) -> Iterator[Epoch]:
        """Mini-batches, until patience is over, ``max_iter`` is reached or a loss is not finite."""
        n = len(self.rows.visits)
        while len(self.curve) < self.max_iter and not self.settled:
            number, begun = len(self.curve), time.perf_counter()
            self._good = State(self.trainer.weights(), average=self.trainer.average(), norms=self.trainer.norms())
            rates = self.schedule.rates(number, -(-n // self.batch), self.seen)
            loss, norm, failed = self._pass(number, rates)
            if failed >= 0 or not np.isfinite(loss):
                self.diverged = Divergence(number + 1, failed + 1, float(rates[failed]))
                self.go_back()
                return
            self.seen += n
            score = self._judge(number + 1, loss)
            epoch = Epoch(number + 1, loss, score, float(rates[-1]), norm, time.perf_counter() - begun)
            self.curve.append(epoch)
            if self.patience.is_over():
                self.settled = not self.schedule.goes_on()
                self.patience.waited = 0
            if self.keeper is not None:
                self.keeper.write(self)
            yield epoch

    def _judge(self, number: int, loss: float) -> float | None:
        """The score on rows held out, if there are any; the best weights are remembered."""
        if self.score is None:
            self.patience.see(number, loss)
            return None
        weights = self.trainer.answering()
        score = self.score(weights)
        if self.patience.see(number, -score):
            self.best_weights = weights
        return score

    def go_back(self) -> None:
        """To the weights after the last epoch that was finished."""
        if self._good is not None:
            self._good.give(self.trainer, self._good.weights.dtype)

    def _pass(self, number: int, rates: np.ndarray) -> tuple[float, float, int]:
        rows = self.rows
        return self.trainer.epoch(
            *rows.given, rows.order(self.first_epoch + number), self.batch, rates, self.n_threads, *rows.sparse
        )  # fmt: skip

    def descent(self, tol: float, max_values: int) -> Iterator[Epoch]:
        """L-BFGS on all rows at once: an iteration is an epoch."""
        rows = self.rows

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            self.trainer.set(flat, None, None, 0)
            return self.trainer.objective(*rows.given, rows.visits, self.n_threads, *rows.sparse)

        begun = time.perf_counter()
        for number, point in enumerate(descend(objective, self.trainer.weights(), tol, max_values), start=1):
            self._good = State(point.x)
            self.go_back()
            now = time.perf_counter()
            if not np.isfinite(point.value):
                self.diverged = Divergence(number, 1, point.step)
                return
            score = self._judge(number, point.value)
            epoch = Epoch(number, point.value, score, point.step, float(np.linalg.norm(point.gradient)), now - begun)
            begun = now
            self.curve.append(epoch)
            self.seen += len(rows.visits)
            self.settled = point.done or (score is not None and self.patience.is_over())
            yield epoch
            if number >= self.max_iter or self.settled:
                return
