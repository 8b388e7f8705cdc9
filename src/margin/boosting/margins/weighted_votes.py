"""What these models share: problems of two classes, weak classifiers learnt from weighted rows, and their votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from margin.base import AsGiven
from margin.base.meta.inner_model import on_tables
from margin.base.meta.members import Member, learn_member, naming
from margin.base.meta.probabilities import HasProbabilities
from margin.base.representations.representation import TrainingRows
from margin.data.table import Table
from margin.errors import ParameterError
from margin.params import Rule, no_text
from margin.typing import Encoded, TableLike

__all__ = ["VotingMembers", "WeakLearner", "WeakModel", "WeightedVotes"]

#: Of equal scores the class with more weight in training wins: by so much of its share.
TIE = 1e-9


def _is_classifier(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


WeakModel = Annotated[Any, Rule("None or a classifier with fit and predict", _is_classifier, no_text)]


@dataclass(eq=False)
class VotingMembers:
    """Weak classifiers for two sides, the weight of each vote, and numbers about the round that each comes from."""

    members: list[Member]
    weights: np.ndarray
    record: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def votes(self, X: Encoded) -> Iterator[np.ndarray]:
        """What each member that counts says of each row, 1 or -1, times its weight."""
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            if weight:
                yield weight * (2.0 * member.answers(X) - 1.0)

    def total(self, X: Encoded) -> np.ndarray:
        """The sum of the weighted votes."""
        found = np.zeros(X.shape[0])
        for vote in self.votes(X):
            found += vote
        return found


@dataclass(eq=False)
class WeakLearner:
    """Learns the same rows of two sides with other weights in every round."""

    model: Any
    X: Encoded
    is_yes: np.ndarray
    weight: np.ndarray
    who: str

    @property
    def y(self) -> np.ndarray:
        """1 for the one side and -1 for the other."""
        return np.where(self.is_yes, 1.0, -1.0)

    def learn(self, share: np.ndarray, number: int) -> tuple[Member, np.ndarray]:
        """A member from rows that weigh so much, and y h: 1 where it is right of a row and -1 where it is not."""
        # Weights that add up to those of the rows, so that a penalty in the model means the same in every round.
        weight = share * (self.weight.sum() / share.sum())
        there = np.flatnonzero(weight > 0)
        with naming(self.who, f"the classifier of round {number}, {type(self.model).__name__},", "estimator"):
            member = learn_member(
                self.model, self.X[there], self.is_yes[there].astype(np.int32), weight[there], self.who
            )
            said = member.answers(self.X)
            if not np.isin(said, (0, 1)).all():
                raise ParameterError(f"it must answer one of the labels 0 and 1, not {np.unique(said).tolist()[:3]}")
        return member, self.y * (2.0 * said - 1.0)


class WeightedVotes(HasProbabilities):
    """Weak classifiers that vote with weights, two classes against each other, more than two each against the rest.

    Scores are no log odds: :class:`margin.CalibratedClassifier` makes probabilities of them.

    Parameters
    ----------
    estimator
        The weak classifier, of margin or of scikit-learn; its ``fit`` must take weights. One that takes no tables gets
        them through ``TableEncoder``. None is the stump of the smallest error, ``DecisionStump(criterion="error")``.

    Attributes
    ----------
    ensembles_
        The weak classifiers and their weights, an :class:`margin.boosting.VotingMembers` for each problem: one for two
        classes, else one for each class.
    """

    representation = AsGiven(surveyed=True)
    estimator: Any
    n_estimators: Any
    ensembles_: list[VotingMembers]

    def _inner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from margin.tree.decision_stump import DecisionStump

        return DecisionStump(criterion="error")

    def _boost(self, learner: WeakLearner) -> VotingMembers:
        raise TypeError(f"{type(self).__name__} must say how it boosts.")

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        model = on_tables(self._inner()) if isinstance(X, Table) else self._inner()
        weight, n = rows.weights(), len(self.classes_)
        weight = weight / weight.max()
        self._prior = np.bincount(y, weight, n) / weight.sum()
        sides = range(n) if n > 2 else range(1, n)
        self.ensembles_ = [self._boost(WeakLearner(model, X, y == k, weight, type(self).__name__)) for k in sides]

    def _totals(self, X: Encoded) -> np.ndarray:
        """A column for each problem."""
        return np.column_stack([each.total(X) for each in self.ensembles_] or [np.empty((X.shape[0], 0))])

    def _from_totals(self, totals: np.ndarray) -> np.ndarray:
        """The score of each class; a little of its share decides where votes do not."""
        if totals.shape[1] == 0:
            return np.ones((len(totals), 1))
        scores = np.hstack([-totals, totals]) if totals.shape[1] == 1 else totals
        return scores + TIE * self._prior

    def _scores(self, X: Encoded) -> np.ndarray:
        return self._from_totals(self._totals(X))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The weighted votes for each class (columns as in ``classes_``), and a billionth of its share in training; of
        two classes for the second."""
        scores = self._scores(self._encoded(X, "decision_function"))
        return (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores

    def _models(self) -> list[Any]:
        """The fitted models inside."""
        found = [member.model for each in self.__dict__.get("ensembles_", ()) for member in each.members]
        return [model for model in found if model is not None]

    def _has_probabilities(self) -> bool:
        return False

    def _labels(self) -> list[Any]:
        """The class that each problem tells from the rest, None for two classes."""
        labels = self.classes_.tolist()
        return labels if len(labels) > 2 else [None] * len(self.ensembles_)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = get_tags(self._inner()).input_tags.positive_only
        return tags
