"""Many models that answer together: forests of trees."""

from margin.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from margin.ensemble.forest.trees import Trees

__all__ = ["RandomForestClassifier", "RandomForestRegressor", "Trees"]
