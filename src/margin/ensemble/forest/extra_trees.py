"""Extremely randomized trees: forests whose thresholds are drawn, not sought."""

from __future__ import annotations

from typing import Literal

from margin.ensemble.forest.answering import ForestClassifier, ForestRegressor
from margin.ensemble.forest.stopping import AtInterrupt
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Seed
from margin.tree.costs import Costs
from margin.tree.settings import CasesInLeaf, CasesToSplit, ColumnsLookedAt, LeafShare, Monotone

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(ForestClassifier):
    r"""Asks many trees whose nodes choose among random questions, one for each column looked at.

    A column of numbers proposes one threshold, drawn uniformly between the smallest and the largest number of the node;
    a nominal one sends each of its levels to a side drawn by chance. The best of these proposals, of
    :math:`m = \sqrt{d}` columns, is asked. All rows are learnt from (``bootstrap=False``): trees differ enough by their
    questions. Compared with :class:`RandomForestClassifier` single trees are worse, more alike in what they get right
    and less in what they get wrong; nothing is sorted, and growing costs :math:`O(B\,m\,n \log n)` with a small factor.

    Missing cells are tried on both sides of each question. Without ``bootstrap`` there is no error out of bag.

    References
    ----------
    Geurts, Ernst, Wehenkel (2006), "Extremely randomized trees".

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = ExtraTreesClassifier(bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    >>> bool(model.oob_score_ > 0.9)
    True
    """

    _random_splits = True

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = 100,
        criterion: Literal["gini", "entropy", "log_loss", "error"] = "gini",
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = "sqrt",
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: Flag = False,
        oob_score: Flag = False,
        max_samples: ColumnsLookedAt | None = None,
        class_weight: ClassWeight | Literal["balanced_subsample"] = None,
        costs: Costs = None,
        monotonic_cst: Monotone = None,
        nominal: Literal["subset", "one_vs_rest"] = "subset",
        warm_start: Flag = False,
        at_interrupt: AtInterrupt = "raise",
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.max_samples = max_samples
        self.class_weight = class_weight
        self.costs = costs
        self.monotonic_cst = monotonic_cst
        self.nominal = nominal
        self.warm_start = warm_start
        self.at_interrupt = at_interrupt
        self.random_state = random_state
        self.n_jobs = n_jobs


class ExtraTreesRegressor(ForestRegressor):
    """Asks many trees whose nodes choose among random thresholds, and answers the mean of what they say.

    As :class:`ExtraTreesClassifier`, with the squared error for a criterion; nodes look at all columns, and those of
    fewer than 5 cases are not split, as the paper has it.

    References
    ----------
    Geurts, Ernst, Wehenkel (2006), "Extremely randomized trees".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = ExtraTreesRegressor(random_state=0).fit(X, np.sqrt(X[:, 0]))
    >>> bool(abs(model.predict([[16.0]])[0] - 4) < 0.2)
    True
    """

    _random_splits = True

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = 100,
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 5,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: Flag = False,
        oob_score: Flag = False,
        max_samples: ColumnsLookedAt | None = None,
        monotonic_cst: Monotone = None,
        nominal: Literal["subset", "one_vs_rest"] = "subset",
        warm_start: Flag = False,
        at_interrupt: AtInterrupt = "raise",
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.nominal = nominal
        self.warm_start = warm_start
        self.at_interrupt = at_interrupt
        self.random_state = random_state
        self.n_jobs = n_jobs
