"""Naive Bayes: numeric columns, nominal columns, and what a small table costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, fit_and_predict

__all__ = ["WORKLOADS"]


def numeric(n: int, d: int, n_test: int) -> Arrays:
    """Two classes, half of the columns informative."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n + n_test, d, n_informative=d // 2, n_redundant=0, random_state=0)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def nominal(n: int, d: int, n_test: int) -> Arrays:
    """The same, each column cut into 2 to 31 levels of about equal share."""
    X, y, X_test, y_test = numeric(n, d, n_test).values()
    codes = np.empty((n + n_test, d), dtype=np.int32)
    for j in range(d):
        cells = np.concatenate([X[:, j], X_test[:, j]])
        codes[:, j] = np.searchsorted(np.quantile(cells[:10_000], np.linspace(0, 1, 3 + j % 30)[1:-1]), cells)
    return {"X": codes[:n], "y": y, "X_test": codes[n:], "y_test": y_test}


def as_tables(arrays: Arrays) -> Arrays:
    """Codes as margin keeps nominal columns: each in an array of its own, with its levels."""
    from margin.data import Column, Schema, Table

    X, X_test = arrays["X"], arrays["X_test"]
    most = np.maximum(X.max(axis=0), X_test.max(axis=0))
    schema = Schema(Column(f"c{j}", "nominal", tuple(range(top + 1))) for j, top in enumerate(most))
    tables = {name: Table(schema, [np.ascontiguousarray(c) for c in arrays[name].T]) for name in ("X", "X_test")}
    return {**arrays, **tables}


def margin_naive() -> Any:
    import margin

    return margin.NaiveBayes()


def sklearn_gaussian() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def sklearn_categorical() -> Any:
    from sklearn.naive_bayes import CategoricalNB

    # Room for the widest column: levels that no training row has must not be an error.
    return CategoricalNB(min_categories=31)


GAUSSIAN_SIDES = (
    Side("margin NaiveBayes", "margin", margin_naive),
    Side("sklearn GaussianNB", "sklearn", sklearn_gaussian),
)

WORKLOADS = (
    Workload(
        "gaussian",
        numeric,
        GAUSSIAN_SIDES,
        fit_and_predict,
        size={"n": 1_000_000, "d": 50, "n_test": 200_000},
        quick={"n": 20_000, "n_test": 5_000},
    ),
    Workload(
        "categorical",
        nominal,
        (
            Side("margin NaiveBayes", "margin", margin_naive, prepare=as_tables),
            Side("sklearn CategoricalNB", "sklearn", sklearn_categorical),
        ),
        fit_and_predict,
        size={"n": 1_000_000, "d": 30, "n_test": 200_000},
        quick={"n": 20_000, "n_test": 5_000},
    ),
    # So little data that only the way in and out counts.
    Workload(
        "small", numeric, GAUSSIAN_SIDES, fit_and_predict, size={"n": 1_000, "d": 10, "n_test": 1_000}, quick={"n": 200}
    ),
)
