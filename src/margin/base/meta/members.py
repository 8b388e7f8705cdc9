"""Members: models fitted to some rows, classifiers to codes 0, 1, …, many of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from sklearn.utils import get_tags

from margin import parallel
from margin.base.meta.inner_model import last_step, weights_for
from margin.base.sklearn_classes import clone
from margin.data.rows import ready_for
from margin.data.weights import group_arguments
from margin.errors import ConstantColumnWarning, MarginError, ParameterError, hushed
from margin.typing import Encoded

__all__ = ["Kind", "Member", "learn_member", "learn_model", "naming", "one_by_one", "together"]

#: What members are asked for: the probability of each code, or scores of which the largest wins.
Kind = Literal["probability", "decision"]
Result = TypeVar("Result")
#: Cells of a table on which a fit is over before threads pay.
SMALL = 20_000


class Member:
    """A classifier that was fitted to codes, or none where all its rows had one code.

    ``places`` says which codes it knows, in the order of its columns.
    """

    def __init__(self, model: Any, places: np.ndarray) -> None:
        self.model = model
        self.places = places

    def probabilities(self, X: Encoded, n_codes: int) -> np.ndarray:
        """The probability of each code; 0 for those it does not know."""
        found = np.zeros((X.shape[0], n_codes))
        if self.model is None:
            found[:, self.places] = 1.0
        elif X.shape[0]:
            found[:, self.places] = self.model.predict_proba(ready_for(self.model, X))
        return found

    def answers(self, X: Encoded) -> np.ndarray:
        """The code of each row."""
        if self.model is None:
            return np.full(X.shape[0], self.places[0])
        if not X.shape[0]:
            return np.empty(0, dtype=np.intp)
        return np.asarray(self.model.predict(ready_for(self.model, X)), dtype=np.intp)

    def decisions(self, X: Encoded, n_codes: int, who: str) -> np.ndarray:
        """A score for each code; minus infinity for those it does not know, plus infinity for the only one it knows."""
        found = np.full((X.shape[0], n_codes), -np.inf)
        if self.model is None:
            found[:, self.places] = np.inf
        elif X.shape[0]:
            given = np.asarray(self.model.decision_function(ready_for(self.model, X)), dtype=np.float64)
            if given.ndim == 1 or given.shape[1] == 1:
                given = given.reshape(-1, 1) * np.array([-1.0, 1.0])
            if given.shape[1] != len(self.places):
                raise ParameterError(
                    f"{who}(estimator={self.model!r}): decision_function must give one column for each of the "
                    f"{len(self.places)} classes, not {given.shape[1]}."
                )
            found[:, self.places] = given
        return found

    def scores(self, X: Encoded, n_codes: int, kind: Kind, who: str) -> np.ndarray:
        return self.probabilities(X, n_codes) if kind == "probability" else self.decisions(X, n_codes, who)

    def yes(self, X: Encoded, kind: Kind, who: str) -> np.ndarray:
        """Of codes 0 and 1: the probability of 1, or a score above 0 where it is the answer."""
        if kind == "probability":
            return self.probabilities(X, 2)[:, 1]
        if self.model is None:
            return np.full(X.shape[0], np.inf if self.places[0] == 1 else -np.inf)
        no, yes = self.decisions(X, 2, who).T
        # One number of two classes came as its negative and itself.
        return yes if np.array_equal(no, -yes) else yes - no


#: Why weights are refused.
CANNOT = "so it cannot learn weighted rows as a member"


def learn_member(
    model: Any, X: Encoded, codes: np.ndarray, weight: np.ndarray | None, who: str, groups: np.ndarray | None = None
) -> Member:
    """A fresh copy of a classifier fitted to the codes of some rows; constant columns were warned of before."""
    known = np.unique(codes)
    if len(known) == 1:
        return Member(None, known.astype(np.intp))
    fresh = learn_model(model, X, codes, weight, who, groups)
    found = getattr(last_step(fresh), "classes_", None)
    if found is None and hasattr(fresh, "__sklearn_tags__") and get_tags(fresh).estimator_type == "regressor":
        raise ParameterError(f"{type(last_step(model)).__name__} must be a classifier, and answers numbers")
    return Member(fresh, np.asarray(known if found is None else found).astype(np.intp))


def learn_model(
    model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, who: str, groups: np.ndarray | None = None
) -> Any:
    """A fresh copy of a model fitted to the targets of some rows, with their groups if it cuts folds of its own."""
    fresh = clone(model)
    settings = {} if weight is None else weights_for(fresh, weight, who, CANNOT)
    settings |= group_arguments(fresh, groups)
    with hushed(ConstantColumnWarning):
        return fresh.fit(ready_for(fresh, X), y, **settings)


@contextmanager
def naming(who: str, member: str, parameter: str) -> Iterator[None]:
    """A member that fails is named in the error; ``parameter`` is the one that it was given as."""
    try:
        yield
    except MarginError as error:
        if str(error).startswith(who):
            raise
        raise type(error)(f"{who}: {member}: {error}") from error
    except (ValueError, TypeError, ArithmeticError, AttributeError, IndexError, KeyError) as error:
        raise ParameterError(
            f"{who}({parameter}=…): {member} cannot learn these rows ({type(error).__name__}: {error})."
        ) from error


def one_by_one(tasks: Sequence[Callable[[], Result]], n_jobs: int | None, X: Encoded) -> Iterator[Result]:
    """What tasks on rows X give, in their order, as they are done; side by side they share the threads of one.

    Where nobody asked for a number of jobs, tasks on few rows come one after another: they are short, and threads would
    spend their time waiting for the interpreter.
    """
    if n_jobs is None and X.shape[0] * X.shape[1] < SMALL:
        n_jobs = 1
    return parallel.side_by_side([partial(_hushed, task) for task in tasks], len(tasks), n_jobs)


def together(tasks: Sequence[Callable[[], Result]], n_jobs: int | None, X: Encoded) -> list[Result]:
    """All that tasks on rows X give, in their order."""
    return list(one_by_one(tasks, n_jobs, X))


def _hushed(task: Callable[[], Result]) -> Result:
    with hushed(ConstantColumnWarning):
        return task()
