"""Decision trees: whole ones and shallow ones, exact and in bins, of numbers, categories and for regression."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, call, fit_and_predict

__all__ = ["WORKLOADS"]

#: Deeper than any tree that is grown here; XGBoost's exact method wants a number.
WHOLE = 100
#: LightGBM keeps histograms for as many leaves as it may grow: more cost it gigabytes and seconds.
MOST_LEAVES = 16_384


def classes(n: int, d: int, n_test: int) -> Arrays:
    """Two classes around hypercube corners, half of the columns informative."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n + n_test, d, n_informative=d // 2, n_redundant=0, random_state=0)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def quantity(n: int, d: int, n_test: int) -> Arrays:
    """Friedman's first function with noise, the columns behind the fifth without use."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n + n_test, d, noise=1.0, random_state=0)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def categories(n: int, n_test: int, levels: tuple[int, ...]) -> Arrays:
    """Categories as whole numbers, each level of each column with an effect of its own on the odds of the class."""
    rng = np.random.default_rng(0)
    # Some levels are frequent and most are rare, as in real tables.
    X = np.column_stack([(rng.power(0.5, n + n_test) * k).astype(np.int64) for k in levels])
    X = np.column_stack([rng.permutation(k)[column] for k, column in zip(levels, X.T)])
    odds = sum(rng.normal(size=k)[column] for k, column in zip(levels, X.T))
    y = (odds + rng.logistic(size=len(X)) > 0).astype(np.int64)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def explained(y: np.ndarray, answers: np.ndarray) -> float:
    """The share of the variance that is explained."""
    return float(1 - np.mean((y - answers) ** 2) / np.var(y))


def as_tables(arrays: Arrays) -> Arrays:
    """Codes as margin keeps nominal columns: each in an array of its own, with its levels."""
    from margin.data import Column, Schema, Table

    most = np.maximum(arrays["X"].max(axis=0), arrays["X_test"].max(axis=0))
    schema = Schema(Column(f"c{j}", "nominal", tuple(range(top + 1))) for j, top in enumerate(most))
    tables = {
        name: Table(schema, [np.ascontiguousarray(c, dtype=np.int32) for c in arrays[name].T])
        for name in ("X", "X_test")
    }
    return {**arrays, **tables}


def as_categories(arrays: Arrays) -> Arrays:
    """Codes as pandas keeps categories."""
    import pandas as pd

    most = np.maximum(arrays["X"].max(axis=0), arrays["X_test"].max(axis=0))
    frames = {
        name: pd.DataFrame(
            {f"c{j}": pd.Categorical(c, range(most[j] + 1)) for j, c in enumerate(arrays[name].T)}, copy=False
        )
        for name in ("X", "X_test")
    }
    return {**arrays, **{name: _Rows(frame) for name, frame in frames.items()}}


class _Rows:
    """A frame whose rows can be taken like those of an array."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.shape = frame.shape

    def __getitem__(self, rows: Any) -> Any:
        return _Rows(self.frame.iloc[rows])


class _OnFrames:
    """A model that is handed the frame itself."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model.fit(X.frame, y)

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X.frame)


def new(module: str, name: str, settings: dict[str, Any]) -> Any:
    return getattr(importlib.import_module(module), name)(**settings)


def on_frames(module: str, name: str, settings: dict[str, Any]) -> Any:
    return _OnFrames(new(module, name, settings))


def margin_tree(kind: str, label: str = "", prepare: Callable[[Arrays], Arrays] | None = None, **settings: Any) -> Side:
    make = partial(new, "margin", f"DecisionTree{kind}", settings)
    return Side(f"margin {label or 'exact'}", "margin", make, prepare=prepare)


def sklearn_tree(kind: str, **settings: Any) -> Side:
    return Side("sklearn exact", "sklearn", partial(new, "sklearn.tree", f"DecisionTree{kind}", settings))


def xgboost_tree(kind: str, method: str, depth: int | None, make: Any = new, **settings: Any) -> Side:
    """One round with a step of 1 and no penalty is one tree."""
    asked = {"n_estimators": 1, "learning_rate": 1.0, "reg_lambda": 0.0, "min_child_weight": 0.0, "n_jobs": -1}
    asked |= {"tree_method": method, "max_depth": depth or (WHOLE if method == "exact" else 0)}
    if method == "hist":
        asked |= {"max_leaves": 0, "max_bin": 256}
    name = "XGBClassifier" if kind == "Classifier" else "XGBRegressor"
    return Side(f"xgboost {method}", "xgboost", partial(make, "xgboost", name, asked | settings))


def lightgbm_tree(kind: str, depth: int | None, make: Any = new, **settings: Any) -> Side:
    asked = {"n_estimators": 1, "learning_rate": 1.0, "num_leaves": 2**depth if depth else MOST_LEAVES}
    asked |= {"max_depth": depth or -1, "min_child_samples": 1, "min_child_weight": 0.0, "verbose": -1, "n_jobs": -1}
    asked |= {"histogram_pool_size": 512}
    return Side("lightgbm", "lightgbm", partial(make, "lightgbm", f"LGBM{kind}", asked | settings))


def oneapi_forest(kind: str, depth: int | None) -> Side:
    """A forest of one tree that sees all rows and columns, in 256 bins."""
    asked = {"n_estimators": 1, "bootstrap": False, "max_features": None, "max_depth": depth, "n_jobs": -1}
    return Side("sklearnex forest", "sklearnex", partial(new, "sklearnex.ensemble", f"RandomForest{kind}", asked))


def exact_sides(kind: str, depth: int | None, xgboost: bool = True) -> tuple[Side, ...]:
    peers = (xgboost_tree(kind, "exact", depth),) if xgboost else ()
    return (margin_tree(kind, max_depth=depth), sklearn_tree(kind, max_depth=depth), *peers)


def binned_sides(kind: str, depth: int | None) -> tuple[Side, ...]:
    return (
        margin_tree(kind, "255 bins", max_depth=depth, max_bins=255),
        oneapi_forest(kind, depth),
        lightgbm_tree(kind, depth),
        xgboost_tree(kind, "hist", depth),
    )


def nominal_sides(leaf: int) -> tuple[Side, ...]:
    return (
        margin_tree("Classifier", "exact", prepare=as_tables, min_samples_leaf=leaf, charge_levels=True),
        margin_tree("Classifier", "plain CART", prepare=as_tables, min_samples_leaf=leaf),
        margin_tree("Classifier", "bins", prepare=as_tables, min_samples_leaf=leaf, charge_levels=True, max_bins=1000),
        _with(lightgbm_tree("Classifier", None, on_frames, min_child_samples=leaf)),
        _with(xgboost_tree("Classifier", "hist", None, on_frames, enable_categorical=True, min_child_weight=leaf / 4)),
        sklearn_tree("Classifier", min_samples_leaf=leaf),
    )


def _with(side: Side) -> Side:
    return Side(side.name, side.library, side.make, prepare=as_categories)


def growth(module: str) -> Callable[[], Callable[[Arrays], float]]:
    """How the time grows with the rows: the exponent of n, fitted to the quickest of three whole trees at each size.

    Between these sizes n log n looks like an exponent of 1.09.
    """

    def exponent(arrays: Arrays) -> float:
        tree = importlib.import_module(module).DecisionTreeClassifier
        sizes = [len(arrays["X"]) // 2**k for k in (4, 3, 2, 1, 0)]
        times = [min(_seconds(tree(), arrays["X"][:n], arrays["y"][:n]) for _ in range(3)) for n in sizes]
        return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])

    return lambda: exponent


def _seconds(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    begin = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - begin


SMALL = {"n": 100_000, "d": 20, "n_test": 25_000}
LARGE = {"n": 1_000_000, "d": 10, "n_test": 100_000}
QUICK = {"n": 3_000, "n_test": 500}
LEVELS = {"n": 200_000, "n_test": 50_000, "levels": (10, 30, 100, 300, 1000, 3, 20, 50, 500, 1000)}


def trees(name: str, data: Callable[..., Arrays], sides: tuple[Side, ...], size: dict[str, Any]) -> Workload:
    more = {"quality": explained} if data is quantity else {}
    return Workload(name, data, sides, fit_and_predict, size, QUICK, **more)


WORKLOADS = (
    trees("whole 100k", classes, exact_sides("Classifier", None), SMALL),
    trees("depth 10 100k", classes, exact_sides("Classifier", 10), SMALL),
    trees("whole 1M", classes, exact_sides("Classifier", None, xgboost=False), LARGE),
    trees("depth 10 1M", classes, exact_sides("Classifier", 10), LARGE),
    trees("binned whole 100k", classes, binned_sides("Classifier", None), SMALL),
    trees("binned depth 10 100k", classes, binned_sides("Classifier", 10), SMALL),
    trees("binned whole 1M", classes, binned_sides("Classifier", None), LARGE),
    trees("binned depth 10 1M", classes, binned_sides("Classifier", 10), LARGE),
    trees("nominal", categories, nominal_sides(20), LEVELS),
    trees("regression whole", quantity, exact_sides("Regressor", None), SMALL),
    trees("regression depth 10", quantity, exact_sides("Regressor", 10), SMALL),
    trees("binned regression", quantity, binned_sides("Regressor", None), SMALL),
    Workload(
        "growth with n",
        classes,
        (
            Side("margin", "margin", growth("margin")),
            Side("sklearn", "sklearn", growth("sklearn.tree")),
        ),
        call,
        {"n": 400_000, "d": 10, "n_test": 1},
        {"n": 20_000, "n_test": 1},
    ),
)
