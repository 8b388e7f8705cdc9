"""Boosted trees as plain arrays, 16 bytes a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import PersistenceError
from margin.tree.reading.packed_nodes import LEAF, PackedNodes

__all__ = ["ALL", "BoostedTrees", "joined", "single_leaves"]

#: More rounds than there are.
ALL = 2**62


@dataclass(frozen=True, eq=False)
class BoostedTrees(PackedNodes):
    """Trees one after another, round after round, in each round one for each score; numbers are the first columns.

    Attributes
    ----------
    nodes
        Two words for each node. The first is a threshold, where the levels of branch 0 stand in ``words``, or what a
        leaf adds to a score; the second says which node branch 0 leads to (branch 1 to the next) and what is asked.
    start
        Where each tree begins among the nodes, and the end.
    words
        Sets of levels, 64 to a word.
    gain
        How much the split of each node lowered the loss, by its second-order estimate; 0 at leaves.
    cover
        The sum of second derivatives at each node.
    base
        The scores that the trees add to, before the first round.
    n_columns
        Columns that rows must have.
    term_nodes, term_columns, term_numbers
        Of linear leaves (none elsewhere): the node of each term, counted over all trees and ascending; its column of
        numbers; and its slope, the cell at which it is 0, and the smallest and largest cell that it is prolonged to.
    """

    nodes: np.ndarray
    start: np.ndarray
    words: np.ndarray
    gain: np.ndarray
    cover: np.ndarray
    base: np.ndarray
    n_columns: int
    term_nodes: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    term_columns: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint32))
    term_numbers: np.ndarray = field(default_factory=lambda: np.empty((0, 4)))

    @property
    def is_linear(self) -> bool:
        """Whether leaves have slopes."""
        return len(self.term_nodes) > 0

    @property
    def terms(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arrays of linear leaves."""
        return self.term_nodes, self.term_columns, self.term_numbers

    @property
    def n_rounds(self) -> int:
        """How many rounds there were."""
        return self.n_trees // len(self.base)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        arrays = (self.nodes, self.start, self.words, self.gain, self.cover, self.base, *self.terms)
        return sum(array.nbytes for array in arrays)

    @cached_property
    def walker(self) -> Any:
        """The trees as rows walk down them; checked once, never saved."""
        try:
            arrays = (self.nodes, self.start, self.words, np.empty((0, 1)), self.base)
            return _core.gradient.Trees(*arrays, self.n_columns, *self.terms)
        except ValueError as error:
            raise PersistenceError(
                f"the arrays of boosted trees do not fit together: {error} (the file is damaged; fit and save again)."
            ) from None

    @cached_property
    def narrow(self) -> tuple[BoostedTrees, np.ndarray]:
        """The same trees for rows of those columns alone that they ask about, and which these are; never saved."""
        inner = ~self.is_leaf
        used, place = np.unique(self.column[inner], return_inverse=True)
        nodes = self.nodes.copy()
        nodes[inner, 1] += (place - used[place]).astype(np.int64).view(np.uint64) << np.uint64(32)
        used = used if len(used) else np.zeros(1, dtype=np.int64)
        own = np.searchsorted(used, self.term_columns).astype(np.uint32)  # asked about on the way to their leaf
        return replace(self, nodes=nodes, n_columns=len(used), term_columns=own), used

    def slopes_say(self, tree: int, leaf: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """What the slopes of a linear tree add for rows at these leaves, counted over all trees."""
        said = np.zeros(len(leaf))
        first, last = np.searchsorted(self.term_nodes, self.start[tree : tree + 2])
        for k in range(first, last):
            here = leaf == self.term_nodes[k]
            slope, center, low, high = self.term_numbers[k]
            cells = numbers[here, self.term_columns[k]].astype(np.float64)
            said[here] += np.nan_to_num(slope * (np.clip(cells, low, high) - center))
        return said

    def of_rounds(self, n: int) -> BoostedTrees:
        """The trees of the first rounds alone."""
        start = self.start[: n * len(self.base) + 1].copy()
        end = int(start[-1])
        last = int(np.searchsorted(self.term_nodes, end))
        return replace(
            self,
            term_nodes=self.term_nodes[:last].copy(),
            term_columns=self.term_columns[:last].copy(),
            term_numbers=self.term_numbers[:last].copy(),
            nodes=self.nodes[:end].copy(),
            start=start,
            gain=self.gain[:end].copy(),
            cover=self.cover[:end].copy(),
        )

    def times(self, share: np.ndarray) -> BoostedTrees:
        """The same trees, what the leaves of each say multiplied by a number."""
        nodes = self.nodes.copy()
        nodes[:, 0].view(np.float64)[self.is_leaf] *= np.repeat(share, np.diff(self.start))[self.is_leaf]
        numbers = self.term_numbers.copy()
        numbers[:, 0] *= np.repeat(share, np.diff(self.start))[self.term_nodes]
        return replace(self, nodes=nodes, term_numbers=numbers)

    def rescaled(self, unit: float) -> BoostedTrees:
        """The same trees for targets divided by ``unit``."""
        nodes = self.nodes.copy()
        nodes[:, 0].view(np.float64)[self.is_leaf] /= unit
        with np.errstate(over="ignore"):
            gain = self.gain / unit / unit
        numbers = self.term_numbers.copy()
        numbers[:, 0] /= unit
        return replace(self, nodes=nodes, gain=np.nan_to_num(gain), base=self.base / unit, term_numbers=numbers)


def joined(parts: Sequence[BoostedTrees]) -> BoostedTrees:
    """The trees of several stretches of rounds, one after another; the first says what they add to."""
    nodes, start, terms, n_words = [], [np.zeros(1, np.int64)], list[np.ndarray](), 0
    for part in parts:
        terms.append(part.term_nodes + start[-1][-1])
        moved = part.nodes.copy()
        moved[part.is_subset, 0] += np.uint64(n_words)
        nodes.append(moved)
        start.append(part.start[1:] + start[-1][-1])
        n_words += len(part.words)
    return replace(
        parts[0],
        nodes=np.concatenate(nodes),
        start=np.concatenate(start),
        words=np.concatenate([part.words for part in parts]),
        gain=np.concatenate([part.gain for part in parts]),
        cover=np.concatenate([part.cover for part in parts]),
        term_nodes=np.concatenate(terms),
        term_columns=np.concatenate([part.term_columns for part in parts]),
        term_numbers=np.concatenate([part.term_numbers for part in parts]),
    )


def single_leaves(base: np.ndarray, n_columns: int) -> BoostedTrees:
    """One round of trees that ask nothing and add nothing."""
    n = len(base)
    nodes = np.zeros((n, 2), np.uint64)
    nodes[:, 1] = np.uint64(LEAF) << np.uint64(32)
    nothing = np.zeros(n)
    return BoostedTrees(
        nodes, np.arange(n + 1, dtype=np.int64), np.empty(0, np.uint64), nothing, nothing.copy(), base, n_columns
    )
