"""What models made of members share: which classifier they are made of, what it can say, and how members learn."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from margin.base import AsGiven
from margin.base.meta.inner_model import last_step, on_tables
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.meta.members import Kind, Member, learn_member, together
from margin.base.meta.probabilities import HasProbabilities
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import clone
from margin.bayes.naive import NaiveBayes
from margin.data.table import Table
from margin.errors import InputError, ParameterError
from margin.typing import Encoded

__all__ = ["Strategy", "inner_name"]


class Strategy(KeepsGroups, HasProbabilities):
    """A classifier made of classifiers of fewer classes.

    Parameters
    ----------
    estimator
        The classifier, of margin or of scikit-learn; None is ``NaiveBayes()``. One that takes no tables gets them
        through ``TableEncoder``. Members see their labels as the numbers 0, 1, ….
    n_jobs
        Members that learn at once, in threads; None for as many as there are cores, which they share. Results do not
        depend on it.
    """

    representation = AsGiven(surveyed=True)
    estimator: Any
    n_jobs: Any

    def _inner(self) -> Any:
        return NaiveBayes() if self.estimator is None else self.estimator

    def _models(self) -> list[Any]:
        """The fitted classifiers inside."""
        return [member.model for member in self._members() if member.model is not None]

    def with_models(self, change: Callable[[Any], Any]) -> Any:
        """A copy in which each fitted classifier inside is what ``change`` makes of it."""
        made = copy.deepcopy(self)
        for member in made._members():
            member.model = None if member.model is None else change(member.model)
        return made

    def _members(self) -> list[Member]:
        """All members, fitted or constant."""
        return []

    def _asked_model(self) -> Any:
        """A classifier to look at for what members can say: a fitted one, if there is one."""
        return next(iter(self._models()), None) or self._inner()

    def _has_probabilities(self) -> bool:
        return hasattr(self._asked_model(), "predict_proba")

    def _kind(self) -> Kind:
        return "probability" if self._has_probabilities() else "decision"

    def _learn(
        self, X: Encoded, parts: Sequence[tuple[np.ndarray | None, np.ndarray]], rows: TrainingRows
    ) -> list[Member]:
        """A member for each part: some of the rows (None: all), and their codes."""
        who = type(self).__name__
        self._refuse_pairwise(any(chosen is not None for chosen, _ in parts))
        model = on_tables(self._inner()) if isinstance(X, Table) else self._inner()
        tasks = []
        for chosen, codes in parts:
            weight = rows.weight if chosen is None or rows.weight is None else rows.weight[chosen]
            tasks.append(partial(_learn_part, model, X, chosen, codes, weight, rows.groups_of(chosen), who))
        try:
            return together(tasks, self.n_jobs, X)
        except InputError:
            clone(model).fit(X, np.arange(X.shape[0]) % 2)  # refuses the same cell, and names its row as it was given
            raise

    def _refuse_pairwise(self, takes_parts: bool) -> None:
        if takes_parts and get_tags(self._inner()).input_tags.pairwise:
            raise ParameterError(
                f"{type(self).__name__}(estimator={self._inner()!r}): members learn from some of the rows, of which a "
                "kernel matrix has no columns (OneVsRest takes one)."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags.positive_only = inner.input_tags.positive_only
        tags.input_tags.pairwise = inner.input_tags.pairwise
        return tags


def _learn_part(
    model: Any,
    X: Encoded,
    chosen: np.ndarray | None,
    codes: np.ndarray,
    weight: np.ndarray | None,
    groups: np.ndarray | None,
    who: str,
) -> Member:
    return learn_member(model, X if chosen is None else X[chosen], codes, weight, who, groups)


def inner_name(model: Any) -> str:
    return type(last_step(model)).__name__
