"""Layers one after another: a net is a layer too."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from margin.deep.layers.layer import Layer

__all__ = ["Sequential"]


class Sequential(Layer):
    """The output of each layer is the input of the next.

    >>> from margin.deep.layers import Linear, ReLU
    >>> net = Sequential([Linear(2, 3), ReLU(), Linear(3, 1)])
    >>> net.n_weights, net.forward(np.zeros((5, 2))).shape
    (13, (5, 1))
    """

    def __init__(self, layers: Iterable[Layer]) -> None:
        self.layers = list(layers)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {f"{i}.{name}": each for i, layer in enumerate(self.layers) for name, each in layer.parameters.items()}

    def outputs(self, x: np.ndarray) -> list[np.ndarray]:
        """The input, and the output of every layer."""
        found = [x]
        for layer in self.layers:
            found.append(layer.forward(found[-1]))
        return found

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.outputs(x)[-1]

    def slopes(self, outputs: list[np.ndarray], dy: np.ndarray) -> list[np.ndarray]:
        """The slope along the input, and along the output of every layer."""
        found = [dy]
        for layer, x in zip(self.layers[::-1], outputs[-2::-1]):
            found.append(layer.input_gradient(x, found[-1]))
        return found[::-1]

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return self.slopes(self.outputs(x), dy)[0]

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        outputs = self.outputs(x)
        slopes = self.slopes(outputs, dy)
        return {
            f"{i}.{name}": slope
            for i, layer in enumerate(self.layers)
            for name, slope in layer.parameter_gradient(outputs[i], slopes[i + 1]).items()
        }

    def __repr__(self) -> str:
        return f"Sequential([{', '.join(map(repr, self.layers))}])"
