"""Nearest texts: counts of words as sparse rows, compared by angle and by distance."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.bayes import text
from benchmarks.harness import Side, Workload, fit_and_predict

__all__ = ["WORKLOADS"]

K = 5


def margin_sparse(metric: str) -> Any:
    import margin

    return margin.KNeighborsClassifier(n_neighbors=K, metric=metric)


def sklearn_brute(metric: str) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors=K, metric=metric, algorithm="brute", n_jobs=-1)


SIZE = {"n": 50_000, "words": 20_000, "per_row": 50, "n_test": 2_000, "n_classes": 20}
QUICK = {"n": 2_000, "words": 2_000, "n_test": 100}

WORKLOADS = tuple(
    Workload(
        f"text {metric}",
        text,
        (
            Side("margin KNeighbors", "margin", partial(margin_sparse, metric)),
            Side("sklearn brute", "sklearn", partial(sklearn_brute, metric)),
        ),
        fit_and_predict,
        SIZE,
        QUICK,
    )
    for metric in ("cosine", "euclidean")
)
