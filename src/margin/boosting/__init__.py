"""Models built up in rounds, each of which mends what the ones before got wrong."""

from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.boosting.adaboost.label_boosting import AdaBoostMHClassifier
from margin.boosting.adaboost.regressor import AdaBoostRegressor, RegressionRound
from margin.boosting.additive.gentle import GentleBoostClassifier
from margin.boosting.additive.logit import LogitBoostClassifier
from margin.boosting.additive.losses import LossCurves
from margin.boosting.additive.rounds import AdditiveRound
from margin.boosting.additive.trees import AdditiveTrees
from margin.boosting.gradient.boosted_trees import BoostedTrees
from margin.boosting.gradient.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from margin.boosting.gradient.progress import BoostingProgress
from margin.boosting.margins.brownboost import BrownBoostClassifier, BrownRound
from margin.boosting.margins.lpboost import LPBoostClassifier, LPRound
from margin.boosting.margins.voting_members import VotingMembers
from margin.boosting.margins.voting_trees import VotingTrees
from margin.boosting.rounds import Round, margin_bound
from margin.boosting.rusboost import RUSBoostClassifier, RUSRound

Ensemble = VotingMembers  # what it was called before

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostMHClassifier",
    "AdaBoostRegressor",
    "AdditiveRound",
    "AdditiveTrees",
    "BoostedTrees",
    "BoostingProgress",
    "BrownBoostClassifier",
    "BrownRound",
    "Ensemble",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LPBoostClassifier",
    "LPRound",
    "LogitBoostClassifier",
    "LossCurves",
    "RUSBoostClassifier",
    "RUSRound",
    "RegressionRound",
    "Round",
    "VotingMembers",
    "VotingTrees",
    "margin_bound",
]
