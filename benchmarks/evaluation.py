"""Metrics of ten million answers, splits of as many rows, the cost of validation itself, leave-one-out, a search.

Metrics are called as a user calls them, one by one, on labels as they come: whatever checking and coding a library does
is part of the time. The value stands beside it, so that speed is not bought with another number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.bayes import numeric
from benchmarks.harness import Arrays, Side, Workload, call

__all__ = ["WORKLOADS"]

Score = Callable[[Arrays], float]
MILLIONS = {"n": 10_000_000}
QUICK = {"n": 50_000}


# ---- Answers.


def answers(n: int, k: int) -> Arrays:
    """Labels of k classes, and answers of which about 8 in 10 are right."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    return {"y": y, "answers": np.where(rng.random(n) < 0.8, y, rng.integers(k, size=n))}


def beliefs(n: int) -> Arrays:
    """Two classes, and the probability of the second: of as many different values as a double has."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return {"y": y, "answers": 1 / (1 + np.exp(-(1.5 * rng.normal(size=n) + 2.0 * y - 1.0)))}


def shares(n: int, k: int) -> Arrays:
    """Probabilities of k classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    given = rng.gamma(0.5, size=(n, k))
    given[np.arange(n), y] += 0.5
    return {"y": y, "answers": given / given.sum(axis=1, keepdims=True)}


def ours(name: str, **options: Any) -> Side:
    def make() -> Score:
        from margin.evaluation import metric

        score = metric(name, **options)
        return lambda arrays: score(arrays["y"], arrays["answers"])

    return Side("margin", "margin", make)


def theirs(name: str, **options: Any) -> Side:
    def make() -> Score:
        import sklearn.metrics

        score = getattr(sklearn.metrics, name)
        return lambda arrays: score(arrays["y"], arrays["answers"], **options)

    return Side("sklearn", "sklearn", make)


def our_confusion() -> Score:
    from margin.evaluation import confusion

    return lambda arrays: confusion(arrays["y"], arrays["answers"]).accuracy


def their_confusion() -> Score:
    from sklearn.metrics import confusion_matrix

    def right(arrays: Arrays) -> float:
        table = confusion_matrix(arrays["y"], arrays["answers"])
        return table.trace() / table.sum()

    return right


def our_report() -> Score:
    from margin.evaluation import metric
    from margin.evaluation.predictions.answers import Answers

    names = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "matthews", "kappa")
    chosen = [metric(name) for name in names]

    def report(arrays: Arrays) -> float:
        given = Answers.of(arrays["y"], arrays["answers"])
        return [each.value(given) for each in chosen][-1]

    return report


def their_report() -> Score:
    from sklearn import metrics

    def report(arrays: Arrays) -> float:
        y, given = arrays["y"], arrays["answers"]
        metrics.accuracy_score(y, given)
        metrics.balanced_accuracy_score(y, given)
        metrics.precision_recall_fscore_support(y, given, average="macro")
        metrics.matthews_corrcoef(y, given)
        return metrics.cohen_kappa_score(y, given)

    return report


def on_labels(name: str, mine: Side, other: Side) -> Workload:
    return Workload(name, answers, (mine, other), call, size={**MILLIONS, "k": 10}, quick=QUICK)


def on_beliefs(name: str, mine: Side, other: Side) -> Workload:
    return Workload(name, beliefs, (mine, other), call, size=MILLIONS, quick=QUICK)


def on_shares(name: str, mine: Side, other: Side) -> Workload:
    return Workload(name, shares, (mine, other), call, size={"n": 2_000_000, "k": 10}, quick=QUICK)


# ---- Splits, and what validation costs beside the fits.


def labels(n: int, k: int) -> Arrays:
    return {"y": np.random.default_rng(0).integers(k, size=n)}


def all_parts(splits: Any) -> float:
    return float(sum(len(test) for _, test in splits))


def our_folds() -> Score:
    from margin.evaluation import StratifiedFolds

    return lambda arrays: all_parts(StratifiedFolds(5).split(arrays["y"]))


def their_folds() -> Score:
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return lambda arrays: all_parts(folds.split(np.empty((len(arrays["y"]), 0)), arrays["y"]))


def our_hold_out() -> Score:
    from margin.evaluation import HoldOut

    return lambda arrays: all_parts(HoldOut(0.25).split(arrays["y"]))


def their_hold_out() -> Score:
    from sklearn.model_selection import StratifiedShuffleSplit

    once = StratifiedShuffleSplit(1, test_size=0.25, random_state=0)
    return lambda arrays: all_parts(once.split(np.empty((len(arrays["y"]), 0)), arrays["y"]))


def idle_model() -> Any:
    """A classifier that does nothing, so that only what goes on around it is measured."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Idle(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Idle:
            self.classes_ = np.array([0, 1])
            return self

        def predict(self, X: Any) -> np.ndarray:
            return np.zeros(len(X), dtype=np.int64)

    return Idle()


def rows(n: int, d: int) -> Arrays:
    rng = np.random.default_rng(0)
    return {"X": rng.normal(size=(n, d)), "y": rng.integers(2, size=n)}


def our_validation() -> Score:
    from margin.evaluation import StratifiedFolds, evaluate

    model = idle_model()
    return lambda arrays: (
        evaluate(model, arrays["X"], arrays["y"], StratifiedFolds(10), metrics="accuracy").scores["accuracy"].value
    )


def their_validation() -> Score:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    model, folds = idle_model(), StratifiedKFold(10, shuffle=True, random_state=0)
    return lambda arrays: float(np.mean(cross_val_score(model, arrays["X"], arrays["y"], cv=folds)))


def validation(name: str, n: int, d: int) -> Workload:
    sides = (Side("margin", "margin", our_validation), Side("sklearn", "sklearn", their_validation))
    return Workload(name, rows, sides, call, size={"n": n, "d": d}, quick={"n": min(n, 1000)})


# ---- Leave-one-out and a search, where one neighbour search does for all.


def our_left_out() -> Score:
    from margin import KNeighborsClassifier
    from margin.evaluation import LeaveOneOut, evaluate

    model = KNeighborsClassifier(5)
    return lambda arrays: (
        evaluate(model, arrays["X"], arrays["y"], LeaveOneOut(), metrics="accuracy").scores["accuracy"].value
    )


def one_search(home: str) -> Callable[[], Score]:
    """The answers of one search among all rows, each row its own neighbour: what leave-one-out has to cost at least."""

    def make() -> Score:
        from importlib import import_module

        model = import_module(home).KNeighborsClassifier(n_neighbors=6)

        def share(arrays: Arrays) -> float:
            found = model.fit(arrays["X"], arrays["y"]).kneighbors(arrays["X"], return_distance=False)
            return float(np.mean(arrays["y"][found[:, 1]] == arrays["y"]))

        return share

    return make


#: Numbers of neighbours that are tried.
KS = [1, 3, 5, 7, 9, 15, 21, 31, 51, 99]


def our_search() -> Score:
    from margin import KNeighborsClassifier
    from margin.selection import GridSearch

    def best(arrays: Arrays) -> float:
        search = GridSearch(KNeighborsClassifier(), {"n_neighbors": KS}, metric="accuracy")
        return float(search.fit(arrays["X"], arrays["y"]).best_score_.value)

    return best


def their_search() -> Score:
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    def best(arrays: Arrays) -> float:
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": KS}, cv=5)
        return float(search.fit(arrays["X"], arrays["y"]).best_score_)

    return best


WORKLOADS = (
    on_labels("accuracy", ours("accuracy"), theirs("accuracy_score")),
    on_labels("error", ours("error"), theirs("zero_one_loss")),
    on_labels("confusion", Side("margin", "margin", our_confusion), Side("sklearn", "sklearn", their_confusion)),
    on_labels("precision", ours("precision"), theirs("precision_score", average="macro")),
    on_labels("recall", ours("recall"), theirs("recall_score", average="macro")),
    on_labels("f1", ours("f1"), theirs("f1_score", average="macro")),
    on_labels("fbeta", ours("fbeta", beta=2.0), theirs("fbeta_score", beta=2.0, average="macro")),
    on_labels("balanced_accuracy", ours("balanced_accuracy"), theirs("balanced_accuracy_score")),
    on_labels("matthews", ours("matthews"), theirs("matthews_corrcoef")),
    on_labels("kappa", ours("kappa"), theirs("cohen_kappa_score")),
    on_labels("report", Side("margin", "margin", our_report), Side("sklearn", "sklearn", their_report)),
    on_beliefs("roc_auc", ours("roc_auc"), theirs("roc_auc_score")),
    on_beliefs("average_precision", ours("average_precision", positive=1), theirs("average_precision_score")),
    on_beliefs("log_loss", ours("log_loss"), theirs("log_loss")),
    on_beliefs("brier", ours("brier"), theirs("brier_score_loss")),
    on_shares("log_loss of 10 classes", ours("log_loss"), theirs("log_loss")),
    on_shares("top_k", ours("top_k", k=2), theirs("top_k_accuracy_score", k=2)),
    Workload(
        "stratified folds",
        labels,
        (Side("margin", "margin", our_folds), Side("sklearn", "sklearn", their_folds)),
        call,
        size={**MILLIONS, "k": 10},
        quick=QUICK,
    ),
    Workload(
        "stratified hold-out",
        labels,
        (Side("margin", "margin", our_hold_out), Side("sklearn", "sklearn", their_hold_out)),
        call,
        size={**MILLIONS, "k": 10},
        quick=QUICK,
    ),
    validation("ten folds of 100 rows", n=100, d=5),
    validation("ten folds of 1M rows", n=1_000_000, d=5),
    Workload(
        "leave-one-out",
        numeric,
        (
            Side("margin", "margin", our_left_out),
            # margin itself, but not as the side that is compared
            Side("margin, one search", "numpy", one_search("margin")),
            Side("sklearn, one search", "sklearn", one_search("sklearn.neighbors")),
        ),
        call,
        size={"n": 20_000, "d": 20, "n_test": 10},
        quick={"n": 2_000},
    ),
    Workload(
        "search of k",
        numeric,
        (Side("margin", "margin", our_search), Side("sklearn", "sklearn", their_search)),
        call,
        size={"n": 20_000, "d": 20, "n_test": 10},
        quick={"n": 2_000},
    ),
)
