"""Members vote, or their answers are averaged, with shares that are given or learnt."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from margin.base.meta.cross_fitting import splits_of
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.ensemble.committee.committee import (
    CommitteeOfClassifiers,
    CommitteeOfRegressors,
    Estimators,
    Folds,
    held_out_rows,
    listed_without,
)
from margin.ensemble.committee.simplex import ShareCertificate, mixture_shares, squared_error_shares
from margin.errors import ParameterError
from margin.params import Jobs, Rule, Seed, is_list_of, is_number
from margin.typing import Encoded, TableLike

__all__ = ["DIGITS", "TIE", "VotingClassifier", "VotingRegressor"]


#: Shares of votes are compared to so many digits; of equal ones so much of the share in training decides.
DIGITS, TIE = 12, 1e-9


def _are_weights(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value == "learnt"):
        return True
    return is_list_of(value, lambda each: is_number(each) and each >= 0) and sum(value) > 0


Weights = Annotated[
    Any,
    Rule(
        "None, 'learnt' or a list of numbers of at least 0, not all 0",
        _are_weights,
        lambda text: {"none": None, "learnt": "learnt"}[text.lower()],
        lambda: ("learnt",),
    ),
]


class _Weighed:
    """What both kinds of voting share: whose word counts how much."""

    weights: Any
    cv: Any
    certificate_: ShareCertificate

    def _given_shares(self, n_members: int) -> np.ndarray:
        if self.weights is None or isinstance(self.weights, str):
            return np.full(n_members, 1 / n_members)
        given = np.asarray(self.weights, dtype=np.float64)
        if len(given) != n_members:
            raise ParameterError(
                f"{type(self).__name__}(weights=…): there must be one for each of the {n_members} members, "
                f"not {len(given)}."
            )
        return given / given.sum()

    def _learns_shares(self) -> bool:
        return isinstance(self.weights, str)


class VotingClassifier(_Weighed, CommitteeOfClassifiers):
    r"""Different classifiers answer together: by votes, or by the mean of their probabilities.

    Where members err on different cases, most of them are right where one is wrong. Shares can be given, or learnt: of
    all mixtures :math:`\sum_m s_m P_m(y \mid x)` with shares that add up to 1, the one of the least log loss on rows
    that members had not learnt from (a convex problem, solved to a bound: ``certificate_``).

    Equal votes go to the class with more weight in training, then to the first. Costs a fit for each member, and for
    learnt shares one more for each fold.

    Parameters
    ----------
    estimators
        None is logistic regression, naive Bayes and a tree of depth 5.
    voting
        ``"soft"`` averages probabilities, ``"hard"`` counts votes; ``"auto"`` is soft where all members give
        probabilities.
    weights
        How much the word of each member counts, in the order of ``estimators``; ``"learnt"`` learns it; None is
        equally much.
    cv
        For learnt shares: a number of folds, splits, or a splitter; a list of a single pair (training rows, validation
        rows) learns them on a validation part.
    random_state
        Shuffles rows before they are dealt to folds; None leaves them as they stand.

    Attributes
    ----------
    members_
        The fitted members in the order of ``estimators``; ``named_members_`` has the models by name.
    weights_
        The share of each member.
    voting_
        ``"soft"`` or ``"hard"``.
    certificate_
        Of learnt shares: their log loss on rows held out, a bound that no shares go below, the loss of equal shares
        and of the best member alone.

    References
    ----------
    Kittler, Hatef, Duin, Matas (1998); Wang (2007) for the shares.

    Examples
    --------
    >>> from margin import KNeighborsClassifier, NaiveBayes, DecisionTreeClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> members = [("bayes", NaiveBayes()), ("near", KNeighborsClassifier()), ("tree", DecisionTreeClassifier())]
    >>> model = VotingClassifier(members, weights="learnt").fit(X, y)
    >>> dict(zip(model.named_members_, model.weights_.round(2).tolist()))
    {'bayes': 0.42, 'near': 0.58, 'tree': 0.0}
    >>> model.certificate_.gap < 1e-9
    True
    """

    def __init__(
        self,
        estimators: Estimators = None,
        *,
        voting: Literal["auto", "soft", "hard"] = "auto",
        weights: Weights = None,
        cv: Folds = 5,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _kind_of_vote(self) -> Literal["soft", "hard"]:
        silent = self._without("predict_proba")
        if self.voting == "auto":
            return "hard" if silent else "soft"
        if self.voting == "soft" and silent:
            hint = "voting='hard' counts votes, CalibratedClassifier gives it probabilities"
            raise listed_without(silent, "predict_proba", "VotingClassifier(voting='soft')", hint)
        return "soft" if self.voting == "soft" else "hard"

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self.voting_ = self._kind_of_vote()
        if self._learns_shares() and self.voting_ == "hard":
            raise ParameterError(
                "VotingClassifier(weights='learnt'): shares are learnt from probabilities, so voting must be 'soft' "
                "and all members must have predict_proba."
            )
        weight = rows.weights()
        self._prior = np.bincount(y, weight, len(self.classes_)) / weight.sum()
        splits = splits_of(self.cv, y, rows, self.random_state, type(self).__name__) if self._learns_shares() else []
        self.members_, apart = self._learn_all(X, y, rows, splits)
        self.weights_ = self._given_shares(len(self.members_))
        self.__dict__.pop("certificate_", None)
        if splits:
            right = []
            for members, (_, test) in zip(apart, splits):
                part, codes = X[test.rows], y[test.rows]
                said = [member.probabilities(part, len(self.classes_)) for member in members]
                right.append(np.column_stack([each[np.arange(len(codes)), codes] for each in said]))
            self.weights_, self.certificate_ = mixture_shares(np.vstack(right), held_out_rows(splits)[1])

    def votes(self, X: TableLike) -> np.ndarray:
        """What each member answers: a row for each case, a column for each member."""
        return self.classes_[self._voted(self._encoded(X, "votes"))]

    def _voted(self, X: Encoded) -> np.ndarray:
        return np.column_stack([member.answers(X) for member in self.members_])

    def _scores(self, X: Encoded) -> np.ndarray:
        n_classes = len(self.classes_)
        found = np.zeros((X.shape[0], n_classes))
        if self.voting_ == "soft":
            for share, member in zip(self.weights_, self.members_):
                if share > 0:
                    found += share * member.probabilities(X, n_classes)
            return found
        for share, codes in zip(self.weights_, self._voted(X).T):
            found[np.arange(len(codes)), codes] += share
        # Sums that differ in their last bits are equal votes, and go to the class with more weight in training.
        return np.round(found, DIGITS) + TIE * self._prior

    def _has_probabilities(self) -> bool:
        return self.__dict__.get("voting_", self.voting) == "soft" or (
            "voting_" not in self.__dict__ and self.voting == "auto" and not self._without("predict_proba")
        )

    @available_if(lambda self: not self._has_probabilities())
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The share of the votes for each class, and a billionth of its share in training; of two classes the second's
        less the first's."""
        votes = self._scores(self._encoded(X, "decision_function"))
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes


class VotingRegressor(_Weighed, CommitteeOfRegressors):
    r"""Different regressors answer together: the mean of what they say.

    Shares can be given, or learnt: those of the least squared error on rows that members had not learnt from, among
    all that add up to 1 (``certificate_`` bounds what others could gain).

    Parameters
    ----------
    estimators
        None is the nearest neighbours and a tree of depth 5.
    weights
        How much the word of each member counts, in the order of ``estimators``; ``"learnt"`` learns it; None is
        equally much.
    cv
        For learnt shares: a number of folds, splits, or a splitter.
    random_state
        Shuffles rows before they are dealt to folds; None leaves them as they stand.

    Attributes
    ----------
    members_
        The fitted members in the order of ``estimators``; ``named_members_`` has them by name.
    weights_
        The share of each member.
    certificate_
        Of learnt shares: their squared error on rows held out, a bound that no shares go below, the error of equal
        shares and of the best member alone.

    References
    ----------
    Breiman (1996), stacked regressions.

    Examples
    --------
    >>> import numpy as np
    >>> from margin import DecisionTreeRegressor, KNeighborsRegressor
    >>> x = np.linspace(0, 6, 80)[:, None]
    >>> members = [("near", KNeighborsRegressor(3)), ("tree", DecisionTreeRegressor(max_depth=2))]
    >>> model = VotingRegressor(members, weights="learnt").fit(x, np.sin(x[:, 0]))
    >>> model.certificate_.loss <= model.certificate_.best_alone
    True
    """

    def __init__(
        self,
        estimators: Estimators = None,
        *,
        weights: Weights = None,
        cv: Folds = 5,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        alike = np.zeros(len(y), dtype=np.int64)
        splits = (
            splits_of(self.cv, alike, rows, self.random_state, type(self).__name__) if self._learns_shares() else []
        )
        self.members_, apart = self._learn_all(X, y, rows, splits)
        self.weights_ = self._given_shares(len(self.members_))
        self.__dict__.pop("certificate_", None)
        if splits:
            said = np.vstack([self._said(members, X[test.rows]) for members, (_, test) in zip(apart, splits)])
            held, weight = held_out_rows(splits)
            self.weights_, self.certificate_ = squared_error_shares(said, y[held], weight)

    def _values(self, X: Encoded) -> np.ndarray:
        return self._said(self.members_, X) @ self.weights_
