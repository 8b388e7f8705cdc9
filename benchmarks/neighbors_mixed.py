"""Neighbours in mixed tables with missing cells (HEOM): an index against whole matrices of distances in NumPy."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, fit_and_predict

__all__ = ["WORKLOADS"]

K = 5
#: Beside the project, where there are real data sets.
SHARED_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def mixed_cells(n: int, n_test: int, n_numeric: int, n_nominal: int, missing: float) -> Arrays:
    """Ten clusters of numbers and of categories with preferences, some cells missing.

    Columns stand side by side in one matrix, numbers first; categories are whole numbers. The class is the cluster.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n + n_test)
    numbers = rng.normal(size=(10, n_numeric))[y] + rng.normal(size=(len(y), n_numeric))
    favourite = rng.integers(0, 6, (10, n_nominal))[y]
    codes = np.where(rng.random(favourite.shape) < 0.5, favourite, rng.integers(0, 6, favourite.shape))
    X = np.hstack([numbers, codes])
    X[rng.random(X.shape) < missing] = np.nan
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def adult(n: int, n_test: int) -> Arrays:
    """Census records, 6 numbers and 8 categories, 'more than 50K' to be told; missing cells are '?'."""
    rows = [_records(SHARED_DATA / f"adult.{part}.gz") for part in ("data", "test")]
    n, n_test = min(n, len(rows[0])), min(n_test, len(rows[1]))
    columns = np.array(rows[0][:n] + rows[1][:n_test]).T
    numeric = [0, 2, 4, 10, 11, 12]
    numbers = [columns[j].astype(float) for j in numeric]
    codes = [_codes(columns[j]) for j in range(14) if j not in numeric]
    X, y = np.column_stack(numbers + codes), np.array([">" in answer for answer in columns[14]]).astype(int)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def _records(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as lines:
        return [cells for line in lines if len(cells := [cell.strip() for cell in line.split(",")]) == 15]


def _codes(column: np.ndarray) -> np.ndarray:
    levels, codes = np.unique(column, return_inverse=True)
    return np.where(levels[codes] == "?", np.nan, codes)


def _n_numeric(X: np.ndarray) -> int:
    return 6 if X.shape[1] == 14 else X.shape[1] // 2


class Voting:
    """The majority of the k nearest, ties to the smaller label."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        near = self.y[self.nearest(X)]
        return (near[:, :, None] == np.arange(self.y.max() + 1)).sum(axis=1).argmax(axis=1)

    def nearest(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class MarginMixed(Voting):
    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        from margin.neighbors.mixed_rows import MixedRows

        self.y = y
        self.index = MixedRows.build(self._mixed(X), "heom")

    def nearest(self, X: np.ndarray) -> np.ndarray:
        return self.index.nearest(self._mixed(X), K)[1]

    @staticmethod
    def _mixed(X: np.ndarray) -> Any:
        from margin.base import MixedData
        from margin.data.schema import Column, Schema

        p = _n_numeric(X)
        schema = Schema(Column(f"x{j}", "numeric" if j < p else "nominal") for j in range(X.shape[1]))
        codes = np.where(np.isnan(X[:, p:]), -1, X[:, p:]).astype(np.int32)
        return MixedData(np.ascontiguousarray(X[:, :p]), tuple(np.ascontiguousarray(codes.T)), schema)


class NumPyHEOM(Voting):
    """Column by column over a few queries at a time, the fastest of several ways that were tried."""

    at_once = 16

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.y, self.p = y, _n_numeric(X)
        scale = np.nanmax(X[:, : self.p], axis=0) - np.nanmin(X[:, : self.p], axis=0)
        self.scale = np.where(scale > 0, scale, 1.0)
        numbers = (X[:, : self.p] / self.scale).T
        self.missing, self.numbers = np.isnan(numbers), np.nan_to_num(numbers)
        self.codes = self._bytes(X, missing=-1)

    def _bytes(self, X: np.ndarray, missing: int) -> np.ndarray:
        """Codes of at most 127 categories; missing ones of rows and queries differ from each other."""
        return np.where(np.isnan(X[:, self.p :]), missing, X[:, self.p :]).T.astype(np.int8)

    def nearest(self, X: np.ndarray) -> np.ndarray:
        numbers, codes = (X[:, : self.p] / self.scale).T, self._bytes(X, missing=-2)
        found = np.empty((len(X), K), dtype=np.intp)
        for begin in range(0, len(X), self.at_once):
            end = begin + self.at_once
            total = self._squares(numbers[:, begin:end]) + self._different(codes[:, begin:end])
            near = np.argpartition(total, K - 1, axis=1)[:, :K]
            order = np.argsort(np.take_along_axis(total, near, axis=1), axis=1, kind="stable")
            found[begin:end] = np.take_along_axis(near, order, axis=1)
        return found

    def _squares(self, queries: np.ndarray) -> np.ndarray:
        total = np.zeros((queries.shape[1], self.numbers.shape[1]))
        gap = np.empty_like(total)
        for query, column, missing in zip(queries, self.numbers, self.missing):
            np.subtract(query[:, None], column, out=gap)
            np.multiply(gap, gap, out=gap)
            gap[:, missing] = 1.0
            gap[np.isnan(query)] = 1.0
            total += gap
        return total

    def _different(self, queries: np.ndarray) -> np.ndarray:
        count = np.zeros((queries.shape[1], self.codes.shape[1]), dtype=np.int8)
        for query, column in zip(queries, self.codes):
            count += query[:, None] != column
        return count


MARGIN = Side("margin MixedRows", "margin", MarginMixed)
NUMPY = Side("NumPy, whole matrix", "numpy", NumPyHEOM)

WORKLOADS = (
    Workload(
        "mixed",
        mixed_cells,
        (MARGIN, NUMPY),
        fit_and_predict,
        {"n": 50_000, "n_test": 2_000, "n_numeric": 8, "n_nominal": 8, "missing": 0.05},
        {"n": 5_000, "n_test": 200},
    ),
    *(
        [Workload("adult", adult, (MARGIN, NUMPY), fit_and_predict, {"n": 32_561, "n_test": 2_000}, {"n": 5_000})]
        if (SHARED_DATA / "adult.data.gz").exists()
        else []
    ),
)
