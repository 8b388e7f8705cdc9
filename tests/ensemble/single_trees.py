"""The slow definition of a forest: margin's single trees, one after another, from the rows and columns it draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.ensemble.forest.trees import Trees
from margin.tree.grow import grow
from margin.tree.nodes import Ask, Tree

__all__ = ["as_nested", "draws_of", "nested_tree", "single_tree"]


def draws_of(seed: int, tree: int, n_rows: int, n_draws: int) -> tuple[int, np.ndarray]:
    """The seed of a tree's columns, and how often it draws each row: numbers below n as Lemire (2019) makes them."""
    stream = np.random.Philox(key=seed, counter=[0, 0, tree, 0])
    column_seed = int(stream.random_raw())
    times = np.zeros(n_rows, dtype=np.int64)
    for _ in range(n_draws):
        product = int(stream.random_raw()) * n_rows
        while product % 2**64 < 2**64 % n_rows:
            product = int(stream.random_raw()) * n_rows
        times[product >> 64] += 1
    return column_seed, times


def single_tree(
    X: MixedData, y: np.ndarray, weight: np.ndarray, seed: int, criterion: str, settings: Mapping[str, Any], **more: Any
) -> Tree:
    """A tree of the rows that have a weight, by the engine of single trees on bins that are as many as the numbers."""
    kept = np.flatnonzero(weight)
    settings = {**settings, "seed": seed}
    return grow(X.take(kept), y[kept], weight[kept].astype(float), criterion, settings, bins=65535, **more)


def nested_tree(tree: Tree, node: int = 0) -> Any:
    """A single tree as nested tuples: column, question, branch of missing cells, branches; or what the leaf says."""
    if tree.ask[node] == Ask.NOTHING:
        value = tree.value[node]
        return tuple((value / value.sum()).tolist()) if len(value) > 1 else (float(value[0]),)
    question = (
        float(tree.threshold[node])
        if tree.ask[node] == Ask.THRESHOLD
        else tuple(tree.details(node).astype(int).tolist())
    )
    low, high = tree.children(node)
    missing = int(tree.missing[node])
    return int(tree.column[node]), question, missing, nested_tree(tree, low), nested_tree(tree, high)


def as_nested(trees: Trees, number: int) -> Any:
    """A tree of a forest in the same form."""
    start, column, first = trees.start[number], trees.column, trees.first
    threshold, missing, is_subset, is_leaf = trees.threshold, trees.missing, trees.is_subset, trees.is_leaf

    def build(node: int) -> Any:
        at = start + node
        if is_leaf[at]:
            return tuple(trees.answers(np.array([at]))[0].tolist())
        question: Any = float(threshold[at])
        if is_subset[at]:
            begin, n = int(trees.nodes[at, 0]) & 0xFFFFFFFF, int(trees.nodes[at, 0]) >> 32
            words = trees.words[begin : begin + n].tolist()
            question = tuple(64 * w + bit for w, word in enumerate(words) for bit in range(64) if word >> bit & 1)
        return int(column[at]), question, int(missing[at]), build(int(first[at])), build(int(first[at]) + 1)

    return build(0)
