"""The sum of what many shallow trees say, as plain arrays: 16 bytes a node and a row of values for each leaf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.errors import PersistenceError
from margin.tree.grow import Columns, codes_of, numbers_of
from margin.tree.reading.packed_nodes import KIND, LEAF, PackedNodes

__all__ = ["MOST_DEPTH", "TreeSum", "ranked"]

#: The deepest tree that is grown on ranked columns.
MOST_DEPTH = 7
#: Up to so many words that stand in one row each a column is asked about all the same.
ALONE = 20


def ranked(X: MixedData, n_threads: int, bins: int | None = None) -> Any:
    """The columns ranked once for all rounds: a code for every different number, or for every one of ``bins`` bins.

    A column of words most of which stand in one row alone is not asked about: a subset of them tells all training rows
    apart and nothing of any other row.
    """
    columns, codes = Columns(X), codes_of(X)
    for j in np.flatnonzero(columns.nominal):
        rows_of = np.bincount(codes[:, j] + 1)[1:]
        if (rows_of == 1).sum() > max(len(X) / 2, ALONE):
            codes[:, j] = -1
    return _core.boosting.rank(numbers_of(X), codes, columns.n_levels, columns.nominal, bins or 0, n_threads)


@dataclass(frozen=True, eq=False)
class TreeSum(PackedNodes):
    """Trees one after another; a row is answered by the sum of the values of its leaves, tree after tree.

    Attributes
    ----------
    nodes
        Two words for each node. The first is a threshold, where the levels of branch 0 stand in ``words``, or the row
        of a leaf in ``values``; the second says which node branch 0 leads to (branch 1 to the next) and what is asked.
    start
        Where each tree begins among the nodes, and the end.
    words
        Sets of levels, 64 to a word.
    values
        A row for each leaf of all trees, in their order.
    n_columns
        Columns that rows must have, numbers first.
    """

    nodes: np.ndarray
    start: np.ndarray
    words: np.ndarray
    values: np.ndarray
    n_columns: int

    @classmethod
    def of(cls, trees: Sequence[Mapping[str, Any]], values: Sequence[np.ndarray], n_columns: int) -> TreeSum:
        """Trees as the core gives them, each with the values of its leaves."""
        start = _starts(tree["nodes"] for tree in trees)
        nodes = np.concatenate([tree["nodes"] for tree in trees])
        words = [tree["words"] for tree in trees]
        n_nodes = np.diff(start)
        tags = nodes[:, 1] >> np.uint64(32)
        is_leaf = (tags & np.uint64(LEAF)) != 0
        is_subset = ((tags & np.uint64(KIND)) != 0) & ~is_leaf
        of_trees = np.repeat(_starts(values)[:-1], n_nodes)[is_leaf]
        nodes[is_leaf, 0] = (nodes[is_leaf, 0].view(np.float64) + of_trees).view(np.uint64)
        nodes[is_subset, 0] += np.repeat(_starts(words)[:-1], n_nodes)[is_subset].astype(np.uint64)
        table = np.ascontiguousarray(np.concatenate(values), dtype=np.float64)
        return cls(nodes, start, np.concatenate(words), table, n_columns)

    @property
    def width(self) -> int:
        """How many numbers a row is answered with."""
        return int(self.values.shape[1])

    @cached_property
    def walker(self) -> Any:
        """The trees as rows walk down them; checked once, never saved."""
        try:
            return _core.boosting.TreeSum(self.nodes, self.start, self.words, self.values, self.n_columns)
        except ValueError as error:
            raise PersistenceError(
                f"the arrays of boosted trees do not fit together: {error} (the file is damaged; fit and save again)."
            ) from None

    def add(self, X: MixedData, into: np.ndarray, trees: range, n_threads: int = 1) -> np.ndarray:
        """Add what some trees say of each row to ``into``, and give it back."""
        self.walker.add(numbers_of(X), list(X.codes), 0.0, into, trees.start, trees.stop, n_threads)
        return into

    def sums(self, X: MixedData, n_threads: int = 1) -> np.ndarray:
        """What all trees say of each row."""
        return self.add(X, np.zeros((len(X), self.width)), range(self.n_trees), n_threads)

    def staged(self, X: MixedData, n_threads: int = 1, step: int = 1) -> Iterator[np.ndarray]:
        """What the first ``step`` trees say, the first twice as many, and so on; the same array, added to."""
        into = np.zeros((len(X), self.width))
        for first in range(0, self.n_trees, step):
            yield self.add(X, into, range(first, min(first + step, self.n_trees)), n_threads)

    def followed_by(self, other: TreeSum) -> TreeSum:
        """The trees of both, one after another."""
        moved = other.nodes.copy()
        moved[other.is_leaf, 0] = (other.threshold[other.is_leaf] + len(self.values)).view(np.uint64)
        moved[other.is_subset, 0] += np.uint64(len(self.words))
        return TreeSum(
            np.concatenate([self.nodes, moved]),
            np.concatenate([self.start, other.start[1:] + self.start[-1]]),
            np.concatenate([self.words, other.words]),
            np.concatenate([self.values, other.values]),
            self.n_columns,
        )


def _starts(parts: Iterable[Any]) -> np.ndarray:
    """Where each part begins once they stand one after another, and the end."""
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)
