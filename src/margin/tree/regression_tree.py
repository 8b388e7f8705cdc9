"""The decision tree of CART for numbers, with scikit-learn's parameters and more."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from typing import Literal

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.targets.numbers import encode_targets
from margin.errors import LabelError
from margin.params import Count, Flag, Jobs, NonNegative, Seed, Several, Share
from margin.tree.cart import CartTree, ValueGrowth
from margin.tree.criteria import ValueCriterion, criterion_of
from margin.tree.grow import binary_scale, scaled_back
from margin.tree.settings import (
    Bins,
    CasesInLeaf,
    CasesToSplit,
    ColumnsLookedAt,
    LeafShare,
    Missing,
    Monotone,
    Nominal,
    Splitter,
)
from margin.tree.several_outputs import SeveralValuesGrowth, check_one_tree
from margin.tree.training_rows import Rows
from margin.tree.tree_model import TreeRegressor

__all__ = ["DecisionTreeRegressor"]

#: What is in the unit of losses, of each thing that pruning leaves behind.
_LOSSES = {
    "pruning_trace_": ("loss",),
    "pruning_path_": ("alphas", "impurities", "losses", "standard_errors"),
}


class DecisionTreeRegressor(CartTree, TreeRegressor):
    r"""Asks one question after another, and answers the mean of the training rows that answered the same.

    Every node asks the question that lowers the squared error most. The answer is a staircase: it never leaves the
    range of the targets seen. Grown to the end a tree knows its training rows by heart: limit or prune it. Nominal
    columns and missing cells are taken as they are. A y of several columns is answered by one tree, whose splits lower
    the mean of the squared errors of all of them.

    Of equally good splits the first column wins, then the smallest threshold; on numbers the trees are otherwise those
    of scikit-learn. Whole-number weights count as repeated rows.

    Parameters
    ----------
    criterion
        What splits lower: ``"squared_error"``, or ``"absolute_error"``, where leaves hold medians.
    monotonic_cst
        1 where the answer must not fall as a column rises, -1 where it must not rise, 0 where it is free: for all
        columns in order, or by name.
    missing
        Where missing cells go: ``"direction"``, the way that gains more; ``"fractional"``, down all branches in parts;
        ``"surrogate"``, where other columns say, judged by the cases whose cell they know; ``"surrogate_all"``, where a
        cell that they do not know counts against them (rpart's surrogate style 0).
    prune
        ``"reduced_error"`` (on rows kept for that), ``"cost_complexity"`` (alpha chosen by cross-validation, the
        smallest tree within one standard error), or None.

    Attributes
    ----------
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
        splitter: Splitter = "best",
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        random_state: Seed = None,
        max_leaf_nodes: Several | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        min_impurity_split: NonNegative | None = None,
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
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_impurity_split = min_impurity_split
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

    several_outputs = True

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        if y.ndim == 2:
            check_one_tree(self, of_classes=False)
        scale, power = binary_scale(y), criterion_of(self.criterion).unit_power
        if scale == 1:
            self._fit_tree(X, y, rows)
            return
        # Pruning squares squared errors, which numbers near 1e80 do not survive: all is done on a scale of about 1.
        scaled = copy(self)
        for name in ("min_impurity_decrease", "min_impurity_split", "ccp_alpha"):
            if getattr(self, name) is not None:
                setattr(scaled, name, math.prod([scale] * power, start=float(getattr(self, name))))
        scaled._fit_tree(X, y * scale, rows)
        self.n_outputs_, self.max_features_ = scaled.n_outputs_, scaled.max_features_
        self.tree_ = scaled_back(scaled.tree_, 1.0, scale, power)
        for name, parts in _LOSSES.items():
            if name in scaled.__dict__:
                found = getattr(scaled, name)
                setattr(
                    self,
                    name,
                    replace(found, **{part: _unscaled(getattr(found, part), scale, power) for part in parts}),
                )

    def _growth(self) -> ValueGrowth | SeveralValuesGrowth:
        return SeveralValuesGrowth(self, self._columns) if self.n_outputs_ > 1 else ValueGrowth(self, self._columns)

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        y = encode_targets(rows.y, len(rows.X), who, several=self.n_outputs_ > 1)
        if y.shape[1:] != ((self.n_outputs_,) if self.n_outputs_ > 1 else ()):
            raise LabelError(f"{who}: y must have {self.n_outputs_} columns, as it had at fit.")
        return Rows(rows.X, y, rows.weight)


def _unscaled(losses: np.ndarray, scale: float, power: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        for _ in range(power):
            losses = losses / scale
    return losses
