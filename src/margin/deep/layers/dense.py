"""Layers of rows of numbers: linear ones, those that change a shape, and tables of vectors."""

from __future__ import annotations

import numpy as np

from margin.deep.layers.layer import Layer, shaped
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["Embedding", "Flatten", "Linear"]


class Linear(Layer):
    """y = x W + b: all inputs to all outputs.

    >>> layer = Linear(2, 1)
    >>> layer.W[:] = [[1.0], [2.0]]
    >>> layer.forward(np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    >>> Linear(200 * 200 * 3, 1000, weights=False).n_connections
    120000000
    """

    def __init__(self, n_in: int, n_out: int, *, random_state: SeedLike = 0, weights: bool = True) -> None:
        self.n_in, self.n_out = n_in, n_out
        bound = np.sqrt(6.0 / (n_in + n_out))
        draw = generator(random_state, "linear layer")
        shape = (n_in, n_out) if weights else (0, n_out)
        self.W, self.b = draw.uniform(-bound, bound, shape), np.zeros(n_out)

    @property
    def n_connections(self) -> int:
        """Weights, intercepts aside."""
        return self.n_in * self.n_out

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {"W": self.W, "b": self.b}

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(shaped(x, 2, self, f"rows of {self.n_in} numbers") @ self.W + self.b)

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return np.asarray(dy @ self.W.T)

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        return {"W": np.asarray(x).T @ dy, "b": dy.sum(axis=0)}


class Flatten(Layer):
    """Each row's numbers side by side.

    >>> Flatten().forward(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=np.float64)
        return x.reshape(len(x), -1)

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return dy.reshape(np.shape(x))


class Embedding(Layer):
    """A vector for each of some words; the input are their numbers, which have no slope.

    >>> Embedding(10, 3).forward(np.array([[1, 1], [0, 2]])).shape
    (2, 2, 3)
    """

    def __init__(self, n_words: int, width: int, *, random_state: SeedLike = 0) -> None:
        self.vectors = generator(random_state, "embedding").normal(size=(n_words, width))

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {"vectors": self.vectors}

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.vectors[np.asarray(x, dtype=np.intp)]

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return np.zeros(np.shape(x))

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        gradient = np.zeros_like(self.vectors)
        np.add.at(gradient, np.asarray(x, dtype=np.intp), dy)
        return {"vectors": gradient}
