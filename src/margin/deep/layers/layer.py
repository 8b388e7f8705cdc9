"""What a layer is: three functions of its input.

``forward(x)`` is its output; for ``dy``, the slope of an error along that output, ``input_gradient(x, dy)`` is the
slope along the input and ``parameter_gradient(x, dy)`` that along each parameter. A net is such layers one after
another, and back-propagation is nothing but these calls from the last to the first.
"""

from __future__ import annotations

import numpy as np

from margin.errors import InputError

__all__ = ["Layer", "shaped"]


class Layer:
    """A function of arrays, rows first, with parameters by name (none, unless a layer says so).

    >>> layer = Layer()
    >>> layer.parameters
    {}
    """

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """The arrays that can be learnt, by name; writing into them changes the layer."""
        return {}

    @property
    def n_weights(self) -> int:
        """How many numbers can be learnt."""
        return sum(each.size for each in self.parameters.values())

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The output for an input."""
        raise TypeError(f"{type(self).__name__} must say what it gives: def forward(self, x).")

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """The slope along the input, out of the slope along the output."""
        raise TypeError(f"{type(self).__name__} must say its slope: def input_gradient(self, x, dy).")

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        """The slope along each parameter, out of the slope along the output."""
        return {}

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {'×'.join(map(str, each.shape))}" for name, each in self.parameters.items())
        return f"{type(self).__name__}({shapes})"


def shaped(x: np.ndarray, n_axes: int, layer: Layer, what: str) -> np.ndarray:
    """An input as doubles of so many axes, or a refusal that names the layer."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != n_axes:
        raise InputError(f"{type(layer).__name__}: x must be {what}, but has the shape {x.shape}.")
    return x
