"""Networks: layers as Lego in plain NumPy, perceptrons on tables, pictures and sequences on PyTorch."""

from margin.deep import architectures, layers
from margin.deep.backpropagation import BackPropagation, LayerReading, backpropagate, layers_of
from margin.deep.generative.cyclegan import CycleGAN
from margin.deep.generative.dcgan import DCGAN
from margin.deep.generative.gan import GAN
from margin.deep.generative.report import generative_report
from margin.deep.gradient_check import GradientCheck, check_gradients
from margin.deep.learning_rate import find_learning_rate
from margin.deep.mlp.classifier import MLPClassifier
from margin.deep.mlp.rate_finder import RateCurve
from margin.deep.mlp.regressor import MLPRegressor
from margin.deep.mlp.summary import LayerSummary, NetworkSummary
from margin.deep.mlp.training import Epoch
from margin.deep.optimizer_paths import OptimizerPaths, optimizer_paths
from margin.deep.pictures.augmentation import CHANGES
from margin.deep.pictures.feature_classifier import FeatureClassifier
from margin.deep.pictures.feature_extractor import FeatureExtractor
from margin.deep.pictures.image_classifier import ImageClassifier
from margin.deep.pictures.pixels import Pixels
from margin.deep.pictures.torch_classifier import TorchClassifier
from margin.deep.reading.summary import summary
from margin.deep.sequences.classifier import SequenceClassifier
from margin.deep.sequences.memory import Memory, memory
from margin.deep.sequences.ngrams import NGramModel
from margin.deep.sequences.reader import SequenceModel
from margin.deep.training.train import probabilities, train
from margin.deep.weights.files import load_weights, save_weights

__all__ = [
    "CHANGES",
    "DCGAN",
    "GAN",
    "BackPropagation",
    "CycleGAN",
    "Epoch",
    "FeatureClassifier",
    "FeatureExtractor",
    "GradientCheck",
    "ImageClassifier",
    "LayerReading",
    "LayerSummary",
    "MLPClassifier",
    "MLPRegressor",
    "Memory",
    "NGramModel",
    "NetworkSummary",
    "OptimizerPaths",
    "Pixels",
    "RateCurve",
    "SequenceClassifier",
    "SequenceModel",
    "TorchClassifier",
    "architectures",
    "backpropagate",
    "check_gradients",
    "find_learning_rate",
    "generative_report",
    "layers",
    "layers_of",
    "load_weights",
    "memory",
    "optimizer_paths",
    "probabilities",
    "save_weights",
    "summary",
    "train",
]
