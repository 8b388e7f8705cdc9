"""How much a neighbour counts, and what the votes of all neighbours come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.errors import InputError

__all__ = ["Ballot", "Votes", "class_sums", "proportions", "shares_of", "votes_of"]

Votes = Literal["uniform", "distance", "inverse_square"] | Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Ballot:
    """Who votes on which case, and how much the vote counts: one entry per vote, the nearest neighbour first.

    ``case`` ascends from 0 to ``n_cases`` - 1; a case may have no votes. ``place`` is the place of the voter among
    the training rows, ``counts`` how many voters it stands for, whatever their votes; None for one each. Votes and
    counts of a case are in parts of one by ``unit``, if there is one.
    """

    case: np.ndarray
    place: np.ndarray
    votes: np.ndarray
    n_cases: int
    distance: np.ndarray
    counts: np.ndarray | None = None
    unit: np.ndarray | None = None

    def lonely(self) -> np.ndarray:
        """Whether nobody votes on a case."""
        lonely = np.ones(self.n_cases, dtype=bool)
        lonely[self.case] = False
        return lonely

    def class_shares(self, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """The share of each class in the votes on each case; ``labels`` by place."""
        return shares_of(class_sums(self.case, labels[self.place], self.votes, self.n_cases, n_classes))

    def distances(self, labels: np.ndarray, n_classes: int, some: np.ndarray) -> np.ndarray:
        """How far the voters of each class are away in sum, on some of the cases."""
        number = np.full(self.n_cases, -1)
        number[some] = np.arange(len(some))
        at = np.flatnonzero(number[self.case] >= 0)
        case, distance = number[self.case[at]], self.distance[at]
        exponent = np.zeros(len(some), dtype=np.int32)
        exponent[case] = np.frexp(distance)[1]  # of the last one, the farthest
        distance = np.ldexp(distance, -exponent[case])  # so that no sum overflows
        return class_sums(case, labels[self.place[at]], self.votes[at] * distance, len(some), n_classes)

    def means(self, targets: np.ndarray) -> np.ndarray:
        """The weighted mean of the voters' targets for each case, NaN where nobody votes.

        Differences to the nearest voter are averaged, so that no digit is lost to a large offset. Where all votes
        are 0, all voters count the same.
        """
        counts = 1.0 if self.counts is None else self.counts
        first = np.searchsorted(self.case, np.arange(self.n_cases))
        asked = ~self.lonely()
        start = np.full(self.n_cases, np.nan)
        start[asked] = targets[self.place[first[asked]]]
        total = np.bincount(self.case, self.votes, self.n_cases)
        if not (total > 0).all():
            votes = np.where((total > 0)[self.case], self.votes, counts)
            total = np.bincount(self.case, votes, self.n_cases)
        else:
            votes = self.votes
        offsets = (targets[self.place] - start[self.case]) * (votes / total[self.case])
        return start + np.bincount(self.case, offsets, self.n_cases)


def votes_of(weights: Any, distance: np.ndarray, nearest: np.ndarray, who: str) -> np.ndarray:
    """A vote for each distance; ``nearest`` is the distance of the nearest neighbour of the same case.

    >>> distance = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> votes_of("inverse_square", distance, distance[:, :1], "KNeighborsClassifier")
    array([[1.  , 0.25],
           [1.  , 0.  ]])
    """
    if isinstance(weights, str) and weights == "uniform":
        return np.ones_like(distance)
    if callable(weights):
        return _votes_of_user(weights, distance, who)
    # Only proportions count: the nearest one votes 1, and no distance is too small or too large to divide by.
    share = np.divide(nearest, distance, out=(distance == 0).astype(np.float64), where=distance > 0)
    return share if weights == "distance" else share**2


def proportions(weight: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """Weights divided by the power of two next to the largest of their case.

    Sums of votes neither overflow nor vanish then, and are rounded as those of the weights themselves.
    """
    return np.ldexp(weight, -np.frexp(largest)[1])


def class_sums(case: np.ndarray, labels: np.ndarray, votes: np.ndarray, n_cases: int, n_classes: int) -> np.ndarray:
    """The votes on each case added up by class, in the order given.

    >>> class_sums(np.array([0, 0, 0]), np.array([0, 2, 2]), np.array([1.0, 0.5, 0.25]), 1, 3)
    array([[1.  , 0.  , 0.75]])
    """
    sums = np.bincount(case * n_classes + labels, votes, n_cases * n_classes)
    return sums.astype(np.float64, copy=False).reshape(n_cases, n_classes)  # sums of nothing are whole numbers


def shares_of(sums: np.ndarray) -> np.ndarray:
    """Sums of votes as shares of all votes on the case; all the same where nobody votes.

    >>> shares_of(np.array([[3.0, 1.0], [0.0, 0.0]]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    total = sums.sum(axis=1, keepdims=True)
    return np.divide(sums, total, out=np.full_like(sums, 1 / sums.shape[1]), where=total > 0)


def _votes_of_user(weights: Callable[[np.ndarray], Any], distance: np.ndarray, who: str) -> np.ndarray:
    votes = weights(distance.copy())
    try:
        votes = np.asarray(votes, dtype=np.float64)
    except (TypeError, ValueError):
        votes = np.array(np.nan)
    if votes.shape != distance.shape or not np.isfinite(votes).all() or (votes < 0).any():
        shape = " × ".join(map(str, distance.shape))
        raise InputError(
            f"{who}(weights=<function>): the function must give a finite vote of at least 0 for "
            f"each of the {shape} distances it is given."
        )
    return votes
