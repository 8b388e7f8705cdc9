"""Which class wins the votes, and who decides where they are equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.targets.multi_output import side_by_side
from margin.neighbors.votes import Ballot
from margin.neighbors.voting.neighborhoods import Asked

__all__ = ["Election", "Elections", "elected", "election", "in_order", "totals_without", "winners", "with_last_bits"]

# Shares of votes, and weights of classes, that differ by less are the same but for rounding; so are sums of distances.
SAME, AS_NEAR = 1e-12, 1e-9


@dataclass(frozen=True)
class Election:
    """The share of each class (columns) in the votes on each case, and the code of the class that wins.

    Of equal shares that of the winner is the larger one by the last bit.
    """

    shares: np.ndarray
    codes: np.ndarray


def winners(
    shares: np.ndarray, distances: Callable[[np.ndarray], np.ndarray], totals: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The class of the largest share of each case.

    Of equal shares that whose voters are nearer in sum, then the one with more weight in training, then the first.
    For the cases where it matters, ``distances`` and ``totals`` give these sums and weights by class.

    >>> winners(np.array([[0.5, 0.5], [0.4, 0.6]]), lambda some: np.array([[2.0, 1.0]]), lambda some: np.ones((1, 2)))
    array([1, 1])
    """
    codes = shares.argmax(axis=1)
    least = shares[np.arange(len(shares)), codes] * (1 - SAME)
    equal = shares >= least[:, None]
    if np.count_nonzero(equal) == len(shares):
        return codes
    some = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
    equal = equal[some]
    near = np.where(equal, distances(some), np.inf)
    equal &= near <= near.min(axis=1, keepdims=True) * (1 + AS_NEAR)
    if (np.count_nonzero(equal, axis=1) > 1).any():
        weight = np.where(equal, totals(some), 0.0)
        equal &= weight >= weight.max(axis=1, keepdims=True) * (1 - SAME)
    codes[some] = equal.argmax(axis=1)
    return codes


def election(
    ballot: Ballot, labels: np.ndarray, n_classes: int, totals: Callable[[np.ndarray], np.ndarray]
) -> Election:
    """Shares and winners; ``labels`` by place, ``totals`` as of :func:`winners`."""
    shares = ballot.class_shares(labels, n_classes)
    codes = winners(shares, lambda some: ballot.distances(labels, n_classes, some), totals)
    return Election(with_last_bits(shares, codes), codes)


def with_last_bits(shares: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The shares; where others equal that of the winner they lose their last bit, so that the largest share wins.

    >>> with_last_bits(np.array([[0.5, 0.5]]), np.array([1])).tolist()
    [[0.49999999999999994, 0.5]]
    """
    most = shares[np.arange(len(shares)), codes]
    others = shares >= most[:, None]
    if np.count_nonzero(others) > len(shares):
        others[np.arange(len(shares)), codes] = False
        shares = np.where(others, np.nextafter(most, 0.0)[:, None], shares)
    return shares


class Elections:
    """Elections of one target, some cases at a time; ``labels`` are the codes of the training rows by place."""

    def __init__(self, model: Any, labels: np.ndarray, n_classes: int) -> None:
        self.model = model
        self.labels = labels
        self.n_classes = n_classes
        self._cases: list[np.ndarray] = []
        self._found: list[Election] = []

    def add(self, asked: Asked) -> None:
        """Count some more votes."""

        def totals(some: np.ndarray) -> np.ndarray:
            own = None if asked.own is None else asked.own[some]
            return totals_without(self.model, self.labels, self.n_classes, own, len(some))

        found = election(asked.ballot, self.labels, self.n_classes, totals)
        self._cases.append(asked.case)
        self._found.append(Election(found.shares[asked.which], found.codes[asked.which]))

    def joined(self) -> Election:
        """All of them, by case."""
        shares, codes = [found.shares for found in self._found], [found.codes for found in self._found]
        return Election(in_order(self._cases, shares), in_order(self._cases, codes))


def totals_without(model: Any, labels: np.ndarray, n_classes: int, own: np.ndarray | None, n: int) -> np.ndarray:
    """The weight of each class in training for each of n cases, without the row itself where one is left out."""
    totals = np.tile(model._totals(labels, n_classes).astype(np.float64), (n, 1))
    if own is not None:
        totals[np.arange(n), labels[own]] -= model._weight[own]
    return totals


def in_order(cases: list[np.ndarray], parts: list[np.ndarray]) -> np.ndarray:
    """What belongs to some cases, then to others, by the number of the case.

    >>> in_order([np.array([2, 0]), np.array([1])], [np.array([5, 6]), np.array([7])])
    array([6, 7, 5])
    """
    if len(parts) == 1:
        return parts[0]
    joined = np.concatenate(parts)
    ordered = np.empty_like(joined)
    ordered[np.concatenate(cases)] = joined
    return ordered


def elected(classes: Any, found: Any) -> np.ndarray:
    """The labels that win; of several targets a column each."""
    if isinstance(found, list):
        return side_by_side([labels.take(each.codes) for labels, each in zip(classes, found)])
    return classes.take(found.codes)
