"""Models built up in rounds, each of which mends what the ones before got wrong."""

from margin.boosting.gradient.boosted_trees import BoostedTrees
from margin.boosting.gradient.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor

__all__ = ["BoostedTrees", "GradientBoostingClassifier", "GradientBoostingRegressor"]
