"""Gradient boosting: classes, categories, a quantity and few rows; 100 rounds of 63 leaves for everyone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.bayes import text
from benchmarks.ensemble import OnFrames, log_loss
from benchmarks.harness import Arrays, Side, Workload, fit_and_predict, fit_predict_and
from benchmarks.harness import Column as Figure
from benchmarks.tree import as_categories, as_tables, categories, explained, new, quantity

__all__ = ["WORKLOADS"]

ROUNDS, LEAVES = 100, 63
boosted_and_loss = fit_predict_and(Figure("log_loss", "log loss", "score"), log_loss)


def classes(n: int, d: int, n_test: int, n_classes: int = 2) -> Arrays:
    """Classes by a score with products, bends and noise: of two by its sign, of more by its quantiles."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + n_test, d))
    score = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + X[:, 4] / 2 + (X[:, 5] > 0) * X[:, 6]
    score += rng.logistic(size=len(score)) / 2
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def margin_side(kind: str, prepare: Any = None) -> Side:
    asked = {"n_estimators": ROUNDS, "max_leaf_nodes": LEAVES, "early_stopping": False, "random_state": 0}
    return Side("margin", "margin", partial(new, "margin", f"GradientBoosting{kind}", asked), prepare=prepare)


def peers(kind: str, make: Any = new, prepare: Any = None) -> tuple[Side, ...]:
    """The same size of trees and step for everyone; other settings are their own defaults."""
    lightgbm = {"n_estimators": ROUNDS, "num_leaves": LEAVES, "n_jobs": -1, "verbose": -1, "random_state": 0}
    xgboost = {"n_estimators": ROUNDS, "max_leaves": LEAVES, "max_depth": 0, "grow_policy": "lossguide"}
    xgboost |= {"learning_rate": 0.1, "tree_method": "hist", "n_jobs": -1, "random_state": 0}
    if make is not new:
        xgboost["enable_categorical"] = True
    quantised = {**lightgbm, "use_quantized_grad": True}
    return (
        Side("lightgbm", "lightgbm", partial(make, "lightgbm", f"LGBM{kind}", lightgbm), prepare=prepare),
        Side("lightgbm quantised", "lightgbm", partial(make, "lightgbm", f"LGBM{kind}", quantised), prepare=prepare),
        Side("xgboost", "xgboost", partial(make, "xgboost", f"XGB{kind}", xgboost), prepare=prepare),
    )


def sides(kind: str) -> tuple[Side, ...]:
    sklearn = {"max_iter": ROUNDS, "max_leaf_nodes": LEAVES, "early_stopping": False, "random_state": 0}
    catboost = {"iterations": ROUNDS, "max_leaves": LEAVES, "grow_policy": "Lossguide", "learning_rate": 0.1}
    catboost |= {"verbose": False, "allow_writing_files": False, "random_seed": 0}
    return (
        margin_side(kind),
        *peers(kind),
        Side("sklearn", "sklearn", partial(new, "sklearn.ensemble", f"HistGradientBoosting{kind}", sklearn)),
        Side("catboost", "catboost", partial(new, "catboost", f"CatBoost{kind}", catboost)),
    )


QUICK = {"n": 3_000, "n_test": 500}
LEVELS = {"n": 500_000, "n_test": 50_000, "levels": (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)}
on_frames = (margin_side("Classifier", as_tables), *peers("Classifier", OnFrames, as_categories))
#: scikit-learn's and CatBoost's take no sparse rows, or are much slower on them.
on_text = (margin_side("Classifier"), *peers("Classifier"))
TEXT = {"n": 50_000, "n_test": 10_000, "words": 20_000, "per_row": 60, "n_classes": 2}
two, ten = {"d": 28, "n_test": 50_000}, {"d": 28, "n_test": 50_000, "n_classes": 10}

WORKLOADS = (
    Workload("1M d=28", classes, sides("Classifier"), boosted_and_loss, {"n": 1_000_000, **two}, QUICK),
    Workload("100k d=28", classes, sides("Classifier"), boosted_and_loss, {"n": 100_000, **two}, QUICK),
    Workload("ten classes 200k", classes, sides("Classifier"), boosted_and_loss, {"n": 200_000, **ten}, QUICK),
    Workload("nominal 500k", categories, on_frames, boosted_and_loss, LEVELS, QUICK),
    Workload(
        "regression 100k",
        quantity,
        sides("Regressor"),
        fit_and_predict,
        {"n": 100_000, "d": 20, "n_test": 25_000},
        QUICK,
        quality=explained,
    ),
    Workload("sparse text 50k", text, on_text, boosted_and_loss, TEXT, {**TEXT, "n": 2_000, "n_test": 500}),
    Workload(
        "regression 1M",
        quantity,
        sides("Regressor"),
        fit_and_predict,
        {"n": 1_000_000, "d": 20, "n_test": 25_000},
        QUICK,
        quality=explained,
    ),
    Workload("1000 d=28", classes, sides("Classifier"), boosted_and_loss, {"n": 1_000, **two}, QUICK),
)
