"""Reduced-error pruning: the subtree whose removal helps most on rows kept for that goes first, until none helps."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from margin.tree.nodes import Tree
from margin.tree.pruning.subtrees import cut, leaves_below, sums_below

__all__ = ["PruningTrace", "bottom_up", "reduced_error"]


@dataclass(frozen=True, eq=False)
class PruningTrace:
    """What each step of pruning left; entry 0 is the tree as it was grown.

    Attributes
    ----------
    node
        The node, counted in the full tree, that became a leaf; -1 in entry 0.
    leaves
        Leaves of the tree after the step.
    loss
        Loss per case on the validation part: share of errors, mean cost or mean squared error.
    """

    node: np.ndarray
    leaves: np.ndarray
    loss: np.ndarray

    def __len__(self) -> int:
        return len(self.node)

    def __str__(self) -> str:
        return (
            f"{len(self) - 1} subtrees removed: {self.leaves[0]:,} leaves with loss {self.loss[0]:.4g} on the "
            f"validation part became {self.leaves[-1]:,} with {self.loss[-1]:.4g}"
        )


def reduced_error(
    tree: Tree, as_leaf: np.ndarray, weight: float = 1.0, ties: bool = False
) -> tuple[Tree, PruningTrace]:
    """The tree without the subtrees whose removal lowers the loss on a validation part, the most helpful one first.

    ``as_leaf`` is the loss of the validation rows at each node if that were a leaf, ``weight`` what it is divided by in
    the trace. With ``ties`` also subtrees go whose removal changes nothing. Of equal ones the largest subtree goes,
    then the first. Each removal updates the nodes above it: O(nodes (depth + log nodes)) time.
    Quinlan (1987), Simplifying decision trees.
    """
    above, last = tree.parent.tolist(), tree.end.tolist()
    leaf_loss = as_leaf.tolist()
    below = sums_below(tree, np.where(tree.is_leaf, as_leaf, 0.0)).tolist()
    leaves = leaves_below(tree).tolist()
    removed = bytearray(tree.is_leaf.tobytes())

    def entry(node: int) -> tuple[float, int, int]:
        return leaf_loss[node] - below[node], -leaves[node], node

    slack = 1e-12 * max(1.0, abs(below[0]))  # sums of fractions are not exact, and rounding is no improvement
    heap = [entry(node) for node in np.flatnonzero(~tree.is_leaf).tolist()]
    heapq.heapify(heap)
    becomes_leaf = np.zeros(tree.n_nodes, dtype=bool)
    steps, sizes, losses = [-1], [leaves[0]], [below[0]]
    while heap:
        found = heapq.heappop(heap)
        change, _, node = found
        if removed[node] or found != entry(node):  # it is gone, or stands further down the heap with its new figures
            continue
        if change > slack or (change > -slack and not ties):
            break
        becomes_leaf[node] = True
        removed[node : last[node]] = b"\1" * (last[node] - node)
        fewer = leaves[node] - 1
        while node >= 0:
            leaves[node] -= fewer
            below[node] += change
            if not removed[node]:
                heapq.heappush(heap, entry(node))
            node = above[node]
        steps.append(found[2])
        sizes.append(leaves[0])
        losses.append(below[0])
    trace = PruningTrace(np.array(steps), np.array(sizes), np.array(losses) / weight)
    return cut(tree, becomes_leaf), trace


def bottom_up(tree: Tree, as_leaf: np.ndarray) -> Tree:
    """The tree with every subtree replaced by a leaf that loses no more than what is left of it, branches first.

    ``as_leaf`` as in :func:`reduced_error`. No other pruned tree loses less, and none of those that lose as little is
    smaller; sums of parts of rows may be off by a millionth, as in J48. O(nodes) time.
    """
    above, left = tree.parent.tolist(), [0.0] * tree.n_nodes
    losses, becomes_leaf = as_leaf.tolist(), np.zeros(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.is_leaf[node] or losses[node] <= left[node] + 1e-6:
            becomes_leaf[node], left[node] = True, losses[node]
        if node:
            left[above[node]] += left[node]
    return cut(tree, becomes_leaf)
