"""Models made of many: a committee of different ones."""

from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor

__all__ = ["StackingClassifier", "StackingRegressor", "VotingClassifier", "VotingRegressor"]
