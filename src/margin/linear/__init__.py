"""Linear models: one linear layer under different error layers, from the perceptron to softmax."""

from margin.linear.logistic import LogisticRegression
from margin.linear.logistic_cv import LogisticRegressionCV, StrengthChoice
from margin.linear.odds import logit, odds, probability
from margin.linear.optimum import OptimumCertificate
from margin.linear.path import LogisticPath, logistic_path
from margin.linear.separation import Separation, separation

__all__ = [
    "LogisticPath",
    "LogisticRegression",
    "LogisticRegressionCV",
    "OptimumCertificate",
    "Separation",
    "StrengthChoice",
    "logistic_path",
    "logit",
    "odds",
    "probability",
    "separation",
]
