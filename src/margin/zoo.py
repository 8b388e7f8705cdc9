"""The models that ``margin compare`` tries, each with settings that are sensible before any tuning.

To add a family, add its entries to ``_ENTRIES``; to put a model of your own on the leaderboard, call :func:`add`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from margin.data import Column, Table
from margin.errors import ParameterError, closest

__all__ = ["Entry", "OnTables", "add", "models", "names", "remove"]


@dataclass(frozen=True)
class Entry:
    """A model of the zoo.

    Parameters
    ----------
    name
        How it is called on the command line.
    make
        Gives a new, unfitted model.
    note
        What it is and why it has these settings, in one sentence.
    limit
        Most training rows it is tried on unless it is asked for by name; ``None`` for any number.
    title
        How it is called in sentences.
    """

    name: str
    make: Callable[[], Any]
    note: str = ""
    limit: int | None = None
    title: str = ""

    def model(self) -> Any:
        """A new model that takes tables, whatever it was made to take."""
        made = self.make()
        return made if getattr(made, "accepts_tables", False) else OnTables(made)


def models(names: Iterable[str] | None = None) -> tuple[Entry, ...]:
    """The entries of these names, in the order given; all of them without names.

    >>> [entry.name for entry in models(["majority", "knn"])]
    ['majority', 'knn']
    """
    if names is None:
        return tuple(_zoo.values())
    chosen: dict[str, Entry] = {}
    for name in names:
        if name not in _zoo:
            known = ", ".join(map(repr, _zoo))
            raise ParameterError(f"models={name!r}: must be one of {known}{closest(name, _zoo)}.")
        chosen[name] = _zoo[name]
    if not chosen:
        raise ParameterError(f"models: at least one must be named of {', '.join(map(repr, _zoo))}.")
    return tuple(chosen.values())


def names() -> tuple[str, ...]:
    """The names of all models.

    >>> "naive-bayes" in names()
    True
    """
    return tuple(_zoo)


def add(name: str, make: Callable[[], Any], *, note: str = "", limit: int | None = None, title: str = "") -> Entry:
    """Put a model on the leaderboard: any class or function that gives a scikit-learn classifier.

    A model that does not take tables itself (``accepts_tables``) sees nominal columns one-hot and missing
    numbers filled with the mean, both learnt on the training part.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> add("sklearn-tree", lambda: DecisionTreeClassifier(min_samples_leaf=5), note="scikit-learn's tree").name
    'sklearn-tree'
    >>> remove("sklearn-tree")
    """
    if name in _zoo:
        raise ParameterError(f"zoo.add(name={name!r}): there is such a model already (remove it first).")
    if not name or not all(letter.isalnum() or letter in "-_." for letter in name):
        raise ParameterError(f"zoo.add(name={name!r}): name must be made of letters, digits, '-', '_' and '.'.")
    if not callable(make):
        raise ParameterError(f"zoo.add(make={make!r}): make must be a class or function that gives a new model.")
    _zoo[name] = Entry(name, make, note, limit, title or name)
    return _zoo[name]


def remove(name: str) -> None:
    """Take a model out of the zoo."""
    del _zoo[models([name])[0].name]


def _make(home: str, class_name: str, **settings: Any) -> Any:
    return getattr(importlib.import_module(home), class_name)(**settings)


def _ours(home: str, class_name: str, **settings: Any) -> Callable[[], Any]:
    """Makes a model of margin; its module is loaded when the first one is made."""
    return partial(_make, home, class_name, **settings)


_ENTRIES = (
    Entry(
        "majority",
        _ours("margin.baseline", "MajorityClassifier"),
        "Always answers the most frequent class: what any other model has to beat.",
        title="Majority guess",
    ),
    Entry(
        "rote",
        _ours("margin.neighbors", "RoteClassifier"),
        "Knows by heart what it has seen and guesses the majority otherwise: shows how much repeats in the data.",
        title="Rote learner",
    ),
    Entry(
        "naive-bayes",
        _ours("margin.bayes", "NaiveBayes"),
        "Counts for nominal and a normal density for numeric columns; needs no settings and little data.",
        title="Naive Bayes",
    ),
    Entry(
        "knn",
        _ours("margin.neighbors", "KNeighborsClassifier", n_neighbors=15, scale="standard"),
        "Vote of the 15 nearest cases, enough to average noise out; columns scaled so that no unit drowns another.",
        limit=200_000,
        title="k-nearest neighbours",
    ),
)

_zoo: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def _has_probabilities(wrapper: OnTables) -> bool:
    return hasattr(getattr(wrapper, "estimator_", wrapper.estimator), "predict_proba")


class OnTables(ClassifierMixin, BaseEstimator):
    """Lets a classifier that wants a matrix of numbers take a table.

    Missing numbers become the mean of the training part, nominal columns one 0/1 column per level seen in
    training; levels not seen then are zeros throughout.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> table = Table.from_columns({"outlook": ["sunny", "rainy", "sunny"], "wind": [3.0, 9.0, None]})
    >>> OnTables(DecisionTreeClassifier()).fit(table, ["yes", "no", "yes"]).predict(table).tolist()
    ['yes', 'no', 'yes']
    """

    accepts_tables = True

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> OnTables:
        self.encodings_ = (
            [_Encoding.learnt(X, column) for column in X.inputs().schema] if isinstance(X, Table) else None
        )
        self.estimator_ = clone(self.estimator).fit(self._matrix(X), np.asarray(y))
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.estimator_.predict(self._matrix(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        return self.estimator_.predict_proba(self._matrix(X))

    def _matrix(self, X: Any) -> Any:
        if self.encodings_ is None or not isinstance(X, Table):
            return X
        return np.hstack([encoding.matrix(X) for encoding in self.encodings_])


@dataclass(frozen=True)
class _Encoding:
    """How one column becomes columns of numbers."""

    column: Column
    mean: float
    codes: np.ndarray

    @classmethod
    def learnt(cls, table: Table, column: Column) -> _Encoding:
        cells = table.cells(column.name)
        if column.is_numeric:
            known = cells[~np.isnan(cells)]
            return cls(column, float(known.mean()) if len(known) else 0.0, np.empty(0, dtype=np.int32))
        seen = np.unique(cells)
        return cls(column, 0.0, seen[seen >= 0])

    def matrix(self, table: Table) -> np.ndarray:
        if self.column.is_numeric:
            cells = table.cells(self.column.name)
            return np.where(np.isnan(cells), self.mean, cells)[:, None]
        if table.schema[self.column.name].levels == self.column.levels:
            cells = table.cells(self.column.name)
        else:
            places = {level: code for code, level in enumerate(self.column.levels)}
            cells = np.array([places.get(value, -1) for value in table.values(self.column.name)])
        return (cells[:, None] == self.codes).astype(np.float64)
