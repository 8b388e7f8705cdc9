"""The trees of a forest as plain arrays, 16 bytes a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import PersistenceError
from margin.tree.reading.packed_nodes import PackedNodes

__all__ = ["Trees", "joined"]


@dataclass(frozen=True, eq=False)
class Trees(PackedNodes):
    """Trees one after another; columns are counted as the model sees them, numbers first.

    Attributes
    ----------
    nodes
        Two words for each node. The first is a threshold, where the levels of branch 0 stand in ``words``, or what a
        leaf answers; the second says which node branch 0 leads to (branch 1 to the next) and what is asked.
    start
        Where each tree begins among the nodes, and the end.
    words
        Sets of levels, 64 to a word.
    shares
        The shares of the classes at leaves that hold several; a leaf of class k answers k, others their row here
        behind the classes. Of several targets: the shares of the classes of all of them, one target after another, or
        the mean of each number; leaves answer their row, behind as many as there are columns.
    of_classes
        Whether leaves answer classes; else they answer numbers.
    n_columns
        Columns that rows must have.
    leaf_weight
        The weight of the cases that each leaf was grown from, leaf after leaf; none in forests of older files.
    """

    nodes: np.ndarray
    start: np.ndarray
    words: np.ndarray
    shares: np.ndarray
    of_classes: bool
    n_columns: int
    leaf_weight: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))

    @property
    def by_rows(self) -> bool:
        """Whether leaves answer rows of ``shares``; else each answers a number."""
        return self.of_classes or self.shares.shape[1] > 1

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(array.nbytes for array in (self.nodes, self.start, self.words, self.shares, self.leaf_weight))

    @cached_property
    def walker(self) -> Any:
        """The trees as rows walk down them; checked once, never saved."""
        try:
            arrays = (self.nodes, self.start, self.words, self.shares)
            return _core.ensemble.Forest(*arrays, self.of_classes, self.n_columns)
        except ValueError as error:
            raise PersistenceError(
                f"the arrays of a forest do not fit together: {error} (the file is damaged; fit and save again)."
            ) from None

    def answers(self, leaves: np.ndarray) -> np.ndarray:
        """What leaves say, given as places among all nodes: a row of shares, or a number, for each."""
        said = self.threshold[leaves]
        if not self.by_rows:
            return said[..., None]
        table = np.vstack([np.eye(self.shares.shape[1]), self.shares])
        return table[said.astype(np.int64)]


def joined(parts: Sequence[Trees]) -> Trees:
    """The trees of several forests of the same columns and targets, one after another."""
    if len(parts) == 1:
        return parts[0]
    nodes, start, n_words, n_shares = [], [np.zeros(1, np.int64)], 0, 0
    for part in parts:
        moved = part.nodes.copy()
        said = moved[:, 0].view(np.float64)
        said[part.is_leaf & part.by_rows & (said >= part.shares.shape[1])] += n_shares
        moved[part.is_subset, 0] += np.uint64(n_words)
        nodes.append(moved)
        start.append(part.start[1:] + start[-1][-1])
        n_words, n_shares = n_words + len(part.words), n_shares + len(part.shares)
    first = parts[0]
    weighed = all(len(part.leaf_weight) for part in parts)
    return Trees(
        np.concatenate(nodes),
        np.concatenate(start),
        np.concatenate([part.words for part in parts]),
        np.concatenate([part.shares for part in parts]),
        first.of_classes,
        first.n_columns,
        np.concatenate([part.leaf_weight for part in parts]) if weighed else np.empty(0, np.float32),
    )
