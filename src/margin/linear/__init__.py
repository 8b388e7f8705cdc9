"""Linear models: one linear layer under different error layers, from the perceptron to softmax."""

from margin.linear.active import ActivePerceptron
from margin.linear.adaline import Adaline
from margin.linear.certificate import Certificate
from margin.linear.family import Loss, LossCurves, LossFamily, loss_family
from margin.linear.hard_margin import HardMargin, hard_margin
from margin.linear.logistic import LogisticRegression
from margin.linear.logistic_cv import LogisticRegressionCV, StrengthChoice
from margin.linear.odds import logit, odds, probability
from margin.linear.optimum import OptimumCertificate
from margin.linear.path import LogisticPath, logistic_path
from margin.linear.perceptron import Perceptron
from margin.linear.separation import Separation, separation
from margin.linear.sgd import LinearSGD

__all__ = [
    "ActivePerceptron",
    "Adaline",
    "Certificate",
    "HardMargin",
    "LinearSGD",
    "LogisticPath",
    "LogisticRegression",
    "LogisticRegressionCV",
    "Loss",
    "LossCurves",
    "LossFamily",
    "OptimumCertificate",
    "Perceptron",
    "Separation",
    "StrengthChoice",
    "hard_margin",
    "logistic_path",
    "logit",
    "loss_family",
    "odds",
    "probability",
    "separation",
]
