"""One member for each pair of classes; they vote, or their probabilities are coupled."""

from __future__ import annotations

from typing import Literal

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.meta.coupling import couple
from margin.base.meta.inner_model import Estimator
from margin.base.meta.members import Member
from margin.base.representations.representation import TrainingRows
from margin.errors import ParameterError
from margin.multiclass.strategy import Strategy, inner_name
from margin.params import Jobs
from margin.typing import Encoded, TableLike

__all__ = ["OneVsOne"]


class OneVsOne(Strategy):
    r"""One classifier for each pair of classes, which sees the rows of these two alone.

    Each votes for one of its two classes, and the class with most votes is answered; equal votes go to the class that
    was preferred more clearly. Probabilities are those that come nearest to what all pairs say (Wu, Lin, Weng). Costs
    K(K-1)/2 fits, each on about 2/K of the rows: for methods that take longer than linearly this is less than one fit
    on all rows. Members say something about every row, also about rows of neither of their classes.

    Parameters
    ----------
    decide
        ``"votes"`` answers the class with most votes, ``"probabilities"`` the one with the largest probability.

    Attributes
    ----------
    members_
        The members, in the order of the pairs.
    pairs_
        The places in ``classes_`` of the two classes of each pair; a member's 1 is the first of them. Classes without
        rows (of weight above 0) are in no pair.

    References
    ----------
    Friedman (1996); Hastie, Tibshirani (1998); Wu, Lin, Weng (2004).

    Examples
    --------
    >>> from margin import LinearSVC
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = OneVsOne(LinearSVC()).fit(X, y)
    >>> len(model.members_), model.predict(X.take([0, 60, 120])).tolist()
    (3, ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        decide: Literal["votes", "probabilities"] = "votes",
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.decide = decide
        self.n_jobs = n_jobs

    def _members(self) -> list[Member]:
        return list(self.__dict__.get("members_", ()))

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self._refuse_wish()
        there = self._there = np.unique(y).astype(np.int64)
        first, second = np.triu_indices(len(there), 1)
        self.pairs_ = np.column_stack([there[first], there[second]])
        places = {k: np.flatnonzero(y == k) for k in there.tolist()}
        parts: list[tuple[np.ndarray | None, np.ndarray]] = []
        for a, b in self.pairs_.tolist():
            chosen = np.sort(np.concatenate([places[a], places[b]]))
            parts.append((chosen if len(chosen) < len(y) else None, (y[chosen] == a).astype(np.int32)))
        self.members_ = self._learn(X, parts, rows)

    def _refuse_wish(self) -> None:
        if self.decide == "probabilities" and not self._has_probabilities():
            raise ParameterError(
                f"OneVsOne(decide='probabilities'): {inner_name(self._asked_model())} must have predict_proba, but has "
                "none."
            )

    def _scores(self, X: Encoded) -> np.ndarray:
        """A column for each pair: the probability of its first class, or a score above 0 where that is the answer."""
        kind, who = self._kind(), type(self).__name__
        said = [member.yes(X, kind, who) for member in self.members_]
        return np.column_stack(said) if said else np.empty((X.shape[0], 0))

    def _answers(self, X: Encoded, scores: np.ndarray) -> np.ndarray:
        self._refuse_wish()
        by_class = self._proba(scores) if self.decide == "probabilities" else self._votes(scores)
        return self.classes_.take(by_class.argmax(axis=1))

    def _votes(self, scores: np.ndarray) -> np.ndarray:
        """Votes for each class, and how clear they were as less than half a vote; minus infinity for one in no pair."""
        found = np.full((len(scores), len(self.classes_)), -np.inf)
        decisions = 2 * scores - 1 if self._kind() == "probability" else scores
        if len(self._there) == 1:
            found[:, self._there] = 0.0
        elif len(self._there) == 2:
            found[:, self._there] = np.column_stack([decisions[:, 0], -decisions[:, 0]])
        else:
            decisions = np.ascontiguousarray(np.clip(decisions, -LARGEST, LARGEST))
            found[:, self._there] = _core.svm.pair_scores(decisions, len(self._there), parallel.n_threads())
        return found

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        found = np.zeros((len(scores), len(self.classes_)))
        found[:, self._there] = couple(scores) if len(self._there) > 1 else 1.0
        return found

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Votes of each class and, as less than half a vote, how clear they were; of two classes the score of their
        pair, above 0 for the second."""
        votes = self._votes(self._scores(self._encoded(X, "decision_function")))
        return (votes[:, 1] - votes[:, 0]) / 2 if votes.shape[1] == 2 else votes


#: Scores of pairs beyond this are as clear as can be, and sums of them stay numbers.
LARGEST = 1e300
