"""A tree whose questions stand, with the figures of its nodes counted anew from other rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from margin.tree import predict as walking
from margin.tree.criteria import class_impurities
from margin.tree.nodes import Tree
from margin.tree.pruning.subtrees import sums_below
from margin.tree.training_rows import Rows

__all__ = ["class_shares", "recounted_classes", "recounted_values", "with_gains"]


def with_gains(tree: Tree, changed: np.ndarray, impurity: np.ndarray) -> Tree:
    """The tree with these impurities, and the gains that follow from them, where nodes have other cases now."""
    impurity = np.where(changed, impurity, tree.impurity)
    after = np.bincount(tree.parent[tree.child], (tree.weight * impurity)[tree.child], tree.n_nodes)
    gain = impurity - after / np.maximum(tree.weight, np.finfo(float).tiny)
    return replace(tree, impurity=impurity, gain=np.where(changed & ~tree.is_leaf, np.maximum(gain, 0.0), tree.gain))


def class_shares(value: np.ndarray) -> np.ndarray:
    """The weights of classes as shares; all 0 where there is no weight."""
    return value / np.maximum(value.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def recounted_classes(tree: Tree, rows: Rows, criterion: str) -> Tree:
    """Nodes hold the classes of these rows; a node that none of them reaches says what the one above it says."""
    found = walking.parts(tree, rows.X)
    weight, label = rows.weight[found.row] * found.part, rows.y[found.row]
    width = tree.value.shape[1]
    at_leaf = np.bincount(found.leaf * width + label, weight, tree.n_nodes * width).reshape(-1, width)
    value = sums_below(tree, at_leaf)
    total = value.sum(axis=1)
    known = _nearest_reached(tree, total)
    cases = sums_below(tree, np.bincount(found.leaf, minlength=tree.n_nodes))
    counted = replace(tree, value=value[known], weight=total, cases=cases)
    impurity = class_impurities(criterion, class_shares(value[known]))
    return with_gains(counted, np.ones(tree.n_nodes, dtype=bool), impurity)


def recounted_values(tree: Tree, rows: Rows, absolute: bool) -> Tree:
    """Nodes hold the mean of these rows, or the median if differences are absolute. O(rows depth) time."""
    found = walking.parts(tree, rows.X)
    node, weight, y = found.leaf, rows.weight[found.row] * found.part, rows.y[found.row]
    n = tree.n_nodes
    steps = []
    while len(node):
        steps.append((node, weight, y))
        node = tree.parent[node]
        further = node >= 0
        node, weight, y = node[further], weight[further], y[further]
    node, weight, y = (np.concatenate(parts) for parts in zip(*steps, strict=True))
    total = np.bincount(node, weight, n)
    divisor = np.maximum(total, np.finfo(float).tiny)
    value = _medians(node, weight, y, n) if absolute else np.bincount(node, weight * y, n) / divisor
    apart = np.abs(y - value[node])
    impurity = np.bincount(node, weight * (apart if absolute else apart * apart), n) / divisor
    known = _nearest_reached(tree, total)
    counted = replace(tree, value=value[known, None], weight=total, cases=np.bincount(node, minlength=n))
    return with_gains(counted, np.ones(n, dtype=bool), impurity)


def _medians(node: np.ndarray, weight: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    """The median of the y of each node; between two of them where the weight divides evenly."""
    order = np.lexsort((y, node))
    node, weight, y = node[order], weight[order], y[order]
    begin = np.searchsorted(node, np.arange(n), "left")
    reached = begin < np.searchsorted(node, np.arange(n), "right")
    total = np.cumsum(weight)
    before = np.concatenate([[0.0], total])[begin]
    half = before + np.bincount(node, weight, n) / 2
    low = np.minimum(np.searchsorted(total, half * (1 - 1e-14), "left"), len(y) - 1)
    high = np.minimum(np.searchsorted(total, half * (1 + 1e-14), "right"), len(y) - 1)
    return np.where(reached, y[low] / 2 + y[high] / 2, 0.0)


def _nearest_reached(tree: Tree, weight: np.ndarray) -> np.ndarray:
    """Each node itself if it has weight, else the nearest one above that has."""
    up = np.where(weight > 0, np.arange(tree.n_nodes), np.maximum(tree.parent, 0))
    while not np.array_equal(up, up[up]):
        up = up[up]
    return up
