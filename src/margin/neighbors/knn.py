"""k nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

import margin._core as _core
from margin import parallel, params
from margin.base import Classifier, Numeric
from margin.base.inputs import check_one_row
from margin.base.moments import unit_for
from margin.base.numeric import Scale
from margin.data.weights import count_repeats
from margin.errors import InputError, ParameterError
from margin.params import Count, Jobs, Positive, choice, rule_of

__all__ = ["KNeighborsClassifier"]

# As in native/include/margin/neighbors/brute.hpp.
BLOCK_ROWS, COLUMN_GROUP = 16, 4
# float32 rows of larger magnitude, or smaller than its inverse, are compared in float64: their squares need the room.
FLOAT32_ORDINARY = 1e15

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
        return Numeric(scale=self.scale, keep_float32=True)

    def _measure(self) -> tuple[str, float]:
        """The metric that does the work: whole powers have quicker names."""
        quick = {1.0: "manhattan", 2.0: "euclidean"}
        if self.metric == "minkowski" and self.p in quick:
            return quick[self.p], float(self.p)
        return self.metric, float(self.p)

    def _fit(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
        self._metric = self._measure()
        magnitude = float(np.abs(X).max(initial=0.0))
        if self._metric[0] == "minkowski" or not 1 / FLOAT32_ORDINARY < magnitude < FLOAT32_ORDINARY:
            X = X.astype(np.float64, copy=False)
        self._unit = float(unit_for(magnitude))
        # Rows are kept class by class: ties between equal distances then go by class, not by row order.
        self._order = np.argsort(y, kind="stable")
        rows = X[self._order] if self._unit == 1 else X[self._order] / self._unit
        self._blocks = _in_blocks(rows)
        self._labels = y[self._order]
        self._weight = weight[self._order]
        self._repeats = count_repeats(weight)

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances and row numbers of the nearest training rows of each row of X, nearest first."""
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not rule_of(Count).accepts(k):
            raise ParameterError(
                f"KNeighborsClassifier.kneighbors(n_neighbors={k!r}): n_neighbors must be {rule_of(Count).words}."
            )
        distance, place = self._nearest(self._encoded(X, "kneighbors"), k)
        return distance, self._order[place]

    def voters(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For the one row X: distances, training row numbers, labels and votes of the neighbours asked."""
        encoded = self._encoded(X, "voters")
        check_one_row(encoded, "KNeighborsClassifier.voters")
        distance, place = self._nearest(encoded, self.n_neighbors)
        votes = self._votes(distance) * self._counted(place)
        asked = votes[0] > 0
        return (
            distance[0][asked],
            self._order[place[0][asked]],
            self.classes_[self._labels[place[0][asked]]],
            votes[0][asked],
        )

    def _nearest(self, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        params.check(self)  # what is asked of a fitted model may have been changed since
        blocks = self._blocks
        if blocks.dtype == np.float32:
            X, blocks = _in_one_type(X, blocks)
        X = np.ascontiguousarray(X, dtype=blocks.dtype)
        found = self._search(X, blocks, k)
        if not np.isfinite(found[0]).all() and blocks.dtype == np.float32:
            found = self._search(X.astype(np.float64), blocks.astype(np.float64), k)
        row = np.flatnonzero(~np.isfinite(found[0]).all(axis=1))
        if row.size:
            raise InputError(
                f"KNeighborsClassifier: row {row[0]} of X is too far from the training rows to say how far "
                f"(metric {self._metric[0]!r}, p={self._metric[1]:g}; rescale the columns)."
            )
        return found

    def _search(self, X: np.ndarray, blocks: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        n, threads = len(self._order), parallel.n_threads(self.n_jobs)
        if self._unit == 1:
            return _core.neighbors.nearest(blocks, n, X, min(k, n), *self._metric, threads)
        with np.errstate(over="ignore"):
            X = X / self._unit
        distance, place = _core.neighbors.nearest(blocks, n, X, min(k, n), *self._metric, threads)
        return distance * self._unit, place

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
        # Only proportions count: the nearest one votes 1, and no distance is too small or too large to divide by.
        nearest = distance.min(axis=1, keepdims=True, initial=np.inf)
        share = np.divide(nearest, distance, out=(distance == 0).astype(np.float64), where=distance > 0)
        return share if self.weights == "distance" else share**2

    def _votes_of_user(self, distance: np.ndarray) -> np.ndarray:
        votes = self.weights(distance.copy())  # type: ignore[operator]
        try:
            votes = np.asarray(votes, dtype=np.float64)
        except (TypeError, ValueError):
            votes = np.array(np.nan)
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
    padded.reshape(shape[0] * BLOCK_ROWS, shape[2])[:n, :columns] = rows
    return np.ascontiguousarray(padded.transpose(0, 2, 1)).reshape(-1, BLOCK_ROWS)


def _in_one_type(X: np.ndarray, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as float32 where that keeps every digit of X, else both as float64."""
    with np.errstate(over="ignore"):
        narrow = X.astype(np.float32, copy=False)
    return (narrow, blocks) if np.array_equal(narrow, X) else (X, blocks.astype(np.float64))
