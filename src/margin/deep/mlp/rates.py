"""How long the steps are, batch by batch: the schedules of the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["OF_LENGTH", "SCHEDULES", "Schedule"]

SCHEDULES = ("constant", "invscaling", "adaptive", "step", "cosine", "one_cycle", "warm_up", "auto")
#: Those that depend on how many epochs there are at most.
OF_LENGTH = ("step", "cosine", "one_cycle", "warm_up")
#: "adaptive" divides by it whenever there is no more progress, and gives up below the smallest rate.
CUT, SMALLEST = 5.0, 1e-6
#: "one_cycle" begins at the rate over the first number, rises for that share of training, and ends at the
#: rate over the last.
FROM, RISING, TO = 25.0, 0.3, 1e4
#: "warm_up" rises to the rate over that share of training.
WARMING = 0.1


@dataclass
class Schedule:
    """The rates of a run of ``n_epochs``.

    >>> Schedule("cosine", 1.0, 2).rates(0, 2, 0).round(3).tolist()
    [1.0, 0.854]
    >>> Schedule("invscaling", 1.0, 2, power_t=0.5).rates(1, 1, 3).tolist()
    [0.5]
    """

    name: str
    first: float
    n_epochs: int
    power_t: float = 0.5
    cuts: int = 0

    def rates(self, epoch: int, n_batches: int, seen: int) -> np.ndarray:
        """One rate for each batch of an epoch, counted from 0, after so many visits to rows."""
        if self.name in CURVES:
            done = (epoch + np.arange(n_batches) / n_batches) / self.n_epochs
            return self.first * CURVES[self.name](done, 1.0 / (n_batches * self.n_epochs))
        return np.full(n_batches, self.now(epoch, seen))

    def now(self, epoch: int, seen: int) -> float:
        """The rate of the schedules that keep it for an epoch."""
        if self.name == "invscaling":
            return self.first / (seen + 1) ** self.power_t
        if self.name == "adaptive":
            return self.first / CUT**self.cuts
        if self.name == "step":
            return float(self.first / 10.0 ** (3 * epoch // self.n_epochs))
        return self.first

    def goes_on(self) -> bool:
        """Whether there is a smaller rate to go on with where there is no more progress."""
        if self.name != "adaptive" or self.now(0, 0) <= SMALLEST:
            return False
        self.cuts += 1
        return True


def _falling(done: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.cos(math.pi * np.minimum(done, 1.0)))


def _one_cycle(done: np.ndarray, batch: float) -> np.ndarray:
    rise = 1.0 / FROM + (1.0 - 1.0 / FROM) * (1.0 - _falling(done / RISING))
    fall = 1.0 / TO + (1.0 - 1.0 / TO) * _falling((done - RISING) / (1.0 - RISING))
    return np.where(done < RISING, rise, fall)


def _warm_up(done: np.ndarray, batch: float) -> np.ndarray:
    """Evenly up from the first batch on, then down as a cosine."""
    rise = np.minimum((done + batch) / WARMING, 1.0)
    return np.where(done < WARMING, rise, _falling((done - WARMING) / (1.0 - WARMING)))


#: Shares of the rate by the share of training that is done and the share that a batch is.
CURVES: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "cosine": lambda done, batch: _falling(done),
    "one_cycle": _one_cycle,
    "warm_up": _warm_up,
}
