"""LPBoost: the largest soft margin over all weak classifiers, by column generation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from margin.boosting.margins.soft_margin import SoftMargin
from margin.boosting.margins.weighted_votes import LEAST_EDGE, WeakModel, WeightedVotes
from margin.params import Count, NonNegative, Rule, is_number

__all__ = ["LPBoostClassifier", "LPRound"]

#: What rows weigh for each unit of their weight has so many steps to 1, so that sums of it are exact in any order.
FINE = 2.0**50
Nu = Annotated[float, Rule("a number above 0 and up to 1", lambda value: is_number(value) and 0 < value <= 1, float)]


@dataclass(frozen=True)
class LPRound:
    """One weak classifier of LPBoost, and the program after it.

    Attributes
    ----------
    number
        Counted from 1.
    label
        The class that is told from the rest; None for two classes.
    edge
        How much better than chance it is under the weights it was learnt with: right less wrong, of all weight.
    bound
        No weighting of weak classifiers has a larger objective: the smallest edge so far.
    objective, margin
        What is reached: the soft margin, and rho.
    weight
        The weight of its vote in the end; 0 where it was not needed.
    """

    number: int
    label: Any
    edge: float
    bound: float
    objective: float
    margin: float
    weight: float

    @property
    def gap(self) -> float:
        """How far the objective can be from the largest."""
        return self.bound - self.objective


class LPBoostClassifier(WeightedVotes):
    r"""Weighs weak classifiers so that the margin is as large as it can be, but for a share of the rows.

    Maximises :math:`\rho - \frac{1}{\nu n} \sum_i \xi_i` over weights :math:`a \ge 0` of votes that add up to 1, where
    :math:`y_i \sum_j a_j h_j(x_i) \ge \rho - \xi_i`: at most a share :math:`\nu` of the rows has a margin below
    :math:`\rho`. Weak classifiers are found one at a time, each for the weights of rows under which those before are
    least good, and all weights are found anew by a linear program (HiGHS). It ends when the next is no better under
    these weights than those before: then no weights over **all** weak classifiers do better by more than ``tol``,
    provided that the learner finds the best for given weights, as the default does. Few votes are left in the end. Each
    round solves a program of up to n rows, which takes long for very many and cannot be interrupted meanwhile. Where no
    weights found have a soft margin above 0, ``nu`` being too small or the rounds too few, votes cancel each other out,
    and the first weak classifier answers alone.

    Parameters
    ----------
    nu
        The share of rows whose margin may be smaller than ``margin_``; larger stands more noise.
    n_estimators
        Most weak classifiers that are looked for.
    tol
        The gap between bound and objective that is small enough.

    Attributes
    ----------
    margin_, objective_, bound_, gap_
        For each problem: rho of the votes that answer, the soft margin that the program reached, what no weights over
        weak classifiers can exceed, and the difference of the two, worked out from weights and margins and not taken
        from the solver.
    converged_
        For each problem, whether the gap is within ``tol``.

    References
    ----------
    Demiriz, Bennett, Shawe-Taylor (2002), "Linear programming boosting via column generation".

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0], [6.0], [7.0], [8.0]], [0, 0, 0, 1, 1, 1]
    >>> model = LPBoostClassifier().fit(X, y)
    >>> model.margin_.round(6).tolist(), bool(model.gap_[0] < 1e-6), model.predict([[2.5], [9.0]]).tolist()
    ([1.0], True, [0, 1])
    """

    def __init__(
        self,
        estimator: WeakModel = None,
        *,
        nu: Nu = 0.1,
        n_estimators: Count = 200,
        tol: NonNegative = 1e-6,
    ) -> None:
        self.estimator = estimator
        self.nu = nu
        self.n_estimators = n_estimators
        self.tol = tol

    def _boost(self, learner: Any) -> Any:
        weight = learner.weight
        each, votes = np.full(len(weight), 1 / weight.sum()), np.empty(0)
        bound, objective, margin = math.inf, -math.inf, -math.inf
        program = SoftMargin(weight, 1 / (float(self.nu) * weight.sum()), type(self).__name__)
        members: list[Any] = []
        record: list[list[float]] = []
        for number in range(1, int(self.n_estimators) + 1):
            each = np.rint(each * FINE) / FINE
            member, right = learner.learn(each, number)
            edge = float((weight * each) @ right)
            bound = min(bound, edge)
            if members and (program.knows(right) or bound - objective <= float(self.tol)):
                record[-1][1] = bound  # the classifier that was looked for proves how good the others are
                break
            members.append(member)
            program.add(right)
            votes, each = program.solve()
            objective, margin = program.best(votes)
            record.append([edge, bound, objective, margin])
        if objective <= float(self.tol):  # votes that cancel each other out tell nothing of any row
            votes = np.eye(len(members))[0]
            record[-1][3] = program.best(votes)[1]  # rho of what answers
        return learner.ensemble(members, votes, np.array(record))

    _instead = "that one answers alone there"

    def _tells_nothing(self, ensemble: Any) -> bool:
        return bool(ensemble.record[0, 0] <= LEAST_EDGE)

    def _last(self, column: int) -> np.ndarray:
        return np.array([each.record[-1, column] for each in self.ensembles_])

    @property
    def bound_(self) -> np.ndarray:
        """For each problem, what no weights over weak classifiers can exceed."""
        return self._fitted("bound_")._last(1)

    @property
    def objective_(self) -> np.ndarray:
        """For each problem, the soft margin."""
        return self._fitted("objective_")._last(2)

    @property
    def margin_(self) -> np.ndarray:
        """For each problem, rho: all rows but a share nu have at least this margin."""
        return self._fitted("margin_")._last(3)

    @property
    def gap_(self) -> np.ndarray:
        """For each problem, how far the soft margin can be from the largest."""
        return self.bound_ - self.objective_

    @property
    def converged_(self) -> np.ndarray:
        """For each problem, whether the gap is within ``tol``."""
        return self.gap_ <= float(self.tol)

    @property
    def rounds_(self) -> tuple[LPRound, ...]:
        """A record of each weak classifier, problem after problem."""
        self._fitted("rounds_")
        return tuple(
            LPRound(number + 1, label, edge, bound, objective, margin, weight)
            for label, each in zip(self._labels(), self.ensembles_)
            for number, ((edge, bound, objective, margin), weight) in enumerate(
                zip(each.record.tolist(), each.weights.tolist())
            )
        )
