"""Decision trees: ID3, C4.5 and CART as settings of one engine."""

from margin.tree.c45 import C45
from margin.tree.decision_stump import DecisionStump
from margin.tree.decision_tree import DecisionTreeClassifier
from margin.tree.discretizer import Discretizer
from margin.tree.id3 import ID3
from margin.tree.impurity import entropy, gain_ratio, gini, information_gain, split_benefit
from margin.tree.nodes import Tree
from margin.tree.regression_tree import DecisionTreeRegressor

__all__ = [
    "C45",
    "ID3",
    "DecisionStump",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Discretizer",
    "Tree",
    "entropy",
    "gain_ratio",
    "gini",
    "information_gain",
    "split_benefit",
]
