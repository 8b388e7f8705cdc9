"""Generative classifiers: how each class makes its cases, turned round by Bayes' rule."""

from margin.bayes.calibration import CalibratedClassifier
from margin.bayes.joint import JointBayes
from margin.bayes.naive import NaiveBayes
from margin.bayes.rule import bayes_rule

__all__ = ["CalibratedClassifier", "JointBayes", "NaiveBayes", "bayes_rule"]
