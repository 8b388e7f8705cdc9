"""Slopes held against differences: whether a layer says the truth about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from margin.deep.layers.layer import Layer
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["GradientCheck", "check_gradients"]

#: The step of central differences, whose error is about its square.
STEP = 1e-6


@dataclass(frozen=True)
class GradientCheck:
    """By name ("x" is the input): how far slopes are from central differences, as a share of the largest of them."""

    errors: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(self.errors.values())

    def __str__(self) -> str:
        return "\n".join(f"{name:<10} {error:.1e}" for name, error in self.errors.items())


def check_gradients(layer: Layer, x: np.ndarray, *, random_state: SeedLike = 0) -> GradientCheck:
    """Compare the slopes of a layer at x with central differences of its output, weighted at random.

    >>> from margin.deep.layers import Linear
    >>> check_gradients(Linear(3, 2), np.ones((4, 3))).worst < 1e-8
    True
    """
    x = np.asarray(x)
    dy = generator(random_state, "gradient check").normal(size=layer.forward(x).shape)
    errors = {}
    if x.dtype.kind == "f":
        at = x.astype(np.float64)
        found = layer.input_gradient(at, dy)
        errors["x"] = _away(found, _differences(lambda: float((layer.forward(at) * dy).sum()), at))
    found_all = layer.parameter_gradient(x, dy)
    for name, parameter in layer.parameters.items():
        errors[name] = _away(
            found_all[name], _differences(lambda: float((layer.forward(x) * dy).sum()), parameter)
        )  # fmt: skip
    return GradientCheck(errors)


def _differences(value: Callable[[], float], at: np.ndarray) -> np.ndarray:
    found = np.empty(at.shape)
    for place in np.ndindex(at.shape):
        kept = at[place]
        at[place] = kept + STEP
        above = value()
        at[place] = kept - STEP
        found[place] = (above - value()) / (2.0 * STEP)
        at[place] = kept
    return found


def _away(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max(initial=0.0) / max(1.0, float(np.abs(expected).max(initial=0.0))))
