"""Networks: layers as Lego in plain NumPy, and multi-layer perceptrons on tables, trained in the core."""

from margin.deep import layers
from margin.deep.backpropagation import BackPropagation, LayerReading, backpropagate, layers_of
from margin.deep.gradient_check import GradientCheck, check_gradients
from margin.deep.mlp.classifier import MLPClassifier
from margin.deep.mlp.regressor import MLPRegressor
from margin.deep.mlp.training import Epoch

__all__ = [
    "BackPropagation",
    "Epoch",
    "GradientCheck",
    "LayerReading",
    "MLPClassifier",
    "MLPRegressor",
    "backpropagate",
    "check_gradients",
    "layers",
    "layers_of",
]
