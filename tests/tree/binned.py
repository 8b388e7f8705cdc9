"""What the tests of trees on bins share: cuts by their definition, random tables, and the way of training rows."""

import itertools
from typing import Any

import margin._core as _core
import numpy as np

from margin.tree.grow import core_settings
from margin.tree.nodes import Ask, Tree

FREE = np.empty(0, np.int8)


def between(a: float, b: float) -> float:
    middle = a / 2 + b / 2
    return middle if a <= middle < b else a


def cuts_by_definition(column: np.ndarray, max_bins: int) -> list[float]:
    """Value after value: a bin is closed when it has its share of what is left, or before a value that fills one."""
    value, count = np.unique(column[~np.isnan(column)], return_counts=True)
    if len(value) <= max_bins:
        return [between(a, b) for a, b in itertools.pairwise(value)]
    cuts, filled, rest, bins_left = [], 0, int(count.sum()), max_bins
    for i in range(len(value) - 1):
        filled += int(count[i])
        share = -(-rest // bins_left)
        if bins_left > 1 and (filled >= share or (filled + count[i + 1] >= share and count[i + 1] >= share)):
            cuts.append(between(value[i], value[i + 1]))
            rest, filled, bins_left = rest - filled, 0, bins_left - 1
    return cuts


def arrays_of(X: np.ndarray, codes: np.ndarray | None, levels: Any, nominal: Any) -> tuple[np.ndarray, ...]:
    codes = np.empty((len(X), 0), np.int32) if codes is None else np.ascontiguousarray(codes, dtype=np.int32)
    return np.ascontiguousarray(X), codes, np.array(levels, np.int64), np.array(nominal, np.uint8)


def classes_tree(
    X: np.ndarray,
    y: np.ndarray,
    *,
    max_bins: int | None = 255,
    codes: np.ndarray | None = None,
    levels: Any = (),
    nominal: Any = (),
    weight: Any = (),
    criterion: str = "gini",
    monotone: np.ndarray = FREE,
    threads: int = 1,
    **settings: Any,
) -> Tree:
    """A tree for classes; without bins if max_bins is None."""
    given = (
        *arrays_of(X, codes, levels, nominal),
        np.asarray(y, np.int32),
        np.asarray(weight, float),
        int(np.max(y)) + 1,
        criterion,
        core_settings(settings),
        monotone,
    )
    if max_bins is None:
        return Tree(**_core.tree.grow_classes(*given, threads))
    return Tree(**_core.tree.grow_binned_classes(*given, max_bins, threads))


def values_tree(
    X: np.ndarray,
    y: np.ndarray,
    *,
    max_bins: int | None = 255,
    codes: np.ndarray | None = None,
    levels: Any = (),
    nominal: Any = (),
    weight: Any = (),
    monotone: np.ndarray = FREE,
    threads: int = 1,
    **settings: Any,
) -> Tree:
    """A tree for numbers; without bins if max_bins is None."""
    given = (*arrays_of(X, codes, levels, nominal), np.asarray(y, float), np.asarray(weight, float))
    if max_bins is None:
        return Tree(**_core.tree.grow_values(*given, "squared_error", core_settings(settings), monotone, threads))
    return Tree(**_core.tree.grow_binned_values(*given, core_settings(settings), monotone, max_bins, threads))


def assert_same(a: Tree, b: Tree) -> None:
    for (name, first), second in zip(a.arrays().items(), b.arrays().values(), strict=True):
        np.testing.assert_array_equal(first, second, err_msg=name)


def visits(tree: Tree, X: np.ndarray, codes: np.ndarray | None = None) -> np.ndarray:
    """How many rows come to each node, by what the nodes ask."""
    numbers = X.astype(float)
    cells = numbers if codes is None else np.column_stack([numbers, np.where(codes < 0, np.nan, codes)])
    at, found = np.zeros(len(X), int), np.zeros(tree.n_nodes, int)
    found[0] = len(X)
    for node in range(tree.n_nodes):
        if tree.is_leaf[node]:
            continue
        here = np.flatnonzero(at == node)
        cell = cells[here, tree.column[node]]
        low = cell <= tree.threshold[node] if tree.ask[node] == Ask.THRESHOLD else np.isin(cell, tree.details(node))
        branch = np.where(np.isnan(cell), tree.missing[node], np.where(low, 0, 1))
        at[here] = tree.children(node)[branch]
        found[tree.children(node)] += np.bincount(branch, minlength=2)
    return found
