"""Random forests: trees of drawn rows that look at drawn columns."""

from __future__ import annotations

from typing import Literal

from margin.ensemble.forest.answering import ForestClassifier, ForestRegressor
from margin.ensemble.forest.stopping import AtInterrupt
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Seed
from margin.tree.costs import Costs
from margin.tree.settings import Bins, CasesInLeaf, CasesToSplit, ColumnsLookedAt, LeafShare, Monotone

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestClassifier):
    r"""Asks many trees, each grown from other rows and other columns, and answers the mean of what they say.

    Each tree learns from as many rows as there are, drawn with replacement, and each of its nodes looks at
    :math:`m = \sqrt{d}` columns drawn anew. Trees that differ err differently: with correlation :math:`\rho` between
    trees of variance :math:`\sigma^2` the mean of B of them varies by :math:`\rho\sigma^2 + (1-\rho)\sigma^2/B`. More
    trees never hurt but in time; fewer columns make trees more different, and each of them worse. A row is left out by
    a tree with probability :math:`(1 - 1/n)^n \approx .368`, and those trees say how wrong the forest is
    (``oob_error_``), without rows held back. Growing costs :math:`O(B\,m\,n \log n)`.

    Nominal columns, ordered ones and missing cells are taken as they are. Whole-number weights stand for repeated rows,
    other weights multiply those of the draws. Where few of very many columns say anything, most nodes see none of them:
    of 103 columns, 3 of which matter, 10 drawn ones hold one of these with probability .266.

    References
    ----------
    Breiman (2001), "Random forests".

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = RandomForestClassifier(random_state=0).fit(X, y)
    >>> model.oob_error_[-1] < 0.07, model.trees_.n_trees
    (np.True_, 100)
    """

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
        bootstrap: Flag = True,
        oob_score: Flag = True,
        max_samples: ColumnsLookedAt | None = None,
        class_weight: ClassWeight | Literal["balanced_subsample"] = None,
        costs: Costs = None,
        monotonic_cst: Monotone = None,
        nominal: Literal["subset", "one_vs_rest"] = "subset",
        max_bins: Bins | Literal["auto"] | None = "auto",
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
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.at_interrupt = at_interrupt
        self.random_state = random_state
        self.n_jobs = n_jobs


class RandomForestRegressor(ForestRegressor):
    r"""Asks many trees, each grown from other rows and other columns, and answers the mean of what they say.

    As :class:`RandomForestClassifier`, with the squared error for a criterion; nodes look at a third of the columns,
    and leaves hold 5 cases at least. The answer never leaves the range of the targets seen.

    References
    ----------
    Breiman (2001), "Random forests".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = RandomForestRegressor(random_state=0).fit(X, np.sqrt(X[:, 0]))
    >>> bool(abs(model.predict([[16.0]])[0] - 4) < 0.2)
    True
    """

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = 100,
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 5,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = 1 / 3,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: Flag = True,
        oob_score: Flag = True,
        max_samples: ColumnsLookedAt | None = None,
        monotonic_cst: Monotone = None,
        nominal: Literal["subset", "one_vs_rest"] = "subset",
        max_bins: Bins | Literal["auto"] | None = "auto",
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
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.at_interrupt = at_interrupt
        self.random_state = random_state
        self.n_jobs = n_jobs
