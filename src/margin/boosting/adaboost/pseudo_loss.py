r"""AdaBoost.M2: shares not of rows but of mislabels, pairs of a row and a class that is not its own.

A rule says of each class how plausible it is, from 0 to 1. With shares :math:`D(i, k)` of mislabels its pseudo-loss is
:math:`\varepsilon = \frac12 \sum D(i,k)\,(1 - h(x_i, y_i) + h(x_i, k))`, which is ½ for a rule that says the same of
all classes, so that every rule that tells any two classes apart can be used. It votes :math:`\alpha\, h(x, k)` with
:math:`\alpha = \ln\frac{1-\varepsilon}{\varepsilon}`, and shares become :math:`D\, e^{-\frac{\alpha}{2}(h(x_i,y_i) -
h(x_i,k))}/Z`. The training error is at most :math:`(K-1)\prod Z`.

A leaf of a tree may call several classes plausible: the sum over its rows of what calling class k plausible gains is
above 0 or it is not, and the tree of the smallest pseudo-loss has the largest sum of these gains.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.adaboost.learner_rounds import LearnerRounds, standing
from margin.boosting.adaboost.settings import Plan, Step
from margin.boosting.adaboost.tree_rounds import GrownRounds
from margin.boosting.adaboost.votes import ExactWeights, Weighed, discrete, exactly_none
from margin.boosting.tree_sum import TreeSum

__all__ = ["Mislabels", "PseudoLossLearner", "PseudoLossTrees"]


class Mislabels:
    """The shares of pairs of a row and a class that is not its own; they follow from the votes alone.

    >>> pairs = Mislabels(np.array([0, 2]), np.array([0.5, 0.5]), 3)
    >>> pairs.shares.tolist()
    [[0.0, 0.25, 0.25], [0.25, 0.25, 0.0]]
    >>> pairs.pseudo_loss(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    0.25
    """

    def __init__(self, y: np.ndarray, weight: np.ndarray, n_classes: int) -> None:
        self.y, self.rows = y, np.arange(len(y))
        self.pairs = ExactWeights(weight, y[:, None] != np.arange(n_classes))

    @property
    def shares(self) -> np.ndarray:
        """The weights as shares of their sum; 0 for what is no mislabel."""
        return self.pairs.shares

    def of_rows(self) -> np.ndarray:
        """What one of the rows that a row stands for weighs."""
        found: np.ndarray = np.where(self.pairs.times > 0, self.pairs.unit, 0.0).sum(axis=1)
        return found

    def gains(self) -> np.ndarray:
        """What calling each class plausible gains, for each row, in a unit in which all losses are at most 1."""
        found = self.pairs.weight * -self.unit
        found[self.rows, self.y] = -found.sum(axis=1)
        return found

    @property
    def unit(self) -> float:
        """A power of two, which leaves weights on their grid, and that is the core's."""
        return 2.0 ** -math.ceil(math.log2(self.pairs.total))

    def pseudo_loss(self, plausible: np.ndarray) -> float:
        """½ for what says nothing, 0 for what is right of every pair."""
        return self.pseudo_loss_of(float((self.gains() * plausible).sum()))

    def pseudo_loss_of(self, gained: float) -> float:
        """The same of the sum of what is gained."""
        return 0.5 * (1.0 - gained / (self.pairs.total * self.unit))

    def reweigh(self, votes: np.ndarray) -> float:
        """Shares after votes of some rows; what they are divided by."""
        if votes.shape[1] == 1:  # half the lead of the second class
            votes = votes * np.array([[-1.0, 1.0]])
        power = (votes - votes[self.rows, self.y][:, None]) / 2
        z = float((self.shares * np.exp(power)).sum())
        self.pairs.follow(np.exp(power - power.max()))
        return z


def _weighed(epsilon: float, plan: Plan) -> Weighed:
    """As for M1 with more than two classes; of two classes the vote counts for half on either side."""
    found = discrete(epsilon, max(plan.n_classes, 3), "M1", plan.learning_rate, plan.n_cases)
    return found._replace(alpha=found.alpha / 2) if plan.n_classes == 2 else found


def _votes(plausible: np.ndarray, alpha: float) -> np.ndarray:
    return alpha * (plausible[:, 1:] - plausible[:, :1]) if plausible.shape[1] == 2 else alpha * plausible


class PseudoLossTrees(GrownRounds):
    """Rounds of stumps and shallow trees of the smallest pseudo-loss."""

    def __init__(self, X: MixedData, y: np.ndarray, weight: np.ndarray, plan: Plan, before: TreeSum | None) -> None:
        super().__init__(X, y, weight, plan)
        self.pairs = Mislabels(y, weight, plan.n_classes)
        self.votes = np.zeros((len(y), 1 if plan.n_classes == 2 else plan.n_classes))
        if before is not None:
            self.votes += before.sums(X, plan.n_threads)
            self.pairs.reweigh(self.votes)
        self.scale = 0.0 if before is None else plan.scale_before

    def step(self) -> Step | Weighed:
        """One more round; what is known of a rule that is no better than chance, which is not taken."""
        plan = self.plan
        gains = np.ascontiguousarray(self.pairs.gains())
        tree = _core.boosting.grow_labels(self.table, gains, "gained", plan.max_depth, plan.n_threads)
        plausible = (tree["sums"] > 0).astype(np.float64)
        gained = float(tree["sums"][tree["sums"] > 0].sum())
        weighed = _weighed(exactly_none(self.pairs.pseudo_loss_of(gained)), plan)
        if weighed.chance:
            return weighed
        votes = _votes(plausible, weighed.alpha)
        added = votes[tree["leaf"]]
        self.votes += added
        self.scale += weighed.alpha
        weighed = weighed._replace(z=self.pairs.reweigh(added))
        self.keep(tree, votes)
        return Step(weighed, *standing(self.votes, self.y, self.given, self.scale))


class PseudoLossLearner(LearnerRounds):
    """Rounds of any learner with probabilities: rows weigh what their mislabels do."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.pairs = Mislabels(self.y, self.raw, self.plan.n_classes)
        self.pairs.reweigh(self.votes)
        self.weights = ExactWeights(self.raw)
        self._weigh()

    def _weigh(self) -> None:
        """Rows weigh what their mislabels do."""
        self.weights.follow(self.pairs.of_rows() / self.weights.unit)

    def _weighed(self, member: Any) -> tuple[Weighed, np.ndarray]:
        plausible = member.probabilities(self.X, self.plan.n_classes)
        return _weighed(exactly_none(self.pairs.pseudo_loss(plausible)), self.plan), plausible.argmax(axis=1)

    def _reweigh(self, votes: np.ndarray, weighed: Weighed) -> Weighed:
        z = self.pairs.reweigh(votes)
        self._weigh()
        return weighed._replace(z=z)
