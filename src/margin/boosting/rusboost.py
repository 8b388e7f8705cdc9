"""RUSBoost: AdaBoost whose weak classifiers see as many rows of each class, for classes that are rare."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from margin.base import AsGiven, Classifier
from margin.base.meta.inner_model import last_step, on_tables
from margin.base.meta.members import Member, learn_member, naming
from margin.base.representations.representation import TrainingRows
from margin.base.softmax import log_softmax, softmax
from margin.boosting.adaboost.votes import times_of
from margin.boosting.margins.weighted_votes import WeakModel
from margin.data.table import Table
from margin.errors import ConvergenceWarning, warn
from margin.params import Count, Rule, Seed, is_number
from margin.random import generator, seed_for
from margin.typing import Encoded, TableLike

__all__ = ["RUSBoostClassifier", "RUSRound"]

Ratio = Annotated[float, Rule("a number of at least 1", lambda value: is_number(value) and value >= 1, float)]
#: An error of 0 counts as this, so that one classifier without mistakes does not silence all others.
LEAST_ERROR = 1e-6
#: A class is thinned out to no fewer rows: beside a class of one row nothing could be learnt from one of each.
ENOUGH = 10
#: How often rows are drawn anew where a weak classifier is no better than chance, before the rounds end.
TRIES = 5


@dataclass(frozen=True)
class RUSRound:
    """One round of RUSBoost.

    Attributes
    ----------
    number
        Counted from 1.
    n_drawn
        The rows that its weak classifier learnt from.
    epsilon, alpha
        The weighted share of all rows that it has wrong, and how much its vote counts.
    error
        The share of the weight of the rows, as it was in the beginning, that all rounds up to it have wrong.
    """

    number: int
    n_drawn: int
    epsilon: float
    alpha: float
    error: float


@dataclass(eq=False)
class _Draws:
    """Rows of the same classes drawn without replacement, round by round; a whole-number weight is so many rows."""

    y: np.ndarray
    units: np.ndarray
    ratio: float
    seed: int

    def times(self, number: int) -> np.ndarray:
        """How many of its units each row has in a draw."""
        random, found = generator(self.seed, "round", number), np.zeros(len(self.y), dtype=np.int64)
        of_classes = [np.flatnonzero(self.y == code) for code in np.unique(self.y)]
        rarest = min(int(self.units[rows].sum()) for rows in of_classes)
        for rows in of_classes:
            unit_row = np.repeat(rows, self.units[rows])
            wanted = min(round(max(rarest, ENOUGH) * self.ratio), len(unit_row))
            np.add.at(found, random.permutation(unit_row)[:wanted], 1)
        return found


class RUSBoostClassifier(Classifier):
    r"""AdaBoost (SAMME) in which each weak classifier learns from as many rows of each class, drawn anew every round.

    Where one class is rare, weak classifiers do well by never answering it. Here the rows of the other classes are
    thinned out at random before each round, to as many as the rarest has, though never below ten; errors and weights
    are those of all rows, so that nothing is thrown away for good. With ``weights="balanced"`` all classes weigh the
    same in the beginning, which makes chance the same for them too; rows that were drawn then stand for those of
    their class that were not. Probabilities are those of classes as frequent as they weigh: calibrate them where true
    shares matter.

    A vote counts :math:`\alpha = \frac{K-1}{K}\left(\ln\frac{1-\epsilon}{\epsilon} + \ln(K-1)\right)`, which is half
    the log odds for two classes; probabilities are :math:`1/(1+e^{-2F})` and their like for more.

    Parameters
    ----------
    estimator
        The weak classifier, of margin or of scikit-learn; its ``fit`` must take weights. None is a tree of three
        questions in a row, ``DecisionTreeClassifier(max_depth=3)``.
    n_estimators
        Most rounds.
    sampling
        ``"under"`` draws rows as said; None learns from all rows, by weights alone.
    ratio
        Rows of other classes for each row of the rarest.
    weights
        ``"balanced"`` or ``"equal"``: whether classes or rows weigh the same in the beginning.
    random_state
        Decides which rows are drawn.

    Attributes
    ----------
    members_, weights_
        The weak classifiers, and how much the vote of each counts.

    References
    ----------
    Seiffert, Khoshgoftaar, Van Hulse, Napolitano (2010), "RUSBoost", there with AdaBoost.M2; Zhu, Zou, Rosset, Hastie
    (2009) for SAMME.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(500) % 25 == 0
    >>> X = rng.normal(size=(500, 2)) + 1.5 * y[:, None]
    >>> model = RUSBoostClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> bool(model.predict(X[y]).mean() > 0.9)
    True
    """

    representation = AsGiven(surveyed=True)
    members_: list[Member]
    weights_: np.ndarray

    def __init__(
        self,
        estimator: WeakModel = None,
        *,
        n_estimators: Count = 50,
        sampling: Literal["under"] | None = "under",
        ratio: Ratio = 1.0,
        weights: Literal["balanced", "equal"] = "balanced",
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.ratio = ratio
        self.weights = weights
        self.random_state = random_state

    def _inner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from margin.tree.decision_tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=3)

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        model = on_tables(self._inner()) if isinstance(X, Table) else self._inner()
        weight, n = rows.weights(), len(self.classes_)
        self._prior = np.bincount(y, weight, n) / weight.sum()
        draws = _Draws(y, times_of(weight).astype(np.int64), float(self.ratio), seed_for(self.random_state, "boosting"))
        first = weight / weight.sum() if self.weights == "equal" else weight / weight.sum() / self._prior[y]
        first, share, votes = first / first.sum(), first / first.sum(), np.zeros((len(y), n))
        self.members_, found = [], []
        for number in range(1, int(self.n_estimators) + 1 if n > 1 else 1):
            learnt = self._learn(model, X, y, share, draws, number)
            if learnt is None:
                break
            member, said, n_drawn, epsilon = learnt
            alpha = (n - 1) / n * (math.log((1 - epsilon) / epsilon) + math.log(n - 1))
            self.members_.append(member)
            votes += alpha * _sides(said, n)
            # Where the vote was wrong e^alpha, else e^-alpha, up to a number of its own for all rows.
            share = share * np.exp(np.where(said == y, 0.0, alpha * n / (n - 1)))
            share /= share.sum()
            found.append([n_drawn, epsilon, alpha, float(first @ (votes.argmax(axis=1) != y))])
        self._record = np.array(found).reshape(len(found), 4)
        self.weights_ = self._record[:, 2].copy()
        if n > 1 and not found:
            warn(
                f"{type(self).__name__}.fit: {type(last_step(model)).__name__} is no better than chance in round 1, "
                "and there is nothing to boost; classes are answered by their shares (other columns may help, or a "
                "stronger learner).",
                ConvergenceWarning,
            )

    def _learn(
        self, model: Any, X: Encoded, y: np.ndarray, share: np.ndarray, draws: _Draws, number: int
    ) -> tuple[Member, np.ndarray, int, float] | None:
        """A member that is better than chance, what it says, the rows it learnt from and its error; None if none is."""
        who, n = type(self).__name__, len(self.classes_)
        for attempt in range(TRIES if self.sampling else 1):
            times = draws.times(TRIES * number + attempt) if self.sampling else draws.units
            there = np.flatnonzero(times)
            weight = share[there] * times[there] / draws.units[there]
            if self.weights == "balanced":  # rows that were drawn stand for those of their class that were not
                weight *= (np.bincount(y, share, n) / np.bincount(y[there], weight, n).clip(1e-300))[y[there]]
            with naming(who, f"the classifier of round {number}, {type(model).__name__},", "estimator"):
                member = learn_member(model, X[there], y[there], weight * (times.sum() / weight.sum()), who)
                said = member.answers(X)
            epsilon = float(share @ (said != y))
            if epsilon < (n - 1) / n - 1e-9:
                return member, said, int(times.sum()), max(epsilon, LEAST_ERROR)
        return None

    def _votes(self, X: Encoded) -> Iterator[np.ndarray]:
        for member, alpha in zip(self.members_, self.weights_.tolist(), strict=True):
            yield alpha * _sides(member.answers(X), len(self.classes_))

    def _scores(self, X: Encoded) -> np.ndarray:
        if not self.members_:  # nothing was better than chance: the shares of the classes
            return np.tile(np.log(self._prior), (X.shape[0], 1))
        return sum(self._votes(X), np.zeros((X.shape[0], len(self.classes_))))

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores)

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        return log_softmax(scores)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The score of each class (columns as in ``classes_``); of two classes half the log odds of the second."""
        scores = self._scores(self._encoded(X, "decision_function"))
        return (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``predict`` gives after each round."""
        for scores in self._staged(X, "staged_predict"):
            yield self.classes_.take(scores.argmax(axis=1))

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``predict_proba`` gives after each round."""
        for scores in self._staged(X, "staged_predict_proba"):
            yield self._proba(scores)

    def _staged(self, X: TableLike, method: str) -> Iterator[np.ndarray]:
        encoded = self._encoded(X, method)
        scores = np.zeros((encoded.shape[0], len(self.classes_)))
        for vote in self._votes(encoded):
            scores = scores + vote
            yield scores

    @property
    def rounds_(self) -> tuple[RUSRound, ...]:
        """A record of each round."""
        record = self._fitted("rounds_")._record.tolist()
        return tuple(RUSRound(number + 1, int(drawn), *rest) for number, (drawn, *rest) in enumerate(record))

    def _models(self) -> list[Any]:
        """The fitted models inside."""
        return [member.model for member in self.__dict__.get("members_", ()) if member.model is not None]

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = get_tags(self._inner()).input_tags.positive_only
        return tags


def _sides(said: np.ndarray, n: int) -> np.ndarray:
    """1 for the class that is answered, and as much against the others together."""
    found = np.full((len(said), n), -1.0 / (n - 1))
    found[np.arange(len(said)), said] = 1.0
    return found
