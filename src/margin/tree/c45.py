"""C4.5: gain ratios, missing cells in parts, pessimistic pruning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin import parallel
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.params import Count, Flag, Jobs, Positive, Seed, Several, Share
from margin.tree.grow import grow, numbers_of
from margin.tree.nodes import Ask, Tree
from margin.tree.pruning.choose import class_losses
from margin.tree.pruning.pessimistic import collapsed, pessimistic
from margin.tree.pruning.recount import recounted_classes
from margin.tree.pruning.reduced_error import bottom_up
from margin.tree.training_rows import Rows, held_out, in_cases
from margin.tree.tree_model import TreeClassifier

__all__ = ["C45"]


class C45(KeepsGroups, TreeClassifier):
    """Splits by gain ratio, sends missing cells down all branches in parts, and prunes what is likely to be chance.

    Among the columns that gain at least the average the one with the best gain ratio is asked; words get a branch for
    each level, numbers two at a threshold, which pays for having been chosen among many. Then subtrees are replaced by
    a leaf, or by their heaviest branch, where a pessimistic estimate of the errors does not get worse. Trees are those
    of C4.5 release 8 and of Weka's J48; where several splits are equally good, the first column wins. With
    ``reduced_error`` a part of the rows decides instead what is pruned, as J48 does with its option R.

    Parameters
    ----------
    min_leaf
        Weight that at least two branches of a split must have; a threshold needs a tenth of the cases per class on
        both sides if that is more, but at most 25.
    confidence
        How sure pruning is of the errors it sees; less prunes more.
    prune
        Whether the tree is pruned.
    raise_branches
        Whether the heaviest branch may take the place of its parent. Not with ``reduced_error``.
    collapse
        Whether splits that leave the training errors as they are go before pruning. Not with ``reduced_error``.
    binary_splits
        Whether words get two branches, one level against all others: the level with the best gain ratio.
    reduced_error
        Whether a subtree goes where a leaf makes no more errors on rows that were kept for that. The leaves that are
        left then count all rows; those of J48 count only the rows that it grew from.
    n_folds
        One of so many parts of the rows is kept for that.
    random_state
        Decides which rows are.

    References
    ----------
    Quinlan (1993), C4.5: programs for machine learning; Quinlan (1996), Improved use of continuous attributes in C4.5.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_numeric").target("play")
    >>> model = C45().fit(X, y)
    >>> model.tree_.n_leaves, model.tree_.n_nodes
    (5, 8)
    """

    def __init__(
        self,
        *,
        min_leaf: Positive = 2,
        confidence: Share = 0.25,
        prune: Flag = True,
        raise_branches: Flag = True,
        collapse: Flag = True,
        binary_splits: Flag = False,
        reduced_error: Flag = False,
        n_folds: Several = 3,
        random_state: Seed = None,
        max_depth: Count | None = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.min_leaf = min_leaf
        self.confidence = confidence
        self.prune = prune
        self.raise_branches = raise_branches
        self.collapse = collapse
        self.binary_splits = binary_splits
        self.reduced_error = reduced_error
        self.n_folds = n_folds
        self.random_state = random_state
        self.max_depth = max_depth
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        cases = Rows(X, y, in_cases(rows.weights()))
        self.n_outputs_ = 1
        if self.prune and self.reduced_error:
            growing, judging = held_out(cases, 1 / int(self.n_folds), self.random_state, y, rows.groups)
            self.tree_ = recounted_classes(self._judged(growing, judging), cases, "entropy")
            return
        tree = self._grown(cases)
        if self.collapse:
            tree = collapsed(tree)
        if self.prune:
            tree = pessimistic(tree, cases, self.confidence, self.raise_branches)
        self.tree_ = tree

    def _how(self, rows: Rows, cuts_from_data: bool = True) -> dict[str, Any]:
        settings = {
            "nominal": "one_vs_rest" if self.binary_splits else "multiway",
            "missing": "fractional",
            "gain_ratio": True,
            "average_gain": True,
            "charge_cuts": True,
            "cuts_from_data": cuts_from_data,
            "two_branches": True,
            "tenth_per_class": True,
            "no_useless_splits": True,
            "min_leaf_weight": float(self.min_leaf),
        }
        if self.max_depth is not None:
            settings["max_depth"] = int(self.max_depth)
        return {"criterion": "entropy", "settings": settings, "n_classes": len(self.classes_)}

    def _grown(self, rows: Rows, cuts_from_data: bool = True) -> Tree:
        return grow(*rows, **self._how(rows, cuts_from_data), n_threads=parallel.n_threads(self.n_jobs))

    def _judged(self, growing: Rows, judging: Rows) -> Tree:
        """Grown from some rows and pruned on others; thresholds are numbers of either."""
        tree = self._grown(growing, cuts_from_data=False)
        if len(judging.y):
            errors = class_losses(tree, judging, 1 - np.eye(len(self.classes_)), tree.value.argmax(axis=1))
            tree = bottom_up(tree, errors[:, 0])
        numbers = np.concatenate([numbers_of(growing.X), numbers_of(judging.X)])
        return replace(tree, threshold=_largest_below(tree, numbers))


def _largest_below(tree: Tree, numbers: np.ndarray) -> np.ndarray:
    """Each threshold as the largest number of its column that is not above it."""
    found = tree.threshold.copy()
    asked = (tree.ask == Ask.THRESHOLD) & (tree.column < numbers.shape[1])
    for column in np.unique(tree.column[asked]).tolist():
        nodes = np.flatnonzero(asked & (tree.column == column))
        cells = numbers[:, column].astype(np.float64)
        ordered = np.sort(cells[~np.isnan(cells)])
        found[nodes] = ordered[np.searchsorted(ordered, found[nodes], "right") - 1]
    return found
