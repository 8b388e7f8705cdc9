"""Instance-based classifiers: answers looked up among the training rows."""

from margin.neighbors.centroid import NearestCentroid
from margin.neighbors.curse import Curse, curse, edge_length
from margin.neighbors.knn import KNeighborsClassifier
from margin.neighbors.rote import RoteClassifier

__all__ = ["Curse", "KNeighborsClassifier", "NearestCentroid", "RoteClassifier", "curse", "edge_length"]
