"""Rounds of AdaBoost.MH: the shares of pairs of a row and a label, and a tree that says yes or no of every label."""

from __future__ import annotations

import math

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.adaboost.settings import Plan, Step
from margin.boosting.adaboost.stopping import HeldBack
from margin.boosting.adaboost.tree_rounds import GrownRounds
from margin.boosting.adaboost.votes import ExactWeights, Weighed, discrete, exactly_none
from margin.boosting.rounds import CELLS

__all__ = ["HeldLabels", "LabelRounds"]


class LabelRounds(GrownRounds):
    """Rounds over rows whose labels are 1 where a row has them and -1 where not."""

    def __init__(self, X: MixedData, truth: np.ndarray, weight: np.ndarray, plan: Plan) -> None:
        super().__init__(X, truth, weight, plan)
        self.first_shares = _of_pairs(self.given, truth)
        self.pairs, self.votes, self.scale = ExactWeights(weight, np.ones_like(truth)), np.zeros_like(truth), 0.0

    def step(self) -> Step | Weighed:
        """One more round; what is known of a rule that is no better than chance, which is not taken."""
        plan, truth, pairs = self.plan, self.y, self.pairs
        # A power of two leaves weights on their grid, which is the core's.
        unit = 2.0 ** -math.ceil(math.log2(pairs.total))
        gains = np.ascontiguousarray(pairs.weight * truth * unit)
        tree = _core.boosting.grow_labels(self.table, gains, plan.criterion, plan.max_depth, plan.n_threads)
        epsilon = exactly_none(0.5 * (1.0 - float(np.abs(tree["sums"]).sum()) / (pairs.total * unit)))
        weighed = discrete(epsilon, 2, "SAMME", plan.learning_rate, plan.n_cases)
        if weighed.chance:
            return weighed
        votes = np.where(tree["sums"] > 0, weighed.alpha, -weighed.alpha)
        added = votes[tree["leaf"]]
        factor = np.exp(-truth * added)
        z = float((pairs.shares * factor).sum())
        pairs.follow(factor)
        self.votes, self.scale = self.votes + added, self.scale + weighed.alpha
        self.keep(tree, votes)
        return Step(weighed._replace(z=z), *_standing(self.votes, truth, self.first_shares, self.scale))


class HeldLabels(HeldBack):
    """Rows of several labels that are not learnt from."""

    def error(self) -> float:
        """The share of pairs of a row and a label that are wrong."""
        return _standing(self.votes, self.y, _of_pairs(self.weight, self.y), 1.0)[0]


def _of_pairs(weight: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The shares of pairs, where all labels of a row have the same."""
    return np.repeat(weight[:, None] / truth.shape[1], truth.shape[1], axis=1)


def _standing(sums: np.ndarray, truth: np.ndarray, weight: np.ndarray, scale: float) -> tuple[float, float, np.ndarray]:
    """The share of pairs that are wrong, the least margin and the distribution of margins."""
    margin = truth * sums / (scale or 1.0)
    cells = np.clip((margin + 1) * (CELLS / 2), 0, CELLS - 1).astype(np.intp)
    wrong = (sums > 0) != (truth > 0)
    return float(weight[wrong].sum()), float(margin.min()), np.bincount(cells.ravel(), weight.ravel(), CELLS)
