"""Small fitted models of every kind, as files, and rows to ask them about.

They are those of the contract's settings and those in ``OTHER_WAYS``, so that every index, metric, distribution,
kernel, memory of a stream, protocol and metric that has a place in a file stands in one of them.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from margin.boosting import AdaBoostClassifier
from margin.data import Table
from margin.data.frames.dataframes import table_from_frame
from margin.errors import MarginError
from margin.evaluation import metric
from margin.persistence import load, to_bytes
from tests.contract.estimators import frame, numbers, settings
from tests.persistence.kinds import bayes_models, neighbor_models
from tests.persistence.kinds.linear_and_svm_models import LINEAR_WAYS, SVM_WAYS
from tests.persistence.kinds.search_models import METRICS_WITH_OPTIONS, PROTOCOLS, SEARCHES

__all__ = ["OLDER", "Sample", "answers_of", "is_error", "kinds_of_models", "n_models", "same_answers", "samples"]

#: Larger files are left out: damage in a few thousand bytes meets structure more often than in millions.
MOST_BYTES = 250_000


#: Files of the older format, of many kinds, as the version of then wrote them.
OLDER = "format 1"
GOLDEN = Path(__file__).parent / "golden" / "0.1.0-format1"
METRICS = [metric(name) for name in ("accuracy", "log_loss", "roc_auc")]
#: Ways of fitting that leave other objects behind than the contract's settings do, by the class of the model.
OTHER_WAYS = {
    "AdaBoostClassifier": ["rules"],
    "KNeighborsClassifier": [
        *("brute-float32", "brute-cosine", "kd-tree-float32", "kd-tree-power-below-1", "ball-tree", "haversine"),
        *("full-scan", "sparse", "sparse-cosine", "sparse-chebyshev", "heom", "gower", "repeats", "several", "words"),
        "given-distances",
    ],
    "KNeighborsRegressor": ["sparse-manhattan", "weights", "several-regressor"],
    "RadiusNeighborsClassifier": [
        *("kd-tree-radius", "ball-tree-radius", "sparse-radius", "gower-radius", "weights-radius", "several-radius"),
        "words-radius",
    ],
    "RadiusNeighborsRegressor": ["several-radius-regressor"],
    "NearestCentroid": ["sparse-centroid", "centroid-table"],
    "RoteClassifier": ["rote-abstains", "rote-default"],
    "NaiveBayes": [
        *("partial_fit", "weights", "class_weight", "class_weight kernel", "text", "broken numbers"),
        *("columns by number", "large units kernel"),
    ],
    "BernoulliNB": ["alpha for each", "never absent", "below zero"],
    "CategoricalNB": ["counts"],
    "ComplementNB": ["text weighted"],
    "GaussianNB": ["merge"],
    "JointBayes": ["class_weight joint", "empty column"],
    "MultinomialNB": ["text alone", "given priors"],
    "LinearDiscriminantAnalysis": ["lsqr", "eigen", "components", "one class lda"],
    "QuadraticDiscriminantAnalysis": ["regularised", "shrunk"],
    "DiagonalLinearDiscriminantAnalysis": ["diagonal"],
    "CalibratedClassifier": ["prefit", "calibrated lda", "calibrated twice", "calibrated on splits", "a lonely class"],
    "ThresholdClassifier": ["threshold", "threshold of words"],
    "ActivePerceptron": ["active perceptron as a stream"],
    "Adaline": ["adaline in parts"],
    "LinearSGD": ["sgd in parts", "sgd, two classes of three", "sgd held out"],
    "LinearSVC": ["linear svc, a class of weight 0"],
    "LogisticRegression": [
        *("logistic, a class of weight 0", "logistic from where it was", "logistic of dates and texts"),
    ],
    "LogisticRegressionCV": ["logistic chosen"],
    "PegasosClassifier": [
        *("pegasos in parts", "pegasos in parts, rbf", "pegasos, sigmoid kernel", "pegasos of sparse rows, rbf"),
    ],
    "Perceptron": [
        *("perceptron in parts", "perceptron voted, a constant column", "perceptron averaged, two classes of three"),
        "perceptron certified",
    ],
    "Reject": ["reject by cost", "reject by error", "reject around a fitted model", "reject around kernel values"],
    "SVC": [
        *("svc poly", "svc sigmoid", "svc, pairs", "svc, a class of weight 0", "svc, weights", "svc, isotonic"),
        "svc, coupled pairs",
        *("svc, sigmoid of one against the rest", "svc precomputed", "svc of texts", "svc of tokens"),
    ],
}  # fmt: skip
WAYS: dict[str, Callable[[], tuple[Any, Any]]] = {
    **neighbor_models.MODELS,
    **{name: (lambda make=make, rows=rows: (make(), rows)) for name, (make, rows) in bayes_models.WAYS.items()},
    **LINEAR_WAYS,
    **SVM_WAYS,
    "rules": lambda: _with_rules(*frame(40)),
}


def _with_rules(X: Any, y: np.ndarray) -> tuple[Any, Any]:
    rules = [f"{column} > 0 -> {label}" for column in X.select_dtypes("number").columns for label in (0, 1)]
    return AdaBoostClassifier(rules, n_estimators=5).fit(X, (y == y[0]).astype(int)), X


@dataclass(frozen=True)
class Sample:
    """One fitted model as a file, rows for it, and its answers to them."""

    name: str
    content: bytes
    rows: tuple[Any, ...]
    answers: tuple[Any, ...]


@functools.cache
def kinds_of_models() -> dict[str, list[Any]]:
    """Every estimator with all its settings, by the name of its class; and what is saved as it is, a table first."""
    table = Table.from_columns({"age": [1.5, None] * 9, "sex": ["f", "m", None] * 6, "old": [True, False] * 9})
    found: dict[str, list[Any]] = {"Table": [table], "Protocol": PROTOCOLS, "Metric": [*METRICS, *METRICS_WITH_OPTIONS]}
    found[OLDER] = sorted(GOLDEN.glob("*.margin"))
    for each in [*settings(), *SEARCHES]:
        found.setdefault(type(each).__name__, []).append(each)
    return found


def n_models(kind: str) -> int:
    """How many models of a kind there are, the data aside."""
    return len(kinds_of_models()[kind]) + len(OTHER_WAYS.get(kind, []))


def samples(kind: str, few: bool = False) -> list[Sample]:
    """Fitted models of a kind: each setting on numbers and on a mixed table, with ``few`` on one of them only."""
    settings = kinds_of_models()[kind]
    by_setting = [_one_fitted(each, i) for i, each in enumerate(settings)] if few else map(_fitted, settings)
    return [sample for found in by_setting for sample in found] + [_of_a_way(way) for way in OTHER_WAYS.get(kind, [])]


def _of_a_way(way: str) -> Sample:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, X = WAYS[way]()
    rows = table_from_frame(X[:15], "rows") if hasattr(X, "columns") else X[:15]
    content = to_bytes(model)
    assert len(content) <= MOST_BYTES, way
    return Sample(way, content, (rows,), (answers_of(model, rows),))


def _older(path: Path) -> Sample:
    model = load(path)
    X, _ = frame(40) if hasattr(model, "feature_names_in_") else numbers(40, 3)
    rows = _rows(X)
    return Sample(path.stem, path.read_bytes(), rows, tuple(answers_of(model, each) for each in rows))


def _fitted(estimator: Any) -> list[Sample]:
    if isinstance(estimator, Path):
        return [_older(estimator)]
    if not hasattr(estimator, "fit"):
        return [Sample(repr(estimator), to_bytes(estimator), (None,), (answers_of(estimator, None),))]
    return [sample for table in ("numbers", "frame") for sample in _fitted_on(table, estimator)]


def _one_fitted(estimator: Any, turn: int) -> list[Sample]:
    """One sample of a setting: numbers and a table by turns, each with witness rows and without."""
    if not hasattr(estimator, "fit"):
        return _fitted(estimator)[:1]
    tables = ("numbers", "frame") if turn % 4 < 2 else ("frame", "numbers")
    found = next(filter(None, (_fitted_on(table, estimator) for table in tables)), [])
    return found[turn % max(len(found), 1) :][:1]


def _fitted_on(table: str, estimator: Any) -> list[Sample]:
    X, y = numbers(40, 3) if table == "numbers" else frame(40)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(estimator).fit(X, y)
            content = to_bytes(model), to_bytes(model, witnessed=True)
    except MarginError:  # takes no such columns, or has no kind
        return []
    rows = _rows(X)
    answers = tuple(answers_of(model, each) for each in rows)
    return [Sample(f"{estimator!r} on {table}", each, rows, answers) for each in content if len(each) <= MOST_BYTES]


def _rows(X: Any) -> tuple[Any, Any]:
    """Rows like those at fit, and rows with missing, large and unknown cells."""
    odd = X[:15].copy()
    if isinstance(odd, np.ndarray):
        odd[::2, 0], odd[1::3, -1], odd[4] = np.nan, 1e200, np.nan
    else:
        odd.loc[odd.index[::2], "age"] = np.nan
        odd.loc[odd.index[1::3], "job"] = "pilot"
        return table_from_frame(X[:15], "rows"), table_from_frame(odd, "rows")
    return X[:15], odd


def answers_of(model: Any, rows: Any) -> dict[str, Any]:
    """What a model says by each of its methods; its own errors are answers too, anything else is raised."""
    if isinstance(model, Table):
        return {"schema": repr(model.schema), "cells": [model.cells(name) for name in model.schema.names]}
    if not hasattr(model, "fit"):
        return {"repr": repr(model)}
    found: dict[str, Any] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for method in ("predict", "predict_proba", "decision_function", "transform", "apply", "kneighbors"):
            try:
                if hasattr(model, method):
                    found[method] = getattr(model, method)(rows)
            except MarginError as error:
                found[method] = error
    return found


def is_error(answer: Any) -> bool:
    """Whether a model has said that it cannot answer."""
    return isinstance(answer, MarginError)


def same_answers(found: Any, expected: Any) -> bool:
    """Equal bit for bit, NaN equal to NaN."""
    if type(found) is not type(expected):
        return False
    if is_error(found):
        return True  # of the same type; its words may name another column
    if isinstance(found, dict):
        return found.keys() == expected.keys() and all(same_answers(found[k], expected[k]) for k in found)
    if isinstance(found, (list, tuple)):
        return len(found) == len(expected) and all(map(same_answers, found, expected))
    if hasattr(found, "toarray"):
        return same_answers(found.toarray(), expected.toarray())
    if isinstance(found, np.ndarray):
        if found.dtype != expected.dtype or found.shape != expected.shape:
            return False
        return found.tobytes() == expected.tobytes() or same_answers(found.tolist(), expected.tolist())
    if isinstance(found, float) and math.isnan(found):
        return math.isnan(expected)
    return bool(found == expected)
