"""Stochastic gradient descent: epochs, step sizes and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.linear.online.row_order import Visiting, over_rows, padded
from margin.typing import Encoded

__all__ = ["Descent", "Memory", "Settings"]

# The core knows a step that it is given, and two that fall by formulas.
SCHEDULES = {"constant": 0, "adaptive": 0, "optimal": 1, "invscaling": 2}
#: An adaptive step is divided by 5 until it is below this.
SMALLEST_STEP = 1e-6


@dataclass(frozen=True)
class Settings:
    """What is minimised, and how: parameters of :class:`margin.linear.LinearSGD`, checked."""

    loss: str
    alpha: float
    l1_ratio: float
    learning_rate: str
    eta0: float
    power_t: float
    intercept: bool
    average_from: float
    max_iter: int
    tol: float | None
    n_iter_no_change: int

    @property
    def optimal_start(self) -> float:
        """The step at which Bottou's schedule 1 / (alpha (start + t)) begins: weights of a typical size at t = 1."""
        return 1 / (self.alpha**-0.25 * self.alpha) if self.learning_rate == "optimal" else 0.0

    def penalty(self, w: np.ndarray) -> np.ndarray:
        """The penalty of the weights of each score."""
        return self.alpha * ((1 - self.l1_ratio) / 2 * np.square(w).sum(axis=1) + self.l1_ratio * np.abs(w).sum(axis=1))


@dataclass(frozen=True)
class Memory:
    """What an epoch goes on from: weights (padded), sums of the averaged ones, L1 penalties paid and owed."""

    w: np.ndarray
    b: np.ndarray
    sum_w: np.ndarray
    sum_b: np.ndarray
    averaged: np.ndarray
    paid: np.ndarray
    owed: np.ndarray
    t: float = 1.0

    @classmethod
    def empty(cls, n_scores: int, width: int) -> Memory:
        def table() -> np.ndarray:
            return np.zeros((n_scores, padded(width)))

        def row() -> np.ndarray:
            return np.zeros(n_scores)

        return cls(table(), row(), table(), row(), row(), table(), row())

    def copy(self) -> Memory:
        """The same with arrays of its own, for an epoch to change."""
        return replace(
            self,
            w=self.w.copy(),
            b=self.b.copy(),
            sum_w=self.sum_w.copy(),
            sum_b=self.sum_b.copy(),
            averaged=self.averaged.copy(),
            paid=self.paid.copy(),
            owed=self.owed.copy(),
        )

    def weights(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Weights and intercepts, averaged where averaging has begun."""
        if not self.averaged.any():
            return self.w[:, :width].copy(), self.b.copy()
        n = self.averaged[:, None]
        return self.sum_w[:, :width] / n, self.sum_b / n[:, 0]

    def widened(self, widen: Any, n_columns: int) -> Memory:
        """The memory of all columns and scores; ``widen`` maps weights and intercepts of some to those of all."""
        w, b = widen(self.w, self.b)
        sum_w, sum_b = widen(self.sum_w, self.sum_b)
        paid, owed = widen(self.paid, self.owed)
        averaged = np.broadcast_to(self.averaged.max(initial=0.0), b.shape).copy()
        return replace(Memory.empty(len(b), n_columns), w=w, b=b, sum_w=sum_w, sum_b=sum_b, averaged=averaged,
                       paid=paid, owed=owed, t=self.t)  # fmt: skip


@dataclass
class Descent:
    """A run over rows X with classes y; ``curve`` has the mean objective of each epoch.

    The loss of a row is taken before it is learnt. One score per class is trained against the rest, and rests once it
    no longer improves.
    """

    settings: Settings
    memory: Memory
    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    curve: list[float] = field(default_factory=list)
    missed_by: float | None = None

    def __post_init__(self) -> None:
        n_scores = len(self.memory.b)
        self.active = np.ones(n_scores, dtype=bool)
        self.eta = np.full(n_scores, self.settings.eta0)
        self.best = np.full(n_scores, np.inf)
        self.waited = np.zeros(n_scores, dtype=np.intp)
        self.last = np.zeros(n_scores)

    def epoch(self, order: np.ndarray | None) -> np.ndarray:
        """One pass over the rows; the mean objective of each score."""
        s, m = self.settings, self.memory
        with_l1 = s.l1_ratio > 0 and s.alpha > 0
        averages = s.average_from > 0
        losses, t = over_rows(
            _core.linear.sgd_epoch, self.X, s.loss, self.y, self.weight, order, SCHEDULES[s.learning_rate], self.eta,
            s.power_t, s.optimal_start, s.alpha, s.l1_ratio, s.intercept, s.average_from, m.w, m.b,
            m.sum_w if averages else None, m.sum_b if averages else None, m.averaged if averages else None,
            m.paid if with_l1 else None, m.owed if with_l1 else None, self.active, m.t,
        )  # fmt: skip
        self.memory = replace(m, t=t)
        objective = losses / self._total(order) + s.penalty(m.w)
        self.last = np.where(self.active, objective, self.last)
        self.curve.append(float(self.last.mean()))
        return self.last

    def run(self, visiting: Visiting, held_out: tuple[Any, np.ndarray] | None) -> bool:
        """Epochs until no score improves any more; whether that happened in time.

        With rows ``held_out``, improvement is that of the accuracy on them, else that of the objective.
        """
        s = self.settings
        for number in range(s.max_iter):
            objective = self.epoch(visiting.order(number))
            if not np.isfinite(objective).all() or not np.isfinite(self.memory.w).all():
                return False
            if s.tol is not None:
                self._judge(objective if held_out is None else -self._accuracy(*held_out))
                if not self.active.any():
                    return True
        return s.tol is None

    def _judge(self, worth: np.ndarray) -> None:
        """Let scores rest that have not fallen by ``tol`` for long enough; an adaptive step gets smaller first."""
        s = self.settings
        assert s.tol is not None
        better = worth < self.best - s.tol
        self.missed_by = float(np.max(np.where(better & self.active, self.best - worth, 0.0)))
        self.waited = np.where(better, 0, self.waited + 1)
        self.best = np.minimum(self.best, worth)
        enough = self.active & (self.waited >= s.n_iter_no_change)
        smaller = enough & (self.eta > SMALLEST_STEP) & (s.learning_rate == "adaptive")
        self.eta = np.where(smaller, self.eta / 5, self.eta)
        self.waited[smaller] = 0
        self.active = self.active & ~(enough & ~smaller)

    def _accuracy(self, X: Encoded, y: np.ndarray) -> np.ndarray:
        """The share of rows on the right side of each score."""
        coef, intercept = self.memory.weights(X.shape[1])
        positive = np.asarray(X @ coef.T) + intercept > 0
        own = (y == 1)[:, None] if len(intercept) == 1 else y[:, None] == np.arange(len(intercept))
        return (positive == own).mean(axis=0)

    def _total(self, order: np.ndarray | None) -> float:
        if self.weight is None:
            return float(len(self.y) if order is None else len(order))
        return float(self.weight.sum() if order is None else self.weight[order].sum())
