"""Instance-based models: answers looked up among the training rows."""

from margin.neighbors.knn import KNeighborsClassifier, KNeighborsRegressor
from margin.neighbors.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from margin.neighbors.rote import RoteClassifier

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RoteClassifier",
]
