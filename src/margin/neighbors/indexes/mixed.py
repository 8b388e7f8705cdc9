"""Neighbours in tables of numbers and categories with missing cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

import margin._core as _core
from margin.base import MixedData
from margin.data.schema import Schema
from margin.neighbors.indexes.row_transform import Radius, radii_of

__all__ = ["MixedMetric", "MixedRows"]

#: One of ``margin._core.neighbors.mixed_metrics()``.
MixedMetric: TypeAlias = str


@dataclass(frozen=True)
class ComparedColumns:
    """Where the columns that count stand in mixed data, and what they weigh.

    ``numeric`` are columns of the matrix, ``ordinal`` and ``nominal`` positions in the tuple of codes; ``weights``
    has them in this order.
    """

    numeric: tuple[int, ...]
    ordinal: tuple[int, ...]
    nominal: tuple[int, ...]
    n_numeric: int
    n_codes: int
    weights: np.ndarray

    @classmethod
    def of(cls, data: MixedData, weights: np.ndarray | None) -> Self:
        """All columns of weight above 0; weights in the order of the schema, None for 1 each."""
        n_numeric, n_codes = data.numeric.shape[1], len(data.codes)
        kinds = ["numeric"] * n_numeric if data.schema is None else [column.kind for column in data.schema]
        given = np.ones(len(kinds)) if weights is None else np.asarray(weights, dtype=np.float64)
        found: dict[str, list[tuple[int, float]]] = {"numeric": [], "ordinal": [], "nominal": []}
        n_seen = {True: 0, False: 0}
        for kind, weight in zip(kinds, given, strict=True):
            if weight > 0:
                found[kind if kind in found else "nominal"].append((n_seen[kind == "numeric"], float(weight)))
            n_seen[kind == "numeric"] += 1
        numeric, ordinal, nominal = (tuple(position for position, _ in columns) for columns in found.values())
        in_order = np.array([weight for columns in found.values() for _, weight in columns], dtype=np.float64)
        return cls(numeric, ordinal, nominal, n_numeric, n_codes, in_order)

    def split(self, data: MixedData) -> tuple[np.ndarray, np.ndarray]:
        """Numbers and ranks side by side, NaN where missing, and codes side by side."""
        numbers = np.ascontiguousarray(data.numeric, dtype=np.float64)
        if len(self.numeric) < self.n_numeric:
            numbers = np.ascontiguousarray(numbers[:, self.numeric])
        if self.ordinal:
            ranks = [np.where(data.codes[at] < 0, np.nan, data.codes[at]) for at in self.ordinal]
            numbers = np.column_stack([numbers, *ranks])
        codes = np.empty((len(numbers), len(self.nominal)), dtype=np.int32)
        for column, at in enumerate(self.nominal):
            codes[:, column] = data.codes[at]
        return numbers, codes

    def join(self, numbers: np.ndarray, codes: np.ndarray, schema: Schema | None) -> MixedData:
        """The other way round; columns that do not count come out missing."""
        n = len(numbers)
        numeric = np.full((n, self.n_numeric), np.nan)
        numeric[:, self.numeric] = numbers[:, : len(self.numeric)]
        columns = [np.full(n, -1, dtype=np.int32) for _ in range(self.n_codes)]
        for ranks, at in zip(numbers.T[len(self.numeric) :], self.ordinal):
            columns[at] = np.where(np.isnan(ranks), -1, ranks).astype(np.int32)
        for column, at in zip(codes.T, self.nominal):
            columns[at] = np.ascontiguousarray(column)
        return MixedData(numeric, tuple(columns), schema)


@dataclass(eq=False)
class MixedRows:
    r"""An exact index of mixed rows, for the metrics ``"heom"`` and ``"gower"``.

    Two cells of column j differ by :math:`t_j`: 0 or 1 for equal or different categories,
    :math:`|a - b| / \text{range}_j` for numbers and for the ranks of ordinal columns, the range being that of the
    training rows (0 or 1 for equal or different numbers, where all training rows have the same one). A number outside
    of the range may differ by more than 1. With weights :math:`w_j`

    - HEOM, Wilson and Martinez (1997), is :math:`\sqrt{\sum_j w_j t_j^2}` with :math:`t_j = 1` where either
      row misses the cell;
    - Gower (1971) is :math:`\sum_j w_j t_j / \sum_j w_j` over the columns where both rows have a cell, and 1 if there
      is no such column.

    Terms are added up in one order: those of numeric columns, then of ordinal ones; those of nominal columns; the
    weights of columns with a missing cell likewise; then numbers, categories and missing cells together. Columns of
    weight 0 do not count.

    Rows are kept in an order that brings similar ones together, 32 to a block, with a byte for each cell. Boxes around
    blocks, then those bytes, tell 32 at a time which rows are surely too far; the others are compared exactly. A
    query costs a small part of a look at every row, except where most rows are equally far: all of these are compared.
    Building is O(n d log n).

    >>> from margin.data.schema import Column
    >>> rows = MixedData(np.array([[0.0], [10.0], [np.nan]]), (np.array([0, 1, 1], dtype=np.int32),),
    ...                  Schema([Column("size", "numeric"), Column("colour", "nominal", ("red", "blue"))]))
    >>> index = MixedRows.build(rows, "heom", None, 1)
    >>> query = MixedData(np.array([[8.0]]), (np.array([1], dtype=np.int32),), rows.schema)
    >>> distance, place = index.nearest(query, 2, 1)
    >>> distance.round(3).tolist(), place.tolist()
    ([[0.2, 1.0]], [[1, 2]])
    """

    name = "mixed rows"

    metric: MixedMetric
    columns: ComparedColumns
    schema: Schema | None
    unit: float
    arrays: tuple[np.ndarray, ...]

    @classmethod
    def build(
        cls, data: MixedData, metric: MixedMetric, feature_weights: np.ndarray | None = None, n_threads: int = 0
    ) -> Self:
        """Index training rows, at least one; weights are finite, not negative, and in the order of the schema."""
        columns = ComparedColumns.of(data, feature_weights)
        weights, unit = _ordinary(columns.weights, metric)
        arrays = _core.neighbors.index_mixed(*columns.split(data), weights, metric, n_threads)
        return cls(metric, columns, data.schema, unit, arrays)

    @property
    def n_rows(self) -> int:
        return len(self._place)

    @property
    def _place(self) -> np.ndarray:
        return self.arrays[2]

    def rows(self) -> MixedData:
        """The training rows, place by place; columns of weight 0 come out missing."""
        shift = self.arrays[0][:, 1]
        numbers, codes = np.empty_like(self.arrays[3]), np.empty_like(self.arrays[4])
        numbers[self._place] = np.ldexp(self.arrays[3], -shift.astype(np.int32))
        codes[self._place] = self.arrays[4]
        return self.columns.join(numbers, codes, self.schema)

    def nearest(self, queries: MixedData, k: int, n_threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Distances and places of the k nearest rows of each query, nearest first; of equally far ones the smaller
        place."""
        numbers, codes = self.columns.split(queries)
        distance, place = _core.neighbors.nearest_mixed(self.arrays, numbers, codes, k, self.metric, n_threads)
        return distance if self.unit == 1 else distance * self.unit, place

    def within(
        self, queries: MixedData, radius: Radius, n_threads: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows at most ``radius`` from each query, by distance and place: those of query i stand at
        ``start[i]`` to ``start[i + 1]`` of the distances and places."""
        numbers, codes = self.columns.split(queries)
        start, distance, place = _core.neighbors.within_mixed(
            self.arrays, numbers, codes, radii_of(radius / self.unit), self.metric, n_threads
        )
        return start, distance if self.unit == 1 else distance * self.unit, place


def _ordinary(weights: np.ndarray, metric: MixedMetric) -> tuple[np.ndarray, float]:
    """Weights divided by a power of four if they are so large or small that sums of them would over- or underflow,
    and what distances are to be multiplied by in return."""
    most = float(weights.max(initial=0.0))
    if most == 0.0 or 2.0**-200 < most < 2.0**200:
        return weights, 1.0
    half = math.frexp(most)[1] // 2
    ordinary = np.maximum(np.ldexp(weights, -2 * half), np.finfo(np.float64).smallest_subnormal)
    return ordinary, _core.neighbors.mixed_times_for_weights(metric, math.ldexp(1.0, half))
