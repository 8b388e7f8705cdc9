"""The estimator contract: what every model takes, and what a model has to write."""

from margin.base.classifier import Classifier
from margin.base.encoder import TableEncoder
from margin.base.merging import MergeableClassifier, Places
from margin.base.mixed import Mixed, MixedData
from margin.base.numeric import Numeric
from margin.base.regressor import Regressor
from margin.base.representation import AsGiven

__all__ = [
    "AsGiven",
    "Classifier",
    "MergeableClassifier",
    "Mixed",
    "MixedData",
    "Numeric",
    "Places",
    "Regressor",
    "TableEncoder",
]
