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
from margin.neighbors.voting.answers_by_k import answers_in_groups, answers_one_by_one
from margin.neighbors.voting.elections import Elections, totals_without
from margin.neighbors.voting.neighborhoods import NearestRows, TiedRows, neighborhoods
from margin.typing import LabelsLike

__all__ = ["Losses", "RankedNeighbors", "left_out", "losses_of", "of_validation"]

# So many neighbours are looked at at once.
NEIGHBORS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class RankedNeighbors:
    """Some cases with their neighbours, nearest first: the true target of each, and how much its answer counts."""

    n_ranks: int
    near: NearestRows | TiedRows
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
        for near in _parts(model, take_rows(rows, slice(first, last)), n_ranks, first):
            yield RankedNeighbors(n_ranks, near, model._targets[first:last][near.case], weight[first:last][near.case])


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
        for near in _parts(model, take_rows(queries, slice(first, last)), n_ranks, None):
            yield RankedNeighbors(n_ranks, near, truth[first:last][near.case], np.ones(len(near.case)))


def _parts(model: NearestVoters, queries: Any, n_ranks: int, first: int | None) -> Iterator[NearestRows | TiedRows]:
    """Neighbours of prepared rows: of cases whose distances all differ, then lists of others that fit into memory."""
    most = NEIGHBORS_AT_ONCE // (len(model.classes_) if hasattr(model, "classes_") else 1)
    for near in neighborhoods(model, queries, n_ranks, first):
        if callable(model.weights):
            yield near
        elif isinstance(near, TiedRows):
            yield from near.parts(most)
        else:
            ascends = np.all(near.distance[:, 1:] > near.distance[:, :-1], axis=1)
            yield near.take(ascends)
            yield from near.take(~ascends).lists().parts(most)


def _blocks(n: int, n_ranks: int) -> Iterator[tuple[int, int]]:
    size = max(1, NEIGHBORS_AT_ONCE // n_ranks)
    return ((first, min(first + size, n)) for first in range(0, n, size))


def _truth(model: NearestVoters, y: LabelsLike, n: int) -> np.ndarray:
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
        if not len(ranked.truth):
            continue
        sums, squares = np.zeros(ranked.n_ranks), np.zeros(ranked.n_ranks)
        for rank, answers in enumerate(_answers_by_rank(model, ranked)):
            loss = _loss(model, answers, ranked.truth, unit)
            weighted = loss * ranked.weight
            sums[rank], squares[rank] = weighted.sum(), (weighted * loss).sum()
        found.add(sums, squares, ranked.weight)
    return found


def _loss(model: NearestVoters, answers: np.ndarray, truth: np.ndarray, unit: float) -> np.ndarray:
    if hasattr(model, "classes_"):
        return (answers != truth).astype(np.float64)
    return ((answers - truth) / unit) ** 2


def _unit(targets: np.ndarray) -> float:
    """A power of two of the size of the spread of the targets."""
    return float(2.0 ** np.frexp(np.ptp(targets))[1])


def _answers_by_rank(model: Any, ranked: RankedNeighbors) -> Iterator[np.ndarray]:
    """The answer to each case for k = 1, then 2, and so on."""
    near, n_ranks = ranked.near, ranked.n_ranks
    if callable(model.weights):
        return _asked_anew(model, near, n_ranks)

    def totals(some: np.ndarray) -> np.ndarray:
        own = None if near.left_out is None else near.left_out[some]
        return totals_without(model, model._targets, len(model.classes_), own, len(some))

    if isinstance(near, NearestRows):
        return answers_one_by_one(model, near, n_ranks, totals)
    return answers_in_groups(model, near, n_ranks, totals)


def _asked_anew(model: NearestVoters, near: NearestRows | TiedRows, n_ranks: int) -> Iterator[np.ndarray]:
    """A function of the user's may weigh a neighbour by what else there is: it is asked for every k."""
    number = np.empty(near.case.max() + 1, dtype=np.intp)
    number[near.case] = np.arange(len(near.case))
    for k in range(1, n_ranks + 1):
        answers = np.empty(len(near.case))
        for asked in near.asked(model, k):
            if hasattr(model, "classes_"):
                elections = Elections(model, model._targets, len(model.classes_))
                elections.add(asked)
                found = elections.joined().codes
            else:
                found = asked.ballot.means(model._targets)[asked.which]
            answers[number[asked.case]] = found
        yield answers
