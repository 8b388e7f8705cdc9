"""Classes against the rest, in pairs and by code words, and chains of labels, each library with its own members."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.bayes import new, numeric
from benchmarks.harness import Arrays, Side, Workload, fit_and_predict

__all__ = ["WORKLOADS"]

#: About the size of the letters data: 26 classes of 20,000 rows.
LETTERS = {"n": 16_000, "d": 16, "n_test": 4_000, "n_classes": 26}
SMALLER = {"n": 1_000, "n_test": 300, "n_classes": 6}


def labels(n: int, d: int, n_test: int, n_labels: int) -> Arrays:
    """Rows with several labels, of which some go together."""
    from sklearn.datasets import make_multilabel_classification

    X, y = make_multilabel_classification(n + n_test, d, n_classes=n_labels, random_state=0)
    X = np.ascontiguousarray(X, dtype=np.float64)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def ours(name: str, inner: str, **settings: Any) -> Side:
    return Side(f"margin {name}({inner})", "margin", partial(_around, "margin", name, "margin", inner, settings))


def theirs(module: str, name: str, home: str, inner: str, label: str = "", **settings: Any) -> Side:
    make = partial(_around, f"sklearn.{module}", name, f"sklearn.{home}", inner, settings)
    return Side(f"sklearn {label or name}({inner})", "sklearn", make)


def mixed(name: str, home: str, inner: str, **settings: Any) -> Side:
    """margin's strategy around scikit-learn's classifier: what the strategy itself costs."""
    label = f"margin {name}(sklearn {inner})"
    return Side(label, "margin", partial(_around, "margin", name, f"sklearn.{home}", inner, settings))


def _around(module: str, name: str, home: str, inner: str, settings: dict[str, Any]) -> Any:
    limits = {"max_iter": 1000} if inner == "LogisticRegression" and home.startswith("sklearn") else {}
    return new(module, name, estimator=new(home, inner, **limits), **settings)


WORKLOADS = (
    Workload(
        "one-vs-rest",
        numeric,
        (
            ours("OneVsRest", "LogisticRegression"),
            mixed("OneVsRest", "linear_model", "LogisticRegression"),
            theirs("multiclass", "OneVsRestClassifier", "linear_model", "LogisticRegression"),
        ),
        fit_and_predict,
        size=LETTERS,
        quick=SMALLER,
    ),
    Workload(
        "one-vs-one",
        numeric,
        (
            ours("OneVsOne", "LogisticRegression"),
            mixed("OneVsOne", "linear_model", "LogisticRegression"),
            theirs("multiclass", "OneVsOneClassifier", "linear_model", "LogisticRegression"),
        ),
        fit_and_predict,
        size=LETTERS,
        quick=SMALLER,
    ),
    Workload(
        "code-words",
        numeric,
        (
            ours("ErrorCorrectingCodes", "DecisionTreeClassifier", n_bits=39, random_state=0),
            theirs(
                "multiclass", "OutputCodeClassifier", "tree", "DecisionTreeClassifier", code_size=1.5, random_state=0
            ),
        ),
        fit_and_predict,
        size=LETTERS,
        quick=SMALLER,
    ),
    Workload(
        "chain",
        labels,
        (
            ours("ClassifierChain", "LogisticRegression"),
            mixed("ClassifierChain", "linear_model", "LogisticRegression"),
            theirs("multioutput", "ClassifierChain", "linear_model", "LogisticRegression"),
        ),
        fit_and_predict,
        size={"n": 10_000, "d": 50, "n_test": 4_000, "n_labels": 14},
        quick={"n": 500, "n_test": 200, "n_labels": 4},
    ),
)
