"""C4.5: gain ratios, missing cells in parts, pessimistic pruning."""

from __future__ import annotations

import numpy as np

from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.params import Count, Flag, Jobs, Positive, Share
from margin.tree.grow import grow_classes
from margin.tree.pruning.pessimistic import collapsed, pessimistic
from margin.tree.training_rows import Rows, in_cases
from margin.tree.tree_model import TreeClassifier

__all__ = ["C45"]


class C45(TreeClassifier):
    """Splits by gain ratio, sends missing cells down all branches in parts, and prunes what is likely to be chance.

    Among the columns that gain at least the average the one with the best gain ratio is asked; words get a branch for
    each level, numbers two at a threshold, which pays for having been chosen among many. Then subtrees are replaced by
    a leaf, or by their heaviest branch, where a pessimistic estimate of the errors does not get worse. Trees are those
    of C4.5 release 8 and of Weka's J48; where several splits are equally good, the first column wins.

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
        Whether the heaviest branch may take the place of its parent.
    collapse
        Whether splits that leave the training errors as they are go before pruning.
    binary_splits
        Whether words get two branches, one level against all others.
    max_depth
        Most questions on a path; None for no limit.
    n_jobs
        Threads; None uses all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_
        The nodes as plain arrays, a :class:`margin.tree.Tree`.

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
        max_depth: Count | None = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.min_leaf = min_leaf
        self.confidence = confidence
        self.prune = prune
        self.raise_branches = raise_branches
        self.collapse = collapse
        self.binary_splits = binary_splits
        self.max_depth = max_depth
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, weight: np.ndarray) -> None:
        weight = in_cases(weight)
        settings = {
            "nominal": "one_vs_rest" if self.binary_splits else "multiway",
            "missing": "fractional",
            "gain_ratio": True,
            "average_gain": True,
            "charge_cuts": True,
            "cuts_from_data": True,
            "two_branches": True,
            "tenth_per_class": True,
            "no_useless_splits": True,
            "min_leaf_weight": float(self.min_leaf),
        }
        if self.max_depth is not None:
            settings["max_depth"] = int(self.max_depth)
        tree = grow_classes(
            X, y, weight, len(self.classes_), "entropy", settings, np.empty(0, np.int8), parallel.n_threads(self.n_jobs)
        )
        if self.collapse:
            tree = collapsed(tree)
        if self.prune:
            tree = pessimistic(tree, Rows(X, y, weight), self.confidence, self.raise_branches)
        self.n_outputs_ = 1
        self.tree_ = tree
