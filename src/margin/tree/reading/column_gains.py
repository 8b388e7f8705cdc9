"""The gains of all columns at a node: a tree of one question is grown from each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.data.schema import Schema
from margin.tree import predict as walking
from margin.tree.grow import grow, numbers_of
from margin.tree.nodes import Tree
from margin.tree.reading.gains import Gains, gain_of
from margin.tree.reading.named_tree import DescribedTree
from margin.tree.training_rows import Rows

__all__ = ["gains_at", "rows_at"]


def rows_at(tree: Tree, rows: Rows, node: int) -> Rows:
    """The rows that reach a node, those that do so in part with that part of their weight."""
    found = walking.parts(tree, rows.X)
    below = (found.leaf >= node) & (found.leaf < tree.end[node])
    part = np.bincount(found.row[below], found.part[below], len(rows.y))
    kept = np.flatnonzero(part > 0)
    return Rows(rows.X.take(kept), rows.y[kept], rows.weight[kept] * part[kept])


def gains_at(described: DescribedTree, rows: Rows, node: int, how: dict[str, Any], answers_of: Any) -> Gains:
    """What each column proposes at a node; ``how`` is what ``grow`` is told, ``answers_of(tree)`` what nodes say."""
    here, found = rows_at(described.tree, rows, node), []
    settings = {**how["settings"], "max_depth": 1, "min_split": 2, "min_decrease": 0.0, "min_impurity": -1.0}
    for name in ("max_leaves", "max_features", "largest_p"):
        settings.pop(name, None)
    if not len(here.y):
        return Gains(node, [], described.classes)
    for j, column in enumerate(described.columns):
        its = {**settings, "cuts": [settings["cuts"][j]]} if column.is_numeric and "cuts" in settings else settings
        alone = Rows(_only(here.X, j, column), here.y, here.weight)
        tree = grow(*alone, how["criterion"], its, n_classes=how["n_classes"])
        stump = DescribedTree(tree, (column,), described.classes, answers_of(tree))
        found.append(gain_of(stump, j == described.tree.column[node]))
    return Gains(node, found, described.classes)


def _only(X: MixedData, j: int, column: Any) -> MixedData:
    """Column j alone, columns counted as the tree does."""
    n_numbers = X.numeric.shape[1]
    if j < n_numbers:
        return MixedData(np.ascontiguousarray(numbers_of(X)[:, j : j + 1]))
    return MixedData(np.empty((len(X), 0)), (X.codes[j - n_numbers],), Schema([column]))
