"""Boosting: weak models in turn, each learnt from what those before got wrong."""

from margin.boosting.additive.gentle import GentleBoostClassifier
from margin.boosting.additive.logit import LogitBoostClassifier
from margin.boosting.additive.losses import LossCurves
from margin.boosting.additive.rounds import AdditiveRound
from margin.boosting.additive.trees import AdditiveTrees

__all__ = [
    "AdditiveRound",
    "AdditiveTrees",
    "GentleBoostClassifier",
    "LogitBoostClassifier",
    "LossCurves",
]
