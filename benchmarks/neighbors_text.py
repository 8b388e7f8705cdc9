"""Nearest texts: counts of words as sparse rows, compared by angle and by distance."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.bayes import text
from benchmarks.harness import Side, Workload, fit_and_predict
from benchmarks.neighbors import K, Voting

__all__ = ["WORKLOADS"]


class MarginSparseRows(Voting):
    """The index alone, without a model around it."""

    def __init__(self, metric: str) -> None:
        self.metric = metric

    def build(self, X: Any) -> None:
        from margin import parallel
        from margin.neighbors.sparse_rows import SparseRows

        self.n_threads = parallel.n_threads()
        self.index = SparseRows.build(X, self.metric, 2.0, self.n_threads)

    def nearest(self, X: Any) -> np.ndarray:
        return self.index.nearest(X, K, self.n_threads)[1]


def sklearn_brute(metric: str) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors=K, metric=metric, algorithm="brute", n_jobs=-1)


SIZE = {"n": 50_000, "words": 20_000, "per_row": 50, "n_test": 2_000, "n_classes": 20}
QUICK = {"n": 2_000, "words": 2_000, "n_test": 100}

WORKLOADS = tuple(
    Workload(
        metric,
        text,
        (
            Side("margin SparseRows", "margin", partial(MarginSparseRows, metric)),
            Side("sklearn brute", "sklearn", partial(sklearn_brute, metric)),
        ),
        fit_and_predict,
        SIZE,
        QUICK,
    )
    for metric in ("cosine", "euclidean")
)
