"""Generative classifiers: numeric, nominal and text naive Bayes, linear and quadratic discriminants."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, fit_and_predict, reading

__all__ = ["WORKLOADS"]


def numeric(n: int, d: int, n_test: int, n_classes: int = 2, dtype: str = "float64") -> Arrays:
    """Classes around hypercube corners, half of the columns informative."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n + n_test, d, n_informative=d // 2, n_redundant=0, n_classes=n_classes, random_state=0)
    X = X.astype(dtype, copy=False)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def nominal(n: int, d: int, n_test: int, levels: int) -> Arrays:
    """The same, each column cut into levels of about equal share."""
    X, y, X_test, y_test = numeric(n, d, n_test).values()
    codes = np.empty((n + n_test, d), dtype=np.int64)
    for j in range(d):
        cells = np.concatenate([X[:, j], X_test[:, j]])
        codes[:, j] = np.searchsorted(np.quantile(cells[:10_000], np.linspace(0, 1, levels + 1)[1:-1]), cells)
    return {"X": codes[:n], "y": y, "X_test": codes[n:], "y_test": y_test}


def text(n: int, words: int, per_row: int, n_test: int, n_classes: int) -> Arrays:
    """Counts of words as CSR: Zipf's law, each class with a taste for words of its own."""
    import scipy.sparse

    rng = np.random.default_rng(0)
    rows = n + n_test
    y = rng.integers(0, n_classes, rows)
    common = np.minimum(rng.zipf(1.3, (rows, per_row)) - 1, words - 1)
    own = (rng.integers(0, words // n_classes, (rows, per_row)) * n_classes + y[:, None]) % words
    columns = np.where(rng.random((rows, per_row)) < 0.9, common, own)
    counts = scipy.sparse.csr_matrix(
        (np.ones(rows * per_row), (np.repeat(np.arange(rows), per_row), columns.ravel())), shape=(rows, words)
    )
    counts.sum_duplicates()
    return {"X": counts[:n], "y": y[:n], "X_test": counts[n:], "y_test": y[n:]}


def as_tables(arrays: Arrays) -> Arrays:
    """Codes as margin keeps nominal columns: each in an array of its own, with its levels."""
    from margin.data import Column, Schema, Table

    X, X_test = arrays["X"], arrays["X_test"]
    most = np.maximum(X.max(axis=0), X_test.max(axis=0))
    schema = Schema(Column(f"c{j}", "nominal", tuple(range(top + 1))) for j, top in enumerate(most))
    tables = {name: Table(schema, [np.ascontiguousarray(c) for c in arrays[name].T]) for name in ("X", "X_test")}
    return {**arrays, **tables}


def new(module: str, name: str, **settings: Any) -> Any:
    return getattr(importlib.import_module(module), name)(**settings)


def ours(name: str, **settings: Any) -> Side:
    return Side(f"margin {name}", "margin", partial(new, "margin", name, **settings))


def theirs(module: str, name: str, label: str = "", **settings: Any) -> Side:
    return Side(f"sklearn {label or name}", "sklearn", partial(new, f"sklearn.{module}", name, **settings))


def models(name: str, data: Callable[..., Arrays], sides: tuple[Side, ...], size: dict[str, Any]) -> Workload:
    quick = {"n": size["n"] // 50, "n_test": size["n_test"] // 50}
    if "words" in size:
        quick["words"] = size["words"] // 10
    return Workload(name, data, sides, fit_and_predict, size=size, quick=quick)


GAUSSIAN = (ours("NaiveBayes"), ours("GaussianNB"), theirs("naive_bayes", "GaussianNB"))
GAUSSIAN_SIZE = {"n": 1_000_000, "d": 50, "n_test": 200_000}
TEXT = {"n": 200_000, "words": 50_000, "per_row": 50, "n_test": 50_000}
DISCRIMINANT = {"n": 500_000, "d": 100, "n_test": 100_000, "n_classes": 10}


def fit_alone(name: str) -> Any:
    """A function that fits a model to X and y and gives the number of classes it found."""
    return lambda arrays: len(new("margin", name).fit(arrays["X"], arrays["y"]).classes_)


def copy_with_numpy() -> Any:
    return lambda arrays: len(np.unique(arrays["X"].copy()[0, :1])) + len(arrays["y"].copy()[:1])


WORKLOADS = (
    models("gaussian", numeric, GAUSSIAN, GAUSSIAN_SIZE),
    models("gaussian-float32", numeric, GAUSSIAN, {**GAUSSIAN_SIZE, "dtype": "float32"}),
    models(
        "categorical",
        nominal,
        (
            ours("CategoricalNB"),
            Side("margin NaiveBayes on a Table", "margin", partial(new, "margin", "NaiveBayes"), prepare=as_tables),
            theirs("naive_bayes", "CategoricalNB", min_categories=10),
        ),
        {"n": 1_000_000, "d": 30, "n_test": 200_000, "levels": 10},
    ),
    *(
        models(f"{name}-{k}", text, (ours(model), theirs("naive_bayes", model)), {**TEXT, "n_classes": k})
        for name, model in (
            ("multinomial", "MultinomialNB"),
            ("bernoulli", "BernoulliNB"),
            ("complement", "ComplementNB"),
        )
        for k in (2, 20)
    ),
    models(
        "lda",
        numeric,
        (
            ours("LinearDiscriminantAnalysis"),
            theirs("discriminant_analysis", "LinearDiscriminantAnalysis", "LDA lsqr", solver="lsqr"),
            theirs("discriminant_analysis", "LinearDiscriminantAnalysis", "LDA svd"),
        ),
        DISCRIMINANT,
    ),
    models(
        "qda",
        numeric,
        (
            ours("QuadraticDiscriminantAnalysis"),
            theirs("discriminant_analysis", "QuadraticDiscriminantAnalysis", "QDA eigen", solver="eigen"),
            theirs("discriminant_analysis", "QuadraticDiscriminantAnalysis", "QDA svd"),
        ),
        DISCRIMINANT,
    ),
    # So little data that only the way in and out counts.
    Workload(
        "small", numeric, GAUSSIAN, fit_and_predict, size={"n": 1_000, "d": 10, "n_test": 1_000}, quick={"n": 200}
    ),
    # How near a fit comes to reading the data once.
    Workload(
        "bandwidth",
        numeric,
        (
            Side("margin GaussianNB fit", "margin", partial(fit_alone, "GaussianNB")),
            Side("margin NaiveBayes fit", "margin", partial(fit_alone, "NaiveBayes")),
            Side("NumPy copy", "numpy", copy_with_numpy),
        ),
        reading,
        size={"n": 1_000_000, "d": 50, "n_test": 1_000},
        quick={"n": 20_000},
    ),
)
