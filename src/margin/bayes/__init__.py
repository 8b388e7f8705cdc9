"""Generative classifiers: how each class makes its cases, turned round by Bayes' rule."""

from margin.bayes.diagonal import DiagonalLinearDiscriminantAnalysis
from margin.bayes.discriminant import LinearDiscriminantAnalysis
from margin.bayes.naive import NaiveBayes
from margin.bayes.quadratic import QuadraticDiscriminantAnalysis

__all__ = [
    "DiagonalLinearDiscriminantAnalysis",
    "LinearDiscriminantAnalysis",
    "NaiveBayes",
    "QuadraticDiscriminantAnalysis",
]
