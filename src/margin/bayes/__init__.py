"""Generative classifiers: how each class makes its cases, turned round by Bayes' rule."""

from margin.bayes.naive import NaiveBayes
from margin.bayes.views import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB", "NaiveBayes"]
