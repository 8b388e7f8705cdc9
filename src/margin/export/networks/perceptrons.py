"""Multi-layer perceptrons: products and functions of their sums, one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from margin.deep.mlp.classifier import MLPClassifier
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.mlp.regressor import MLPRegressor
from margin.deep.mlp.weights import one_hot_layer
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.export.linear import linear_answer, sigmoids

__all__ = ["ACTIVATIONS"]


def _leaky(graph: Graph, z: str) -> str:
    return graph("Where", graph("Greater", z, 0.0), z, graph("Mul", z, 0.01))


def _elu(graph: Graph, z: str) -> str:
    below = graph("Sub", graph("Exp", graph("Min", z, 0.0)), 1.0)
    return graph("Where", graph("Greater", z, 0.0), z, below)


def _softplus(graph: Graph, z: str) -> str:
    e = graph("Exp", graph("Neg", graph("Abs", z)))
    return graph("Add", graph("Log", graph("Add", e, 1.0)), graph("Max", z, 0.0))


#: Written in operators that are there for doubles; there is none for GELU.
ACTIVATIONS: dict[str, Callable[[Graph, str], str]] = {
    "identity": lambda graph, z: z,
    "logistic": sigmoids,
    "tanh": lambda graph, z: graph("Tanh", z),
    "relu": lambda graph, z: graph("Max", z, 0.0),
    "leaky_relu": _leaky,
    "elu": _elu,
    "softplus": _softplus,
}


def _outputs(model: FittedNetwork, rows: RawRows) -> str:
    name = type(model).__name__
    if model.activation not in ACTIVATIONS:
        raise ExportError(
            f"to_onnx({name}): there is no ONNX operator in double precision for activation={model.activation!r} "
            "(save it with margin.save instead)."
        )
    graph, value = rows.graph, rows.matrix(model._encoder)
    last = len(model.coefs_) - 1
    for i, (W, b) in enumerate(zip(model.coefs_, model.intercepts_)):
        if i == 0 and model.embeddings_:
            W, b = one_hot_layer(list(model.embeddings_.values()), W, b)
        value = graph("Add", graph.times(value, W.astype(np.float64)), b.astype(np.float64))
        value = value if i == last else ACTIVATIONS[model.activation](graph, value)
    return value


@answer.register
def _(model: MLPClassifier, rows: RawRows) -> Answer:
    graph = rows.graph
    if isinstance(model.classes_, list):
        raise ExportError(
            f"to_onnx({type(model).__name__}): several targets of classes have no place in the graph; fit one model "
            "per target, or save it with margin.persistence.save."
        )
    if len(model.classes_) == 1:
        zeros = graph.repeated(np.zeros(1), rows.count())
        return replace(linear_answer(graph, zeros, 1, "softmax"), scores=None)
    return replace(linear_answer(graph, _outputs(model, rows), len(model.classes_), "softmax"), scores=None)


@answer.register
def _(model: MLPRegressor, rows: RawRows) -> Answer:
    graph = rows.graph
    said = graph("Add", graph("Mul", _outputs(model, rows), model._target_spread), model._target_center)
    return Answer(value=said, n_columns=model.n_outputs_) if model._several else Answer(value=graph.flat(said))
