"""One neighbour after the other: what a model of k neighbours answers for every k, from one search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base import MixedData
from margin.base.targets.labels import encode_labels
from margin.base.targets.numbers import encode_targets
from margin.data.labels import codes_of, union
from margin.data.weights import cases_per_weight
from margin.errors import InputError, ParameterError
from margin.neighbors.search import take_rows
from margin.neighbors.voters import NearestVoters
from margin.neighbors.votes import Ballot, proportions, shares_of, votes_of

__all__ = ["Losses", "RankedNeighbors", "left_out", "losses_of", "of_validation"]

# So many neighbours are looked at at once.
NEIGHBORS_AT_ONCE = 2_000_000
# Sums of votes that differ by less may be the same share when they are divided.
ROUNDING = 1e-15


@dataclass(frozen=True)
class RankedNeighbors:
    """Some cases with their neighbours, nearest first: the true target of each, and how much its answer counts."""

    n_ranks: int
    distance: np.ndarray
    place: np.ndarray
    truth: np.ndarray
    weight: np.ndarray


@dataclass
class Losses:
    """Losses of every k, added up over the cases: weighted sums, sums of squares, and the weights of the cases.

    They are divided by ``unit``, which keeps squares of squares in range.
    """

    sums: np.ndarray
    squares: np.ndarray
    total: float
    total_squares: float
    repeats: bool
    unit: float

    def add(self, sums: np.ndarray, squares: np.ndarray, weight: np.ndarray) -> None:
        self.sums = sums + self.sums if self.total else sums
        self.squares = squares + self.squares if self.total else squares
        self.total += float(weight.sum())
        self.total_squares += float((weight**2).sum())

    def mean(self) -> np.ndarray:
        """The error of every k, in units of the user."""
        return self.sums / self.total * self.unit

    def standard_error(self) -> np.ndarray:
        """Of the mean loss; for losses of 0 and 1 this is the binomial one."""
        mean = self.sums / self.total
        variance = np.maximum(self.squares / self.total - mean**2, 0.0)
        n_cases = self.total * cases_per_weight(self.total, self.total_squares, self.repeats)
        return np.sqrt(variance / n_cases) * self.unit


def left_out(model: NearestVoters, k_max: int) -> Iterator[RankedNeighbors]:
    """Every training row with its nearest others, some rows at a time."""
    weight = model._weight
    n = len(weight)
    if n < 2:
        raise InputError("choose_k: X must have at least two rows, so that one can be left out.")
    others = weight.sum() - weight.max() if model._repeats else n - 1
    n_ranks = int(min(k_max, others))
    rows = model._index.rows()
    for first, last in _blocks(n, n_ranks):
        distance, place = model._others_from(first, take_rows(rows, slice(first, last)), n_ranks)
        yield RankedNeighbors(n_ranks, distance, place, model._targets[first:last], weight[first:last])


def of_validation(model: NearestVoters, k_max: int, validation: Any) -> Iterator[RankedNeighbors]:
    """Every validation row with its nearest training rows, some rows at a time."""
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise ParameterError("choose_k(validation=…): validation must be a pair, the rows X and their targets y.")
    X, y = validation
    encoded = model._encoded(X, "predict")
    n = len(encoded) if isinstance(encoded, MixedData) else encoded.shape[0]
    if n == 0:
        raise InputError("choose_k(validation=…): there must be at least one row to answer.")
    truth = _truth(model, y, n)
    there = model._weight.sum() if model._repeats else len(model._weight)
    n_ranks = int(min(k_max, there))
    queries = model._as_queries(encoded)
    for first, last in _blocks(n, n_ranks):
        distance, place = model._search(take_rows(queries, slice(first, last)), min(n_ranks, model._index.n_rows))
        yield RankedNeighbors(n_ranks, distance, place, truth[first:last], np.ones(last - first))


def _blocks(n: int, n_ranks: int) -> Iterator[tuple[int, int]]:
    size = max(1, NEIGHBORS_AT_ONCE // n_ranks)
    return ((first, min(first + size, n)) for first in range(0, n, size))


def _truth(model: NearestVoters, y: Any, n: int) -> np.ndarray:
    """Targets of validation rows as the model keeps its own; a class that it does not know is never right."""
    who = "choose_k(validation=…)"
    if not hasattr(model, "classes_"):
        return encode_targets(y, n, who, several=False)
    labels, codes = encode_labels(y, n, who)
    union(model.classes_, labels, who)  # refuses labels of another kind
    return codes_of(labels, model.classes_)[codes]


def losses_of(model: NearestVoters, blocks: Iterator[RankedNeighbors]) -> Losses:
    """The losses of every k, one block of cases after the other."""
    unit = 1.0 if hasattr(model, "classes_") else _unit(model._targets)
    found = Losses(np.zeros(0), np.zeros(0), 0.0, 0.0, model._repeats, unit**2)
    for ranked in blocks:
        sums, squares = np.zeros(ranked.n_ranks), np.zeros(ranked.n_ranks)
        for rank, loss in enumerate(_losses_by_rank(model, ranked, unit)):
            weighted = loss * ranked.weight
            sums[rank], squares[rank] = weighted.sum(), (weighted * loss).sum()
        found.add(sums, squares, ranked.weight)
    return found


def _unit(targets: np.ndarray) -> float:
    """A power of two of the size of the spread of the targets."""
    return float(2.0 ** np.frexp(np.ptp(targets))[1])


def _losses_by_rank(model: NearestVoters, ranked: RankedNeighbors, unit: float) -> Iterator[np.ndarray]:
    """The loss of each case for k = 1, then 2, and so on."""
    if callable(model.weights):
        return _asked_anew(model, ranked, unit)
    place, votes, copy = _one_by_one(model, ranked)
    if not hasattr(model, "classes_"):
        return _squared_errors(model._targets, ranked.truth, place, votes, unit)
    labels = model._targets[place]
    if isinstance(model.weights, str) and model.weights == "uniform" and model._repeats:
        return _wrong_counts(labels, ranked.truth, len(model.classes_))
    return _wrong_sums(labels, votes, copy, ranked.truth, len(model.classes_))


def _asked_anew(model: NearestVoters, ranked: RankedNeighbors, unit: float) -> Iterator[np.ndarray]:
    """A function of the user's may weigh a neighbour by what else there is: it is asked for every k."""
    n_cases, n_found = ranked.place.shape
    for k in range(1, ranked.n_ranks + 1):
        model.n_neighbors = k
        distance, place = ranked.distance[:, :k], ranked.place[:, :k]
        votes = votes_of(model.weights, distance, distance[:, :1], type(model).__name__) * model._counted(place)
        ballot = Ballot(np.repeat(np.arange(n_cases), min(k, n_found)), place.ravel(), votes.ravel(), n_cases)
        if hasattr(model, "classes_"):
            shares = ballot.class_shares(model._targets, len(model.classes_))
            yield (shares.argmax(axis=1) != ranked.truth).astype(np.float64)
        else:
            yield ((ballot.means(model._targets) - ranked.truth) / unit) ** 2


def _one_by_one(model: NearestVoters, ranked: RankedNeighbors) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every rank (rows) and case (columns): who has this rank, its vote, and which of its copies this is.

    A row whose weight stands for repeats has as many ranks, until all are taken.
    """
    distance, place = ranked.distance, ranked.place
    votes = votes_of(model.weights, distance, distance[:, :1], type(model).__name__)
    weight = model._weight[place]
    if not model._repeats:
        votes = votes * proportions(weight, weight.max(axis=1, keepdims=True))
    elif (weight != 1).any():
        before = np.cumsum(weight, axis=1) - weight
        count = np.clip(ranked.n_ranks - before, 0.0, weight).astype(np.intp).ravel()
        shape = (len(place), ranked.n_ranks)
        rank = np.repeat(before.ravel(), count).reshape(shape)
        place, votes = (np.repeat(of_row.ravel(), count).reshape(shape) for of_row in (place, votes))
        return place.T.copy(), votes.T.copy(), np.arange(1.0, ranked.n_ranks + 1)[:, None] - rank.T
    return place.T.copy(), votes.T.copy(), np.ones((1, 1))


def _wrong_counts(labels: np.ndarray, truth: np.ndarray, n_classes: int) -> Iterator[np.ndarray]:
    """Votes that count one each: only the class that got the last one can have overtaken the winner."""
    at = np.arange(len(truth)) * n_classes
    counts = np.zeros(len(truth) * n_classes, dtype=np.int32)
    winner, most = np.zeros(len(truth), dtype=labels.dtype), np.zeros(len(truth), dtype=np.int32)
    for label in labels:
        place = at + label
        count = counts[place] + 1
        counts[place] = count
        wins = (count > most) | ((count == most) & (label < winner))
        winner = np.where(wins, label, winner)
        most = np.maximum(most, count)
        yield (winner != truth).astype(np.float64)


def _wrong_sums(
    labels: np.ndarray, votes: np.ndarray, copy: np.ndarray, truth: np.ndarray, n_classes: int
) -> Iterator[np.ndarray]:
    """Any votes, added up as the model adds them; the winner is that of the shares, which may be rounded equal."""
    cases = np.arange(len(truth))
    sums = np.zeros((len(truth), n_classes))
    before = np.zeros(len(truth))
    for rank, label in enumerate(labels):
        copies = copy[rank % len(copy)]
        before = np.where(copies == 1, sums[cases, label], before)
        sums[cases, label] = before + votes[rank] * copies
        winner = sums.argmax(axis=1)
        least = sums[cases, winner] * (1 - ROUNDING)
        close = np.flatnonzero((sums >= least[:, None]).sum(axis=1) > 1)
        if close.size:
            winner[close] = shares_of(sums[close]).argmax(axis=1)
        yield (winner != truth).astype(np.float64)


def _squared_errors(
    targets: np.ndarray, truth: np.ndarray, place: np.ndarray, votes: np.ndarray, unit: float
) -> Iterator[np.ndarray]:
    """Differences to the nearest neighbour are averaged, as the model does it."""
    start = targets[place[0]]
    offsets, total = np.zeros(len(truth)), np.zeros(len(truth))
    for whose, vote in zip(place, votes):
        offsets += vote * (targets[whose] - start)
        total += vote
        yield ((start - truth + offsets / total) / unit) ** 2
