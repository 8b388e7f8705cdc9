"""What these models share: problems of two classes, weak classifiers learnt from weighted rows, and their votes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from margin.base import AsGiven, Mixed
from margin.base.meta.inner_model import last_step, on_tables
from margin.base.meta.probabilities import HasProbabilities
from margin.base.representations.representation import TrainingRows
from margin.boosting.adaboost.votes import times_of
from margin.boosting.margins.voting_members import VotingMembers, WeakLearner, n_rows
from margin.boosting.margins.voting_trees import StumpLearner, rank_rows
from margin.data.table import Table
from margin.errors import ConvergenceWarning, listing, warn
from margin.params import Rule, no_text
from margin.typing import Encoded, TableLike

__all__ = ["LEAST_EDGE", "WeakModel", "WeightedVotes"]

#: A weak classifier that is better than chance by less tells nothing.
LEAST_EDGE = 1e-10
#: Of equal scores the class with more weight in training wins: by so much of its share.
TIE = 1e-9


def _is_classifier(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


WeakModel = Annotated[Any, Rule("None or a classifier with fit and predict", _is_classifier, no_text)]


class WeightedVotes(HasProbabilities):
    """Weak classifiers that vote with weights, two classes against each other, more than two each against the rest.

    Scores are no log odds: :class:`margin.CalibratedClassifier` makes probabilities of them.

    Parameters
    ----------
    estimator
        The weak classifier, of margin or of scikit-learn; its ``fit`` must take weights. One that takes no tables gets
        them through ``TableEncoder``. None is the stump of the smallest error on columns as they are, missing cells
        and words included; columns are ranked once, and a round is O(rows x columns).

    Attributes
    ----------
    ensembles_
        The weak classifiers and their weights, an :class:`margin.boosting.VotingMembers` (of stumps a
        :class:`margin.boosting.VotingTrees`) for each problem: one for two classes, else one for each class.
    """

    estimator: Any
    n_estimators: Any
    ensembles_: list[Any]
    #: Who answers where the first weak classifier is no better than chance.
    _instead = "classes are answered by their shares there"

    @property
    def representation(self) -> Any:
        """Columns as they are for stumps, and rows as they were given for other learners."""
        return Mixed() if self.estimator is None else AsGiven(surveyed=True)

    def _boost(self, learner: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must say how it boosts.")

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight, n = rows.weights(), len(self.classes_)
        if (times_of(weight) != weight).any():
            weight = weight / weight.max()
        self._prior = np.bincount(y, weight, n) / weight.sum()
        learner = self._learners(X, weight)
        self.ensembles_ = [self._boost(learner(y == k)) for k in (range(n) if n > 2 else range(1, n))]
        self._warn_of_chance(X)

    def _tells_nothing(self, ensemble: Any) -> bool:
        """Whether the first weak classifier of a problem was no better than chance."""
        return not len(ensemble.weights)

    def _warn_of_chance(self, X: Encoded) -> None:
        lost = [label for label, each in zip(self._labels(), self.ensembles_) if self._tells_nothing(each)]
        if not lost or (self.estimator is None and not rank_rows(X).n_varying):
            return
        of = "" if lost == [None] else f" for {'class' if len(lost) == 1 else 'classes'} {listing(lost)}"
        learner = "a stump" if self.estimator is None else type(last_step(self.estimator)).__name__
        advice = "estimator=DecisionTreeClassifier(max_depth=2)" if self.estimator is None else "a stronger learner"
        warn(
            f"{type(self).__name__}.fit: {learner} is no better than chance in round 1{of}, and there is nothing to "
            f"boost; {self._instead} (other columns may help, or {advice}).",
            ConvergenceWarning,
        )

    def _learners(self, X: Encoded, weight: np.ndarray) -> Callable[[np.ndarray], Any]:
        """What learns to tell the rows of one side from the others."""
        if self.estimator is None:
            table = rank_rows(X)
            return lambda is_yes: StumpLearner(table, X, is_yes, weight)
        model = on_tables(self.estimator) if isinstance(X, Table) else self.estimator
        return lambda is_yes: WeakLearner(model, X, is_yes, weight, type(self).__name__)

    def _totals(self, X: Encoded) -> np.ndarray:
        """A column for each problem."""
        return np.column_stack([each.total(X) for each in self.ensembles_] or [np.empty((n_rows(X), 0))])

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
        voting = [each for each in self.__dict__.get("ensembles_", ()) if isinstance(each, VotingMembers)]
        found = [member.model for each in voting for member in each.members]
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
        if self.estimator is not None:
            tags.input_tags.positive_only = get_tags(self.estimator).input_tags.positive_only
        return tags
