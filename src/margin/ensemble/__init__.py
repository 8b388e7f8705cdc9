"""Models made of many: forests of trees, and committees of different models."""

from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor
from margin.ensemble.forest.agreement import ForestVariance, Strength, forest_variance
from margin.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from margin.ensemble.forest.importances import Importances
from margin.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from margin.ensemble.forest.trees import Trees

__all__ = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestVariance",
    "Importances",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "Strength",
    "Trees",
    "VotingClassifier",
    "VotingRegressor",
    "forest_variance",
]
