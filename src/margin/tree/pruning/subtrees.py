"""Trees cut back: some nodes become leaves, what hung below them is gone, and the rest is counted anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.tree.node_checks import ROWS
from margin.tree.nodes import Ask, Tree

__all__ = ["assembled", "cut", "leaves_below", "sums_below"]


def sums_below(tree: Tree, at_node: np.ndarray) -> np.ndarray:
    """For each node the sum over its subtree of what stands at the nodes: in preorder a stretch of them."""
    total = np.concatenate([np.zeros_like(at_node[:1]), np.cumsum(at_node, axis=0)])
    return total[tree.end] - total[:-1]


def leaves_below(tree: Tree) -> np.ndarray:
    """How many leaves each subtree has; 1 for a leaf."""
    return sums_below(tree, tree.is_leaf.astype(np.int64))


def cut(tree: Tree, becomes_leaf: np.ndarray) -> Tree:
    """The tree with these nodes as leaves. O(nodes) time."""
    marked = np.flatnonzero(becomes_leaf & ~tree.is_leaf)
    if not len(marked):
        return tree
    step = np.zeros(tree.n_nodes + 1, dtype=np.int64)
    np.add.at(step, marked + 1, 1)
    np.add.at(step, tree.end[marked], -1)
    kept = np.flatnonzero(np.cumsum(step[:-1]) == 0)
    return assembled(tree, kept, np.isin(kept, marked))


def assembled(
    tree: Tree, order: np.ndarray, leaf: np.ndarray, stands_for: np.ndarray | None = None, **changed: np.ndarray
) -> Tree:
    """A tree of some nodes of another, in this preorder; those marked ``leaf`` ask nothing any more.

    Where a node gave its place to one below it, ``stands_for`` says which one stands there now. ``changed`` are arrays
    that do not come from the old nodes.
    """
    place = np.full(tree.n_nodes, -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    if stands_for is not None:
        place = place[stands_for]
    arrays: dict[str, Any] = {}
    at = {"node": order}
    for name in ("child", "detail", "surrogate"):
        arrays[f"{name}_start"], at[name] = _lists(getattr(tree, f"{name}_start"), order, leaf)
    all_kept = np.zeros(len(at["surrogate"]), dtype=bool)
    arrays["surrogate_detail_start"], at["surrogate_detail"] = _lists(
        tree.surrogate_detail_start, at["surrogate"], all_kept
    )
    arrays |= {name: getattr(tree, name)[at[rows]] for name, rows in ROWS.items() if rows != "start"}
    arrays["child"] = place[arrays["child"]]
    for name, nothing in (("ask", Ask.NOTHING), ("column", -1), ("threshold", 0), ("missing", 0), ("gain", 0)):
        arrays[name] = np.where(leaf, np.array(nothing, arrays[name].dtype), arrays[name])
    return Tree(**(arrays | changed))


def _lists(start: np.ndarray, order: np.ndarray, empty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the lists of these owners begin when put one after another, and where their entries stood before."""
    first, length = start[order], np.where(empty, 0, start[order + 1] - start[order])
    begin = np.concatenate([[0], np.cumsum(length)])
    at = np.arange(begin[-1]) + np.repeat(first - begin[:-1], length)
    return begin.astype(np.int64), at
