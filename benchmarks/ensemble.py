"""Forests: whole trees of drawn rows and columns, of numbers, categories and for regression."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Column, Side, Workload, fit_and_predict, fit_predict_and
from benchmarks.tree import as_categories, as_tables, categories, classes, explained, new, quantity

__all__ = ["WORKLOADS"]

N_TREES = 100
#: LightGBM grows leaf by leaf and keeps histograms for as many as it may: whole trees cost it gigabytes.
MOST_LEAVES = 16_384


def log_loss(model: Any, arrays: Arrays) -> float:
    """The mean of -log of the probability of the true class, no probability below 1e-3: whole trees say 0 at times."""
    inner, X = getattr(model, "model", model), arrays["X_test"]
    shares = np.asarray(inner.predict_proba(getattr(X, "frame", X)))
    return float(-np.log(np.clip(shares[np.arange(len(shares)), arrays["y_test"]], 1e-3, 1)).mean())


#: Of classes: the same with the log loss.
forest_and_loss = fit_predict_and(Column("log_loss", "log loss", "score"), log_loss)


class OnFrames:
    """A model that is handed the frame itself."""

    def __init__(self, module: str, name: str, settings: dict[str, Any]) -> None:
        self.model = new(module, name, settings)

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model.fit(X.frame, y)

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X.frame)


def forest(library: str, module: str, kind: str, label: str = "", **settings: Any) -> Side:
    """A forest with scikit-learn's names of settings."""
    asked = {"n_estimators": N_TREES, "n_jobs": -1, "random_state": 0, **settings}
    return Side(label or library, library, partial(new, module, f"RandomForest{kind}", asked))


def margin_forest(kind: str, label: str = "margin", prepare: Any = None, **settings: Any) -> Side:
    asked = {"n_estimators": N_TREES, "random_state": 0, **settings}
    return Side(label, "margin", partial(new, "margin", f"RandomForest{kind}", asked), prepare=prepare)


def lightgbm_forest(kind: str, share: float, leaf: int, n: int, make: Any = new, **settings: Any) -> Side:
    """Rows drawn without replacement, as many as .632 of them: what a bootstrap holds."""
    asked = {"boosting_type": "rf", "n_estimators": N_TREES, "subsample": 0.632, "subsample_freq": 1}
    asked |= {"feature_fraction_bynode": share, "num_leaves": min(MOST_LEAVES, n), "min_child_samples": leaf}
    asked |= {"min_child_weight": 0.0, "verbose": -1, "n_jobs": -1, "random_state": 0, "histogram_pool_size": 512}
    prepare = None if make is new else as_categories
    return Side("lightgbm rf", "lightgbm", partial(make, "lightgbm", f"LGBM{kind}", asked | settings), prepare=prepare)


def xgboost_forest(kind: str, share: float, leaf: int, make: Any = new, **settings: Any) -> Side:
    asked = {"n_estimators": N_TREES, "colsample_bynode": share, "subsample": 0.632, "reg_lambda": 0.0}
    asked |= {"max_depth": 0, "tree_method": "hist", "min_child_weight": leaf / 4 if kind == "Classifier" else leaf}
    asked |= {"n_jobs": -1, "random_state": 0}
    name = f"XGBRF{kind}"
    prepare = None if make is new else as_categories
    return Side("xgboost rf", "xgboost", partial(make, "xgboost", name, asked | settings), prepare=prepare)


def sides(kind: str, n: int, d: int) -> tuple[Side, ...]:
    """The same trees of everyone: columns and leaves as Breiman had them."""
    few = np.sqrt(d) / d if kind == "Classifier" else 1 / 3
    leaf = 1 if kind == "Classifier" else 5
    given: dict[str, Any] = {} if kind == "Classifier" else {"max_features": 1 / 3, "min_samples_leaf": 5}
    return (
        margin_forest(kind, oob_score=False),
        margin_forest(kind, "margin out of bag"),
        margin_forest(kind, "margin on one thread", oob_score=False, n_jobs=1),
        forest("sklearn", "sklearn.ensemble", kind, **given),
        forest("sklearn", "sklearn.ensemble", kind, "sklearn out of bag", oob_score=True, **given),
        forest("sklearnex", "sklearnex.ensemble", kind, **given),
        lightgbm_forest(kind, few, leaf, n),
        xgboost_forest(kind, few, leaf),
    )


def nominal_sides(d: int) -> tuple[Side, ...]:
    few = np.sqrt(d) / d
    return (
        margin_forest("Classifier", prepare=as_tables, oob_score=False),
        margin_forest("Classifier", "margin out of bag", prepare=as_tables),
        forest("sklearn", "sklearn.ensemble", "Classifier", "sklearn (codes as numbers)"),
        lightgbm_forest("Classifier", few, 1, MOST_LEAVES, OnFrames),
        xgboost_forest("Classifier", few, 1, OnFrames, enable_categorical=True),
    )


def random_sides(kind: str) -> tuple[Side, ...]:
    """Extremely randomized trees, which neither LightGBM nor XGBoost grow as forests of whole trees."""
    asked = {"n_estimators": N_TREES, "random_state": 0}
    given: dict[str, Any] = {} if kind == "Classifier" else {"max_features": 1.0, "min_samples_split": 5}
    theirs = {**asked, **given, "n_jobs": -1}
    return (
        Side("margin", "margin", partial(new, "margin", f"ExtraTrees{kind}", asked)),
        Side("sklearn", "sklearn", partial(new, "sklearn.ensemble", f"ExtraTrees{kind}", theirs)),
        Side("sklearnex", "sklearnex", partial(new, "sklearnex.ensemble", f"ExtraTrees{kind}", theirs)),
    )


QUICK = {"n": 3_000, "n_test": 500}
LEVELS = {"n": 200_000, "n_test": 50_000, "levels": (10, 30, 100, 300, 1000, 3, 20, 50, 500, 1000)}


def workload(name: str, n: int, d: int, n_test: int, kind: str = "Classifier") -> Workload:
    size = {"n": n, "d": d, "n_test": n_test}
    quick = {**QUICK, "n": min(n, QUICK["n"]), "n_test": min(n_test, QUICK["n_test"])}
    if kind == "Classifier":
        return Workload(name, classes, sides(kind, n, d), forest_and_loss, size, quick)
    return Workload(name, quantity, sides(kind, n, d), fit_and_predict, size, quick, quality=explained)


def random_workload(name: str, kind: str) -> Workload:
    size = {"n": 100_000, "d": 20, "n_test": 25_000}
    if kind == "Classifier":
        return Workload(name, classes, random_sides(kind), forest_and_loss, size, QUICK)
    return Workload(name, quantity, random_sides(kind), fit_and_predict, size, QUICK, quality=explained)


WORKLOADS = (
    workload("100k d=20", 100_000, 20, 25_000),
    workload("20k d=500", 20_000, 500, 5_000),
    Workload("nominal 200k", categories, nominal_sides(10), forest_and_loss, LEVELS, QUICK),
    workload("regression 100k", 100_000, 20, 25_000, "Regressor"),
    workload("1000 d=10", 1_000, 10, 10_000),
    workload("predict 64 rows d=300", 2_000, 300, 64),
    random_workload("extra trees 100k", "Classifier"),
    random_workload("extra trees, regression 100k", "Regressor"),
)
