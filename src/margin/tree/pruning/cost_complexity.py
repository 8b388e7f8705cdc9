"""Cost-complexity pruning: the weakest links of a tree in turn, and how many of them to cut."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from margin.tree.nodes import Tree
from margin.tree.pruning.subtrees import cut, leaves_below

__all__ = ["PruningPath", "one_standard_error", "pruned_at", "steps_of", "weakest_links"]


@dataclass(frozen=True, eq=False)
class PruningPath:
    r"""Every subtree that minimises :math:`R(T) + \alpha\,|T|` for some alpha, from the full tree to the root.

    Attributes
    ----------
    alphas
        From this alpha on the step is taken; 0 for the full tree.
    leaves
        Leaves after the step.
    impurities
        R(T): impurity of the leaves, each by its share of the weight.
    links
        For each node the alpha from which on it is no inner node any more; 0 for leaves.
    """

    alphas: np.ndarray
    leaves: np.ndarray
    impurities: np.ndarray
    links: np.ndarray

    def __len__(self) -> int:
        return len(self.alphas)


def weakest_links(tree: Tree, risk: np.ndarray) -> PruningPath:
    r"""Cut the link with the smallest :math:`g(t) = (R(t) - R(T_t)) / (|T_t| - 1)` until the root is left.

    ``risk`` is R(t) of each node as a leaf. No cut lowers g of a node above it, so that a heap whose entries are looked
    at again when they come up finds every next link: O(nodes (depth + log nodes)) time.
    Breiman, Friedman, Olshen, Stone (1984), ch. 3.
    """
    above, last = tree.parent.tolist(), tree.end.tolist()
    leaf_risk = risk.tolist()
    below = np.where(tree.is_leaf, risk, 0.0).tolist()
    for node in range(len(below) - 1, 0, -1):  # small sums first: a weak link is a small difference
        below[above[node]] += below[node]
    leaves = leaves_below(tree).tolist()
    removed = bytearray(tree.is_leaf.tobytes())

    def strength(node: int) -> float:
        return (leaf_risk[node] - below[node]) / (leaves[node] - 1)

    heap = [(strength(node), node) for node in np.flatnonzero(~tree.is_leaf).tolist()]
    heapq.heapify(heap)
    links = np.where(tree.is_leaf, 0.0, np.inf)
    alpha = 0.0
    alphas, sizes, risks = [0.0], [leaves[0]], [below[0]]
    while heap:
        found, node = heapq.heappop(heap)
        if removed[node]:
            continue
        now = strength(node)
        if now > found:
            heapq.heappush(heap, (now, node))
            continue
        alpha = max(alpha, now)
        links[node] = alpha
        removed[node : last[node]] = b"\1" * (last[node] - node)
        fewer, more = leaves[node] - 1, leaf_risk[node] - below[node]
        while node >= 0:
            leaves[node] -= fewer
            below[node] += more
            node = above[node]
        alphas.append(alpha)
        sizes.append(leaves[0])
        risks.append(below[0])
    return PruningPath(np.array(alphas), np.array(sizes), np.array(risks), _through_parents(links, above))


def _through_parents(links: np.ndarray, above: list[int]) -> np.ndarray:
    """A node goes at the latest with the one above it."""
    found = links.tolist()
    for node in range(1, len(found)):
        found[node] = min(found[node], found[above[node]])
    return np.array(found)


def pruned_at(tree: Tree, path: PruningPath, alpha: float) -> Tree:
    """The smallest subtree that is best at alpha."""
    return cut(tree, path.links <= alpha)


def steps_of(tree: Tree, path: PruningPath, at_leaf: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """The sum over the leaves of the tree pruned at each alpha (ascending) of what ``at_leaf`` holds there.

    Node t is a leaf from its own link up to that of its parent, so every node adds its figures to a stretch of alphas.
    """
    begin = np.searchsorted(alphas, path.links, "left")
    end = np.where(tree.parent >= 0, begin[tree.parent], len(alphas))
    change = np.zeros((len(alphas) + 1, *at_leaf.shape[1:]))
    np.add.at(change, begin, at_leaf)
    np.add.at(change, end, -at_leaf)
    return np.cumsum(change[:-1], axis=0)


def one_standard_error(losses: np.ndarray, errors: np.ndarray) -> int:
    """The last step (the smallest tree) whose loss is within one standard error of the smallest loss.

    >>> one_standard_error(np.array([0.30, 0.20, 0.21, 0.24, 0.50]), np.full(5, 0.02))
    2
    """
    best = int(np.argmin(losses))
    return int(np.flatnonzero(losses <= losses[best] + errors[best])[-1])
