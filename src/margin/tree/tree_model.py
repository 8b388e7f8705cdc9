"""What all trees have in common once they are grown: columns, leaves, paths and importances."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from margin import parallel
from margin.base import Classifier, Mixed, Regressor
from margin.base.estimator import SupervisedEstimator
from margin.tree import predict as walking
from margin.tree.nodes import Tree
from margin.tree.reading.readable import TreeReading
from margin.tree.settings import numbers_first
from margin.typing import Encoded, TableLike

__all__ = ["TreeClassifier", "TreeModel", "TreeRegressor"]


class TreeModel(TreeReading, SupervisedEstimator):
    """A model that is one tree, ``tree_``.

    Parameters
    ----------
    max_depth
        Most questions on a path; None for no limit.
    n_jobs
        Threads; None uses all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_
        The nodes as plain arrays, a :class:`margin.tree.Tree`.
    """

    representation = Mixed(as_given=True)
    n_jobs: Any
    tree_: Tree
    n_outputs_: int

    def _threads(self) -> int | None:
        return None if self.n_jobs is None else parallel.n_threads(self.n_jobs)

    def _places(self) -> np.ndarray:
        """Where the columns of the tree, numbers first, stood in the table."""
        return numbers_first(self._columns)

    def _growth_weight(self, tree: Tree) -> np.ndarray:
        """The weight of each node as its impurity counts it."""
        return tree.weight

    def _of_numbers(self, X: Encoded, shares: bool) -> np.ndarray | None:
        """What the leaves of rows of clean numbers say, on the shortest way; None for any other X."""
        if type(X) is not np.ndarray or "tree_" not in self.__dict__ or not self._is_plain_matrix(X):
            return None
        tree, n_rows = self.tree_, len(X)
        found = np.empty((n_rows, tree.value.shape[1]))
        threads = 1 if n_rows <= walking.FEW else parallel.n_threads(self.n_jobs)
        return found if tree.walker.numbers(X, self._encoder.largest, shares, found, threads) else None

    def apply(self, X: TableLike) -> np.ndarray:
        """The leaf of each row, as its place in ``tree_``; a row that goes down in parts takes the heaviest branch."""
        rows = self._encoded(X, "apply")
        return walking.leaves(self.tree_, rows, self._threads()).astype(np.int64)

    def decision_path(self, X: TableLike) -> csr_array:
        """The nodes that each row passes: a sparse matrix of rows by nodes, 1 where it does."""
        rows = self._encoded(X, "decision_path")
        node = walking.leaves(self.tree_, rows, self._threads())
        length = self.tree_.depths[node] + 1
        start = np.concatenate([[0], np.cumsum(length)])
        passed = np.empty(start[-1], dtype=np.int32)
        row, at = np.arange(len(node)), start[1:] - 1
        while len(row):
            passed[at] = node
            node = self.tree_.parent[node]
            row, at, node = row[node >= 0], at[node >= 0] - 1, node[node >= 0]
        return csr_array((np.ones(len(passed), dtype=np.int64), passed, start), shape=(len(length), self.tree_.n_nodes))

    def get_depth(self) -> int:
        """Most questions on the way to a leaf."""
        return self._fitted("get_depth").tree_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        return self._fitted("get_n_leaves").tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the splits on each column lowered the impurity, as shares; all 0 for a tree that is one leaf."""
        tree = self._fitted("feature_importances_").tree_
        loss = self._growth_weight(tree) * tree.impurity
        inner = np.flatnonzero(~tree.is_leaf)
        after = np.bincount(tree.parent[tree.child], loss[tree.child], tree.n_nodes)
        found = np.zeros(self.n_features_in_)
        np.add.at(found, self._places()[tree.column[inner]], np.maximum(loss - after, 0.0)[inner])
        return found / found.sum() if found.sum() > 0 else found


class TreeClassifier(TreeModel, Classifier):
    """A tree whose leaves hold the weights of classes."""

    def _scores(self, X: Encoded) -> np.ndarray:
        return walking.shares(self.tree_, X, self._threads())

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        scores = self._of_numbers(X, True)
        return super().predict(X) if scores is None else self._answers(None, scores)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        scores = self._of_numbers(X, True)
        return super().predict_proba(X) if scores is None else self._proba(scores)


class TreeRegressor(TreeModel, Regressor):
    """A tree whose leaves hold one number each."""

    def _values(self, X: Encoded) -> np.ndarray:
        return walking.values(self.tree_, X, self._threads())[:, 0]

    def predict(self, X: TableLike) -> np.ndarray:
        """The quantity expected of each row."""
        values = self._of_numbers(X, False)
        return super().predict(X) if values is None else values[:, 0]
