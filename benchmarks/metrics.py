"""Metrics of many answers: one pass over the labels is all they need."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, call

__all__ = ["WORKLOADS"]

Score = Callable[[Arrays], float]


def answers(n: int, k: int) -> Arrays:
    """Labels of k classes, and answers of which about 8 in 10 are right."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    return {"y": y, "answers": np.where(rng.random(n) < 0.8, y, rng.integers(k, size=n))}


def margin_metric(name: str) -> Callable[[], Score]:
    def make() -> Score:
        from margin.evaluation import metric

        score = metric(name)
        return lambda arrays: score(arrays["y"], arrays["answers"])

    return make


def sklearn_accuracy() -> Score:
    from sklearn.metrics import accuracy_score

    return lambda arrays: accuracy_score(arrays["y"], arrays["answers"])


def sklearn_f1() -> Score:
    from sklearn.metrics import f1_score

    return lambda arrays: f1_score(arrays["y"], arrays["answers"], average="macro")


def margin_confusion() -> Score:
    from margin.evaluation import confusion

    return lambda arrays: confusion(arrays["y"], arrays["answers"]).accuracy


def sklearn_confusion() -> Score:
    from sklearn.metrics import confusion_matrix

    def right(arrays: Arrays) -> float:
        table = confusion_matrix(arrays["y"], arrays["answers"])
        return table.trace() / table.sum()

    return right


def workload(name: str, ours: Callable[[], Score], theirs: Callable[[], Score]) -> Workload:
    sides = (Side("margin", "margin", ours), Side("sklearn", "sklearn", theirs))
    return Workload(name, answers, sides, call, size={"n": 10_000_000, "k": 10}, quick={"n": 100_000})


WORKLOADS = (
    workload("accuracy", margin_metric("accuracy"), sklearn_accuracy),
    workload("confusion", margin_confusion, sklearn_confusion),
    workload("f1", margin_metric("f1"), sklearn_f1),
)
