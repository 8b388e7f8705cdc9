"""What k neighbours answer for k = 1, then 2, and so on, from the neighbours for the largest k.

Where distances differ, one neighbour is added after the other. Where some are equal, one group of equally far rows
after the other: with [a, b) the places that a group takes and S the sums over all rows before an end of it,

    S_k = S_a + (k - a) / (b - a) (S_b - S_a),  a < k <= b,

are the sums over the neighbours of k, for votes by class as for targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.neighbors.votes import class_sums, proportions, shares_of, votes_of
from margin.neighbors.voting.elections import SAME, winners
from margin.neighbors.voting.neighborhoods import NearestRows, TiedRows

__all__ = ["answers_in_groups", "answers_one_by_one"]

#: The weights of the classes in training, for some cases.
Totals = Callable[[np.ndarray], np.ndarray]


def answers_one_by_one(model: Any, near: NearestRows, n_ranks: int, totals: Totals) -> Iterator[np.ndarray]:
    """Codes of classes, or quantities, by k; all distances of a case differ."""
    place, votes, distance = _one_by_one(model, near, n_ranks)
    if not hasattr(model, "classes_"):
        return _means_one_by_one(model._targets, place, votes)
    return _winners_one_by_one(model._targets[place], votes, distance, totals, len(model.classes_))


def _one_by_one(model: Any, near: NearestRows, n_ranks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every rank (rows) and case (columns): who has this rank, its vote and its distance.

    A row whose weight stands for repeats has as many ranks, until all are taken.
    """
    distance, place = near.distance[:, :n_ranks], near.place[:, :n_ranks]
    votes = votes_of(model.weights, distance, distance[:, :1], type(model).__name__)
    distance = np.ldexp(distance, -np.frexp(distance[:, -1:])[1])  # so that no sum overflows
    found = [place, votes, distance]
    weight = None if model._once else model._weight[place]
    if weight is not None and not model._repeats:
        found[1] = votes * proportions(weight, weight.max(axis=1, keepdims=True))
    elif weight is not None:
        before = np.cumsum(weight, axis=1) - weight
        count = np.clip(n_ranks - before, 0.0, weight).astype(np.intp).ravel()
        found = [np.repeat(of_row.ravel(), count).reshape(len(place), n_ranks) for of_row in found]
    return tuple(of_row.T.copy() for of_row in found)


def _winners_one_by_one(
    labels: np.ndarray, votes: np.ndarray, distance: np.ndarray, totals: Totals, n_classes: int
) -> Iterator[np.ndarray]:
    """Votes only grow: no class but that of the last one can have overtaken the winner."""
    at = np.arange(labels.shape[1]) * n_classes
    sums, away = np.zeros(labels.shape[1] * n_classes), np.zeros(labels.shape[1] * n_classes)
    winner, most = labels[0], np.zeros(labels.shape[1])
    for label, vote, far in zip(labels, votes, distance):
        here = at + label
        mine = sums[here] + vote
        sums[here] = mine
        away[here] += vote * far
        wins = mine > most * (1 + SAME)
        equal = np.flatnonzero(~wins & (mine >= most * (1 - SAME)) & (label != winner))
        if equal.size:
            wins[equal] = _better(label[equal], winner[equal], away.reshape(-1, n_classes), equal, totals)
        winner = np.where(wins, label, winner)
        most = np.maximum(most, sums[at + winner])
        yield winner


def _better(one: np.ndarray, other: np.ndarray, away: np.ndarray, cases: np.ndarray, totals: Totals) -> np.ndarray:
    """Whether one of two classes with equal votes wins, in some of the cases."""
    pair = np.sort(np.column_stack([one, other]), axis=1)
    first = winners(
        np.ones(pair.shape),
        lambda some: np.take_along_axis(away[cases[some]], pair[some], axis=1),
        lambda some: np.take_along_axis(totals(cases[some]), pair[some], axis=1),
    )
    return pair[np.arange(len(pair)), first] == one


def _means_one_by_one(targets: np.ndarray, place: np.ndarray, votes: np.ndarray) -> Iterator[np.ndarray]:
    """Differences to the nearest neighbour are averaged, as the model does it."""
    start = targets[place[0]]
    offsets, total = np.zeros(place.shape[1]), np.zeros(place.shape[1])
    for whose, vote in zip(place, votes):
        offsets += vote * (targets[whose] - start)
        total += vote
        yield start + offsets / total


def answers_in_groups(model: Any, near: TiedRows, n_ranks: int, totals: Totals) -> Iterator[np.ndarray]:
    """Codes of classes, or quantities, by k; groups of equally far rows share places."""
    groups = _Groups.of(model, near)
    state = _State(groups, _Own.of(model, near, groups))
    start = model._targets[near.place[near.start[:-1]]][near.which]
    for k in range(1, n_ranks + 1):
        state.advance(k)
        first, second = np.hsplit(state.sums(k), 2)
        if hasattr(model, "classes_"):
            yield winners(shares_of(first), second.__getitem__, totals)
        else:
            yield start + second[:, 0] / first[:, 0]


@dataclass(frozen=True)
class _Groups:
    """Equally far rows of lists: how many places each group takes, and the sums over its rows.

    Those of list i are ``start[i]`` … ``start[i + 1]``; ``entry`` is the group of each row, ``terms`` what it adds: its
    vote to the votes of its class and, times its distance, to the distances; or to votes, and to votes times targets.
    """

    start: np.ndarray
    entry: np.ndarray
    size: np.ndarray
    sums: np.ndarray
    terms: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, model: Any, near: TiedRows) -> _Groups:
        case = np.repeat(np.arange(len(near.near)), np.diff(near.start))
        begins = np.ones(len(case), dtype=bool)
        np.not_equal(near.distance[1:], near.distance[:-1], out=begins[1:])
        begins[near.start[:-1]] = True
        entry = np.cumsum(begins) - 1
        terms = _terms(model, near, case)
        n = int(entry[-1]) + 1
        if hasattr(model, "classes_"):
            n_classes, labels = len(model.classes_), model._targets[near.place]
            sums = np.hstack([class_sums(entry, labels, term, n, n_classes) for term in terms])
        else:
            sums = np.column_stack([np.bincount(entry, term, n) for term in terms])
        size = np.bincount(entry, model._weight[near.place] if model._repeats else None, n).astype(np.float64)
        return cls(np.append(entry[near.start[:-1]], n), entry, size, sums, terms)


def _terms(model: Any, near: TiedRows, case: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vote of each row of the lists, and this times its distance or its target."""
    votes = votes_of(model.weights, near.distance, near.near[case, 0], type(model).__name__)
    if not model._once:
        weight = model._weight[near.place]
        largest = np.maximum.reduceat(weight, near.start[:-1])[case]
        votes = votes * (weight if model._repeats else proportions(weight, largest))
    if hasattr(model, "classes_"):
        far = near.distance[near.start[1:] - 1]
        return votes, votes * np.ldexp(near.distance, -np.frexp(far)[1][case])
    nearest = model._targets[near.place[near.start[:-1]]]
    return votes, votes * (model._targets[near.place] - nearest[case])


@dataclass(frozen=True)
class _Own:
    """Cases that stand in their own lists: their list, the group they are in (-1 for none), and what they add to it."""

    which: np.ndarray
    group: np.ndarray
    size: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, model: Any, near: TiedRows, groups: _Groups) -> _Own:
        n, width = len(near.case), groups.sums.shape[1]
        found = cls(near.which, np.full(n, -1), np.zeros(n), np.zeros((n, width)))
        if near.own is None:
            return found
        n_rows = model._index.n_rows
        keys = np.repeat(np.arange(len(near.near)), np.diff(near.start)) * n_rows + near.place
        order = np.argsort(keys)
        wanted = near.which * n_rows + near.own
        at = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
        there = np.flatnonzero(keys[at] == wanted)
        at, own = at[there], near.own[there]
        found.group[there] = groups.entry[at]
        found.size[there] = model._weight[own] if model._repeats else 1.0
        first = model._targets[own] if hasattr(model, "classes_") else np.zeros(len(own), dtype=np.intp)
        found.sums[there, first] = groups.terms[0][at]
        found.sums[there, first + width // 2] = groups.terms[1][at]
        return found


class _State:
    """Where each case is: sums before its group and places that they took, and those of the group itself."""

    def __init__(self, groups: _Groups, own: _Own) -> None:
        self._groups, self._own = groups, own
        self._at, self._end = groups.start[own.which], groups.start[own.which + 1] - 1
        self._before, self._taken = np.zeros_like(own.sums), np.zeros(len(own.which))
        self._group, self._size = np.empty_like(own.sums), np.empty(len(own.which))
        self._enter(np.arange(len(own.which)))

    def _enter(self, cases: np.ndarray) -> None:
        at = self._at[cases]
        self._group[cases], self._size[cases] = self._groups.sums[at], self._groups.size[at]
        own = cases[self._own.group[cases] == at]
        self._group[own] -= self._own.sums[own]
        self._size[own] -= self._own.size[own]

    def advance(self, k: int) -> None:
        """Go on until the group has the k-th place."""
        while (past := np.flatnonzero((k > self._taken + self._size) & (self._at < self._end))).size:
            self._before[past] += self._group[past]
            self._taken[past] += self._size[past]
            self._at[past] += 1
            self._enter(past)

    def sums(self, k: int) -> np.ndarray:
        """Over k places, in a unit of each case's own."""
        left = np.minimum(k - self._taken, self._size)
        partly = left < self._size
        times, part = np.where(partly, self._size, 1.0), np.where(partly, left, 1.0)
        return self._before * times[:, None] + self._group * part[:, None]
