"""Models made of many: forests of trees, and committees of different models."""

from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor
from margin.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from margin.ensemble.forest.trees import Trees

__all__ = [
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "Trees",
    "VotingClassifier",
    "VotingRegressor",
]
