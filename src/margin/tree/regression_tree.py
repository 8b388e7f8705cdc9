"""The decision tree of CART for numbers, with scikit-learn's parameters and more."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.base.targets.numbers import encode_targets
from margin.params import Count, Flag, Jobs, NonNegative, Seed, Share
from margin.tree.cart import CartTree
from margin.tree.criteria import ValueCriterion, criterion_of
from margin.tree.grow import grow_binned_values, grow_values
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import value_losses
from margin.tree.pruning.recount import recounted_values
from margin.tree.settings import (
    Bins,
    CasesInLeaf,
    CasesToSplit,
    ColumnsLookedAt,
    LeafShare,
    Missing,
    Monotone,
    Nominal,
    Several,
)
from margin.tree.training_rows import Rows
from margin.tree.tree_model import TreeRegressor

__all__ = ["DecisionTreeRegressor"]


class DecisionTreeRegressor(CartTree, TreeRegressor):
    r"""Asks one question after another, and answers the mean of the training rows that answered the same.

    Every node asks the question that lowers the squared error most. The answer is a staircase: it never leaves the
    range of the targets seen. Grown to the end a tree knows its training rows by heart: limit or prune it. Nominal
    columns and missing cells are taken as they are. One target only.

    Of equally good splits the first column wins, then the smallest threshold; on numbers the trees are otherwise those
    of scikit-learn. Whole-number weights count as repeated rows.

    Parameters
    ----------
    criterion
        What splits lower: ``"squared_error"``, or ``"absolute_error"``, where leaves hold medians.
    max_depth
        Most questions on a path; None for no limit.
    min_samples_split
        Cases a node must have to be split; a share is one of all cases.
    min_samples_leaf
        Cases that each branch must have; a share is one of all cases.
    min_weight_fraction_leaf
        Share of all weight that each branch must have.
    max_features
        Columns that a node looks at, drawn anew in each: a count, a share, ``"sqrt"``, ``"log2"``; None for all.
    random_state
        Decides which columns are drawn, and which rows are kept for pruning.
    max_leaf_nodes
        Most leaves; the tree is then grown best split first.
    min_impurity_decrease
        A split must lower the impurity by this much, counted by the node's share of all weight.
    ccp_alpha
        Links that lower the impurity by at most this much for each leaf are cut.
    monotonic_cst
        1 where the answer must not fall as a column rises, -1 where it must not rise, 0 where it is free: for all
        columns in order, or by name.
    nominal
        What becomes of words: ``"subset"`` (two branches, the best division of the levels), ``"multiway"`` (a branch
        for each level), ``"one_vs_rest"``.
    charge_levels
        Whether a division of levels must gain more than the best of so many divisions would by chance, about a bit per
        level and case. Of columns with many levels only some then deserve a question; False is plain CART.
    missing
        Where missing cells go: ``"direction"``, the way that gains more; ``"fractional"``, down all branches in parts;
        ``"surrogate"``, where other columns say.
    max_bins
        Numbers are grouped into so many bins before, which is quicker on many rows; None looks at all of them.
    prune
        ``"reduced_error"`` (on rows kept for that), ``"cost_complexity"`` (alpha chosen by cross-validation, the
        smallest tree within one standard error), or None.
    validation_fraction
        Share of the rows that reduced-error pruning keeps; the leaves that are left then count all rows.
    prune_ties
        Whether it also removes subtrees that make no difference.
    n_folds
        Parts for the cross-validation of cost-complexity pruning.
    n_jobs
        Threads; None uses all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_
        The nodes as plain arrays, a :class:`margin.tree.Tree`.
    feature_importances_
        How much each column lowered the impurity, as shares.
    pruning_trace_, pruning_path_
        The steps of pruning with their losses.

    Examples
    --------
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0], [9.0]], [10.0, 12.0, 50.0, 54.0])
    >>> model.predict([[0.0], [6.0]])
    array([11., 52.])
    """

    def __init__(
        self,
        *,
        criterion: ValueCriterion = "squared_error",
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        random_state: Seed = None,
        max_leaf_nodes: Several | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        ccp_alpha: NonNegative = 0.0,
        monotonic_cst: Monotone = None,
        nominal: Nominal = "subset",
        charge_levels: Flag = False,
        missing: Missing = "direction",
        max_bins: Bins | None = None,
        prune: Literal["reduced_error", "cost_complexity"] | None = None,
        validation_fraction: Share = 0.25,
        prune_ties: Flag = False,
        n_folds: Several = 10,
        n_jobs: Jobs = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.nominal = nominal
        self.charge_levels = charge_levels
        self.missing = missing
        self.max_bins = max_bins
        self.prune = prune
        self.validation_fraction = validation_fraction
        self.prune_ties = prune_ties
        self.n_folds = n_folds
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, weight: np.ndarray) -> None:
        self._fit_tree(Rows(X, y, weight))

    def _grown_with(self, rows: Rows, settings: Any) -> Tree:
        if self.max_bins is None:
            return grow_values(*rows, self.criterion, settings, self._monotone(), self._core_threads())
        self._check_bins(self.criterion, settings, rows.X)
        return grow_binned_values(*rows, settings, self._monotone(), int(self.max_bins), self._core_threads())

    def _recounted(self, tree: Tree, rows: Rows) -> Tree:
        return recounted_values(tree, rows, criterion_of(self.criterion).medians)

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        return Rows(rows.X, encode_targets(rows.y, len(rows.X), who, several=False), rows.weight)

    def _strata(self, y: np.ndarray) -> np.ndarray:
        return np.zeros(len(y), dtype=np.int64)

    def _losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        return value_losses(tree, rows, criterion_of(self.criterion).medians)
