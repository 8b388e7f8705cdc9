"""The windows that convolutions and pools look through, as views of a padded picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.errors import InputError

__all__ = ["Windows"]


@dataclass(frozen=True)
class Windows:
    """Square windows over pictures of shape rows × channels × height × width.

    ``padding`` are cells beside the picture (of ``fill``), ``dilation`` the distance between the cells of a window.
    """

    size: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    fill: float = 0.0

    def places(self, length: int) -> int:
        """How many windows there are along a side.

        >>> Windows(3).places(5), Windows(2, stride=2).places(6), Windows(3, padding=1).places(5)
        (3, 3, 5)
        """
        reach = self.dilation * (self.size - 1) + 1
        n = (length + 2 * self.padding - reach) // self.stride + 1
        if n < 1:
            raise InputError(f"a window of {reach} cells does not fit into {length + 2 * self.padding} (padding=…).")
        return n

    def over(self, x: np.ndarray) -> np.ndarray:
        """rows × channels × places down × places across × window × window, not to be written to."""
        p, d = self.padding, self.dilation
        x = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)), constant_values=self.fill)
        down, across = self.places(x.shape[2] - 2 * p), self.places(x.shape[3] - 2 * p)
        reach = d * (self.size - 1) + 1
        seen = np.lib.stride_tricks.sliding_window_view(x, (reach, reach), axis=(2, 3))
        seen = seen[:, :, :: self.stride, :: self.stride, ::d, ::d]
        return seen[:, :, :down, :across]

    def back(self, seen: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """What windows say of their cells, added up in a picture of that shape: the way back of ``over``."""
        p, s, d = self.padding, self.stride, self.dilation
        found = np.zeros((shape[0], shape[1], shape[2] + 2 * p, shape[3] + 2 * p))
        down, across = seen.shape[2:4]
        for i in range(self.size):
            for j in range(self.size):
                found[:, :, i * d : i * d + s * down : s, j * d : j * d + s * across : s] += seen[..., i, j]
        return found[:, :, p : p + shape[2], p : p + shape[3]]
