"""Generative classifiers: how each class makes its cases, turned round by Bayes' rule."""

from margin.bayes.naive import NaiveBayes
from margin.bayes.rule import bayes_rule

__all__ = ["NaiveBayes", "bayes_rule"]
