"""Bagging: any classifier or regressor, learnt from rows drawn with replacement, and the mean of what they say."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base import Regressor
from margin.base.meta.members import Member, learn_member, learn_model
from margin.base.meta.probabilities import HasProbabilities
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.data.rows import ready_for
from margin.ensemble.bagging.bag import Bag, BaseModel
from margin.ensemble.bagging.drawing import Stratum
from margin.ensemble.committee.voting import DIGITS, TIE
from margin.ensemble.left_out import answers_out_of_bag
from margin.errors import ParameterError
from margin.params import Count, Flag, Jobs, Seed
from margin.tree.settings import ColumnsLookedAt
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["BaggingClassifier", "BaggingRegressor"]


class BaggingClassifier(Bag, HasProbabilities):
    r"""Asks many copies of a classifier, each learnt from other rows, and answers what most of them say.

    Each member learns from as many rows as there are, drawn with replacement. The mean of B answers of variance
    :math:`\sigma^2` and correlation :math:`\rho` varies by :math:`\rho\sigma^2 + (1-\rho)\sigma^2/B`: models that
    change much with their rows gain, such as trees that are not pruned; nearest neighbours and linear models hardly
    change, and gain little. A row is left out by a member with probability :math:`(1 - 1/n)^n \approx .368`, and those
    members say how wrong the bag is, without rows held back (``oob_error_``; :func:`margin.measure_out_of_bag` for any
    metric). Costs a fit for each member.

    Members know the classes that they drew; others are impossible to them. Equal votes go to the class with more weight
    in training, then to the first. Whole-number weights stand for repeated rows, other weights multiply those of the
    draws.

    Parameters
    ----------
    estimator
        None is a tree that is not pruned, ``DecisionTreeClassifier()``.
    voting
        ``"soft"`` averages probabilities, ``"hard"`` counts votes; ``"auto"`` is soft where the members have
        probabilities.
    balanced
        Whether each member draws as many rows of each class: as many as the rarest has, or an equal part of
        ``max_samples``. A rare class is then answered more often, and probabilities are those of equal classes.

    Attributes
    ----------
    voting_
        ``"soft"`` or ``"hard"``.

    References
    ----------
    Breiman (1996), "Bagging predictors"; Ho (1998) for columns; Chen, Liaw, Breiman (2004) for balanced draws.

    Examples
    --------
    >>> from margin import C45
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = BaggingClassifier(C45(), random_state=0).fit(X, y)
    >>> len(model.members_), bool(model.oob_score_ > 0.9)
    (50, True)
    """

    members_: list[Member]

    def __init__(
        self,
        estimator: BaseModel = None,
        *,
        n_estimators: Count = 50,
        max_samples: ColumnsLookedAt | None = None,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        bootstrap: Flag = True,
        bootstrap_features: Flag = False,
        balanced: Flag = False,
        voting: Literal["auto", "soft", "hard"] = "auto",
        oob_score: Flag = True,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.balanced = balanced
        self.voting = voting
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _inner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from margin.tree.decision_tree import DecisionTreeClassifier

        return DecisionTreeClassifier()

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self.voting_ = self._kind_of_vote()
        weight = rows.weights()
        self._prior = np.bincount(y, weight, len(self.classes_)) / weight.sum()
        self._begin(X, y, rows, len(self.classes_))
        self._add(X, y, rows, int(self.n_estimators))

    def _kind_of_vote(self) -> Literal["soft", "hard"]:
        has = hasattr(self._inner(), "predict_proba")
        if self.voting == "soft" and not has:
            raise ParameterError(
                f"BaggingClassifier(voting='soft'): {type(self._inner()).__name__} must have predict_proba, but has "
                "none (voting='hard' counts votes, CalibratedClassifier gives it probabilities)."
            )
        return "soft" if has and self.voting != "hard" else "hard"

    def _strata(self, y: np.ndarray, ends: np.ndarray) -> list[Stratum]:
        if not self.balanced:
            return super()._strata(y, ends)
        copies = np.diff(ends, prepend=0) if len(ends) else np.ones(len(y), dtype=np.int64)
        of_classes = [np.flatnonzero(y == code) for code in np.unique(y)]
        totals = [int(copies[rows].sum()) for rows in of_classes]
        rarest = min(totals)
        each = rarest if self.max_samples is None else max(1, self._n_draws(sum(totals)) // len(totals))
        return [
            Stratum(rows, np.cumsum(copies[rows]), each if self.bootstrap else min(each, total))
            for rows, total in zip(of_classes, totals)
        ]

    def _member(
        self, model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> Member:
        found, known = learn_member(model, X, y, weight, type(self).__name__, groups), np.unique(y)
        if not np.isin(found.places, known).all():
            raise ParameterError(
                f"its classes_ are {found.places.tolist()}, which must be among {known.tolist()}, the classes as "
                "numbers that it was given"
            )
        return found

    def _say(self, member: Member, X: Encoded) -> np.ndarray:
        n_classes = len(self.classes_)
        if self.voting_ == "soft":
            return member.probabilities(X, n_classes)
        found = np.zeros((X.shape[0], n_classes))
        found[np.arange(X.shape[0]), member.answers(X)] = 1.0
        return found

    def _losses(self, sums: np.ndarray, counts: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (self._decided(sums / np.maximum(counts, 1)[:, None]).argmax(axis=1) != y).astype(np.float64)

    def _decided(self, shares: np.ndarray) -> np.ndarray:
        """Shares of which the largest wins: equal votes go to the class with more weight in training."""
        return shares if self.voting_ == "soft" else np.round(shares, DIGITS) + TIE * self._prior

    def _scores(self, X: Encoded) -> np.ndarray:
        return self._decided(self._summed(X, len(self.classes_)) / len(self.members_))

    def votes(self, X: TableLike) -> np.ndarray:
        """What each member answers: a row for each case, a column for each member."""
        return self.classes_[self._voted(self._encoded(X, "votes"))]

    def _voted(self, X: Encoded) -> np.ndarray:
        return np.column_stack([member.answers(seen) for member, seen in self._asked(X)])

    def _models(self) -> list[Any]:
        return [member.model for member in self.__dict__.get("members_", ()) if member.model is not None]

    def _has_probabilities(self) -> bool:
        voting = self.__dict__.get("voting_", self.voting)
        return voting == "soft" or (voting == "auto" and hasattr(self._inner(), "predict_proba"))

    @available_if(lambda self: not self._has_probabilities())
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The share of the votes for each class, and a billionth of its share in training; of two classes the second's
        less the first's."""
        votes = self._scores(self._encoded(X, "decision_function"))
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes

    @property
    def oob_decision_function_(self) -> np.ndarray:
        """The probability (or the share of the votes) of each class for each training row, by the members that did not
        draw it; NaN where all did."""
        votes, counts = self._out_of_bag("oob_decision_function_")
        with np.errstate(invalid="ignore"):
            found: np.ndarray = votes / counts[:, None]
        return found

    def _oob_codes(self) -> np.ndarray:
        """The answer out of bag to each row, as a code; of no meaning where all members drew it."""
        votes, counts = self._out_of_bag("oob_decision_function_")
        return self._decided(votes / np.maximum(counts, 1)[:, None]).argmax(axis=1)

    def out_of_bag_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """What leaving out one row after another comes to, by members that did not draw it; see ``evaluate``."""
        return answers_out_of_bag(self, X, y, sample_weight)

    @property
    def oob_score_(self) -> float:
        """The accuracy out of bag."""
        self._out_of_bag("oob_score_")
        return 1.0 - float(self.oob_error_[-1])


class BaggingRegressor(Bag, Regressor):
    """Asks many copies of a regressor, each learnt from other rows, and answers the mean of what they say.

    As :class:`BaggingClassifier`; the error out of bag is the mean squared error.

    Parameters
    ----------
    estimator
        None is a tree that is not pruned, ``DecisionTreeRegressor()``.

    References
    ----------
    Breiman (1996), "Bagging predictors".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = BaggingRegressor(random_state=0).fit(X, np.sqrt(X[:, 0]))
    >>> bool(abs(model.predict([[16.0]])[0] - 4) < 0.1)
    True
    """

    def __init__(
        self,
        estimator: BaseModel = None,
        *,
        n_estimators: Count = 50,
        max_samples: ColumnsLookedAt | None = None,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        bootstrap: Flag = True,
        bootstrap_features: Flag = False,
        oob_score: Flag = True,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _inner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from margin.tree.regression_tree import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self._begin(X, y, rows, 1)
        self._add(X, y, rows, int(self.n_estimators))

    def _add(self, X: Encoded, y: np.ndarray, rows: TrainingRows, n: int) -> None:
        super()._add(X, y, rows, n)
        if "_oob_votes" in self.__dict__:
            asked, weight = self._oob_counts > 0, rows.weights()
            apart = y[asked] - np.average(y[asked], weights=weight[asked]) if asked.any() else np.zeros(1)
            self._variance = float(np.average(apart**2, weights=weight[asked] if asked.any() else None))

    def _member(
        self, model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> Any:
        return learn_model(model, X, y, weight, type(self).__name__, groups)

    def _say(self, member: Any, X: Encoded) -> np.ndarray:
        if not X.shape[0]:
            return np.empty((0, 1))
        return np.asarray(member.predict(ready_for(member, X)), dtype=np.float64).reshape(X.shape[0], 1)

    def _losses(self, sums: np.ndarray, counts: np.ndarray, y: np.ndarray) -> np.ndarray:
        found: np.ndarray = (sums[:, 0] / np.maximum(counts, 1) - y) ** 2
        return found

    def _values(self, X: Encoded) -> np.ndarray:
        return self._summed(X, 1)[:, 0] / len(self.members_)

    def votes(self, X: TableLike) -> np.ndarray:
        """What each member answers: a row for each case, a column for each member."""
        return self._voted(self._encoded(X, "votes"))

    def _voted(self, X: Encoded) -> np.ndarray:
        return np.hstack([self._say(member, seen) for member, seen in self._asked(X)])

    def _models(self) -> list[Any]:
        return list(self.__dict__.get("members_", ()))

    @property
    def oob_prediction_(self) -> np.ndarray:
        """The answer for each training row, by the members that did not draw it; NaN where all did."""
        votes, counts = self._out_of_bag("oob_prediction_")
        with np.errstate(invalid="ignore"):
            found: np.ndarray = votes[:, 0] / counts
        return found

    @property
    def oob_score_(self) -> float:
        """The coefficient of determination R² out of bag: 1 - mean squared error / variance."""
        self._out_of_bag("oob_score_")
        error = float(self.oob_error_[-1])
        return 1.0 - error / self._variance if self._variance > 0 else float("nan")
