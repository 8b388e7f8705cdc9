"""Searching the training rows: what every model of neighbours shares."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from margin import parallel, params
from margin.base import Mixed, MixedData, Numeric
from margin.base.estimator import TableEstimator
from margin.base.inputs.arrays import dense_from_sparse
from margin.base.representations.representation import TrainingRows
from margin.errors import InputError, ParameterError, PersistenceError
from margin.neighbors.distances import GIVEN, MIXED, column_weights, power_of, quick_name
from margin.neighbors.equal_rows import equal_queries
from margin.neighbors.indexes.choose import Algorithm, IndexChoice, build_index
from margin.neighbors.indexes.given import GivenDistances
from margin.neighbors.indexes.mixed import MixedRows
from margin.neighbors.indexes.row_transform import Space, space_of
from margin.neighbors.indexes.sparse import SPARSE_METRICS, SparseRows
from margin.params import Count, NonNegative, rule_of
from margin.typing import Encoded

__all__ = ["NeighborSearch", "take_rows"]

#: Differences of a larger cell and any cell of a training row may overflow.
FARTHEST = 1.7e308
#: From so many mixed rows on equal ones are looked for once.
MANY_QUERIES = 100
#: So many rows are copied at once.
ROWS_AT_ONCE = 2**18


class NeighborSearch(TableEstimator):
    """An estimator that keeps its training rows in an index and asks it for neighbours.

    A subclass has the parameters ``metric``, ``p``, ``algorithm``, ``leaf_size``, ``scale``, ``feature_weights`` and
    ``n_jobs``, and calls ``_keep_rows`` from its ``_fit``. Rows are kept in an order given by their targets; the
    index numbers them by *place* in that order and, of rows equally far away, gives those of the smaller place first.
    """

    metric: Any
    p: float
    algorithm: Algorithm
    leaf_size: int | None
    scale: Any
    feature_weights: Any
    n_jobs: Any
    #: Whatever holds the rows: an object with ``nearest``, ``within`` and ``rows``.
    _index: Any

    @property
    def representation(self) -> Any:
        if self.metric in MIXED:
            return Mixed()
        if self.metric == GIVEN:
            return Numeric()
        # Trees take rows that are written out, and so do the metrics that are no sums over columns.
        sparse = self.algorithm in ("auto", "brute") and quick_name(self.metric, self.p) in SPARSE_METRICS
        return Numeric(scale=None if self.scale == "unit" else self.scale, sparse=sparse, keep_float32=True)

    @property
    def index_(self) -> IndexChoice:
        """The index that is searched, and the reason for it."""
        return self._fitted("index_")._choice

    def _keep_rows(self, X: Encoded, order: np.ndarray, rows: TrainingRows) -> None:
        """Build the index over the training rows X, taken in this order."""
        self._order = rows.as_given(order)
        self._n_given = rows.n_given
        self._metric = quick_name(self.metric, self.p)
        if isinstance(X, MixedData):
            self._refuse_for_mixed()
            weights = self._column_weights()
            self._space = Space()
            self._index = MixedRows.build(X.take(order), self._metric, weights, self._threads())
            self._choice = IndexChoice(MixedRows.name, f"metric {self._metric!r} compares words and missing cells")
            return
        if self._metric == GIVEN:
            self._refuse_for_given()
            self._space = Space()
            self._index = GivenDistances(self._square(X, order, rows))
            self._choice = IndexChoice(GivenDistances.name, f"metric {GIVEN!r}: X holds them")
            return
        magnitude, directions = self._encoder.reach(X), self.scale == "unit"
        factors = self._factors(min(magnitude, 1.0) if directions else magnitude)
        self._space = space_of(X, magnitude, self._metric, float(self.p), factors, directions)
        ordered = self._space.training_rows(take_rows(X, order))
        self._index, self._choice = build_index(
            ordered, self._metric, float(self.p), self.algorithm, self.leaf_size, self._threads(), type(self).__name__
        )

    def _refuse_for_mixed(self) -> None:
        who = f"{type(self).__name__}(metric={self.metric!r}"
        if self.scale is not None:
            raise ParameterError(
                f"{who}, scale={self.scale!r}): this metric divides numbers by their range itself; leave scale out."
            )
        if self.algorithm not in ("auto", "brute"):
            raise ParameterError(
                f"{who}, algorithm={self.algorithm!r}): no tree serves this metric, which has an index of its own; "
                "take 'auto'."
            )

    def _refuse_for_given(self) -> None:
        for name, nothing in (("scale", (None,)), ("feature_weights", (None,)), ("algorithm", ("auto", "brute"))):
            value = getattr(self, name)
            if not isinstance(value, (str, type(None))) or value not in nothing:
                raise ParameterError(
                    f"{type(self).__name__}(metric={GIVEN!r}, {name}={value!r}): X holds distances, and there are no "
                    f"columns to compare; leave {name} out."
                )

    def _square(self, X: np.ndarray, order: np.ndarray, rows: TrainingRows) -> np.ndarray:
        """The distances among the rows that count, in this order."""
        who = f"{type(self).__name__}.fit(metric={GIVEN!r})"
        if X.shape[1] != rows.n_given:
            raise InputError(
                f"{who}: X must be square, the distances of all rows from each other, but has {rows.n_given} rows and "
                f"{X.shape[1]} columns."
            )
        if self._encoder.filled:
            raise InputError(f"{who}: X must have no missing cells.")
        _refuse_negative(X, who)
        return np.ascontiguousarray(X[order][:, rows.as_given(order)], dtype=np.float64)

    def _encoded(self, X: Encoded, method: str) -> Any:
        encoded = super()._encoded(X, method)
        if self._metric == GIVEN:
            who = f"{type(self).__name__}.{method}(metric={GIVEN!r})"
            if np.isnan(np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)).any():
                raise InputError(f"{who}: X must have no missing cells.")
            _refuse_negative(encoded, who)
        return encoded

    def _warn_of_constant_columns(self, constant: list[str], n_rows: int, who: str) -> None:
        if self.metric != GIVEN:  # distances are no columns
            super()._warn_of_constant_columns(constant, n_rows, who)  # type: ignore[misc]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == GIVEN
        return tags

    def _column_weights(self) -> np.ndarray | None:
        if self.feature_weights is None:
            return None
        return column_weights(self.feature_weights, self._columns, type(self).__name__)

    def _factors(self, magnitude: float) -> np.ndarray | None:
        """What each column of cells up to ``magnitude`` is multiplied by, so that its differences get their weight."""
        weights = self._column_weights()
        if weights is None:
            return None
        power = power_of(self._metric, self.p)
        if power is None:
            raise ParameterError(
                f"{type(self).__name__}(metric={self.metric!r}, feature_weights=…): this metric cannot weigh columns."
            )
        with np.errstate(over="ignore"):
            factors = self._encoder.spread_over(weights) ** (1 / power)
            if not np.isfinite(factors * max(magnitude, 1.0)).all():
                raise ParameterError(
                    f"{type(self).__name__}(feature_weights=…): cells times {weights.max():g} to the power of "
                    f"{1 / power:g} are too large (divide all weights by the largest)."
                )
        return factors

    def _threads(self) -> int:
        return parallel.n_threads(self.n_jobs)

    def kneighbors(
        self, X: Encoded = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
        """Distances and row numbers of the nearest training rows of each row of X, nearest first.

        Without X, the neighbours of each training row among the others; rows of weight 0 are no training rows.
        """
        k = self._asked_for(n_neighbors, "kneighbors")
        self._fitted("kneighbors")
        if X is None:
            distance, place = self._nearest_others(k)
        else:
            distance, place = self._nearest(self._encoded(X, "kneighbors"), k)
        return (distance, self._order[place]) if return_distance else self._order[place]

    def kneighbors_graph(
        self,
        X: Encoded = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any:
        """The nearest training rows of each row of X as CSR: 1, or the distance, where a row is a neighbour."""
        self._check_mode(mode, "kneighbors_graph")
        distance, row = self.kneighbors(X, n_neighbors)
        start = np.arange(len(distance) + 1) * distance.shape[1]
        return self._graph(start, distance.ravel(), row.ravel(), mode)

    def radius_neighbors(
        self, X: Encoded = None, radius: float | None = None, return_distance: bool = True
    ) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
        """Distances and row numbers of all training rows within a radius of each row of X, nearest first.

        The number of neighbours differs from row to row: the results are arrays of arrays.
        """
        start, distance, row = self._within_given(X, radius, "radius_neighbors")
        rows = _array_of_arrays(row, start)
        return (_array_of_arrays(distance, start), rows) if return_distance else rows

    def radius_neighbors_graph(
        self, X: Encoded = None, radius: float | None = None, mode: Literal["connectivity", "distance"] = "connectivity"
    ) -> Any:
        """The training rows within a radius of each row of X as CSR: 1, or the distance, where a row is one."""
        self._check_mode(mode, "radius_neighbors_graph")
        return self._graph(*self._within_given(X, radius, "radius_neighbors_graph"), mode)

    def _nearest(self, X: Encoded, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the k nearest training rows of encoded rows X."""
        params.check(self)  # what is asked of a fitted model may have been changed since
        return self._search(self._as_queries(X), min(k, self._index.n_rows))

    def _nearest_others(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Likewise for each training row in the order given, itself left out."""
        distance, place = self._others_from(0, self._index.rows(), k)
        given = np.argsort(self._order)
        return self._space.distances(distance)[given], place[given]

    def _others_from(self, first: int, rows: Any, k: int, needed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Likewise for prepared training rows, those at the places from ``first`` on, each itself left out; distances
        are the index's own."""
        distance, place = self._search_places(rows, min(k + 1, self._index.n_rows), needed)
        others = place != np.arange(first, first + len(place))[:, None]
        others[others.all(axis=1), -1] = False  # among so many equal rows that it did not find itself
        shape = (len(place), place.shape[1] - 1)
        if np.count_nonzero(others) != shape[0] * shape[1]:
            raise self._not_found()
        return distance[others].reshape(shape), place[others].reshape(shape)

    def _search(self, queries: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        distance, place = self._search_places(queries, k)
        return self._space.distances(distance), place

    def _search_places(self, queries: Any, k: int, needed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances as the index measures them, and places; ``needed`` of them must be finite, all if it is None."""
        self._refuse_overflown(queries)
        distance, place = self._nearest_rows(queries, k)
        self._check_found(distance, place, min(needed or k, k))
        return distance, place

    def _check_found(self, distance: np.ndarray, place: np.ndarray, needed: int) -> None:
        """Refuse distances that are not finite, and places that are none."""
        last = self._space.distances(distance[:, needed - 1])
        if not np.isfinite(last).all():
            raise self._too_far_away(int(np.flatnonzero(~np.isfinite(last))[0]))
        if place.view(np.uint64).max(initial=0) >= self._index.n_rows:
            raise self._not_found()

    def _nearest_rows(self, queries: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        if not isinstance(queries, MixedData) or len(queries) < MANY_QUERIES:
            return self._index.nearest(queries, k, self._threads())
        # Tables of few levels have few different rows, and each search looks at all that are equally far.
        number, one = equal_queries(queries)
        if len(one) > len(number) // 2:
            return self._index.nearest(queries, k, self._threads())
        distance, place = self._index.nearest(queries.take(one), k, self._threads())
        return distance[number], place[number]

    def _refuse_overflown(self, queries: Any) -> None:
        """Cells that became infinite when they were weighed or scaled have no distance from anything."""
        if isinstance(queries, np.ndarray):
            plain = self._space.factors is None and self._space.unit == 1
            if plain and not isinstance(self._index, SparseRows):
                return
            cells = queries
        elif isinstance(queries, MixedData):
            return
        else:
            cells = queries.data
        if cells.size and not (float(cells.max()) <= FARTHEST and float(cells.min()) >= -FARTHEST):
            at = int(np.flatnonzero(~(np.abs(cells.ravel().astype(np.float64)) <= FARTHEST))[0])
            if cells is queries:
                raise self._too_far_away(at // cells.shape[1])
            raise self._too_far_away(int(np.searchsorted(queries.indptr, at, "right")) - 1)

    def _too_far_away(self, row: int) -> InputError:
        return InputError(
            f"{type(self).__name__}: row {row} of X is too far from the training rows to say how far "
            f"(metric {self._metric!r}, p={self.p:g}; rescale the columns)."
        )

    def _not_found(self) -> PersistenceError:
        """A search finds as many rows as it is asked for, unless rows of a mapped file are none."""
        return PersistenceError(
            f"{type(self).__name__}: the training rows hold cells that are no numbers: the file of the model was "
            "changed (margin.persistence.verify tells where)."
        )

    def _within(self, queries: Any, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distances and places of all training rows within the radius of prepared rows."""
        start, distance, place = self._index.within(queries, self._space.radius(radius), self._threads())
        distance = self._space.distances(distance)
        inside = distance <= radius
        if inside.all():
            return start, distance, place
        return np.concatenate([[0], np.cumsum(inside)])[start], distance[inside], place[inside]

    def _as_queries(self, X: Encoded) -> Any:
        """Encoded rows as the index takes them."""
        if isinstance(X, MixedData):
            return X
        if isinstance(self._index, GivenDistances):
            return np.ascontiguousarray(X[:, self._order], dtype=np.float64)
        if isinstance(self._index, SparseRows):
            return self._space.queries(X)
        return self._space.queries(X if isinstance(X, np.ndarray) else dense_from_sparse(X, type(self).__name__))

    def _within_given(self, X: Encoded, radius: float | None, method: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Start, distances and row numbers; without X of each training row among the others."""
        radius = getattr(self, "radius", 1.0) if radius is None else radius
        self._fitted(method)
        self._check(radius, NonNegative, f"{method}(radius={radius!r}): radius")
        if X is not None:
            start, distance, place = self._within(self._as_queries(self._encoded(X, method)), radius)
            return start, distance, self._order[place]
        start, distance, place = self._within(self._index.rows(), radius)
        query = np.repeat(np.arange(self._index.n_rows), np.diff(start))
        others = place != query
        given = np.argsort(np.argsort(self._order))  # from place to the order of the training rows as given
        order = np.argsort(given[query[others]], kind="stable")
        counts = np.bincount(given[query[others]], minlength=self._index.n_rows)
        start = np.concatenate([[0], np.cumsum(counts)])
        return start, distance[others][order], self._order[place[others][order]]

    def _asked_for(self, n_neighbors: int | None, method: str) -> int:
        k = getattr(self, "n_neighbors", 5) if n_neighbors is None else n_neighbors
        self._check(k, Count, f"{method}(n_neighbors={k!r}): n_neighbors")
        return k

    def _check(self, value: object, annotation: Any, what: str) -> None:
        if not rule_of(annotation).accepts(value):
            raise ParameterError(f"{type(self).__name__}.{what} must be {rule_of(annotation).words}.")

    def _check_mode(self, mode: str, method: str) -> None:
        if mode not in ("connectivity", "distance"):
            raise ParameterError(
                f"{type(self).__name__}.{method}(mode={mode!r}): mode must be 'connectivity' or 'distance'."
            )

    def _graph(self, start: np.ndarray, distance: np.ndarray, row: np.ndarray, mode: str) -> Any:
        values = distance if mode == "distance" else np.ones(len(row))
        return csr_array((values, row, start), shape=(len(start) - 1, self._n_given))


def take_rows(X: Encoded, rows: Any) -> Any:
    """Some rows of encoded or prepared ones: a slice, or their numbers."""
    if isinstance(X, MixedData):
        return X.take(rows)
    if not isinstance(X, np.ndarray) or not isinstance(rows, np.ndarray):
        return X[rows]
    if len(rows) <= ROWS_AT_ONCE:
        return X.take(rows, axis=0)
    taken = np.empty((len(rows), X.shape[1]), dtype=X.dtype)
    for first in range(0, len(rows), ROWS_AT_ONCE):  # a signal is heard in between
        some = slice(first, first + ROWS_AT_ONCE)
        taken[some] = X.take(rows[some], axis=0)
    return taken


def _refuse_negative(X: np.ndarray, who: str) -> None:
    if X.size and float(X.min()) < 0:
        row, column = np.argwhere(X < 0)[0]
        raise InputError(f"{who}: distances must be at least 0, but row {row}, column {column} is {X[row, column]:g}.")


def _array_of_arrays(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    parts = np.empty(len(start) - 1, dtype=object)
    parts[:] = np.split(values, start[1:-1]) if len(parts) else []
    return parts
