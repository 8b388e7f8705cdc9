"""The estimator contract: what every model takes, and what a model has to write."""

from margin.base.classifier import Classifier
from margin.base.encoder import TableEncoder
from margin.base.representation import Mixed, MixedData, Numeric

__all__ = ["Classifier", "Mixed", "MixedData", "Numeric", "TableEncoder"]
