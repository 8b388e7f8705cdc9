"""What committees share: named members of different kinds, how they learn, and what they say of rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Annotated, Any, Self

import numpy as np

from margin.base import AsGiven, Regressor
from margin.base.meta import members
from margin.base.meta.inner_model import Folds, on_tables
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.meta.members import Member, learn_member, learn_model, together
from margin.base.meta.probabilities import HasProbabilities
from margin.base.representations.representation import TrainingRows
from margin.data.rows import ready_for
from margin.data.splits import Split
from margin.data.table import Table
from margin.errors import ParameterError, listing
from margin.params import Rule, no_text
from margin.typing import Encoded

__all__ = ["Committee", "CommitteeOfClassifiers", "CommitteeOfRegressors", "Estimators", "Folds", "held_out_rows"]


def _is_member(value: object) -> bool:
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict")


def _is_named(value: object) -> bool:
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    return pair and isinstance(value[0], str) and _is_member(value[1])  # type: ignore[index]


def _is_committee(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(map(_is_named, value))


Estimators = Annotated[
    Any, Rule("None or a list of pairs (name, estimator), each estimator with fit and predict", _is_committee, no_text)
]


class Committee(KeepsGroups):
    """A model made of different ones, each called by its name.

    Parameters
    ----------
    estimators
        Pairs of a name and an unfitted estimator, of margin or of scikit-learn; one that takes no tables gets them
        through ``TableEncoder``. Parameters of members are ``name__parameter`` in ``set_params`` and searches.
    n_jobs
        Fits at once, in threads; None for as many as there are cores, which they share. Results do not depend on it.
    """

    representation = AsGiven(surveyed=True)
    estimators: Any
    n_jobs: Any

    def _default_members(self) -> list[tuple[str, Any]]:
        raise TypeError(f"{type(self).__name__} must say who is in a committee that nobody named.")

    def _named(self) -> list[tuple[str, Any]]:
        given = self._default_members() if self.estimators is None else self.estimators
        return [(name, model) for name, model in given]

    def _check_names(self) -> None:
        names = [name for name, _ in self._named()]
        own = set(type(self)._get_param_names())
        wrong = [name for name in names if "__" in name or name in own or names.count(name) > 1 or not name]
        if wrong:
            raise ParameterError(
                f"{type(self).__name__}(estimators=…): names must differ from each other and from the parameters of "
                f"{type(self).__name__}, and hold no '__', but {listing(sorted(set(wrong)))} does not."
            )

    # ---- Parameters of members, as scikit-learn names them.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; ``deep`` adds members by their names, and their parameters as ``name__parameter``."""
        found = super().get_params(deep)
        for name, model in self._given() if deep else ():
            found[name] = model
            found.update({f"{name}__{key}": value for key, value in model.get_params(deep=True).items()})
        return found

    def _given(self) -> list[tuple[str, Any]]:
        """The members that were named and have parameters."""
        named = self.estimators if self.estimators is not None and _is_committee(self.estimators) else ()
        return [(name, model) for name, model in named if hasattr(model, "get_params")]

    def set_params(self, **params: Any) -> Self:
        """Set parameters, members by their names, and parameters of members as ``name__parameter``."""
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        if any(name in params for name, _ in self._given()):
            self.estimators = [(name, params.pop(name, model)) for name, model in self.estimators]
        named = dict(self._given())
        for key in [key for key in params if key.partition("__")[0] in named]:
            name, _, inner = key.partition("__")
            named[name].set_params(**{inner: params.pop(key)})
        return super().set_params(**params)

    # ---- Learning.

    def _ready(self, X: Encoded) -> list[tuple[str, Any]]:
        self._check_names()
        return [(name, on_tables(model) if isinstance(X, Table) else model) for name, model in self._named()]

    def _learn_all(self, X: Encoded, y: np.ndarray, rows: TrainingRows, splits: Sequence[Split]) -> Any:
        """All members from all rows, and then each of them for each split from its training part.

        Gives the members, and for each split a list of members.
        """
        named = self._ready(X)
        tasks = [partial(self._learn_one, name, model, X, y, rows, None) for name, model in named]
        tasks += [
            partial(self._learn_one, name, model, X, y, rows, train) for train, _ in splits for name, model in named
        ]
        found = together(tasks, self.n_jobs, X)
        n = len(named)
        return found[:n], [found[i : i + n] for i in range(n, len(found), n)]

    def _learn_one(self, name: str, model: Any, X: Encoded, y: np.ndarray, rows: TrainingRows, part: Any) -> Any:
        with naming(type(self).__name__, name):
            if part is None:
                return self._member(model, X, y, rows.weight, rows.groups)
            weight = part.weight if rows.weight is None else part.weights
            return self._member(model, X[part.rows], y[part.rows], weight, rows.groups_of(part.rows))

    def _member(
        self, model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> Any:
        raise TypeError(f"{type(self).__name__} must say how a member learns.")

    def _models(self) -> list[Any]:
        """The fitted models inside."""
        return []

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        inner = [get_tags(model).input_tags for _, model in self._named() if _is_member(model)]
        tags.input_tags.positive_only = any(each.positive_only for each in inner)
        return tags


def naming(who: str, name: str) -> AbstractContextManager[None]:
    """A member that fails is named in the error."""
    return members.naming(who, f"member {name!r}", "estimators")


class CommitteeOfClassifiers(Committee, HasProbabilities):
    """Members that learn classes, as the codes 0, 1, …."""

    members_: list[Member]

    def _default_members(self) -> list[tuple[str, Any]]:
        from margin.bayes.naive import NaiveBayes
        from margin.linear.logistic.regression import LogisticRegression
        from margin.tree.decision_tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(max_depth=5, min_samples_leaf=5)
        return [("logistic", LogisticRegression(scale="standard")), ("naive_bayes", NaiveBayes()), ("tree", tree)]

    def _member(
        self, model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> Member:
        return learn_member(model, X, y, weight, type(self).__name__, groups)

    def _models(self) -> list[Any]:
        return [member.model for member in self.__dict__.get("members_", ()) if member.model is not None]

    @property
    def named_members_(self) -> dict[str, Any]:
        """The fitted classifiers by their names; None where all rows were of one class."""
        return {name: member.model for (name, _), member in zip(self._named(), self._fitted("named_members_").members_)}

    def _without(self, method: str) -> list[str]:
        """The names of members that lack a method."""
        return [name for name, model in self._named() if not hasattr(model, method)]


class CommitteeOfRegressors(Committee, Regressor):
    """Members that learn numbers."""

    members_: list[Any]

    def _default_members(self) -> list[tuple[str, Any]]:
        from margin.neighbors import KNeighborsRegressor
        from margin.tree.regression_tree import DecisionTreeRegressor

        near = KNeighborsRegressor(weights="inverse_square", scale="standard")
        return [("neighbors", near), ("tree", DecisionTreeRegressor(max_depth=5, min_samples_leaf=5))]

    def _member(
        self, model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> Any:
        return learn_model(model, X, y, weight, type(self).__name__, groups)

    def _models(self) -> list[Any]:
        return list(self.__dict__.get("members_", ()))

    @property
    def named_members_(self) -> dict[str, Any]:
        """The fitted regressors by their names."""
        return {name: member for (name, _), member in zip(self._named(), self._fitted("named_members_").members_)}

    def _said(self, members: Sequence[Any], X: Encoded) -> np.ndarray:
        """A column for each member."""
        if not X.shape[0]:
            return np.empty((0, len(members)))
        answers = [np.asarray(each.predict(ready_for(each, X)), dtype=np.float64) for each in members]
        return np.column_stack([each.reshape(X.shape[0]) for each in answers])


def held_out_rows(splits: Sequence[Split]) -> tuple[np.ndarray, np.ndarray]:
    """The rows that splits hold out, one split after another, and their weights there."""
    rows = np.concatenate([test.rows for _, test in splits])
    return rows, np.concatenate([test.weights for _, test in splits])


def listed_without(names: Sequence[str], method: str, who: str, hint: str) -> ParameterError:
    """The refusal of members that lack a method."""
    return ParameterError(f"{who}: {listing(list(names))} must have {method}, but has none ({hint}).")
