"""Fewer training rows: condensing keeps what the borders need, editing drops what its neighbours outvote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.data.labels import label_array
from margin.data.rows import count_rows, take_rows
from margin.errors import InputError, LabelError, ParameterError, listing
from margin.neighbors.distances import GIVEN
from margin.neighbors.indexes.given import GivenDistances
from margin.neighbors.knn import KNeighborsClassifier
from margin.neighbors.search import take_rows as take_prepared
from margin.neighbors.voting.counting import left_out_elections
from margin.params import Count, rule_of
from margin.random import generator
from margin.typing import LabelsLike, SeedLike, TableLike

__all__ = ["Prototypes", "condense", "edit"]


@dataclass(frozen=True)
class Prototypes:
    """The training rows that were kept, and what they answer.

    Attributes
    ----------
    rows
        The numbers of the rows that were kept, ascending.
    n_rows
        How many there were.
    how
        ``"condensing"`` or ``"editing"``.
    passes
        How many rows were kept after each pass; the last one changed nothing, or was the last one asked for.
    lost
        Classes of which no row is left.
    model
        The neighbours fitted to the rows that were kept. After ``metric="precomputed"`` it takes distances from these.
    right
        The share of all given rows that it answers rightly, those among them that it keeps included.
    accuracy, accuracy_of_all
        On the validation rows: of the rows kept, and of all rows. None without such rows.
    """

    rows: np.ndarray
    n_rows: int
    how: str
    passes: tuple[int, ...]
    lost: tuple[Any, ...]
    model: KNeighborsClassifier
    right: float
    accuracy: float | None
    accuracy_of_all: float | None

    def take(self, X: TableLike, y: LabelsLike) -> tuple[Any, np.ndarray]:
        """The rows that were kept and their labels, out of all of them."""
        labels = label_array(y, "Prototypes.take")
        if count_rows(X) != self.n_rows or len(labels) != self.n_rows:
            raise InputError(f"Prototypes.take: X and y must be the {self.n_rows} rows that were chosen from.")
        return take_rows(X, self.rows), labels[self.rows]

    def __str__(self) -> str:
        n = len(self.passes)
        lines = [
            f"{self.how}: {len(self.rows):,} of {self.n_rows:,} rows kept ({len(self.rows) / self.n_rows:.1%}) after "
            f"{n} pass{'es' if n > 1 else ''}, which answer {self.right:.1%} of all rows rightly"
        ]
        if self.lost:
            lines.append(f"  no row is left of {listing([str(label) for label in self.lost])}")
        if self.accuracy is not None:
            lines.append(f"  accuracy on other rows: {self.accuracy:.1%}, with all rows {self.accuracy_of_all:.1%}")
        return "\n".join(lines)


def condense(
    X: TableLike,
    y: LabelsLike,
    model: KNeighborsClassifier | None = None,
    *,
    random_state: SeedLike = None,
    validation: tuple[Any, Any] | None = None,
) -> Prototypes:
    """Keep rows by which one neighbour answers all others rightly (Hart's condensed nearest neighbours).

    Rows are visited one after the other; each that the nearest of those kept so far would answer wrongly is kept
    too, until a pass keeps none. What is left are rows along the borders of the classes and a few inside. Rows that
    overlap another class are kept as well: :func:`edit` before takes them out. Equally near rows are counted as the
    model counts them, and how columns are scaled is learnt from all rows. O(kept · n d) time.

    Parameters
    ----------
    X, y
        The training rows and their labels.
    model
        An unfitted ``KNeighborsClassifier(1, …)`` that says how rows are compared; None compares numbers as they are.
    random_state
        Visits rows in random order; None visits them as they stand.
    validation
        Rows and labels that were not learnt from, on which the rows kept are compared with all of them.

    References
    ----------
    Hart (1968).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> print(condense(X, y))
    condensing: 24 of 150 rows kept (16.0%) after 6 passes, which answer 100.0% of all rows rightly
    """
    asked = _fitted(model, 1, X, y, "condense")
    if asked.n_neighbors != 1:
        raise ParameterError(
            f"condense(model=KNeighborsClassifier({asked.n_neighbors})): condensing asks one neighbour; "
            "take KNeighborsClassifier(1)."
        )
    n = len(asked._order)
    visited = np.argsort(asked._order)  # places, in the order in which rows were given
    if random_state is not None:
        visited = visited[generator(random_state, "condense").permutation(n)]
    store, passes = _Store(asked), [0]
    while len(passes) == 1 or passes[-1] > passes[-2]:
        at = 0
        while at < n:
            step = int(store.wrong[visited[at:]].argmax())
            if not store.wrong[visited[at + step]]:
                break
            at += step
            store.keep(int(visited[at]))
            at += 1
        passes.append(int(store.kept.sum()))
    rows = np.sort(asked._order[store.kept])
    return _result("condensing", asked, X, y, rows, tuple(passes[1:]), validation)


def edit(
    X: TableLike,
    y: LabelsLike,
    model: KNeighborsClassifier | None = None,
    *,
    rounds: int | None = 1,
    validation: tuple[Any, Any] | None = None,
) -> Prototypes:
    """Drop rows whose nearest others say another class (Wilson's edited nearest neighbours).

    That takes out mislabelled rows and smooths the borders, as a larger k would, for models that ask one neighbour. All
    rows are judged before any is dropped. Few rows are dropped where classes are apart, and small classes may vanish
    where they overlap (``lost`` says which).

    Parameters
    ----------
    X, y
        The training rows and their labels.
    model
        An unfitted :class:`KNeighborsClassifier` that judges; None is one of three neighbours.
    rounds
        How often; None until nothing is dropped any more (Tomek's repeated editing).
    validation
        Rows and labels that were not learnt from, on which the rows kept are compared with all of them.

    References
    ----------
    Wilson (1972); Tomek (1976).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> print(edit(X, y))
    editing: 144 of 150 rows kept (96.0%) after 1 pass, which answer 97.3% of all rows rightly
    """
    if rounds is not None and not rule_of(Count).accepts(rounds):
        raise ParameterError(f"edit(rounds={rounds!r}): rounds must be None or {rule_of(Count).words}.")
    judge = asked = _fitted(model, 3, X, y, "edit")
    labels = label_array(y, "edit")
    rows = np.arange(asked._n_given)
    passes: list[int] = []
    while rounds is None or len(passes) < rounds:
        if len(rows) < 2:
            raise InputError("edit: X must have at least two rows in every round, so that others can judge each.")
        right = left_out_elections(judge).codes == judge._targets
        rows = rows[np.sort(judge._order[right])]
        passes.append(len(rows))
        if not len(rows):
            raise InputError("edit: no row agrees with its neighbours, and none would be left.")
        if right.all():
            break
        if rounds is None or len(passes) < rounds:
            judge = clone(asked).fit(_cut(asked, X, rows, rows), labels[rows])
    return _result("editing", asked, X, y, rows, tuple(passes), validation)


class _Store:
    """The rows kept so far, by place: how far the nearest of them is from each row, and what the nearest say."""

    def __init__(self, model: KNeighborsClassifier) -> None:
        n, n_classes = len(model._order), len(model.classes_)
        self.model, self.codes = model, model._targets
        self.prepared = model._index.rows()
        self.kept, self.wrong = np.zeros(n, dtype=bool), np.ones(n, dtype=bool)
        self.nearest = np.full(n, np.inf)
        self.votes, self.totals = np.zeros((n, n_classes)), np.zeros(n_classes)

    def keep(self, place: int) -> None:
        """Keep one more row, and judge anew the rows that it changes something for."""
        distance, code = self._distances(place), self.codes[place]
        self.votes[distance < self.nearest] = 0.0
        near = distance <= self.nearest
        self.votes[near, code] += 1.0
        self.totals[code] += 1.0
        self.nearest = np.minimum(self.nearest, distance)
        self.kept[place] = True
        most = self.votes == self.votes.max(axis=1, keepdims=True)
        # Of equal votes the class with more rows wins, which changes with every row.
        some = np.flatnonzero(near | (np.count_nonzero(most, axis=1) > 1))
        winner = np.where(most[some], self.totals, -1.0).argmax(axis=1)
        self.wrong[some] = winner != self.codes[some]
        self.wrong[self.kept] = False

    def _distances(self, place: int) -> np.ndarray:
        """Of all rows from one of them, as the index measures them."""
        index = self.model._index
        if isinstance(index, GivenDistances):
            return index.cells[:, place]
        query = take_prepared(self.prepared, np.array([place]))
        _, distance, found = index.within(query, np.inf, self.model._threads())
        by_place = np.empty(len(distance))
        by_place[found] = distance
        return by_place


def _fitted(model: KNeighborsClassifier | None, k: int, X: TableLike, y: LabelsLike, who: str) -> KNeighborsClassifier:
    if model is not None and not isinstance(model, KNeighborsClassifier):
        raise ParameterError(f"{who}(model={model!r}): model must be a KNeighborsClassifier, which need not be fitted.")
    made = KNeighborsClassifier(k) if model is None else clone(model)
    made.fit(X, y)
    if made.outputs_2d_:
        raise LabelError(f"{who}: y must be one label per row, not several.")
    return made


def _cut(model: KNeighborsClassifier, X: TableLike, rows: np.ndarray, columns: np.ndarray) -> Any:
    """Some rows; of a matrix of distances only those from some training rows."""
    return np.asarray(X)[np.ix_(rows, columns)] if model.metric == GIVEN else take_rows(X, rows)


def _result(
    how: str,
    asked: KNeighborsClassifier,
    X: TableLike,
    y: LabelsLike,
    rows: np.ndarray,
    passes: tuple[int, ...],
    more: Any,
) -> Prototypes:
    who = "condense" if how == "condensing" else "edit"
    labels = label_array(y, who)
    model = clone(asked).fit(_cut(asked, X, rows, rows), labels[rows])
    everything = np.arange(len(labels))
    right = float(np.mean(model.predict(_cut(asked, X, everything, rows)) == labels))
    lost = tuple(label for label in asked.classes_.tolist() if label not in set(model.classes_.tolist()))
    accuracy = of_all = None
    if more is not None:
        if not isinstance(more, (tuple, list)) or len(more) != 2:
            raise ParameterError(f"{who}(validation=…): validation must be a pair, the rows X and their labels y.")
        others, truth = more[0], label_array(more[1], who)
        cut = _cut(asked, others, np.arange(len(truth)), rows)
        accuracy = float(np.mean(model.predict(cut) == truth))
        of_all = float(np.mean(asked.predict(others) == truth))
    return Prototypes(rows, len(labels), how, passes, lost, model, right, accuracy, of_all)
