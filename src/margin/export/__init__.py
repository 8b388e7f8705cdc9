"""Fitted models as ONNX graphs: :func:`to_onnx`, what such a graph is fed, and running it.

Dispatches on the type of a model: models know nothing of it. Nothing of ONNX is loaded before it is needed.
"""

# Each of these registers how its models answer.
from margin.export import (
    around,
    bayes,
    discriminants,
    linear,
    machines,
    members,
    neighbors,
    networks,
    transformers,
    trees,
)
from margin.export.exporting import to_onnx
from margin.export.running import onnx_inputs, run_onnx

__all__ = [
    "around",
    "bayes",
    "discriminants",
    "linear",
    "machines",
    "members",
    "neighbors",
    "networks",
    "onnx_inputs",
    "run_onnx",
    "to_onnx",
    "transformers",
    "trees",
]
