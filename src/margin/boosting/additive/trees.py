"""Shallow trees whose answers are added up, as plain arrays of 16 bytes a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.data.schema import Schema
from margin.errors import PersistenceError
from margin.tree.grow import numbers_of
from margin.tree.reading.packed_nodes import PackedNodes

__all__ = ["AdditiveTrees", "joined"]

#: Trees for numbers have no shares of classes at their leaves.
_NO_SHARES = np.empty((0, 1))
#: Levels that a rule names before it counts the others.
_NAMED = 4


@dataclass(frozen=True, eq=False)
class AdditiveTrees(PackedNodes):
    """Trees one after another, whose leaves hold what they add to a score; columns are counted numbers first.

    Attributes
    ----------
    nodes
        Two words for each node. The first is a threshold, where the levels of branch 0 stand in ``words``, or what a
        leaf adds; the second says which node branch 0 leads to (branch 1 to the next) and what is asked.
    start
        Where each tree begins among the nodes, and the end.
    words
        Sets of levels, 64 to a word.
    n_columns
        Columns that rows must have.
    """

    nodes: np.ndarray
    start: np.ndarray
    words: np.ndarray
    n_columns: int

    @cached_property
    def walker(self) -> Any:
        """The trees as rows walk down them; checked once, never saved."""
        try:
            return _core.ensemble.Forest(self.nodes, self.start, self.words, _NO_SHARES, False, self.n_columns)
        except ValueError as error:
            raise PersistenceError(
                f"the arrays of trees do not fit together: {error} (the file is damaged; fit and save again)."
            ) from None

    def total(self, X: MixedData, n_threads: int) -> np.ndarray:
        """The sum of what the trees add for each row."""
        cells = numbers_of(X)
        found = np.empty((len(cells), 1))
        self.walker.means(cells, X.codes, found, n_threads)
        return found[:, 0] * self.n_trees

    def each(self, X: MixedData, n_threads: int) -> np.ndarray:
        """What each tree adds for each row: rows x trees."""
        leaves = self.walker.leaves(numbers_of(X), X.codes, n_threads)
        found: np.ndarray = self.threshold[leaves + self.start[:-1]]
        return found

    def first_trees(self, n: int) -> AdditiveTrees:
        """The first trees alone."""
        return AdditiveTrees(self.nodes[: self.start[n]], self.start[: n + 1], self.words, self.n_columns)

    def rule(self, tree: int, columns: Schema) -> str:
        """A tree in words; ``columns`` are those of the table in the order of the trees, numbers first.

        >>> from margin import GentleBoostClassifier
        >>> model = GentleBoostClassifier(n_estimators=1).fit({"age": [20.0, 30.0, 60.0, 70.0]}, ["n", "n", "y", "y"])
        >>> model.trees_[0].rule(0, model.schema_)
        'age <= 45: -1, else +1'
        """
        return self._rule(int(self.start[tree]), int(self.start[tree]), list(columns))

    def _rule(self, node: int, root: int, columns: list[Any]) -> str:
        if self.is_leaf[node]:
            return f"{self.threshold[node]:+.4g}"
        column, first = columns[int(self.column[node])], root + int(self.first[node])
        branches = [self._rule(first + branch, root, columns) for branch in (0, 1)]
        shown = [text if self.is_leaf[first + branch] else f"({text})" for branch, text in enumerate(branches)]
        return f"{self._question(node, column)}: {shown[0]}, else {shown[1]}"

    def _question(self, node: int, column: Any) -> str:
        if not self.is_subset[node]:
            threshold = float(self.threshold[node])
            if column.is_numeric:
                return f"{column.name} <= {threshold:.6g}"
            return f"{column.name} up to {column.levels[int(threshold)]}"
        names = [str(column.levels[code]) for code in self.levels(node) if code < len(column.levels)]
        others = f" and {len(names) - _NAMED} others" if len(names) > _NAMED else ""
        return f"{column.name} is {' or '.join(names[:_NAMED])}{others}" if names else f"{column.name} is missing"


def joined(parts: Sequence[AdditiveTrees]) -> AdditiveTrees:
    """The trees of several rounds over the same columns, one after another."""
    nodes, start, n_words = [], [np.zeros(1, np.int64)], 0
    for part in parts:
        moved = part.nodes.copy()
        moved[part.is_subset, 0] += np.uint64(n_words)
        nodes.append(moved)
        start.append(part.start[1:] + start[-1][-1])
        n_words += len(part.words)
    words = np.concatenate([part.words for part in parts])
    return AdditiveTrees(np.concatenate(nodes), np.concatenate(start), words, parts[0].n_columns)
