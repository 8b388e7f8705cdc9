"""k nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Classifier, Numeric
from margin.base.representation import Scale
from margin.base.weights import count_repeats
from margin.errors import InputError
from margin.params import Count, Jobs, Positive, choice

__all__ = ["KNeighborsClassifier"]

# As in native/include/margin/neighbors/brute.hpp.
BLOCK_ROWS, COLUMN_GROUP = 16, 4

Metric = Annotated[str, choice(known=_core.neighbors.metrics)]
Votes = Literal["uniform", "distance", "inverse_square"] | Callable[[np.ndarray], np.ndarray]


class KNeighborsClassifier(Classifier):
    r"""Asks the nearest training rows and takes the majority of their classes.

    Learning only stores the rows; an answer looks at all of them, :math:`O(n d)`. It needs columns on
    comparable scales (``scale``), and fails in many dimensions, where all rows are about equally far away.

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
        How rows are compared.
    p
        The power of the ``"minkowski"`` metric: 1 is ``"manhattan"``, 2 ``"euclidean"``.
    scale
        ``"standard"`` brings numeric columns to deviation 1, ``"range"`` to 0 … 1, so that income does not
        drown height; None compares numbers as they are.
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
        scale: Scale | None = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.p = p
        self.scale = scale
        self.n_jobs = n_jobs

    @property
    def representation(self) -> Numeric:  # type: ignore[override]
        return Numeric(scale=self.scale, keep_float32=True, largest=1e150 if self._metric()[1] <= 2 else 1e75)

    def _metric(self) -> tuple[str, float]:
        """The metric that does the work: whole powers have quicker names."""
        quick = {1.0: "manhattan", 2.0: "euclidean"}
        if self.metric == "minkowski" and self.p in quick:
            return quick[self.p], self.p
        return self.metric, self.p

    def _fit(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
        # Rows are kept class by class: ties between equal distances then go by class, not by row order.
        self._order = np.argsort(y, kind="stable")
        self._blocks = _in_blocks(X[self._order])
        self._labels = y[self._order]
        self._weight = weight[self._order]
        self._repeats = count_repeats(weight)

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances and row numbers of the nearest training rows of each row of X, nearest first."""
        distance, place = self._nearest(self._encoded(X, "kneighbors"), n_neighbors or self.n_neighbors)
        return distance, self._order[place]

    def voters(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For the one row X: distances, training row numbers, labels and votes of the neighbours asked."""
        distance, place = self._nearest(self._encoded(X, "voters"), self.n_neighbors)
        votes = self._votes(distance) * self._counted(place)
        asked = votes[0] > 0
        return (
            distance[0][asked],
            self._order[place[0][asked]],
            self.classes_[self._labels[place[0][asked]]],
            votes[0][asked],
        )

    def _nearest(self, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        k = min(k, len(self._order))
        metric, p = self._metric()
        X = X.astype(self._blocks.dtype, copy=False)
        threads = parallel.n_threads(self.n_jobs)
        return _core.neighbors.nearest(self._blocks, len(self._order), X, k, metric, p, threads)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        distance, place = self._nearest(X, self.n_neighbors)
        votes = self._votes(distance) * self._counted(place)
        shares = np.zeros((len(X), len(self.classes_)))
        np.add.at(shares, (np.arange(len(X))[:, None], self._labels[place]), votes)
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=np.full_like(shares, 1 / shares.shape[1]), where=total > 0)

    def _counted(self, place: np.ndarray) -> np.ndarray:
        """How many neighbours each row found stands for: repeated rows fill up the k places."""
        weight = self._weight[place]
        if not self._repeats:
            return weight / weight.max(axis=1, keepdims=True) if len(weight) else weight
        before = np.cumsum(weight, axis=1) - weight
        return np.clip(self.n_neighbors - before, 0.0, weight)

    def _votes(self, distance: np.ndarray) -> np.ndarray:
        if self.weights == "uniform":
            return np.ones_like(distance)
        if callable(self.weights):
            return self._votes_of_user(distance)
        closeness = distance if self.weights == "distance" else distance**2
        exact = distance == 0
        with np.errstate(divide="ignore", over="ignore"):
            votes = np.where(exact.any(axis=1, keepdims=True), exact, 1 / closeness)
        # Distances too small to divide by are exact matches for all purposes.
        endless = np.isinf(votes)
        return np.where(endless.any(axis=1, keepdims=True), endless, votes)

    def _votes_of_user(self, distance: np.ndarray) -> np.ndarray:
        votes = np.asarray(self.weights(distance), dtype=np.float64)  # type: ignore[operator]
        if votes.shape != distance.shape or not np.isfinite(votes).all() or (votes < 0).any():
            raise InputError(
                "KNeighborsClassifier(weights=<function>): the function must give a finite vote of at least 0 for "
                f"each of the {distance.shape[0]} × {distance.shape[1]} distances it is given."
            )
        return votes


def _in_blocks(rows: np.ndarray) -> np.ndarray:
    """Rows sixteen to a block, column after column, as the core wants them; filled up with zeros to whole blocks."""
    n, columns = rows.shape
    shape = (-(-n // BLOCK_ROWS), BLOCK_ROWS, -(-columns // COLUMN_GROUP) * COLUMN_GROUP)
    padded = np.zeros(shape, dtype=rows.dtype)
    padded.reshape(-1, shape[2])[:n, :columns] = rows
    return np.ascontiguousarray(padded.transpose(0, 2, 1)).reshape(-1, BLOCK_ROWS)
