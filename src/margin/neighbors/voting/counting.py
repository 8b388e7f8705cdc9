"""What the nearest rows answer, counted by the core; cases of shared places are looked at one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.neighbors.search import take_rows
from margin.neighbors.votes import shares_of
from margin.neighbors.voting.elections import Election, Elections, in_order, with_last_bits
from margin.neighbors.voting.neighborhoods import VOTES_AT_ONCE, Asked, completed, neighborhoods

__all__ = ["Counted", "elections_of", "left_out_elections", "means_of"]

#: Below so many cases one thread is quicker than asking how many there are.
FEW_CASES = 1_000
#: The core's code of a case whose neighbours are not to be had.
NOT_FOUND = -2


@dataclass(frozen=True)
class Counted:
    """Votes on each case (rows) by class, and the code of the class that wins."""

    sums: np.ndarray
    codes: np.ndarray

    @cached_property
    def shares(self) -> np.ndarray:
        """As of an :class:`Election`; not worked out where only labels are asked for."""
        return with_last_bits(shares_of(self.sums), self.codes)


def elections_of(model: Any, queries: Any, k: int, n_classes: Sequence[int]) -> list[Counted | Election]:
    """For each target of a model, who wins among the k nearest rows of each prepared query."""
    columns = _columns(model)
    if not _counts_plainly(model):
        return [*_elected(model, columns, n_classes, _asked(model, neighborhoods(model, queries, k), k))]
    found = _Found(model, queries, k)
    counted = [
        _core.neighbors.count_votes(found.distance, found.place, k, labels, n, model.weights, found.n_threads)
        for labels, n in zip(columns, n_classes)
    ]
    answers: list[Counted | Election] = [Counted(sums, codes) for sums, codes, _ in counted]
    least = min(each[2] for each in counted)
    if least >= 0:
        return answers
    found.check(least)
    some = np.flatnonzero(np.any([codes < 0 for _, codes, _ in counted], axis=0))
    others = _elected(model, columns, n_classes, found.asked(some))
    return [_with(counts, some, other) for counts, other in zip(answers, others)]


def means_of(model: Any, queries: Any, k: int) -> np.ndarray:
    """For each prepared query (rows), the mean of each target (columns) over its k nearest rows."""
    targets = model._targets.reshape(len(model._targets), -1)
    if not _counts_plainly(model):
        return _averaged(targets, _asked(model, neighborhoods(model, queries, k), k))
    found = _Found(model, queries, k)
    targets = np.ascontiguousarray(targets)
    means, codes, least = _core.neighbors.mean_targets(
        found.distance, found.place, k, targets, model.weights, found.n_threads
    )
    if least < 0:
        found.check(least)
        some = np.flatnonzero(codes < 0)
        means[some] = _averaged(targets, found.asked(some))
    return means


def left_out_elections(model: Any) -> Election:
    """Who wins among the k nearest others of each training row, by place; some rows at a time."""
    prepared, n, k = model._index.rows(), model._index.n_rows, model.n_neighbors
    parts, step = [], max(1, VOTES_AT_ONCE // (k + 1))
    for first in range(0, n, step):
        block = prepared if n <= step else take_rows(prepared, slice(first, first + step))
        asked = _asked(model, neighborhoods(model, block, k, first), k)
        parts += _elected(model, [model._targets], [len(model.classes_)], asked)
    return Election(np.concatenate([each.shares for each in parts]), np.concatenate([each.codes for each in parts]))


class _Found:
    """The k nearest rows of prepared queries, and the next one: not yet looked at."""

    def __init__(self, model: Any, queries: Any, k: int) -> None:
        self.model, self.queries, self.k = model, queries, k
        model._refuse_overflown(queries)
        self.raw, self.place = model._nearest_rows(queries, min(k + 1, model._index.n_rows))
        self.distance = model._space.distances(self.raw)
        self.n_threads = 1 if len(self.raw) < FEW_CASES else model._threads()

    def check(self, least: int) -> None:
        """Refuse cases that no neighbours were found for."""
        if least == NOT_FOUND:
            self.model._check_found(self.raw, self.place, min(self.k, self.raw.shape[1]))

    def asked(self, some: np.ndarray) -> Iterator[Asked]:
        """Who votes on some of the cases."""
        cases = completed(self.model, take_rows(self.queries, some), self.k, self.raw[some], self.place[some])
        return _asked(self.model, cases, self.k)


def _counts_plainly(model: Any) -> bool:
    """Whether every training row counts once, and votes follow from distances by name."""
    return model._once and isinstance(model.weights, str)


def _columns(model: Any) -> list[np.ndarray]:
    targets = model._targets
    return [targets] if targets.ndim == 1 else [np.ascontiguousarray(column) for column in targets.T]


def _asked(model: Any, found: Any, k: int) -> Iterator[Asked]:
    return (asked for near in found for asked in near.asked(model, k))


def _elected(
    model: Any, columns: Sequence[np.ndarray], n_classes: Sequence[int], asked: Iterator[Asked]
) -> list[Election]:
    elections = [Elections(model, labels, n) for labels, n in zip(columns, n_classes)]
    for votes in asked:
        for each in elections:
            each.add(votes)
    return [each.joined() for each in elections]


def _averaged(targets: np.ndarray, asked: Iterator[Asked]) -> np.ndarray:
    cases, parts = [], []
    for votes in asked:
        means = np.column_stack([votes.ballot.means(column) for column in targets.T])
        cases.append(votes.case)
        parts.append(means[votes.which])
    return in_order(cases, parts)


def _with(counted: Any, some: np.ndarray, others: Election) -> Election:
    """What was counted, but for some cases, which went otherwise."""
    shares, codes = counted.shares, counted.codes.copy()
    shares[some], codes[some] = others.shares, others.codes
    return Election(shares, codes)
