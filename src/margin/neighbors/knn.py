"""k nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import Classifier
from margin.base.inputs import check_one_row
from margin.base.numeric import Scale
from margin.base.representation import TrainingRows
from margin.data.weights import count_repeats
from margin.neighbors.choice import Algorithm
from margin.neighbors.metrics import FeatureWeights, Metric
from margin.neighbors.search import NeighborSearch
from margin.neighbors.votes import Votes, class_sums, votes_of
from margin.params import Count, Jobs, Positive

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(NeighborSearch, Classifier):
    r"""Asks the nearest training rows and takes the majority of their classes.

    Learning puts the rows into an index (``index_`` says which and why). It needs columns on comparable scales
    (``scale``), and fails in many dimensions, where all rows are about equally far away (:func:`~margin.curse`).

    Rows at equal distance are taken in the order of their classes, so that answers do not depend on the order
    of the training rows. A row of whole-number weight w counts as w neighbours; other weights multiply votes.

    Parameters
    ----------
    n_neighbors
        How many neighbours vote; at most the number of training rows.
    weights
        How much a neighbour at distance d counts: ``"uniform"`` 1, ``"distance"`` 1/d, ``"inverse_square"``
        1/d², or a function of the array of distances. Exact matches (d = 0) then outvote all others.
    metric
        How rows are compared: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``, ``"minkowski"``, ``"cosine"``,
        ``"canberra"``, ``"hamming"``, ``"haversine"``; ``"heom"`` and ``"gower"`` for mixed tables, whose missing
        cells are compared as such; or a function of two rows.
    p
        The power of the ``"minkowski"`` metric: 1 is ``"manhattan"``, 2 ``"euclidean"``.
    algorithm
        The index: ``"kd_tree"``, ``"ball_tree"``, ``"brute"``, or ``"auto"``, the one that suits the rows. The
        neighbours are the same.
    leaf_size
        How many rows a leaf of a tree holds at most; None leaves it to the index.
    scale
        ``"standard"`` brings numeric columns to deviation 1, ``"range"`` to 0 … 1, so that income does not
        drown height; None compares numbers as they are.
    feature_weights
        How much each column counts: numbers of at least 0 in the order of the columns, or by column name (those not
        named count 1). The terms of a distance, such as squared differences, are multiplied by them.
    n_jobs
        Threads for an answer; None uses all cores. The answers do not depend on it.

    References
    ----------
    Fix, Hodges (1951); Cover, Hart (1967).

    Examples
    --------
    >>> model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["left", "right"])
    >>> model.predict([[0.2], [0.9]])
    array(['left', 'right'], dtype='<U5')
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
        scale: Scale | None = None,
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

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        weight = rows.weights()
        # Rows are kept class by class, heavy ones first: ties between equal distances do not go by row order then.
        order = np.lexsort((-weight, y))
        self._keep_rows(X, order, rows)
        self._labels = y[order]
        self._weight = weight[order]
        self._repeats = count_repeats(weight)

    def voters(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For the one row X: distances, training row numbers, labels and votes of the neighbours asked."""
        encoded = self._encoded(X, "voters")
        check_one_row(encoded, "KNeighborsClassifier.voters")
        distance, place = self._nearest(encoded, self.n_neighbors)
        votes = votes_of(self.weights, distance, "KNeighborsClassifier") * self._counted(place)
        asked = votes[0] > 0
        return (
            distance[0][asked],
            self._order[place[0][asked]],
            self.classes_[self._labels[place[0][asked]]],
            votes[0][asked],
        )

    def _scores(self, X: np.ndarray) -> np.ndarray:
        distance, place = self._nearest(X, self.n_neighbors)
        votes = votes_of(self.weights, distance, "KNeighborsClassifier") * self._counted(place)
        shares = class_sums(self._labels[place], votes, len(self.classes_))
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=np.full_like(shares, 1 / shares.shape[1]), where=total > 0)

    def _counted(self, place: np.ndarray) -> np.ndarray:
        """How many neighbours each row found stands for: repeated rows fill up the k places."""
        weight = self._weight[place]
        if not self._repeats:
            return weight / weight.max(axis=1, keepdims=True) if len(weight) else weight
        before = np.cumsum(weight, axis=1) - weight
        return np.clip(self.n_neighbors - before, 0.0, weight)
