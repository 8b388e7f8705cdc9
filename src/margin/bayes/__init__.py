"""Generative classifiers: how each class makes its cases, turned round by Bayes' rule."""

from margin.bayes.calibrated_classifier import CalibratedClassifier
from margin.bayes.discriminant.diagonal import DiagonalLinearDiscriminantAnalysis
from margin.bayes.discriminant.linear import LinearDiscriminantAnalysis
from margin.bayes.discriminant.quadratic import QuadraticDiscriminantAnalysis
from margin.bayes.joint import JointBayes
from margin.bayes.naive import NaiveBayes
from margin.bayes.rule import bayes_rule
from margin.bayes.sklearn_names import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from margin.bayes.threshold_classifier import ThresholdClassifier

__all__ = [
    "BernoulliNB",
    "CalibratedClassifier",
    "CategoricalNB",
    "ComplementNB",
    "DiagonalLinearDiscriminantAnalysis",
    "GaussianNB",
    "JointBayes",
    "LinearDiscriminantAnalysis",
    "MultinomialNB",
    "NaiveBayes",
    "QuadraticDiscriminantAnalysis",
    "ThresholdClassifier",
    "bayes_rule",
]
