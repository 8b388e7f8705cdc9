"""Functions of each number by itself. A new one is a class with ``value`` and ``slope``, and its place in the list."""

from __future__ import annotations

import math

import numpy as np

from margin.deep.layers.layer import Layer

__all__ = [
    "ACTIVATIONS", "ELU", "GELU", "Activation", "Identity", "LeakyReLU", "ReLU", "Sigmoid", "Softplus", "Tanh",
]  # fmt: skip

_erf = np.vectorize(math.erf, otypes=[np.float64])


class Activation(Layer):
    """y = f(x) for each number, and so a slope of f'(x) dy."""

    def value(self, x: np.ndarray) -> np.ndarray:
        """f(x)."""
        raise TypeError(f"{type(self).__name__} must say its values: def value(self, x).")

    def slope(self, x: np.ndarray) -> np.ndarray:
        """f'(x)."""
        raise TypeError(f"{type(self).__name__} must say its slope: def slope(self, x).")

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.value(np.asarray(x, dtype=np.float64))

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return np.asarray(dy * self.slope(np.asarray(x, dtype=np.float64)))


class Identity(Activation):
    """
    >>> Identity().forward(np.array([-1.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return x

    def slope(self, x: np.ndarray) -> np.ndarray:
        return np.ones_like(x)


class Sigmoid(Activation):
    """1 / (1 + e^-x); its slope is at most 1/4, which is why deep nets of it learn slowly.

    >>> Sigmoid().forward(np.array([0.0])).tolist()
    [0.5]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        e = np.exp(-np.abs(x))
        return np.where(x > 0, 1.0, e) / (1.0 + e)

    def slope(self, x: np.ndarray) -> np.ndarray:
        e = np.exp(-np.abs(x))
        return e / (1.0 + e) ** 2


class Tanh(Activation):
    """
    >>> Tanh().forward(np.array([0.0])).tolist()
    [0.0]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.tanh(x)

    def slope(self, x: np.ndarray) -> np.ndarray:
        return 1.0 - np.tanh(x) ** 2


class ReLU(Activation):
    """The larger of 0 and x.

    >>> ReLU().forward(np.array([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(x, 0.0)

    def slope(self, x: np.ndarray) -> np.ndarray:
        return (x > 0).astype(np.float64)


class LeakyReLU(Activation):
    """x, or a hundredth of it below 0.

    >>> LeakyReLU().forward(np.array([-1.0, 2.0])).tolist()
    [-0.01, 2.0]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, 0.01 * x)

    def slope(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, 1.0, 0.01)


class ELU(Activation):
    """x, or e^x - 1 below 0.

    >>> ELU().forward(np.array([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, np.expm1(np.minimum(x, 0.0)))

    def slope(self, x: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(x, 0.0))


class GELU(Activation):
    """x times the share of a normal distribution below it.

    >>> GELU().forward(np.array([0.0])).tolist()
    [0.0]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return x * 0.5 * (1.0 + _erf(x / math.sqrt(2.0)))

    def slope(self, x: np.ndarray) -> np.ndarray:
        return 0.5 * (1.0 + _erf(x / math.sqrt(2.0))) + x * np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)


class Softplus(Activation):
    """log(1 + e^x), a ReLU without its corner.

    >>> Softplus().forward(np.array([0.0])).round(4).tolist()
    [0.6931]
    """

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, x)

    def slope(self, x: np.ndarray) -> np.ndarray:
        return Sigmoid().value(x)


#: By the names that :class:`margin.MLPClassifier` knows them by.
ACTIVATIONS: dict[str, type[Activation]] = {
    "identity": Identity,
    "logistic": Sigmoid,
    "tanh": Tanh,
    "relu": ReLU,
    "leaky_relu": LeakyReLU,
    "elu": ELU,
    "gelu": GELU,
    "softplus": Softplus,
}
