"""Trees by the definition: every threshold of every column, one after another, and how two trees are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.tree.grow import grow_classes, grow_values
from margin.tree.nodes import Tree


def grow(
    X: Any,
    y: Any,
    criterion: str = "gini",
    *,
    weight: Any = None,
    threads: int = 1,
    monotone: Any = (),
    **settings: Any,
) -> Tree:
    """A tree for classes or, under a criterion for numbers, for numbers."""
    X = MixedData(np.asarray(X)) if not isinstance(X, MixedData) else X
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    ways = np.asarray(monotone, dtype=np.int8)
    if criterion.endswith("_error"):
        return grow_values(X, np.asarray(y, dtype=float), w, criterion, settings, ways, threads)
    return grow_classes(X, np.asarray(y), w, int(np.max(y)) + 1, criterion, settings, ways, threads)


def gini(y: np.ndarray, w: np.ndarray) -> float:
    return 1 - sum((w[y == k].sum() / w.sum()) ** 2 for k in np.unique(y))


def entropy(y: np.ndarray, w: np.ndarray) -> float:
    shares = [w[y == k].sum() / w.sum() for k in np.unique(y)]
    return -sum(p * np.log2(p) for p in shares if p > 0)


def error(y: np.ndarray, w: np.ndarray) -> float:
    return 1 - max(w[y == k].sum() / w.sum() for k in np.unique(y))


def squared_error(y: np.ndarray, w: np.ndarray) -> float:
    return np.average((y - np.average(y, weights=w)) ** 2, weights=w)


def absolute_error(y: np.ndarray, w: np.ndarray) -> float:
    return min(np.average(np.abs(y - middle), weights=w) for middle in y)


IMPURITY: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "gini": gini,
    "entropy": entropy,
    "error": error,
    "squared_error": squared_error,
    "absolute_error": absolute_error,
}


def gain_of(low: np.ndarray, y: np.ndarray, w: np.ndarray, criterion: str) -> float:
    """How much a division into ``low`` and the others lowers the impurity."""
    impurity = IMPURITY[criterion]
    parts = sum(w[side].sum() * impurity(y[side], w[side]) for side in (low, ~low))
    return impurity(y, w) - parts / w.sum()


def divisions(x: np.ndarray) -> list[np.ndarray]:
    """What thresholds can do with a column: missing cells go either way, or stand alone against the others."""
    known, missing = ~np.isnan(x), np.isnan(x)
    values = np.unique(x[known])
    low = [known & (x <= value) for value in values[:-1]]
    both = [*low, *(side | missing for side in low)] if missing.any() else low
    return [*both, known] if missing.any() and known.any() else both


def best_gain(X: np.ndarray, y: np.ndarray, w: np.ndarray, criterion: str, min_leaf: int = 1) -> float:
    """The largest gain of all thresholds, or minus infinity."""
    gains = [
        gain_of(low, y, w, criterion) for x in X.T for low in divisions(x) if min(low.sum(), (~low).sum()) >= min_leaf
    ]
    return max(gains, default=-np.inf)


def goes_low(tree: Tree, node: int, X: np.ndarray) -> np.ndarray:
    """Which rows branch 0 of a node of numbers gets."""
    x = X[:, tree.column[node]]
    return np.where(np.isnan(x), tree.missing[node] == 0, x <= tree.threshold[node])


def rows_of(tree: Tree, X: np.ndarray) -> list[np.ndarray]:
    """The rows of every node."""
    rows: list[np.ndarray] = [np.empty(0, int)] * tree.n_nodes
    rows[0] = np.arange(len(X))
    for node in range(tree.n_nodes):
        if not tree.is_leaf[node]:
            low = goes_low(tree, node, X[rows[node]])
            left, right = tree.children(node)
            rows[left], rows[right] = rows[node][low], rows[node][~low]
    return rows


def same(a: Tree, b: Tree) -> None:
    """Two trees must be equal to the last bit."""
    for name, array in a.arrays().items():
        np.testing.assert_array_equal(array, b.arrays()[name], err_msg=name)
