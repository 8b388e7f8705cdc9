"""AdaBoost: stumps and shallow trees, ten classes, nominal columns, few rows; as many rounds for everyone.

Rivals with trees of two leaves (LightGBM, XGBoost) lower the log loss by real-valued stumps, which is another algorithm
for as much work; LogitBoost and real votes (SAMME.R) are margin's answer to those. The last workload is one round of
exact stumps, with the bytes that its scan reads in a second: a byte for the bucket of each cell and eight for the
weight of its row.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.ensemble import OnFrames
from benchmarks.gradient import classes
from benchmarks.harness import Arrays, Column, Measure, Side, Workload, fit_and_predict
from benchmarks.tree import as_categories, as_tables, categories, new

__all__ = ["WORKLOADS"]


def margin_side(label: str, rounds: int, name: str = "AdaBoostClassifier", prepare: Any = None, **more: Any) -> Side:
    asked = {"n_estimators": rounds, **more}
    return Side(label, "margin", partial(new, "margin", name, asked), prepare=prepare)


class SklearnAdaBoost:
    """scikit-learn's AdaBoost over its own trees of some depth."""

    def __init__(self, rounds: int, depth: int) -> None:
        from sklearn.ensemble import AdaBoostClassifier
        from sklearn.tree import DecisionTreeClassifier

        self.model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=rounds, random_state=0)

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.model.fit(X, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X)


def peers(rounds: int, depth: int, make: Any = new, prepare: Any = None) -> tuple[Side, ...]:
    leaves = 2**depth
    lightgbm = {"n_estimators": rounds, "num_leaves": leaves, "max_depth": depth, "n_jobs": -1, "verbose": -1}
    xgboost = {"n_estimators": rounds, "max_depth": depth, "learning_rate": 0.1, "tree_method": "hist", "n_jobs": -1}
    if make is not new:
        xgboost["enable_categorical"] = True
    return (
        Side("sklearn", "sklearn", partial(SklearnAdaBoost, rounds, depth)),
        Side("lightgbm", "lightgbm", partial(make, "lightgbm", "LGBMClassifier", lightgbm), prepare=prepare),
        Side("xgboost", "xgboost", partial(make, "xgboost", "XGBClassifier", xgboost), prepare=prepare),
    )


def stump_sides(rounds: int) -> tuple[Side, ...]:
    return (
        margin_side("margin", rounds),
        margin_side("margin 255 bins", rounds, max_bins=255),
        margin_side("margin real votes", rounds, algorithm="SAMME.R"),
        margin_side("margin logitboost", rounds, "LogitBoostClassifier"),
        *peers(rounds, 1),
    )


def rows(n: int, d: int) -> Arrays:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return {"X": X, "y": (X[:, 0] + rng.normal(size=n) > 0).astype(np.int32)}


def start_scan(side: Side, workload: Workload, arrays: Arrays) -> Any:
    """The search for the best stump of one round on one thread, columns ranked before."""
    import margin._core as _core
    from margin.base.representations.mixed import MixedData
    from margin.boosting.tree_sum import ranked

    X, y = arrays["X"], np.ascontiguousarray(arrays["y"], dtype=np.int32)
    rounds = _core.boosting.ClassRounds(ranked(MixedData(X), 1), y, np.full(len(y), 1 / len(y)), 2)

    def repeat() -> dict[str, float]:
        best = np.inf
        for _ in range(30):
            began = time.perf_counter()
            rounds.grow("error", 1, 1)
            best = min(best, time.perf_counter() - began)
        return {"scan": best, "rate": 9 * X.size / best / 1e9}

    return repeat


SCAN = Measure((Column("scan", "one scan"), Column("rate", "GB/s", "score")), start_scan)
QUICK = {"n": 3_000, "n_test": 500}
LEVELS = {"n": 50_000, "n_test": 20_000, "levels": (10, 30, 100, 300, 1000, 3, 20, 50, 500, 1000)}
nominal = (margin_side("margin", 100, prepare=as_tables), *peers(100, 1, OnFrames, as_categories))
ten = (margin_side("margin", 100), margin_side("margin M2", 100, algorithm="M2"), *peers(100, 1))
deep = (margin_side("margin", 100, max_depth=3), *peers(100, 3))

WORKLOADS = (
    Workload(
        "stumps 50k d=50", classes, stump_sides(200), fit_and_predict, {"n": 50_000, "d": 50, "n_test": 20_000}, QUICK
    ),
    Workload("depth 3, 50k d=50", classes, deep, fit_and_predict, {"n": 50_000, "d": 50, "n_test": 20_000}, QUICK),
    Workload(
        "ten classes 20k d=20",
        classes,
        ten,
        fit_and_predict,
        {"n": 20_000, "d": 20, "n_test": 10_000, "n_classes": 10},
        QUICK,
    ),
    Workload("nominal 50k", categories, nominal, fit_and_predict, LEVELS, QUICK),
    Workload("500 d=10", classes, stump_sides(200), fit_and_predict, {"n": 500, "d": 10, "n_test": 10_000}, QUICK),
    Workload(
        "scan 50k d=50", rows, (Side("margin", "margin", object),), SCAN, {"n": 50_000, "d": 50}, {"n": 3_000, "d": 5}
    ),
)
