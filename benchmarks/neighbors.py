"""k nearest neighbours: few columns, where trees win, many, where matrix products do, mixed tables, texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import _neighbors_mixed, _neighbors_text
from benchmarks.harness import Arrays, Side, Workload, fit_and_predict

__all__ = ["WORKLOADS"]

K = 5


def clouds(n: int, d: int, n_test: int, informative: int, classes: int = 10, dtype: str = "float64") -> Arrays:
    """Classes of two clusters each, in some of the columns."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n + n_test,
        d,
        n_informative=informative,
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=2,
        random_state=0,
    )
    X = X.astype(dtype)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


class Voting:
    """A neighbour index made a classifier: the majority of the k nearest, ties to the smaller label.

    ``build(X)`` gives the index, ``nearest(index, X)`` the positions of the k nearest training rows of each row.
    """

    def __init__(self, build: Callable[[np.ndarray], Any], nearest: Callable[[Any, np.ndarray], np.ndarray]) -> None:
        self.build = build
        self.nearest = nearest

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.labels, self.y = np.unique(y, return_inverse=True)
        self.index = self.build(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        near = self.y[self.nearest(self.index, X)]
        votes = np.zeros((len(near), len(self.labels)), dtype=np.int32)
        for column in near.T:
            votes[np.arange(len(near)), column] += 1
        return self.labels[votes.argmax(axis=1)]


def faiss_flat() -> Voting:
    import faiss

    def build(X: np.ndarray) -> Any:
        index = faiss.IndexFlatL2(X.shape[1])
        index.add(X)
        return index

    return Voting(build, lambda index, X: index.search(X, K)[1])


def pykdtree() -> Voting:
    from pykdtree.kdtree import KDTree

    return Voting(KDTree, lambda tree, X: tree.query(X, k=K)[1].astype(np.intp))


def scipy_tree() -> Voting:
    from scipy.spatial import cKDTree

    return Voting(cKDTree, lambda tree, X: tree.query(X, k=K, workers=-1)[1])


def single_precision(arrays: Arrays) -> Arrays:
    """faiss takes nothing else."""
    return {**arrays, "X": arrays["X"].astype(np.float32), "X_test": arrays["X_test"].astype(np.float32)}


def margin_neighbors() -> Any:
    import margin

    return margin.KNeighborsClassifier(n_neighbors=K)


def sklearn_with(algorithm: str) -> Any:
    def make() -> Any:
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(n_neighbors=K, algorithm=algorithm, n_jobs=-1)

    return make


def sklearnex_with(algorithm: str) -> Any:
    def make() -> Any:
        from sklearnex.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(n_neighbors=K, algorithm=algorithm, n_jobs=-1)

    return make


MARGIN = Side("margin KNeighbors", "margin", margin_neighbors)
BRUTE = (
    Side("sklearn brute", "sklearn", sklearn_with("brute")),
    Side("sklearnex brute", "sklearnex", sklearnex_with("brute")),
    Side("faiss IndexFlatL2", "faiss", faiss_flat, prepare=single_precision),
)
TREES = (
    Side("sklearn kd_tree", "sklearn", sklearn_with("kd_tree")),
    Side("sklearnex kd_tree", "sklearnex", sklearnex_with("kd_tree")),
    Side("scipy cKDTree", "scipy", scipy_tree),
    Side("pykdtree", "pykdtree", pykdtree),
)
QUICK = {"n": 5_000, "n_test": 500}
FEW = {"n": 200_000, "n_test": 20_000}
MANY = {"n": 50_000, "n_test": 5_000, "dtype": "float32"}

WORKLOADS = (
    Workload("d=3", clouds, (MARGIN, *TREES), fit_and_predict, {**FEW, "d": 3, "informative": 3, "classes": 4}, QUICK),
    Workload("d=8", clouds, (MARGIN, *TREES), fit_and_predict, {**FEW, "d": 8, "informative": 6}, QUICK),
    Workload("d=64", clouds, (MARGIN, *BRUTE), fit_and_predict, {**MANY, "d": 64, "informative": 48}, QUICK),
    Workload("d=784", clouds, (MARGIN, *BRUTE), fit_and_predict, {**MANY, "d": 784, "informative": 588}, QUICK),
    *_neighbors_mixed.WORKLOADS,
    *_neighbors_text.WORKLOADS,
)
