"""A tree as plain arrays: what a node asks, where its branches lead, and what was seen there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.tree.node_checks import sound_arrays

__all__ = ["Ask", "Tree"]


class Ask(IntEnum):
    """What a node asks of a row (``Ask`` in ``native/include/margin/tree/grown/tree_arrays.hpp``)."""

    NOTHING = 0
    THRESHOLD = 1
    SUBSET = 2
    LEVEL = 3
    INTERVAL = 4


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in preorder, node 0 the root.

    Lists of varying length stand one after another: those of node i between ``start[i]`` and ``start[i + 1]``.
    Columns are counted as the model sees them: numbers first, then coded columns.

    Attributes
    ----------
    ask
        What the node asks, an :class:`Ask`.
    column
        The column it asks about, -1 at leaves.
    threshold
        Numbers and ordered codes up to this go to branch 0, others to branch 1.
    missing
        The branch of missing cells; -1 sends them down all branches in parts.
    value
        Weights of the classes, or the one value of a regression.
    cases, weight
        Training rows that reached the node, and their weight.
    impurity, gain
        Impurity of the node, and how much its split lowers it.
    child_start, child
        The node of each branch.
    detail_start, detail
        Codes of branch 0 of a subset; cuts between intervals.
    surrogate_start, surrogate_column, surrogate_threshold, surrogate_low, surrogate_detail_start, surrogate_detail
        Splits on other columns for rows whose cell is missing, best first.
    """

    ask: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    missing: np.ndarray
    value: np.ndarray
    cases: np.ndarray
    weight: np.ndarray
    impurity: np.ndarray
    gain: np.ndarray
    child_start: np.ndarray
    child: np.ndarray
    detail_start: np.ndarray
    detail: np.ndarray
    surrogate_start: np.ndarray
    surrogate_column: np.ndarray
    surrogate_threshold: np.ndarray
    surrogate_low: np.ndarray
    surrogate_detail_start: np.ndarray
    surrogate_detail: np.ndarray

    @property
    def n_nodes(self) -> int:
        """Inner nodes and leaves."""
        return len(self.ask)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        """Whether a node asks nothing."""
        return self.ask == Ask.NOTHING

    @property
    def n_leaves(self) -> int:
        """Nodes that ask nothing."""
        return int(self.is_leaf.sum())

    def children(self, node: int) -> np.ndarray:
        """The nodes its branches lead to."""
        return self.child[self.child_start[node] : self.child_start[node + 1]]

    def details(self, node: int) -> np.ndarray:
        """Codes of branch 0, or cuts."""
        return self.detail[self.detail_start[node] : self.detail_start[node + 1]]

    @cached_property
    def parent(self) -> np.ndarray:
        """The node above, -1 for the root."""
        above = np.full(self.n_nodes, -1, dtype=np.int32)
        above[self.child] = np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.child_start))
        return above

    @cached_property
    def depths(self) -> np.ndarray:
        """How many questions lead to each node."""
        # Every node looks twice as far up in each round: a chain of n nodes takes log n rounds.
        above = np.maximum(self.parent, 0)
        depth = (self.parent >= 0).astype(np.int64)
        while above.any():
            depth += depth[above]
            above = above[above]
        return depth

    @property
    def depth(self) -> int:
        """Most questions on a path."""
        return int(self.depths.max())

    @cached_property
    def end(self) -> np.ndarray:
        """The first node behind the subtree of each node: it holds the nodes from itself up to there."""
        last = np.zeros(self.n_nodes, dtype=bool)  # the last branch of its parent ends where the parent ends
        inner = ~self.is_leaf
        last[self.child[self.child_start[1:][inner] - 1]] = True
        behind = np.full(self.n_nodes, self.n_nodes, dtype=np.int64)
        followed = np.ones(len(self.child), dtype=bool)
        followed[self.child_start[1:][inner] - 1] = False
        behind[self.child[followed]] = self.child[np.flatnonzero(followed) + 1]
        up = np.where(last, self.parent, np.arange(self.n_nodes))
        while True:
            further = up[up]
            if np.array_equal(further, up):
                return behind[up]
            up = further

    # The names scikit-learn has for the same.

    @property
    def node_count(self) -> int:
        """Inner nodes and leaves."""
        return self.n_nodes

    @property
    def max_depth(self) -> int:
        """Most questions on a path."""
        return self.depth

    @property
    def n_node_samples(self) -> np.ndarray:
        """Training rows that reached each node."""
        return self.cases

    @property
    def weighted_n_node_samples(self) -> np.ndarray:
        """Their weight."""
        return self.weight

    @property
    def feature(self) -> np.ndarray:
        """The column that each node asks about, -2 at leaves."""
        return np.where(self.is_leaf, -2, self.column).astype(np.int64)

    @property
    def children_left(self) -> np.ndarray:
        """The node of branch 0, -1 at leaves; for trees of two branches."""
        return self._side(0)

    @property
    def children_right(self) -> np.ndarray:
        """The node of branch 1, -1 at leaves; for trees of two branches."""
        return self._side(1)

    def _side(self, branch: int) -> np.ndarray:
        inner = ~self.is_leaf
        if (np.diff(self.child_start)[inner] != 2).any():
            raise AttributeError("Tree: nodes have more than two branches; child and child_start list them.")
        found = np.full(self.n_nodes, -1, dtype=np.int64)
        found[inner] = self.child[self.child_start[:-1][inner] + branch]
        return found

    def importances(self, n_columns: int, *, normalize: bool = True) -> np.ndarray:
        """How much the splits on each column lowered the impurity, by the share of the rows they were made on.

        As shares of the whole if ``normalize``; all 0 for a tree that is one leaf.
        """
        inner = np.flatnonzero(~self.is_leaf)
        lowered = self.weight[inner] / self.weight[0] * self.gain[inner]
        found = np.bincount(self.column[inner], np.maximum(lowered, 0.0), n_columns)
        return found / found.sum() if normalize and found.sum() > 0 else found

    @cached_property
    def walker(self) -> Any:
        """The tree laid out for walking; made once, never saved."""
        return _core.tree.Walker(sound_arrays(self.arrays()))

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __getstate__(self) -> dict[str, np.ndarray]:
        """The arrays alone: what was derived from them is derived again."""
        return self.arrays()

    def __setstate__(self, state: dict[str, np.ndarray]) -> None:
        self.__dict__.update(sound_arrays(state))
