"""Boosting: weak rules, each learnt under weights that its predecessors' mistakes have made, vote together."""

from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.boosting.rounds import Round, margin_bound

__all__ = ["AdaBoostClassifier", "Round", "margin_bound"]
