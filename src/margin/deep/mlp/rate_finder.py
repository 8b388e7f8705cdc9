"""Which learning rate to take: rates that rise from batch to batch, and where the loss falls fastest.

Smith (2017): the loss stays as it is while steps are too short, falls, and runs away where they are too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from margin.deep.mlp.training import Training
from margin.errors import TrainingError

__all__ = ["RateCurve", "curve_of_rates", "try_rates"]

#: Rates rise evenly in their logarithm between these, one batch each.
LOWEST, HIGHEST, BATCHES = 1e-6, 10.0, 100
#: Losses are averaged over about ten batches, and the search ends where they are so many times the smallest.
MEMORY, RUNAWAY = 0.9, 4.0
#: The rate to take is that of the smallest loss over this, a length of step that still was safe.
BELOW = 10.0


@dataclass(frozen=True)
class RateCurve:
    """Losses of batches at rates that rise, the same smoothed, and the rate to take.

    Attributes
    ----------
    rates, losses, smoothed
        One each for every batch that was tried.
    suggestion
        The rate at which the smoothed loss was smallest, divided by ten.
    parameter
        What the rate is called among the parameters of the model.
    """

    rates: np.ndarray
    losses: np.ndarray
    smoothed: np.ndarray
    suggestion: float
    parameter: str = "learning_rate_init"

    def __str__(self) -> str:
        return (
            f"{len(self.rates)} batches at rates from {self.rates[0]:.2g} to {self.rates[-1]:.2g}: "
            f"try {self.parameter}={self.suggestion:.2g}"
        )


def try_rates(run: Training, n_batches: int = BATCHES) -> RateCurve:
    """Let the trainer of a run take one step at each of some rates; it is of no use afterwards."""
    batches, given = _batches(run, n_batches), run.rows

    def step(rate: float) -> float:
        rows = next(batches)
        loss, _, failed = run.trainer.epoch(
            *given.given, rows, len(rows), np.array([rate]), run.n_threads, *given.sparse
        )  # fmt: skip
        return float("nan") if failed >= 0 else float(loss)

    return curve_of_rates(step, n_batches)


def curve_of_rates(step: Callable[[float], float], n_batches: int, parameter: str = "learning_rate_init") -> RateCurve:
    """Steps at rates that rise, until the loss runs away; ``step`` takes one at a rate and gives the loss before it."""
    rates = np.geomspace(LOWEST, HIGHEST, n_batches)
    losses: list[float] = []
    smoothed: list[float] = []
    total = 0.0
    for k, rate in enumerate(rates.tolist(), start=1):
        loss = step(rate)
        if not np.isfinite(loss):
            break
        total = MEMORY * total + (1.0 - MEMORY) * loss
        losses.append(loss)
        smoothed.append(total / (1.0 - MEMORY**k))
        if smoothed[-1] > RUNAWAY * max(min(smoothed), 1e-300) and k > 10:
            break
    if not losses:
        raise TrainingError(f"find_learning_rate: the loss was not finite at the lowest rate, {rates[0]:g}, already.")
    best = int(np.argmin(smoothed))
    tried = rates[: len(losses)]
    return RateCurve(tried, np.array(losses), np.array(smoothed), float(rates[best]) / BELOW, parameter)


def _batches(run: Training, n: int) -> Iterator[np.ndarray]:
    """Batches of an epoch after another."""
    epoch, made = 0, 0
    while made < n:
        order = run.rows.order(epoch)
        for begin in range(0, len(order), run.batch):
            yield order[begin : begin + run.batch]
            made += 1
        epoch += 1
