"""The estimator contract: what every model takes, and what a model has to write."""

from margin.base.estimator import Classifier, Regressor
from margin.base.mergeable import MergeableClassifier, Places
from margin.base.representations.mixed import Mixed, MixedData
from margin.base.representations.numeric import Numeric
from margin.base.representations.representation import AsGiven
from margin.base.table_encoder import TableEncoder

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
