"""Training rows that vote: the k nearest ones, or all within a radius."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from margin import params
from margin.base import MixedData
from margin.base.inputs.arrays import check_one_row
from margin.base.representations.representation import TrainingRows
from margin.base.representations.tiny_columns import TINY
from margin.data.weights import count_repeats
from margin.errors import listing
from margin.neighbors.distances import FeatureWeights, Metric, RowScale
from margin.neighbors.indexes.choose import Algorithm
from margin.neighbors.search import NeighborSearch, take_rows
from margin.neighbors.votes import Ballot, Votes, proportions, votes_of
from margin.neighbors.voting.neighborhoods import VOTES_AT_ONCE, Asked, neighborhoods
from margin.params import Count, Jobs, NonNegative, Positive
from margin.typing import Encoded, TableLike

__all__ = ["NearestVoters", "RadiusVoters", "Voters"]

# So many rows without neighbours are named.
NAMED = 5


# So many rows are sorted at once.
SORTED_ROWS = 2**22


class Voters(NeighborSearch):
    """A model whose training rows vote with their targets, weighted by their distance.

    Parameters
    ----------
    weights
        How much a neighbour at distance d counts: ``"uniform"`` 1, ``"distance"`` 1/d, ``"inverse_square"``
        1/d², or a function of the array of distances. Exact matches (d = 0) then outvote all others.
    metric
        How rows are compared: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"minkowski"``, ``"cosine"``,
        ``"canberra"``, ``"hamming"``, ``"haversine"``; ``"heom"`` and ``"gower"`` for mixed tables, whose missing
        cells are compared as such; or a function of two rows. With ``"precomputed"`` X holds distances: of all training
        rows from each other at fit, of new rows (rows) from the training rows (columns) later.
    p
        The power of the ``"minkowski"`` metric: 1 is ``"manhattan"``, 2 ``"euclidean"``.
    algorithm
        The index: ``"kd_tree"``, ``"ball_tree"``, ``"brute"``, or ``"auto"``, the one that suits the rows. The
        neighbours are the same.
    leaf_size
        How many rows a leaf of a tree holds at most; None leaves it to the index.
    scale
        ``"standard"`` brings numeric columns to deviation 1, ``"range"`` to 0 … 1, so that income does not
        drown height; ``"unit"`` brings each row to length 1, so that only proportions count (a row of zeros stays);
        None compares numbers as they are.
    feature_weights
        How much each column counts: numbers of at least 0 in the order of the columns, or by column name (those not
        named count 1). The terms of a distance, such as squared differences, are multiplied by them.
    n_jobs
        Threads for an answer; None uses all cores. The answers do not depend on it.
    """

    several_outputs = True
    weights: Any

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight = rows.weights()
        # Rows are kept by target, heavy ones first: votes of equally far rows are then added up, and rounded, in the
        # same way whatever the order of the rows.
        if rows.weight is None and y.dtype == np.int32 and y.ndim == 1 and y.max() < 2**16:
            order = _descending(y)
        else:
            order = np.lexsort((-weight, *(-np.atleast_2d(y.T))[::-1]))
        self._keep_rows(X, order, rows)
        self._targets = y[order]
        self._once = rows.weight is None  # every row counts once
        self._weight = np.broadcast_to(1.0, len(order)) if self._once else weight[order]
        self._repeats = self._once or count_repeats(weight)

    def _totals(self, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """The weight of each class in training; ``labels`` by place."""
        return np.bincount(labels, None if self._once else self._weight, n_classes)


class NearestVoters(Voters):
    """The ``n_neighbors`` nearest rows vote; a row of whole-number weight w takes w of these places.

    Rows as far away as the last of them vote as well: together they have the places that nearer ones leave.

    Parameters
    ----------
    n_neighbors
        How many neighbours vote; at most the number of training rows.
    """

    def __init__(
        self,
        n_neighbors: Count = 5,
        *,
        weights: Votes = "uniform",
        metric: Metric = "minkowski",
        p: Positive = 2.0,
        algorithm: Algorithm = "auto",
        leaf_size: Count | None = None,
        scale: RowScale | None = None,
        feature_weights: FeatureWeights = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.p = p
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.scale = scale
        self.feature_weights = feature_weights
        self.n_jobs = n_jobs

    def voters(self, X: TableLike) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For the one row X: distances, training row numbers, targets and votes of the neighbours asked.

        Where equally far rows share the last places, all of them are there, each with its part of a vote.
        """
        encoded = self._encoded(X, "voters")
        check_one_row(encoded, f"{type(self).__name__}.voters")
        ballot = next(asked.ballot for asked in self._asked(encoded) if asked.ballot.n_cases)
        votes = ballot.votes if ballot.unit is None else ballot.votes / ballot.unit[0]
        asked = votes > 0
        place = ballot.place[asked]
        return ballot.distance[asked], self._order[place], self._targets_at(place), votes[asked]

    def _targets_at(self, place: np.ndarray) -> np.ndarray:
        return self._targets[place]

    def _asked(self, X: Encoded) -> Iterator[Asked]:
        """The votes on encoded rows, some rows at a time."""
        params.check(self)  # what is asked of a fitted model may have been changed since
        k = self.n_neighbors
        for found in neighborhoods(self, self._as_queries(X), k):
            yield from found.asked(self, k)


class RadiusVoters(Voters):
    """All rows at most ``radius`` away vote.

    Parameters
    ----------
    radius
        How far away a training row may be to vote, itself included.
    """

    def __init__(
        self,
        radius: NonNegative = 1.0,
        *,
        weights: Votes = "uniform",
        metric: Metric = "minkowski",
        p: Positive = 2.0,
        algorithm: Algorithm = "auto",
        leaf_size: Count | None = None,
        scale: RowScale | None = None,
        feature_weights: FeatureWeights = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.metric = metric
        self.p = p
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.scale = scale
        self.feature_weights = feature_weights
        self.n_jobs = n_jobs

    def _unheard_below(self) -> float:
        """A radius is in the unit of the columns where the distance is."""
        in_their_unit = self.scale is None and self.metric in ("minkowski", "euclidean", "manhattan", "chebyshev")
        return TINY * float(self.radius) if in_their_unit and self.feature_weights is None else 0.0

    def _ballots(self, X: Encoded) -> Iterator[Ballot]:
        """The votes on encoded rows, so many rows at a time that the votes fit into memory."""
        params.check(self)  # what is asked of a fitted model may have been changed since
        queries = self._as_queries(X)
        n = len(queries) if isinstance(queries, MixedData) else queries.shape[0]
        first, size = 0, max(1, VOTES_AT_ONCE // self._index.n_rows)
        while first < n or n == first == 0:
            start, distance, place = self._within(take_rows(queries, slice(first, first + size)), self.radius)
            yield self._ballot(start, distance, place)
            if n == 0:
                return
            first += size
            size = min(4 * size, max(1, size * VOTES_AT_ONCE // (int(start[-1]) + 1)))

    def _ballot(self, start: np.ndarray, distance: np.ndarray, place: np.ndarray) -> Ballot:
        count = np.diff(start)
        there = start[:-1][count > 0]  # where the votes of each case begin that has any
        count = count[count > 0]
        votes = votes_of(self.weights, distance, np.repeat(distance[there], count), type(self).__name__)
        weight = self._weight[place]
        if not self._repeats and len(there):
            weight = proportions(weight, np.repeat(np.maximum.reduceat(weight, there), count))
        case = np.repeat(np.arange(len(start) - 1), np.diff(start))
        return Ballot(case, place, votes * weight, len(start) - 1, distance)

    def _too_far(self, X: Encoded, alone: np.ndarray) -> str:
        """What to say of encoded rows without neighbours: which they are, and how far they would have to look."""
        nearest = self._search(take_rows(self._as_queries(X), alone[:NAMED]), 1)[0].max()
        others = "" if len(alone) == 1 else f", nor has row {alone[1]}"
        if len(alone) > 2:
            others = f", nor have rows {listing(alone[1:].tolist(), NAMED - 1)}"
        reached = "it" if len(alone) == 1 else "them" if len(alone) <= NAMED else f"the first {NAMED}"
        return (
            f"{type(self).__name__}(radius={self.radius:g}): row {alone[0]} of X has no neighbours within the radius"
            f"{others}; use radius={_rounded_up(nearest):g} to reach {reached}"
        )


def _descending(codes: np.ndarray) -> np.ndarray:
    """The order of codes below 2^16 from the largest down, equal ones as they stand.

    >>> _descending(np.array([0, 2, 1, 2], dtype=np.int32))
    array([1, 3, 2, 0])
    """
    keys = (codes.max() - codes).astype(np.uint16)  # NumPy counts such small numbers
    if len(keys) <= SORTED_ROWS:
        return keys.argsort(kind="stable")
    order = np.empty(len(keys), dtype=np.intp)
    counts = np.bincount(keys)
    begin = np.cumsum(counts) - counts  # where the next row of each key goes
    for first in range(0, len(keys), SORTED_ROWS):  # a signal is heard in between
        some = keys[first : first + SORTED_ROWS]
        counts = np.bincount(some, minlength=len(begin))
        sorted_here = some.argsort(kind="stable")
        rank = np.arange(len(some)) - np.repeat(np.cumsum(counts) - counts, counts)
        order[np.repeat(begin, counts) + rank] = first + sorted_here
        begin += counts
    return order


def _rounded_up(distance: float) -> float:
    """Four digits are enough to read, but the radius must reach.

    >>> _rounded_up(2.00001), _rounded_up(0.0)
    (2.001, 0.0)
    """
    if distance == 0:
        return 0.0
    short = float(f"{distance:.3e}")
    return short if short >= distance else float(f"{short + 10.0 ** (math.floor(math.log10(distance)) - 3):.3e}")
