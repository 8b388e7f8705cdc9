"""Layers that look through windows: the same weights everywhere (convolution), or weights of their own (local)."""

from __future__ import annotations

import numpy as np

from margin.deep.layers.layer import Layer, shaped
from margin.deep.layers.windows import Windows
from margin.errors import ParameterError
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["Conv2d", "LocallyConnected2d"]

PICTURES = "pictures of rows × channels × height × width"


class Conv2d(Layer):
    """Weights shared by all windows: a map for each set of them, with one bias a map.

    ``groups`` cuts channels and maps into parts that do not see each other.

    >>> layer = Conv2d(2, 3, 3)
    >>> layer.forward(np.zeros((1, 2, 5, 5))).shape, layer.W.shape
    ((1, 3, 3, 3), (3, 2, 3, 3))
    """

    def __init__(
        self,
        n_channels: int,
        n_maps: int,
        size: int,
        *,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        random_state: SeedLike = 0,
    ) -> None:
        if n_channels % groups or n_maps % groups:
            raise ParameterError(
                f"Conv2d(groups={groups}): groups must divide {n_channels} channels and {n_maps} maps."
            )
        self.windows, self.groups = Windows(size, stride, padding, dilation), groups
        fan_in = n_channels // groups * size * size
        draw = generator(random_state, "convolution")
        self.W = draw.normal(0.0, np.sqrt(2.0 / fan_in), (n_maps, n_channels // groups, size, size))
        self.b = np.zeros(n_maps)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {"W": self.W, "b": self.b}

    def _seen(self, x: np.ndarray) -> np.ndarray:
        """Windows with an axis for the group before that of its channels."""
        seen = self.windows.over(shaped(x, 4, self, PICTURES))
        return seen.reshape(len(seen), self.groups, -1, *seen.shape[2:])

    def _weights(self) -> np.ndarray:
        return self.W.reshape(self.groups, -1, *self.W.shape[1:])

    def _by_group(self, dy: np.ndarray) -> np.ndarray:
        return dy.reshape(len(dy), self.groups, -1, *dy.shape[2:])

    def forward(self, x: np.ndarray) -> np.ndarray:
        y = np.einsum("ngcijkl,gmckl->ngmij", self._seen(x), self._weights())
        return np.asarray(y.reshape(len(y), -1, *y.shape[3:]) + self.b[:, None, None])

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        seen = np.einsum("ngmij,gmckl->ngcijkl", self._by_group(dy), self._weights())
        return self.windows.back(seen.reshape(len(seen), -1, *seen.shape[3:]), np.shape(x))

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        W = np.einsum("ngcijkl,ngmij->gmckl", self._seen(x), self._by_group(dy))
        return {"W": W.reshape(self.W.shape), "b": dy.sum(axis=(0, 2, 3))}


class LocallyConnected2d(Layer):
    """Every window has weights of its own; a bias for each map and place.

    >>> LocallyConnected2d((2, 5, 5), 3, 3).W.shape
    (3, 3, 3, 2, 3, 3)
    """

    def __init__(
        self,
        shape: tuple[int, int, int],
        n_maps: int,
        size: int,
        *,
        stride: int = 1,
        padding: int = 0,
        random_state: SeedLike = 0,
    ) -> None:
        self.windows = Windows(size, stride, padding)
        down, across = self.windows.places(shape[1]), self.windows.places(shape[2])
        fan_in = shape[0] * size * size
        draw = generator(random_state, "local connections")
        self.W = draw.normal(0.0, np.sqrt(2.0 / fan_in), (n_maps, down, across, shape[0], size, size))
        self.b = np.zeros((n_maps, down, across))

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {"W": self.W, "b": self.b}

    def forward(self, x: np.ndarray) -> np.ndarray:
        seen = self.windows.over(shaped(x, 4, self, PICTURES))
        return np.asarray(np.einsum("ncijkl,mijckl->nmij", seen, self.W) + self.b)

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return self.windows.back(np.einsum("nmij,mijckl->ncijkl", dy, self.W), np.shape(x))

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        seen = self.windows.over(np.asarray(x, dtype=np.float64))
        return {"W": np.einsum("ncijkl,nmij->mijckl", seen, dy), "b": dy.sum(axis=0)}
