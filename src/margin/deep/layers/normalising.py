"""Layers that act on a batch as a whole: numbers put on one scale, units left out by chance."""

from __future__ import annotations

import numpy as np

from margin.deep.layers.layer import Layer
from margin.errors import ParameterError
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["BatchNorm", "Dropout"]


class Dropout(Layer):
    """Some numbers become 0 and the others count more; which ones is drawn from the seed, the same in every call.

    >>> sorted(set(Dropout(0.5).forward(np.ones((5, 5))).ravel().tolist()))
    [0.0, 2.0]
    """

    def __init__(self, share: float = 0.5, *, random_state: SeedLike = 0) -> None:
        if not 0 <= share < 1:
            raise ParameterError(f"Dropout(share={share}): share must be a number from 0 to below 1.")
        self.share, self.random_state = share, random_state

    def _factors(self, shape: tuple[int, ...]) -> np.ndarray:
        kept = generator(self.random_state, "dropout").random(shape) >= self.share
        return kept / (1.0 - self.share)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(x * self._factors(np.shape(x)))

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return np.asarray(dy * self._factors(np.shape(x)))


class BatchNorm(Layer):
    """Each column (each channel of pictures) with mean 0 and deviation 1 over the batch, then scaled and shifted.

    >>> BatchNorm(1).forward(np.array([[1.0], [3.0]])).round(3).tolist()
    [[-1.0], [1.0]]
    """

    def __init__(self, n: int, *, epsilon: float = 1e-5) -> None:
        self.gamma, self.beta, self.epsilon = np.ones(n), np.zeros(n), epsilon

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {"gamma": self.gamma, "beta": self.beta}

    def _normed(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
        axes = (0, *range(2, np.ndim(x)))
        x = np.asarray(x, dtype=np.float64)
        deviation = np.sqrt(x.var(axis=axes, keepdims=True) + self.epsilon)
        return (x - x.mean(axis=axes, keepdims=True)) / deviation, deviation, axes

    def _along(self, values: np.ndarray, n_axes: int) -> np.ndarray:
        return values.reshape(1, -1, *[1] * (n_axes - 2))

    def forward(self, x: np.ndarray) -> np.ndarray:
        normed, _, _ = self._normed(x)
        return np.asarray(normed * self._along(self.gamma, np.ndim(x)) + self._along(self.beta, np.ndim(x)))

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        normed, deviation, axes = self._normed(x)
        g = dy * self._along(self.gamma, np.ndim(x))
        mean, along = g.mean(axis=axes, keepdims=True), (g * normed).mean(axis=axes, keepdims=True)
        return np.asarray((g - mean - normed * along) / deviation)

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        normed, _, axes = self._normed(x)
        return {"gamma": (dy * normed).sum(axis=axes), "beta": dy.sum(axis=axes)}
