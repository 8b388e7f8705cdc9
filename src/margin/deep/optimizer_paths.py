"""The ways that optimisers take over one landscape of two weights, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import InputError, ParameterError, closest

__all__ = ["OptimizerPaths", "optimizer_paths"]

#: Rates at which each solver shows what it does; those that divide by the size of slopes need longer ones.
RATES = {"sgd": 0.02, "nesterov": 0.02, "adam": 0.2, "adamw": 0.2, "rmsprop": 0.02, "adagrad": 0.8}


@dataclass(frozen=True)
class OptimizerPaths:
    """Where each solver went: for every step the slope of the line, its intercept and the loss.

    Attributes
    ----------
    paths
        By solver: an array of slope, intercept and loss, the start first.
    best
        Slope, intercept and loss of the bottom.
    x, y
        The points through which the line is laid.
    """

    paths: dict[str, np.ndarray]
    best: np.ndarray
    x: np.ndarray
    y: np.ndarray

    def loss(self, slope: Any, intercept: Any) -> Any:
        """Half the mean squared error of a line, or of many at once."""
        slope, intercept = np.asarray(slope)[..., None], np.asarray(intercept)[..., None]
        return 0.5 * ((slope * self.x + intercept - self.y) ** 2).mean(axis=-1)


def optimizer_paths(
    x: Any = None,
    y: Any = None,
    *,
    solvers: Sequence[str] = ("sgd", "nesterov", "adam", "rmsprop", "adagrad"),
    start: tuple[float, float] = (-2.0, 3.0),
    n_steps: int = 60,
    rates: dict[str, float] | None = None,
) -> OptimizerPaths:
    """Let the core's optimisers lay a line through points from one start: a network of one weight and one intercept.

    Points far from 0 on one side make a long valley, in which slopes hardly point along. Without points some are made.

    >>> found = optimizer_paths(n_steps=40)
    >>> found.paths["adam"].shape, bool(found.paths["adam"][-1, 2] < found.paths["adam"][0, 2])
    ((41, 3), True)
    """
    if (x is None) != (y is None):
        raise InputError("optimizer_paths: give x and y, or neither.")
    if x is None:
        x = np.linspace(-1.0, 4.0, 30)
        y = 1.5 * x - 1.0
    x, y = (np.ascontiguousarray(each, dtype=np.float64).reshape(-1, 1) for each in (x, y))
    if len(x) != len(y) or len(x) < 2 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("optimizer_paths: x and y must be as many finite numbers, two at least.")
    found: dict[str, np.ndarray] = {}
    for solver in solvers:
        if solver not in RATES:
            raise ParameterError(f"optimizer_paths(solvers=[{solver!r}]): is no solver{closest(solver, RATES)}.")
        found[solver] = _path(x, y, solver, (rates or RATES).get(solver, RATES[solver]), start, n_steps)
    best = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y[:, 0], rcond=None)[0]
    made = OptimizerPaths(found, best, x[:, 0], y[:, 0])
    return OptimizerPaths(found, np.append(best, made.loss(*best)), x[:, 0], y[:, 0])


def _path(x: np.ndarray, y: np.ndarray, solver: str, rate: float, start: tuple[float, float], n: int) -> np.ndarray:
    trainer = _core.deep.Trainer(
        [1, 1], "identity", "squared_error", solver, 0.0, 0.9, 0.9, 0.999, 1e-8, 0.0, 0.0, 0
    )  # fmt: skip
    trainer.begin(np.array(start, dtype=np.float64))
    order, steps = np.arange(len(x)), []
    for _ in range(n + 1):
        before = trainer.weights()
        loss, _, failed = trainer.epoch(x, None, y, None, order, len(x), np.array([rate]), 1)
        if failed >= 0:
            break
        steps.append([*before, loss])  # that of the weights before the step
    return np.array(steps)
