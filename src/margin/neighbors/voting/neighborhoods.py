"""Who is asked about some cases: the k nearest rows, and with the last of them all that are as far away.

Places for neighbours go to groups of equally far rows, nearest first. The last group may be larger than the places that
are left; its rows share them, so that no answer depends on which of them was found first. A search of k + 1 rows
tells where that happens, and only there the whole group is collected, once for all cases that are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.neighbors.equal_rows import equal_queries
from margin.neighbors.indexes.given import GivenDistances
from margin.neighbors.search import take_rows
from margin.neighbors.votes import Ballot, proportions, votes_of

__all__ = [
    "VOTES_AT_ONCE",
    "Asked",
    "NearestRows",
    "TiedRows",
    "completed",
    "last_place",
    "neighborhoods",
    "shared_places",
]

# So many votes are counted at once: enough to keep all threads busy, few enough to fit into memory.
VOTES_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Asked:
    """Votes, and who goes by them: ``case`` by the case ``which`` of the ballot.

    ``own`` are the places of the rows that were left out of each list of votes, if any were.
    """

    case: np.ndarray
    which: np.ndarray | slice
    ballot: Ballot
    own: np.ndarray | None


@dataclass(frozen=True)
class NearestRows:
    """Cases (rows) with their neighbours, nearest first; all that are as far away as the k-th one are there.

    ``own`` are the places of the cases themselves where they are training rows, which are not their own neighbours.
    """

    case: np.ndarray
    distance: np.ndarray
    place: np.ndarray
    own: np.ndarray | None

    def asked(self, model: Any, k: int) -> Iterator[Asked]:
        """Who votes if k neighbours are asked."""
        if model._repeats and not model._once:
            yield self._sharing(model, k)
            return
        if self.distance.shape[1] <= k:
            yield self._plain(model, k)
            return
        tied = self.distance[:, k] == self.distance[:, k - 1]
        if not tied.any():
            yield self._plain(model, k)
            return
        yield self.take(~tied)._plain(model, k)
        yield self.take(tied)._sharing(model, k)

    def take(self, some: np.ndarray) -> NearestRows:
        """Some of the cases."""
        own = None if self.own is None else self.own[some]
        return NearestRows(self.case[some], self.distance[some], self.place[some], own)

    def lists(self) -> TiedRows:
        """The same, neighbours of one case after those of another; the cases are not in their own lists."""
        n, width = self.distance.shape
        start = np.arange(n + 1) * width
        which = np.arange(n)
        flat = self.distance.ravel(), self.place.ravel()
        return TiedRows(self.case, which, start, *flat, self.distance, None, self.own)

    @property
    def left_out(self) -> np.ndarray | None:
        """The places of the cases themselves, if they are training rows."""
        return self.own

    def _plain(self, model: Any, k: int) -> Asked:
        """Every one of the k nearest has a place of its own."""
        distance, place = np.ascontiguousarray(self.distance[:, :k]), np.ascontiguousarray(self.place[:, :k])
        counts = None if model._once else _weights(model, place)
        votes = votes_of(model.weights, distance, distance[:, :1], type(model).__name__)
        if counts is not None:
            votes, counts = votes * counts, counts.ravel()
        case = np.repeat(np.arange(len(place)), place.shape[1])
        ballot = Ballot(case, place.ravel(), votes.ravel(), len(place), distance.ravel(), counts)
        return Asked(self.case, slice(None), ballot, self.own)

    def _sharing(self, model: Any, k: int) -> Asked:
        lists = self.lists()
        return Asked(self.case, slice(None), lists.ballot(model, k), self.own)


@dataclass(frozen=True)
class TiedRows:
    """Lists of neighbours, nearest first, and the cases that go by them: list i is start[i] … start[i + 1].

    ``which`` is the list of each case, and ``own`` its place where it is a training row: it is then in its list, but no
    neighbour of itself. ``left_out`` are the places of the cases, in the lists or not. ``near`` has the first distances
    of each list, without one that is the case itself.
    """

    case: np.ndarray
    which: np.ndarray
    start: np.ndarray
    distance: np.ndarray
    place: np.ndarray
    near: np.ndarray
    own: np.ndarray | None
    left_out: np.ndarray | None

    def parts(self, most: int) -> Iterator[TiedRows]:
        """The same, some lists at a time with ``most`` neighbours in all, or one list; cases ascend by their lists."""
        first = 0
        while first < len(self.near):
            last = max(first + 1, int(np.searchsorted(self.start, self.start[first] + most, "right")) - 1)
            cases = slice(*np.searchsorted(self.which, [first, last]))
            rows = slice(self.start[first], self.start[last])
            lists = self.start[first : last + 1] - self.start[first], self.distance[rows], self.place[rows]
            own, left_out = (each if each is None else each[cases] for each in (self.own, self.left_out))
            yield TiedRows(self.case[cases], self.which[cases] - first, *lists, self.near[first:last], own, left_out)
            first = last

    def asked(self, model: Any, k: int) -> Iterator[Asked]:
        """Who votes if k neighbours are asked."""
        if self.own is None:
            yield Asked(self.case, self.which, self.ballot(model, k), None)
            return
        # Without itself, a list is the same for all cases of one target and weight.
        kinds = np.column_stack([self.which, model._targets[self.own], model._weight[self.own]])
        _, chosen, which = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        length = np.diff(self.start)[self.which[chosen]]
        part = (np.cumsum(length) - length) // VOTES_AT_ONCE
        for number in np.unique(part):
            here = np.flatnonzero(part == number)
            lists, own = self.which[chosen[here]], self.own[chosen[here]]
            cases = np.flatnonzero((which >= here[0]) & (which <= here[-1]))
            ballot = self._without(lists, own).ballot(model, k)
            yield Asked(self.case[cases], which[cases] - here[0], ballot, own)

    def ballot(self, model: Any, k: int) -> Ballot:
        """The votes of each list if there are k places."""
        near = np.ascontiguousarray(self.near[:, :k])
        votes = votes_of(model.weights, near, near[:, :1], type(model).__name__)
        case = np.repeat(np.arange(len(near)), np.diff(self.start))
        rank = np.arange(len(case)) - self.start[case]
        weight = None if model._once else model._weight[self.place]
        counts, unit = shared_places(self.start, self.distance, weight if model._repeats else None, k)
        asked = np.flatnonzero(counts)
        case, place, counts = case[asked], self.place[asked], counts[asked].astype(np.float64)
        if weight is not None:
            largest = np.ones(1) if model._repeats else np.maximum.reduceat(weight, self.start[:-1])[case]
            counts *= weight[asked] if model._repeats else proportions(weight[asked], largest)
        vote = votes[case, np.minimum(rank[asked], near.shape[1] - 1)]
        return Ballot(case, place, vote * counts, len(near), self.distance[asked], counts, unit)

    def _without(self, lists: np.ndarray, own: np.ndarray) -> TiedRows:
        """Some of the lists, each without the place that is its own."""
        length = np.diff(self.start)[lists]
        case = np.repeat(np.arange(len(lists)), length)
        entry = np.arange(len(case)) + np.repeat(self.start[lists] - (np.cumsum(length) - length), length)
        others = self.place[entry] != own[case]
        entry, case = entry[others], case[others]
        start = np.concatenate([[0], np.cumsum(np.bincount(case, minlength=len(lists)))])
        which = np.arange(len(lists))
        return TiedRows(which, which, start, self.distance[entry], self.place[entry], self.near[lists], None, None)


def shared_places(
    start: np.ndarray, distance: np.ndarray, weight: np.ndarray | None, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many of k places each neighbour gets for each time it is there, and the unit of each list that this is in.

    Equally far rows share what the nearer ones leave. Where they get less than a place each, all places of the list are
    counted in parts of one by their number, the unit: whole numbers, so that equal votes stay equal when they are added
    up. Lists are sorted and not empty; ``weight`` says how often a row is there, whole numbers, None for once.

    >>> shared_places(np.array([0, 4]), np.array([1.0, 2.0, 2.0, 2.0]), None, 2)
    (array([3, 1, 1, 1]), array([3]))
    """
    begins = np.ones(len(distance), dtype=bool)
    np.not_equal(distance[1:], distance[:-1], out=begins[1:])
    begins[start[:-1]] = True
    first = np.flatnonzero(begins)
    group = np.cumsum(begins) - 1
    # In 64 bits differences of sums are exact, however many lists there are.
    size = np.diff(first, append=len(distance)) if weight is None else np.add.reduceat(weight.astype(np.int64), first)
    until = np.cumsum(size)
    of_list = np.repeat(np.arange(len(start) - 1), np.diff(group[start[:-1]], append=len(first)))
    before = until - size
    left = np.clip(k - (before - before[group[start[:-1]]][of_list]), 0, size)
    unit = np.ones(len(start) - 1, dtype=np.int64)
    partly = (left > 0) & (left < size)
    unit[of_list[partly]] = size[partly]
    return np.where(partly, left, np.where(left > 0, unit[of_list], 0))[group], unit


def neighborhoods(model: Any, queries: Any, k: int, first: int | None = None) -> Iterator[NearestRows | TiedRows]:
    """The neighbours that k places go to, for prepared rows; with ``first`` these are the training rows at the places
    from there on, each itself left out."""
    if first is None:
        raw, place = model._search_places(queries, min(k + 1, model._index.n_rows), k)
        return completed(model, queries, k, raw, place)
    raw, place = model._others_from(first, queries, min(k + 1, model._index.n_rows - 1), k)
    return completed(model, queries, k, raw, place, first + np.arange(len(raw)))


def completed(
    model: Any, queries: Any, k: int, raw: np.ndarray, place: np.ndarray, own: np.ndarray | None = None
) -> Iterator[NearestRows | TiedRows]:
    """The k nearest rows of each query and the next one, and where that is as far away all that are.

    Distances are the index's own; ``own`` are the places of queries that are training rows, themselves left out.
    """
    there = model._index.n_rows - (own is not None)
    distance = model._space.distances(raw)
    cases = np.arange(len(raw))
    found = NearestRows(cases, distance, place, own)
    last = raw[cases, last_place(model, place, k)] if model._repeats and not model._once else raw[:, :k][:, -1]
    reaching = raw[:, -1] == last
    if raw.shape[1] == there or not reaching.any():
        yield found
        return
    yield found.take(~reaching)
    some = np.flatnonzero(reaching)
    asking = take_rows(queries, some)
    # Rows of given distances may be equal without being equally far from each other.
    alike = not isinstance(model._index, GivenDistances)
    number, one = equal_queries(asking) if alike else (np.arange(len(some)), np.arange(len(some)))
    for which, lists in _lists(model, take_rows(asking, one), last[some[one]], number):
        at = some[which]
        chosen = number[which]
        near = distance[some[one[chosen.min() : chosen.max() + 1]], :k]
        left_out = None if own is None else own[at]
        yield TiedRows(at, chosen - chosen.min(), *lists, near, left_out, left_out)


def last_place(model: Any, place: np.ndarray, k: int) -> np.ndarray:
    """Which of its neighbours, nearest first, gets the last of the k places of each case (rows)."""
    if model._once or not model._repeats:
        return np.full(len(place), min(k, place.shape[1]) - 1)
    filled = np.cumsum(model._weight[place], axis=1) >= k
    filled[:, -1] = True
    return filled.argmax(axis=1)


def _lists(
    model: Any, queries: Any, radius: np.ndarray, number: np.ndarray
) -> Iterator[tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """All rows within the radius of each query, a part at a time: whose numbers they are, and the lists.

    Distances are compared as the index measures them, so that no rounding of units comes between.
    """
    order = np.argsort(number, kind="stable")
    begin = np.searchsorted(number[order], np.arange(len(radius) + 1))
    first, size = 0, max(1, VOTES_AT_ONCE // model._index.n_rows)
    while first < len(radius):
        last = min(first + size, len(radius))
        some = slice(first, last)
        start, distance, place = model._index.within(take_rows(queries, some), radius[some], model._threads())
        if np.diff(start).min() < 1 or place.view(np.uint64).max() >= model._index.n_rows:
            raise model._not_found()
        yield order[begin[first] : begin[last]], (start, model._space.distances(distance), place)
        first = last
        size = min(4 * size, max(1, size * VOTES_AT_ONCE // (int(start[-1]) + 1)))


def _weights(model: Any, place: np.ndarray) -> np.ndarray:
    """Weights of rows that are no repeats, in proportion."""
    weight = model._weight[place]
    return proportions(weight, weight.max(axis=1, keepdims=True))
