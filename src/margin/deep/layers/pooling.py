"""Layers that keep one number of a window: its largest, or its mean."""

from __future__ import annotations

import numpy as np

from margin.deep.layers.convolution import PICTURES
from margin.deep.layers.layer import Layer, shaped
from margin.deep.layers.windows import Windows

__all__ = ["AvgPool2d", "MaxPool2d"]


class MaxPool2d(Layer):
    """The largest number of each window; of equal ones the first has the slope.

    >>> MaxPool2d(2).forward(np.arange(16.0).reshape(1, 1, 4, 4))[0, 0].tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """

    def __init__(self, size: int, *, stride: int | None = None, padding: int = 0) -> None:
        self.windows = Windows(size, size if stride is None else stride, padding, fill=-np.inf)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.windows.over(shaped(x, 4, self, PICTURES)).max(axis=(4, 5)))

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        seen = self.windows.over(np.asarray(x, dtype=np.float64))
        flat = seen.reshape(*seen.shape[:4], -1)
        winner = np.zeros(flat.shape)
        np.put_along_axis(winner, flat.argmax(axis=4)[..., None], dy[..., None], axis=4)
        return self.windows.back(winner.reshape(seen.shape), np.shape(x))


class AvgPool2d(Layer):
    """The mean of each window; cells beside the picture count as 0.

    >>> AvgPool2d(2).forward(np.arange(16.0).reshape(1, 1, 4, 4))[0, 0].tolist()
    [[2.5, 4.5], [10.5, 12.5]]
    """

    def __init__(self, size: int, *, stride: int | None = None, padding: int = 0) -> None:
        self.windows = Windows(size, size if stride is None else stride, padding)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.windows.over(shaped(x, 4, self, PICTURES)).mean(axis=(4, 5)))

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        size = self.windows.size
        shared = np.broadcast_to(dy[..., None, None] / size**2, (*dy.shape, size, size))
        return self.windows.back(shared, np.shape(x))
