"""Back-propagation to be read: what every layer gives, and how much of the error reaches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.deep.layers.activations import ACTIVATIONS
from margin.deep.layers.dense import Linear
from margin.deep.layers.errors import CrossEntropy, ErrorLayer, LogisticLoss, SquaredError
from margin.deep.layers.layer import Layer
from margin.deep.layers.sequential import Sequential
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.mlp.splitting import codes_among
from margin.errors import InputError

__all__ = ["BackPropagation", "LayerReading", "backpropagate", "layers_of"]

#: A layer whose slope is shorter than this share of that of the outputs hardly learns; one as much longer runs away.
VANISHING, EXPLODING = 1e-3, 1e3


@dataclass(frozen=True)
class LayerReading:
    """One layer: its output Z, δ = ∂E/∂Z, the slopes of its parameters, and what is wrong if anything."""

    name: str
    Z: np.ndarray
    delta: np.ndarray
    gradients: dict[str, np.ndarray]
    warning: str

    @property
    def delta_norm(self) -> float:
        return float(np.linalg.norm(self.delta))

    @property
    def gradient_norms(self) -> dict[str, float]:
        return {name: float(np.linalg.norm(each)) for name, each in self.gradients.items()}


@dataclass(frozen=True)
class BackPropagation:
    """The error of a net on some rows, and what each layer had to do with it, from the first to the last."""

    error: float
    layers: tuple[LayerReading, ...]

    def __str__(self) -> str:
        lines = [f"error: {self.error:.6g}", f"{'layer':<14}{'Z':<16}{'|Z|':>10}{'|δ|':>10}  ∂E/∂parameters"]
        for each in self.layers:
            shape = "×".join(map(str, each.Z.shape))
            norms = ", ".join(f"|∂{name}| {norm:.3g}" for name, norm in each.gradient_norms.items())
            told = f"  {each.warning}" if each.warning else ""
            size = float(np.linalg.norm(each.Z))
            lines.append(f"{each.name:<14}{shape:<16}{size:>10.3g}{each.delta_norm:>10.3g}  {norms}{told}".rstrip())
        return "\n".join(lines)


def backpropagate(net: Any, x: Any, y: Any, error: ErrorLayer | None = None) -> BackPropagation:
    """Read out one pass forwards and backwards: of a :class:`~margin.deep.layers.Sequential`, or of a fitted network.

    ``error`` is the error layer; a fitted network has its own. Classes are labels for a network, and numbers from 0 up
    for layers.

    >>> from margin.deep.layers import Linear, Tanh
    >>> net = Sequential([Linear(2, 3), Tanh(), Linear(3, 2)])
    >>> read = backpropagate(net, np.ones((4, 2)), np.array([0, 1, 1, 0]), CrossEntropy())
    >>> [each.Z.shape for each in read.layers], sorted(read.layers[0].gradients)
    ([(4, 3), (4, 3), (4, 2)], ['W', 'b'])
    """
    if isinstance(net, FittedNetwork):
        net, x, y, error = _read(net, x, y)
    if not isinstance(net, Sequential) or error is None:
        raise InputError("backpropagate: net must be a Sequential with an error layer, or a fitted network.")
    outputs = net.outputs(np.asarray(x))
    slopes = net.slopes(outputs, error.gradient(outputs[-1], y))
    of_output = float(np.linalg.norm(slopes[-1]))
    readings = []
    for i, layer in enumerate(net.layers):
        gradients = layer.parameter_gradient(outputs[i], slopes[i + 1])
        share = float(np.linalg.norm(slopes[i + 1])) / of_output if of_output else 1.0
        warning = "vanishing" if share < VANISHING else "exploding" if share > EXPLODING else ""
        readings.append(LayerReading(type(layer).__name__, outputs[i + 1], slopes[i + 1], gradients, warning))
    return BackPropagation(error.error(outputs[-1], y), tuple(readings))


def layers_of(model: FittedNetwork) -> Sequential:
    """A fitted network as layers, for rows as it sees them: filled, scaled, one-hot or with a vector for each level.

    >>> from margin.deep import MLPRegressor
    >>> model = MLPRegressor(hidden_layer_sizes=(4,), solver="lbfgs").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> [type(layer).__name__ for layer in layers_of(model).layers]
    ['Linear', 'ReLU', 'Linear']
    """
    layers: list[Layer] = []
    for W, b in zip(model.coefs_, model.intercepts_):
        linear = Linear(W.shape[0], W.shape[1], weights=False)
        linear.W, linear.b = W.astype(np.float64), b.astype(np.float64)
        layers += [linear, ACTIVATIONS[model.activation]()]
    return Sequential(layers[:-1])


def _read(model: Any, x: Any, y: Any) -> tuple[Sequential, np.ndarray, np.ndarray, ErrorLayer]:
    rows = model._first_inputs(x, "backpropagate")
    if not hasattr(model, "classes_"):
        values = np.asarray(y, dtype=np.float64).reshape(len(rows), -1)
        return layers_of(model), rows, (values - model._target_center) / model._target_spread, SquaredError()
    if isinstance(model.classes_, list):
        raise InputError("backpropagate: a network of several targets has several errors; read its layers_of(model).")
    codes = codes_among(model, y, len(rows), "backpropagate")
    return layers_of(model), rows, codes, CrossEntropy() if model.n_outputs_ > 1 else LogisticLoss()
