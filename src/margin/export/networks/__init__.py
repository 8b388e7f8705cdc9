"""Networks as ONNX operators."""

from margin.export.networks import perceptrons

__all__ = ["perceptrons"]
