"""A tree of one question."""

from __future__ import annotations

from typing import Any

from margin.params import ClassWeight, Jobs
from margin.tree.criteria import ClassCriterion
from margin.tree.decision_tree import DecisionTreeClassifier
from margin.tree.settings import CasesInLeaf, LeafShare, Missing, Nominal

__all__ = ["DecisionStump"]


class DecisionStump(DecisionTreeClassifier):
    """Asks the one question that tells most: a decision tree that stops at the root.

    The least that a tree can learn, a yardstick for larger ones and a weak learner for boosting. The same as
    ``DecisionTreeClassifier(max_depth=1)``; with ``nominal="multiway"`` a question has a branch for each word.

    References
    ----------
    Iba, Langley (1992), Induction of one-level decision trees.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> print(DecisionStump().fit(X, y).text(show="counts"))
    petallength <= 2.45: Iris-setosa (Iris-setosa 50)
    petallength > 2.45: Iris-versicolor (Iris-versicolor 50, Iris-virginica 50)
    """

    parameters_along = ()

    # What a larger tree may be told, and a stump has no use for.
    max_depth: Any = 1
    min_samples_split: Any = 2
    max_features: Any = None
    random_state: Any = None
    max_leaf_nodes: Any = None
    min_impurity_decrease: Any = 0.0
    min_impurity_split: Any = None
    ccp_alpha: Any = 0.0
    monotonic_cst: Any = None
    numeric: Any = "threshold"
    discretize: Any = "static"
    max_intervals: Any = 8
    charge_levels: Any = False
    max_p: Any = None
    max_bins: Any = None
    costs: Any = None
    prune: Any = None
    validation_fraction: Any = 0.25
    prune_ties: Any = False
    confidence: Any = 0.25
    n_folds: Any = 10

    def __init__(
        self,
        *,
        criterion: ClassCriterion = "gini",
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        class_weight: ClassWeight = None,
        nominal: Nominal = "subset",
        missing: Missing = "direction",
        n_jobs: Jobs = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.class_weight = class_weight
        self.nominal = nominal
        self.missing = missing
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one question with two answers cannot tell three classes apart
        return tags
