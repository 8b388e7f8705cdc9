"""BrownBoost: boosting that gives up on rows that stay wrong, by a clock that is set beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import erf

from margin.boosting.margins.brownian import Position, step_of, time_for
from margin.boosting.margins.voting_members import n_rows
from margin.boosting.margins.weighted_votes import LEAST_EDGE, WeakModel, WeightedVotes
from margin.params import Count, Positive, Share
from margin.typing import Encoded, TableLike

__all__ = ["BrownBoostClassifier", "BrownRound"]
#: Of c: time that is as good as none.
NO_TIME = 1e-12


@dataclass(frozen=True)
class BrownRound:
    """One round of BrownBoost.

    Attributes
    ----------
    number
        Counted from 1.
    label
        The class that is told from the rest; None for two classes.
    edge
        How much better than chance the weak classifier is under the weights it was learnt with: right less wrong.
    alpha, time
        How much its vote counts, and the time that took.
    left
        The time that is left after it.
    potential
        The mean potential after it, which is the same after every round.
    error
        The share of training rows that are wrong after it.
    """

    number: int
    label: Any
    edge: float
    alpha: float
    time: float
    left: float
    potential: float
    error: float


class BrownBoostClassifier(WeightedVotes):
    r"""Boosting against a clock: rows that are wrong by more than can still be made good no longer count.

    A row of margin r weighs :math:`e^{-(r + s)^2/c}` where s is the time left of c: most for rows that can still be won
    by then, little for rows that are right by far, and little for rows that are lost, which AdaBoost would go after for
    ever. Each weak classifier gets the weight :math:`\alpha` at which it no longer tells anything, and uses the time
    that keeps the mean of the potentials :math:`\frac12(1 - \mathrm{erf}((r + s)/\sqrt c))` as it is. When time has run
    out this mean is half the ``target_error``, and so at most that share of the training rows is wrong. Where weak
    classifiers are no better than chance before, time is left over (``time_left_``): the target was too ambitious. A
    ``target_error`` about the share of wrong labels is a sensible choice.

    The two equations of a step are solved to 1e-12 of the square root of c. For a target error near 0 the method is
    AdaBoost's.

    Parameters
    ----------
    target_error
        The share of training rows that may stay wrong; sets the clock, 1 - erf(sqrt c) being this share.
    c
        The time itself, instead of ``target_error``.
    n_estimators
        Most rounds.

    Attributes
    ----------
    c_
        The time that was set.
    time_left_
        What was left of it in the end, for each problem; 0 where it ran out.

    References
    ----------
    Freund (2001), "An adaptive version of the boost by majority algorithm".

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = BrownBoostClassifier(target_error=0.05).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.time_left_.round(3).tolist()
    (True, [0.0, 0.0, 0.0])
    """

    def __init__(
        self,
        estimator: WeakModel = None,
        *,
        target_error: Share = 0.1,
        c: Positive | None = None,
        n_estimators: Count = 200,
    ) -> None:
        self.estimator = estimator
        self.target_error = target_error
        self.c = c
        self.n_estimators = n_estimators

    def _boost(self, learner: Any) -> Any:
        self.c_ = time_for(float(self.target_error)) if self.c is None else float(self.c)
        weight = learner.weight
        at = Position(np.zeros(len(weight)), weight, self.c_, self.c_)
        members, record = [], []
        for number in range(1, int(self.n_estimators) + 1):
            each = at.each()
            member, right = learner.learn(each, number)
            edge = float((weight * each) @ right)
            if edge <= LEAST_EDGE:
                break
            step = step_of(at, right)
            at = Position(at.margins + step.alpha * right, weight, self.c_, max(at.left - step.time, 0.0))
            members.append(member)
            wrong = float(weight @ (at.margins <= 0) / weight.sum())
            record.append([edge, step.alpha, step.time, at.left, at.potential(), wrong])
            if at.left <= NO_TIME * self.c_:
                break
        found = np.array(record).reshape(len(members), 6)
        return learner.ensemble(members, found[:, 1].copy(), found)

    def _from_totals(self, totals: np.ndarray) -> np.ndarray:
        return super()._from_totals(totals / np.sqrt(self.c_) if totals.shape[1] else totals)

    def confidence(self, X: TableLike) -> np.ndarray:
        """How sure each problem is of its class, from -1 to 1: erf(F / sqrt c), a column for each.

        Answering at random with this mean would be wrong on the training rows as often as half the target error.
        """
        encoded = self._encoded(X, "confidence")
        return np.asarray(erf(self._totals(encoded) / np.sqrt(self.c_)))

    @property
    def time_left_(self) -> np.ndarray:
        """For each problem, the time that was left in the end."""
        ensembles = self._fitted("time_left_").ensembles_
        return np.array([each.record[-1, 3] if len(each.record) else self.c_ for each in ensembles])

    @property
    def rounds_(self) -> tuple[BrownRound, ...]:
        """A record of each round, problem after problem."""
        self._fitted("rounds_")
        return tuple(
            BrownRound(number + 1, label, *numbers)
            for label, each in zip(self._labels(), self.ensembles_)
            for number, numbers in enumerate(each.record.tolist())
        )

    def _staged(self, X: Encoded) -> Iterator[np.ndarray]:
        """Scores after each round; a problem that ended before keeps its own."""
        votes = [each.votes(X) for each in self.ensembles_]
        totals = np.zeros((n_rows(X), len(votes)))
        for _ in range(max((len(each.weights) for each in self.ensembles_), default=0)):
            for column, each in enumerate(votes):
                totals[:, column] += next(each, 0.0)
            yield self._from_totals(totals)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``predict`` gives after each round."""
        for scores in self._staged(self._encoded(X, "staged_predict")):
            yield self.classes_.take(scores.argmax(axis=1))

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``decision_function`` gives after each round."""
        for scores in self._staged(self._encoded(X, "staged_decision_function")):
            yield (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores
