"""Nodes of two words each, as forests and boosted trees keep them, read array by array."""

from __future__ import annotations

import numpy as np

__all__ = ["COLUMN", "KIND", "LEAF", "MISSING_RIGHT", "PackedNodes"]

#: Flags of the last word of a node (``native/include/margin/tree/grown/walk_pack.hpp``).
MISSING_RIGHT, LEAF, KIND, COLUMN = 1 << 31, 1 << 30, 3 << 27, (1 << 27) - 1


class PackedNodes:
    """What the nodes of trees say that stand one after another.

    The first word of a node is a threshold, where the levels of branch 0 stand in ``words``, or what a leaf answers;
    the second says which node branch 0 leads to (branch 1 to the next) and what is asked. ``start`` is where each tree
    begins, and the end.
    """

    nodes: np.ndarray
    start: np.ndarray
    words: np.ndarray

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self.start) - 1

    @property
    def is_leaf(self) -> np.ndarray:
        """Whether a node asks nothing."""
        return (self._tags & LEAF) != 0

    @property
    def is_subset(self) -> np.ndarray:
        """Whether a node asks for levels."""
        return ((self._tags & KIND) != 0) & ~self.is_leaf

    @property
    def column(self) -> np.ndarray:
        """The column that a node asks about, -1 at leaves."""
        return np.where(self.is_leaf, -1, (self._tags & COLUMN).astype(np.int64))

    @property
    def threshold(self) -> np.ndarray:
        """Numbers up to this go to branch 0; what a leaf answers; nothing sensible where levels are asked for."""
        return self.nodes[:, 0].view(np.float64)

    @property
    def first(self) -> np.ndarray:
        """The node of branch 0, counted within its tree; branch 1 is the next."""
        return (self.nodes[:, 1] & np.uint64(0xFFFFFFFF)).astype(np.int64)

    @property
    def missing(self) -> np.ndarray:
        """The branch of missing cells."""
        return ((self._tags & MISSING_RIGHT) != 0).astype(np.int64)

    @property
    def _tags(self) -> np.ndarray:
        return (self.nodes[:, 1] >> np.uint64(32)).astype(np.int64)

    def levels(self, node: int) -> list[int]:
        """The levels of branch 0, where a node asks for levels."""
        begin, n = int(self.nodes[node, 0]) & 0xFFFFFFFF, int(self.nodes[node, 0]) >> 32
        words = self.words[begin : begin + n].tolist()
        return [64 * w + bit for w, word in enumerate(words) for bit in range(64) if word >> bit & 1]
