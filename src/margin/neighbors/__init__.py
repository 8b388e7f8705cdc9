"""Instance-based models: answers looked up among the training rows."""

from margin.neighbors.centroid import NearestCentroid
from margin.neighbors.curse import Curse, curse, edge_length
from margin.neighbors.indexes.kd_cuts import KDCuts, kd_cuts
from margin.neighbors.k_choice import KChoice, choose_k
from margin.neighbors.knn import KNeighborsClassifier, KNeighborsRegressor
from margin.neighbors.prototypes import Prototypes, condense, edit
from margin.neighbors.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from margin.neighbors.regions import Regions, decision_regions
from margin.neighbors.rote import RoteClassifier
from margin.neighbors.voronoi import voronoi_edges

__all__ = [
    "Curse",
    "KChoice",
    "KDCuts",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestCentroid",
    "Prototypes",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "Regions",
    "RoteClassifier",
    "choose_k",
    "condense",
    "curse",
    "decision_regions",
    "edge_length",
    "edit",
    "kd_cuts",
    "voronoi_edges",
]
