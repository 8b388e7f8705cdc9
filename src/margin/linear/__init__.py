"""Linear models: one linear layer under different error layers, from the perceptron to softmax."""

from margin.linear.geometry.hard_margin import HardMargin, hard_margin
from margin.linear.logistic.certificate import OptimumCertificate
from margin.linear.logistic.path import LogisticPath, logistic_path
from margin.linear.logistic.regression import LogisticRegression
from margin.linear.logistic.regression_cv import LogisticRegressionCV, StrengthChoice
from margin.linear.logistic.separation import Separation, separation
from margin.linear.losses import Loss, LossCurves, LossFamily, loss_family
from margin.linear.odds import logit, odds, odds_text, probability
from margin.linear.online.active_perceptron import ActivePerceptron
from margin.linear.online.adaline import Adaline
from margin.linear.online.mistake_bound import Certificate
from margin.linear.online.perceptron import Perceptron
from margin.linear.online.sgd import LinearSGD

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
    "odds_text",
    "probability",
    "separation",
]
