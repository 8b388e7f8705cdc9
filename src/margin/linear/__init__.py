"""Linear models: one linear layer under different error layers, from the perceptron to softmax."""

from margin.linear.logistic import LogisticRegression
from margin.linear.odds import logit, odds, probability
from margin.linear.optimum import OptimumCertificate
from margin.linear.separation import Separation, separation

__all__ = [
    "LogisticRegression",
    "OptimumCertificate",
    "Separation",
    "logit",
    "odds",
    "probability",
    "separation",
]
