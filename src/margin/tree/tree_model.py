"""What all trees have in common once they are grown: columns, leaves, paths and importances."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from margin import parallel
from margin.base import Classifier, Mixed, Regressor
from margin.base.estimator import SupervisedEstimator
from margin.base.targets.labels import encode_labels
from margin.data.weights import check_weights
from margin.errors import ParameterError
from margin.tree import predict as walking
from margin.tree.nodes import Tree
from margin.tree.reading.column_gains import gains_at
from margin.tree.reading.gains import Gains
from margin.tree.reading.readable import TreeReading
from margin.tree.settings import numbers_first
from margin.tree.training_rows import Rows
from margin.typing import Encoded, LabelsLike, TableLike

__all__ = ["TreeClassifier", "TreeModel", "TreeRegressor", "codes_among"]


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

    def _how(self, rows: Rows) -> dict[str, Any]:
        """Criterion, settings and number of classes that its nodes are split with, grown from these rows."""
        raise TypeError(f"{type(self).__name__} must say how its nodes are split: def _how(self, rows).")

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        """The rows whose targets the model can tell, with these as numbers."""
        raise TypeError(f"{type(self).__name__} must say how its targets are read.")

    def _rows_to_judge(self, X: TableLike, y: Any, sample_weight: Any, method: str) -> Rows:
        """Rows from outside with the targets that the model knows, as numbers."""
        who, data = f"{type(self).__name__}.{method}", self._encoded(X, method)
        weight = check_weights(sample_weight, len(data), who)
        return self._known_targets(Rows(data, y, np.ones(len(data)) if weight is None else weight), who)

    def gains(self, X: TableLike, y: Any, node: int = 0, sample_weight: Any = None) -> Gains:
        """What each column would gain at a node, the best split of each with the classes of its branches.

        X and y are the rows to look at, as a rule those of ``fit``: a model keeps none. They walk to the node first.
        (:func:`margin.plots.plot_gains` draws it.)

        >>> from margin import ID3
        >>> from margin.data import catalog
        >>> X, y = catalog.load("weather_nominal").target("play")
        >>> print(ID3().fit(X, y).gains(X, y).text(most=2))
        node 0: █ no  ▒ yes
        outlook  gain 0.2467, ratio 0.1564 (asked)
          outlook = overcast  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ yes 4
          outlook = rainy     ████████▒▒▒▒▒▒▒▒▒▒▒▒ no 2, yes 3
          outlook = sunny     ████████████▒▒▒▒▒▒▒▒ no 3, yes 2
        humidity  gain 0.1518, ratio 0.1518
          humidity = high    ███████████▒▒▒▒▒▒▒▒▒ no 4, yes 3
          humidity = normal  ███▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ no 1, yes 6
        """
        described = self._described("gains")
        if not isinstance(node, numbers.Integral) or not 0 <= node < self.tree_.n_nodes:
            raise ParameterError(
                f"gains(node={node!r}): node must be one of the {self.tree_.n_nodes} nodes of the tree."
            )
        rows = self._rows_to_judge(X, y, sample_weight, "gains")
        return gains_at(described, rows, node, self._how(rows), self._node_answers)

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

    #: Whether y had several columns.
    outputs_2d_ = False

    def _scores(self, X: Encoded) -> Any:
        return self._told_apart(walking.shares(self.tree_, X, self._threads()))

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        scores = self._of_numbers(X, True)
        return super().predict(X) if scores is None else self._in_form(self._answers(None, self._told_apart(scores)))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        scores = self._of_numbers(X, True)
        return super().predict_proba(X) if scores is None else self._proba(self._told_apart(scores))

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        code = codes_among(rows.y, len(rows.X), self.classes_, who)
        kept = np.flatnonzero(code >= 0)  # a class that the tree does not know is wrong however it is pruned
        return Rows(rows.X.take(kept), code[kept], rows.weight[kept])

    def _told_apart(self, shares: np.ndarray) -> Any:
        """Shares among the classes of all outputs together as those of each output: a list where there are several."""
        if not self.outputs_2d_:
            return shares
        outputs = np.split(shares, np.cumsum([len(labels) for labels in self.classes_])[:-1], axis=1)
        return [output / output.sum(axis=1, keepdims=True) for output in outputs]


class TreeRegressor(TreeModel, Regressor):
    """A tree whose leaves hold one number each, or one for each output."""

    def _values(self, X: Encoded) -> np.ndarray:
        values = walking.values(self.tree_, X, self._threads())
        return values if self.n_outputs_ > 1 else values[:, 0]

    def predict(self, X: TableLike) -> np.ndarray:
        """The quantity expected of each row."""
        values = self._of_numbers(X, False)
        if values is None:
            return super().predict(X)
        return values if self.n_outputs_ > 1 else values[:, 0]


def codes_among(y: LabelsLike, n_rows: int, known: np.ndarray, who: str) -> np.ndarray:
    """The place of each label among those known; -1 for others."""
    classes, codes = encode_labels(y, n_rows, who)
    place = {label: k for k, label in enumerate(known.tolist())}
    return np.array([place.get(label, -1) for label in classes.tolist()], dtype=np.int32)[codes]
