"""One member for each class against all others, and for each target of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.inner_model import Estimator
from margin.base.meta.members import Kind, Member
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.multiclass.strategy import Strategy
from margin.params import Jobs
from margin.typing import Encoded, TableLike

__all__ = ["OneVsRest", "shares_of_sides"]


class OneVsRest(Strategy):
    r"""One classifier for each class, which tells it from all others; the surest of them has the last word.

    Of two classes there is one classifier. Probabilities of K classes are those of the members, brought to the sum 1.
    Costs K fits on all rows. Each member sees few rows of its class against many, which asks more of it than pairs do
    (:class:`OneVsOne`); in return there are few of them.

    Targets may be several at once, one classifier each (binary relevance): a matrix of 0 and 1, a frame or table with a
    column for each target, of two classes or more, or a list of sets of labels. What the targets have to do with each
    other is not learnt; :class:`ClassifierChain` does that.

    Attributes
    ----------
    members_
        For each target a list of members, the second class's of two, else one for each class; ``member.model`` is
        the fitted classifier, or None where all rows were on one side.

    References
    ----------
    Rifkin, Klautau (2004); Tsoumakas, Katakis (2007) for several labels.

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]] * 3
    >>> y = [{"wind"}, {"rain"}, {"rain", "wind"}, set()] * 3
    >>> model = OneVsRest(LogisticRegression()).fit(X, y)
    >>> sorted(model.predict([[0.9, 1.1]])[0])
    ['rain', 'wind']
    """

    several_outputs = True

    def __init__(self, estimator: Estimator = None, *, n_jobs: Jobs = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def _class_lists(self) -> list[np.ndarray]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _members(self) -> list[Member]:
        return [member for members in self.__dict__.get("members_", ()) for member in members]

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        columns = y.reshape(len(y), -1).T
        sides = [_sides(codes, len(labels)) for codes, labels in zip(columns, self._class_lists())]
        found = iter(self._learn(X, [(None, side) for each in sides for side in each], rows))
        self.members_ = [[next(found) for _ in each] for each in sides]

    def _scores(self, X: Encoded) -> Any:
        found = [
            self._scores_of(members, len(labels), X, self._kind())
            for members, labels in zip(self.members_, self._class_lists())
        ]
        return found if self.outputs_2d_ else found[0]

    def _scores_of(self, members: list[Member], n_classes: int, X: Encoded, kind: Kind) -> np.ndarray:
        """What the members of one target say: a column for each class; minus infinity for one without rows."""
        if n_classes == 1:
            return np.ones((X.shape[0], 1))
        who = type(self).__name__
        said = [each.yes(X, kind, who) for each in members]
        if n_classes == 2:
            yes = said[0]
            return np.column_stack([1 - yes, yes] if kind == "probability" else [-yes, yes])
        for member, column in zip(members, said):
            if member.model is None:
                column[:] = np.inf if member.places[0] == 1 else -np.inf
        return np.column_stack(said)

    def _proba(self, scores: Any) -> Any:
        return [shares_of_sides(each) for each in scores] if isinstance(scores, list) else shares_of_sides(scores)

    def _decides(self) -> bool:
        return hasattr(self._asked_model(), "decision_function")

    @available_if(_decides)
    def decision_function(self, X: TableLike) -> Any:
        """The members' scores: one for each class, of two classes one, above 0 for the second.

        Of several targets with two classes each, a column for each target.
        """
        encoded = self._encoded(X, "decision_function")
        found = [
            self._scores_of(members, len(labels), encoded, "decision")
            for members, labels in zip(self.members_, self._class_lists())
        ]
        found = [each[:, 1] if each.shape[1] == 2 else each for each in found]
        if not self.outputs_2d_:
            return found[0]
        return np.column_stack(found) if all(each.ndim == 1 for each in found) else found


def _sides(codes: np.ndarray, n_classes: int) -> list[np.ndarray]:
    """The codes 0 and 1 that members learn: the second of two classes, or each class against the rest."""
    which = [1] if n_classes == 2 else range(n_classes if n_classes > 2 else 0)
    return [(codes == k).astype(np.int32) for k in which]


def shares_of_sides(scores: np.ndarray) -> np.ndarray:
    """Probabilities of classes out of those against the rest; where all are 0, equal ones.

    >>> shares_of_sides(np.array([[0.25, 0.75, -np.inf], [0.0, 0.0, -np.inf]])).tolist()
    [[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]]
    """
    shares = np.clip(scores, 0.0, 1.0)
    total = shares.sum(axis=1, keepdims=True)
    there = np.isfinite(scores)
    equal = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    return np.divide(shares, total, out=equal, where=total > 0)
