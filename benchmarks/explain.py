"""What columns are worth by shuffling them, beside scikit-learn on the same model; SHAP values of boosting."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, call

__all__ = ["WORKLOADS"]

REPEATS = 5
ROUNDS = {"n_estimators": 100, "random_state": 0}


def classes(n: int, d: int, n_test: int) -> Arrays:
    """Two classes around hypercube corners, half of the columns informative."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n + n_test, d, n_informative=d // 2, n_redundant=0, random_state=0)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def fitted(name: str, settings: dict[str, Any], arrays: Arrays) -> Arrays:
    """The same model of margin for both sides."""
    model = getattr(importlib.import_module("margin"), name)(**settings).fit(arrays["X"], arrays["y"])
    return {**arrays, "model": model}


def by_margin(data: Arrays) -> float:
    from margin.explain import importance

    return float(importance(data["model"], data["X_test"], data["y_test"], n_repeats=REPEATS).mean.sum())


def by_sklearn(data: Arrays) -> float:
    from sklearn.inspection import permutation_importance

    asked = {"n_repeats": REPEATS, "random_state": 0}
    return float(permutation_importance(data["model"], data["X_test"], data["y_test"], **asked).importances_mean.sum())


def shuffled(label: str, name: str, size: dict[str, int], **settings: Any) -> Workload:
    """The sum of all importances is shown: both sides shuffle in ways of their own, and come near each other."""
    prepare = partial(fitted, name, settings)
    sides = (
        Side("margin", "margin", lambda: by_margin, prepare=prepare),
        Side("sklearn", "sklearn", lambda: by_sklearn, prepare=prepare),
    )
    return Workload(f"importance {label}", classes, sides, call, size=size, quick={"n": 500, "n_test": 300})


def with_lightgbm(arrays: Arrays) -> Arrays:
    from lightgbm import LGBMClassifier

    return {**arrays, "model": LGBMClassifier(**ROUNDS, verbose=-1).fit(arrays["X"], arrays["y"])}


def with_xgboost(arrays: Arrays) -> Arrays:
    import xgboost

    model = xgboost.XGBClassifier(**ROUNDS, max_leaves=31, max_depth=0, grow_policy="lossguide")
    rows = xgboost.DMatrix(arrays["X_test"])
    return {**arrays, "model": model.fit(arrays["X"], arrays["y"]).get_booster(), "rows": rows}


def shap_of_margin(data: Arrays) -> float:
    from margin.explain import shap_values

    return float(np.abs(shap_values(data["model"], data["X_test"]).values).mean())


def shap_of_lightgbm(data: Arrays) -> float:
    return float(np.abs(data["model"].predict(data["X_test"], pred_contrib=True)[:, :-1]).mean())


def shap_of_xgboost(data: Arrays) -> float:
    return float(np.abs(data["model"].predict(data["rows"], pred_contribs=True)[:, :-1]).mean())


BOOSTED = {**ROUNDS, "max_leaf_nodes": 31, "early_stopping": False}
SIZE = {"n": 5_000, "d": 20, "n_test": 2_000}

WORKLOADS = (
    shuffled("logistic", "LogisticRegression", SIZE),
    shuffled("naive bayes", "NaiveBayes", SIZE),
    shuffled("tree", "DecisionTreeClassifier", SIZE, random_state=0),
    shuffled("forest", "RandomForestClassifier", SIZE, **ROUNDS),
    shuffled("boosting", "GradientBoostingClassifier", SIZE, **BOOSTED),
    shuffled("svm", "SVC", {**SIZE, "n": 1_500, "n_test": 500}),
    shuffled("neighbours", "KNeighborsClassifier", {**SIZE, "n": 1_500, "n_test": 500}),
    Workload(
        "shap boosting",
        classes,
        (
            Side("margin", "margin", lambda: shap_of_margin,
                 prepare=partial(fitted, "GradientBoostingClassifier", BOOSTED)),
            Side("lightgbm", "lightgbm", lambda: shap_of_lightgbm, prepare=with_lightgbm),
            Side("xgboost", "xgboost", lambda: shap_of_xgboost, prepare=with_xgboost),
        ),
        call,
        size=SIZE,
        quick={"n": 500, "n_test": 300},
    ),
)  # fmt: skip
