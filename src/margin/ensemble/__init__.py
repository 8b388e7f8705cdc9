"""Models made of many: forests of trees, bags of any model, and committees of different ones."""

from margin.ensemble.bagging.bagging import BaggingClassifier, BaggingRegressor
from margin.ensemble.committee.gated import GatedClassifier
from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor
from margin.ensemble.forest.agreement import ForestVariance, Strength, forest_variance
from margin.ensemble.forest.correlation_curve import CorrelationCurve, correlation_curve
from margin.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from margin.ensemble.forest.importances import Importances
from margin.ensemble.forest.imputation import impute_by_proximity
from margin.ensemble.forest.progress import ForestProgress
from margin.ensemble.forest.proximities import proximity_map
from margin.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from margin.ensemble.forest.trees import Trees
from margin.ensemble.out_of_bag import measure_out_of_bag

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "CorrelationCurve",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestProgress",
    "ForestVariance",
    "GatedClassifier",
    "Importances",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "Strength",
    "Trees",
    "VotingClassifier",
    "VotingRegressor",
    "correlation_curve",
    "forest_variance",
    "impute_by_proximity",
    "measure_out_of_bag",
    "proximity_map",
]
