"""Stumps of the smallest error on columns that are ranked once, and their weighted votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.boosting.adaboost.votes import times_of
from margin.boosting.margins.voting_members import VotingMembers
from margin.boosting.tree_sum import TreeSum, ranked

__all__ = ["StumpLearner", "VotingTrees", "rank_rows"]

#: Up to so many rows one thread grows and answers.
FEW = 2000
#: How much of their own weight rows keep, whatever the round says: of equally good stumps the one that is better by it.
OWN = 1e-10


def _threads(n_rows: int) -> int:
    return 1 if n_rows <= FEW else parallel.n_threads(None)


def rank_rows(X: MixedData) -> Any:
    """The columns ranked once, for the rounds of all problems."""
    return ranked(X, _threads(len(X)))


@dataclass(eq=False)
class VotingTrees:
    """Trees that answer 1 or -1, the weight of each vote, and numbers about the round that each comes from."""

    trees: TreeSum
    weights: np.ndarray
    record: np.ndarray

    @cached_property
    def weighted(self) -> TreeSum:
        """The trees with the weights in their leaves."""
        n_leaves = [
            int(self.trees.is_leaf[begin:end].sum()) for begin, end in zip(self.trees.start, self.trees.start[1:])
        ]
        values = self.trees.values * np.repeat(self.weights, n_leaves)[:, None]
        return TreeSum(self.trees.nodes, self.trees.start, self.trees.words, values, self.trees.n_columns)

    def votes(self, X: MixedData) -> Iterator[np.ndarray]:
        """What each tree that counts says of each row, 1 or -1, times its weight."""
        for number in np.flatnonzero(self.weights).tolist():
            yield self.weighted.add(X, np.zeros((len(X), 1)), range(number, number + 1), _threads(len(X)))[:, 0]

    def total(self, X: MixedData) -> np.ndarray:
        """The sum of the weighted votes."""
        return self.weighted.sums(X, _threads(len(X)))[:, 0]


class StumpLearner:
    """Finds the stump of the smallest error for the same rows of two sides with other weights in every round."""

    def __init__(self, table: Any, X: MixedData, is_yes: np.ndarray, weight: np.ndarray) -> None:
        self.weight, self.n_threads = weight, _threads(len(weight))
        self.n_columns = int(X.numeric.shape[1]) + len(X.codes)
        self.y = np.where(is_yes, 1.0, -1.0)
        self.no_votes = np.zeros((len(weight), 1))
        times = times_of(weight)
        self.unit = weight / times  # what one of the repeated rows weighs
        self.own = self.unit / weight.sum()
        self.rounds = _core.boosting.ClassRounds(table, is_yes.astype(np.int32), self.own, 2, times.astype(np.int64))

    def learn(self, each: np.ndarray, number: int) -> tuple[Mapping[str, Any], np.ndarray]:
        """A stump for rows that count so much for each unit they weigh, and y h: 1 where it is right, -1 where not."""
        share = self.unit * each / (self.weight @ each)
        self.rounds.resume((1 - OWN) * share + OWN * self.own, self.no_votes)
        tree = dict(self.rounds.grow("error", 1, self.n_threads))
        tree["said"] = np.where(tree["sums"].argmax(axis=1) == 1, 1.0, -1.0)
        return tree, self.y * tree["said"][self.rounds.leaf]

    def ensemble(
        self, members: list[Mapping[str, Any]], weights: np.ndarray, record: np.ndarray
    ) -> VotingTrees | VotingMembers:
        """The stumps with the weights of their votes."""
        if not members:
            return VotingMembers([], weights, record)
        trees = TreeSum.of(members, [tree["said"][:, None] for tree in members], self.n_columns)
        return VotingTrees(trees, weights, record)
