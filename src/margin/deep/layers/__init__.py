"""Layers as Lego, in plain NumPy: each gives its output, its slope along the input, and that along its parameters."""

from margin.deep.layers.activations import ELU, GELU, Identity, LeakyReLU, ReLU, Sigmoid, Softplus, Tanh
from margin.deep.layers.convolution import Conv2d, LocallyConnected2d
from margin.deep.layers.dense import Embedding, Flatten, Linear
from margin.deep.layers.errors import (
    CrammerSinger,
    CrossEntropy,
    Hinge,
    LogisticLoss,
    PerceptronLoss,
    SquaredError,
    SquaredHinge,
)
from margin.deep.layers.layer import Layer
from margin.deep.layers.normalising import BatchNorm, Dropout
from margin.deep.layers.pooling import AvgPool2d, MaxPool2d
from margin.deep.layers.recurrent import GRU, LSTM, RNN
from margin.deep.layers.sequential import Sequential

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "RNN",
    "AvgPool2d",
    "BatchNorm",
    "Conv2d",
    "CrammerSinger",
    "CrossEntropy",
    "Dropout",
    "Embedding",
    "Flatten",
    "Hinge",
    "Identity",
    "Layer",
    "LeakyReLU",
    "Linear",
    "LocallyConnected2d",
    "LogisticLoss",
    "MaxPool2d",
    "PerceptronLoss",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Softplus",
    "SquaredError",
    "SquaredHinge",
    "Tanh",
]
