"""Rounds of stumps and shallow trees: the core ranks the columns once and passes over whole numbers from then on."""

from __future__ import annotations

from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.adaboost.settings import Plan, Step
from margin.boosting.adaboost.votes import Weighed, discrete, exponents, factors_of, real, times_of
from margin.boosting.tree_sum import TreeSum, ranked

__all__ = ["GrownRounds", "TreeRounds", "constant_tree"]

_LEAF = np.uint64(1 << 62)


def constant_tree(votes: np.ndarray, n_columns: int) -> TreeSum:
    """A tree without questions."""
    alone = {"nodes": np.array([[0, _LEAF]], dtype=np.uint64), "words": np.empty(0, dtype=np.uint64)}
    return TreeSum.of([alone], [votes.reshape(1, -1)], n_columns)


class GrownRounds:
    """The columns ranked once, and the trees of all rounds so far."""

    name = "a tree"

    def __init__(self, X: MixedData, y: np.ndarray, weight: np.ndarray, plan: Plan) -> None:
        self.plan, self.y, self.given = plan, y, weight / weight.sum()
        self.n_columns = int(X.numeric.shape[1]) + len(X.codes)
        self.trees: list[Any] = []
        self.values: list[np.ndarray] = []
        self.table = ranked(X, plan.n_threads, plan.bins)
        self.n_varying = self.table.n_varying

    def keep(self, tree: Any, votes: np.ndarray) -> None:
        """The tree of a round, and what its leaves vote."""
        self.trees.append(tree)
        self.values.append(votes)

    def newest_votes(self, X: MixedData) -> np.ndarray:
        """What the tree of the last round says."""
        newest = TreeSum.of(self.trees[-1:], self.values[-1:], self.n_columns)
        return newest.sums(X, self.plan.n_threads)

    def first(self, n: int) -> TreeSum:
        """The first n trees of this run."""
        return TreeSum.of(self.trees[:n], self.values[:n], self.n_columns)


class TreeRounds(GrownRounds):
    """Rounds of stumps and shallow trees; the core keeps the weights and votes of the training rows."""

    def __init__(self, X: MixedData, y: np.ndarray, weight: np.ndarray, plan: Plan, before: TreeSum | None) -> None:
        super().__init__(X, y, weight, plan)
        y = np.ascontiguousarray(y, dtype=np.int32)
        times = times_of(weight)
        unit, as_rows = weight / times / weight.sum(), times.astype(np.int64)
        self.rounds = _core.boosting.ClassRounds(self.table, y, unit, plan.n_classes, as_rows)
        if before is not None:
            votes = before.sums(X, plan.n_threads)
            unit = unit * factors_of(votes, y, plan.algorithm)
            self.rounds.resume(np.maximum(unit / (times @ unit), 1e-290), votes)
        self.scale = 0.0 if before is None else plan.scale_before

    def step(self) -> Step | Weighed:
        """One more round; what is known of a rule that is no better than chance, which is not taken."""
        plan = self.plan
        tree = self.rounds.grow(plan.criterion, plan.max_depth, plan.n_threads)
        sums = tree["sums"]
        shares = sums / sums.sum()
        winner = sums.argmax(axis=1)
        epsilon = float((sums.sum() - sums.max(axis=1).sum()) / sums.sum())
        weighed = discrete(epsilon, plan.n_classes, plan.algorithm, plan.learning_rate, plan.n_cases)
        if plan.algorithm == "SAMME.R":
            votes = real(shares, plan.learning_rate, plan.n_cases)
            width = plan.n_classes
            powers = np.column_stack([exponents(votes, np.full(len(votes), k), plan.algorithm) for k in range(width)])
            factor = np.exp(-powers)
            z = float((shares * factor).sum())
            strength = float(np.abs(votes).max())
            weighed = Weighed(epsilon, strength, z, len(sums) == 1 and len(self.trees) > 0, weighed.perfect)
        else:
            votes, factor, z, strength = self._of_winners(winner, weighed)
        if weighed.chance:
            return weighed
        self.scale += strength
        error, least, margins = self.rounds.advance(
            np.ascontiguousarray(factor / z), np.ascontiguousarray(votes), self.scale or 1.0, plan.n_threads
        )
        self.keep(tree, votes)
        return Step(weighed, error, least, margins)

    def _of_winners(self, winner: np.ndarray, weighed: Weighed) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Votes, factors of weights, what they are divided by, and what the vote counts for."""
        n_classes, alpha = self.plan.n_classes, weighed.alpha
        right = np.eye(n_classes, dtype=bool)[winner]
        if n_classes == 2:
            two: np.ndarray = np.where(winner == 1, alpha, -alpha)[:, None]
            factor: np.ndarray = np.exp(np.where(right, -alpha, alpha))
            return two, factor, weighed.z, alpha
        # Right rows stay and wrong ones grow: the same weights once they are divided by their sum.
        grown: np.ndarray = np.where(right, 1.0, np.exp(alpha))
        return alpha * right, grown, weighed.z * np.exp(alpha / 2), alpha
