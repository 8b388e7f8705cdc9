"""A final model learns from what members say of rows that they had not learnt from."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from margin.base.meta.cross_fitting import splits_of
from margin.base.meta.inner_model import on_tables
from margin.base.meta.members import Member, learn_member
from margin.base.representations.representation import TrainingRows
from margin.data.rows import ready_for
from margin.data.table import Table
from margin.ensemble.committee.columns import with_columns
from margin.ensemble.committee.committee import (
    Committee,
    CommitteeOfClassifiers,
    CommitteeOfRegressors,
    Estimators,
    Folds,
    held_out_rows,
    listed_without,
    naming,
)
from margin.ensemble.committee.simplex import squared_error_shares
from margin.errors import ParameterError
from margin.params import Flag, Jobs, Rule, Seed, no_text
from margin.typing import Encoded

__all__ = ["StackingClassifier", "StackingRegressor"]


def _learns(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


Final = Annotated[Any, Rule("None or an estimator with fit and predict", _learns, no_text)]
#: What members are asked for, in this order where it is left open.
METHODS = ("predict_proba", "decision_function", "predict")


class _Stacked(Committee):
    """What both kinds of stacking share.

    Parameters
    ----------
    cv
        How rows are held out from members: a number of folds, splits, or a splitter.
    passthrough
        Whether the final model also sees the columns themselves.
    random_state
        Shuffles rows before they are dealt to folds; None leaves them as they stand.
    """

    final_estimator: Any
    passthrough: bool
    cv: Any
    random_state: Any

    def _final(self) -> Any:
        raise TypeError(f"{type(self).__name__} must say who has the last word.")

    def _final_rows(self, X: Encoded, said: np.ndarray) -> Encoded:
        """What the final model sees."""
        return with_columns(X, self.column_names_, said) if self._passes_columns else said

    def _final_on(self, X: Encoded) -> Any:
        return on_tables(self._final()) if self.passthrough and isinstance(X, Table) else self._final()

    column_names_: list[str]
    #: What ``passthrough`` was when the final model learnt.
    _passes_columns: bool


class StackingClassifier(_Stacked, CommitteeOfClassifiers):
    """A final classifier learns from the answers of others which of them to trust, and when.

    Members answer rows that they had not learnt from, fold by fold; these answers are the columns of the final model,
    which so learns from errors like those that it will meet. Members are then fitted to all rows. Costs a fit for each
    member and fold, and one more for each member.

    Parameters
    ----------
    estimators
        None is logistic regression, naive Bayes and a tree of depth 5.
    final_estimator
        Learns from the answers; None is logistic regression.
    stack_method
        What members are asked for: ``"predict_proba"``, ``"decision_function"``, ``"predict"``; ``"auto"`` takes the
        first that a member has. Of two classes a member gives one column, else one for each class.

    Attributes
    ----------
    members_
        The fitted members in the order of ``estimators``; ``named_members_`` has the models by name.
    final_
        The fitted final classifier, a member too: ``final_.model``.
    column_names_
        What the columns of the final model stand for.

    References
    ----------
    Wolpert (1992); Ting, Witten (1999) for probabilities as columns.

    Examples
    --------
    >>> from margin import KNeighborsClassifier, LinearSVC, NaiveBayes
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = StackingClassifier([("bayes", NaiveBayes()), ("svm", LinearSVC())]).fit(X, y)
    >>> model.column_names_[:4]
    ['bayes: Iris-setosa', 'bayes: Iris-versicolor', 'bayes: Iris-virginica', 'svm: Iris-setosa']
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        estimators: Estimators = None,
        final_estimator: Final = None,
        *,
        cv: Folds = 5,
        stack_method: Literal["auto", "predict_proba", "decision_function", "predict"] = "auto",
        passthrough: Flag = False,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.passthrough = passthrough
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _final(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        from margin.linear.logistic.regression import LogisticRegression

        return LogisticRegression()

    def _methods(self) -> list[str]:
        """What each member is asked for."""
        if self.stack_method == "auto":
            return [next(each for each in METHODS if hasattr(model, each)) for _, model in self._named()]
        silent = self._without(self.stack_method)
        if silent:
            who = f"StackingClassifier(stack_method={self.stack_method!r})"
            raise listed_without(silent, self.stack_method, who, "stack_method='auto' asks each for what it has")
        return [self.stack_method] * len(self._named())

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self.methods_, self._passes_columns = self._methods(), bool(self.passthrough)
        splits = splits_of(self.cv, y, rows, self.random_state, type(self).__name__)
        self.members_, apart = self._learn_all(X, y, rows, splits)
        labels = self.classes_.tolist()
        shown = labels[1:] if len(labels) == 2 else labels
        self.column_names_ = [f"{name}: {label}" for name, _ in self._named() for label in shown]
        if splits:
            said = np.vstack([self._said(members, X[test.rows]) for members, (_, test) in zip(apart, splits)])
            held, weight = held_out_rows(splits)
            seen, codes = X[held] if self.passthrough else X, y[held]
        else:  # not one class has two rows: nothing can be held out
            said, seen, codes, weight, held = self._said(self.members_, X), X, y, rows.weights(), None
        learn = partial(learn_member, self._final_on(X), self._final_rows(seen, said), codes)
        with naming(type(self).__name__, "final_estimator"):
            weighed = None if rows.weight is None else weight
            self.final_ = learn(weighed, type(self).__name__, rows.groups_of(held))

    def _said(self, members: list[Member], X: Encoded) -> np.ndarray:
        return np.hstack([self._columns_of(member, how, X) for member, how in zip(members, self.methods_)])

    def _columns_of(self, member: Member, method: str, X: Encoded) -> np.ndarray:
        """What a member says: of two classes one column, about the second, else one for each class."""
        n_classes, who = len(self.classes_), type(self).__name__
        if method == "predict_proba" or member.model is None:
            found = member.probabilities(X, n_classes)
        elif method == "decision_function":
            found = member.decisions(X, n_classes, who)
            least = np.where(np.isfinite(found), found, np.inf).min(axis=1, initial=np.inf, keepdims=True)
            found = np.where(np.isfinite(found), found, np.minimum(least, 0.0))  # classes that it does not know
        else:
            found = np.zeros((X.shape[0], n_classes))
            if X.shape[0]:
                answered = np.asarray(member.model.predict(ready_for(member.model, X)), dtype=np.intp)
                found[np.arange(len(answered)), answered] = 1.0
        return found[:, 1:] if n_classes == 2 else found

    def _scores(self, X: Encoded) -> np.ndarray:
        said = self._final_rows(X, self._said(self.members_, X))
        n_classes, who = len(self.classes_), type(self).__name__
        if self._has_probabilities():
            return self.final_.probabilities(said, n_classes)
        if self.final_.model is None or hasattr(self.final_.model, "decision_function"):
            return self.final_.decisions(said, n_classes, who)
        found = np.zeros((said.shape[0], n_classes))
        if said.shape[0]:
            found[np.arange(said.shape[0]), np.asarray(self.final_.model.predict(said), dtype=np.intp)] = 1.0
        return found

    def _has_probabilities(self) -> bool:
        final = self.__dict__.get("final_")
        return hasattr(self._final() if final is None or final.model is None else final.model, "predict_proba")


class StackingRegressor(_Stacked, CommitteeOfRegressors):
    """A final regressor learns from the answers of others.

    Members answer rows that they had not learnt from, fold by fold; these answers are the columns of the final model.
    Members are then fitted to all rows. Costs a fit for each member and fold, and one more for each member.

    Parameters
    ----------
    estimators
        None is the nearest neighbours and a tree of depth 5.
    final_estimator
        Learns from the answers; None is their mean with the shares of the least squared error, which is what
        ``VotingRegressor(weights="learnt")`` does.

    Attributes
    ----------
    members_
        The fitted members in the order of ``estimators``; ``named_members_`` has them by name.
    final_
        The fitted final regressor, or None.
    weights_
        Without a final regressor, the share of each member.
    column_names_
        What the columns of the final model stand for.

    References
    ----------
    Wolpert (1992); Breiman (1996).

    Examples
    --------
    >>> import numpy as np
    >>> from margin import DecisionTreeRegressor, KNeighborsRegressor
    >>> x = np.linspace(0, 6, 80)[:, None]
    >>> members = [("near", KNeighborsRegressor(3)), ("tree", DecisionTreeRegressor(max_depth=2))]
    >>> StackingRegressor(members).fit(x, np.sin(x[:, 0])).score(x, np.sin(x[:, 0])) > 0.9
    True
    """

    def __init__(
        self,
        estimators: Estimators = None,
        final_estimator: Final = None,
        *,
        cv: Folds = 5,
        passthrough: Flag = False,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.passthrough = passthrough
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        if self.final_estimator is None and self.passthrough:
            raise ParameterError(
                "StackingRegressor(passthrough=True): shares are of answers alone, so a final_estimator must be given."
            )
        self._passes_columns = bool(self.passthrough)
        alike = np.zeros(len(y), dtype=np.int64)
        splits = splits_of(self.cv, alike, rows, self.random_state, type(self).__name__)
        self.members_, apart = self._learn_all(X, y, rows, splits)
        self.column_names_ = [name for name, _ in self._named()]
        if splits:
            said = np.vstack([self._said(members, X[test.rows]) for members, (_, test) in zip(apart, splits)])
            held, weight = held_out_rows(splits)
            seen, targets = X[held] if self.passthrough else X, y[held]
        else:  # a single row: nothing can be held out
            said, seen, targets, weight, held = self._said(self.members_, X), X, y, rows.weights(), None
        self.__dict__.pop("weights_", None)
        if self.final_estimator is None:
            self.final_, self.weights_ = None, squared_error_shares(said, targets, weight)[0]
            return
        with naming(type(self).__name__, "final_estimator"):
            weighed = None if rows.weight is None else weight
            final_rows = self._final_rows(seen, said)
            self.final_ = self._member(self._final_on(X), final_rows, targets, weighed, rows.groups_of(held))

    def _final(self) -> Any:
        return self.final_estimator

    def _values(self, X: Encoded) -> np.ndarray:
        said = self._said(self.members_, X)
        if self.final_ is None:
            return said @ self.weights_
        if not X.shape[0]:
            return np.empty(0)
        seen = self._final_rows(X, said)
        return np.asarray(self.final_.predict(ready_for(self.final_, seen)), dtype=np.float64)
