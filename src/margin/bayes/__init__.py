"""Generative classifiers: how each class makes its cases, turned round by Bayes' rule."""

from margin.bayes.naive import NaiveBayes

__all__ = ["NaiveBayes"]
