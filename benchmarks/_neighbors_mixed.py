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
ADULT = Path(__file__).resolve().parents[1].parent / "shared" / "data"


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
    rows = [_records(ADULT / f"adult.{part}.gz") for part in ("data", "test")]
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


def margin_heom() -> Any:
    import margin

    return margin.KNeighborsClassifier(n_neighbors=K, metric="heom")


def as_tables(arrays: Arrays) -> Arrays:
    """The matrices as tables of numbers and words, which is what margin is given."""
    return {**arrays, "X": _table(arrays["X"]), "X_test": _table(arrays["X_test"])}


def _table(X: np.ndarray) -> Any:
    from margin.data import Table
    from margin.data.schema import Column, Schema

    p = _n_numeric(X)
    codes = [np.where(np.isnan(cells), -1, cells).astype(np.int32) for cells in X[:, p:].T]
    numbers = [Column(f"x{j}", "numeric") for j in range(p)]
    words = [Column(f"x{p + j}", "nominal", tuple(f"level {i:02}" for i in range(64))) for j in range(len(codes))]
    return Table(Schema([*numbers, *words]), [*np.ascontiguousarray(X[:, :p].T), *codes])


class NumPyHEOM:
    """Column by column over as many queries at a time as keep the matrix of distances in the cache."""

    at_once = 16

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.y, self.p = y, _n_numeric(X)
        scale = np.nanmax(X[:, : self.p], axis=0) - np.nanmin(X[:, : self.p], axis=0)
        self.scale = np.where(scale > 0, scale, 1.0)
        self.columns = self._scaled(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        near = self.y[self.nearest(X)]
        return (near[:, :, None] == np.arange(self.y.max() + 1)).sum(axis=1).argmax(axis=1)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return np.vstack([(X[:, : self.p] / self.scale).T, X[:, self.p :].T])

    def nearest(self, X: np.ndarray) -> np.ndarray:
        queries = self._scaled(X)
        found = np.empty((len(X), K), dtype=np.intp)
        for begin in range(0, len(X), self.at_once):
            end = begin + self.at_once
            total = self._squares(queries[:, begin:end])
            near = np.argpartition(total, K - 1, axis=1)[:, :K]
            order = np.argsort(np.take_along_axis(total, near, axis=1), axis=1, kind="stable")
            found[begin:end] = np.take_along_axis(near, order, axis=1)
        return found

    def _squares(self, queries: np.ndarray) -> np.ndarray:
        total = np.zeros((queries.shape[1], self.columns.shape[1]))
        for j, (query, column) in enumerate(zip(queries, self.columns)):
            if j < self.p:
                gap = query[:, None] - column
                gap *= gap
                total += np.nan_to_num(gap, copy=False, nan=1.0)
            else:  # NaN differs from everything, itself included
                total += query[:, None] != column
        return total


MARGIN = Side("margin HEOM", "margin", margin_heom, prepare=as_tables)
NUMPY = Side("NumPy, whole matrix", "numpy", NumPyHEOM)

WORKLOADS = (
    Workload(
        "mixed HEOM",
        mixed_cells,
        (MARGIN, NUMPY),
        fit_and_predict,
        {"n": 50_000, "n_test": 2_000, "n_numeric": 8, "n_nominal": 8, "missing": 0.05},
        {"n": 5_000, "n_test": 200},
    ),
    *(
        [Workload("adult HEOM", adult, (MARGIN, NUMPY), fit_and_predict, {"n": 32_561, "n_test": 2_000}, {"n": 5_000})]
        if (ADULT / "adult.data.gz").exists()
        else []
    ),
)
