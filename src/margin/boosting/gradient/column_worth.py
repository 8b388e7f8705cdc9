"""What columns are worth to boosted trees: gains, counts of splits, and Shapley values."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.estimator import SupervisedEstimator
from margin.boosting.gradient.boosted_trees import BoostedTrees
from margin.boosting.gradient.sparse_rows import blocks_of
from margin.errors import ParameterError
from margin.tree.settings import numbers_first
from margin.typing import TableLike

__all__ = ["ColumnWorth"]


class ColumnWorth(SupervisedEstimator):
    """An estimator whose answers are what ``trees_`` add up to."""

    trees_: BoostedTrees
    n_jobs: Any

    def _gains(self) -> np.ndarray:
        trees = self.trees_
        inner = ~trees.is_leaf
        return np.bincount(trees.column[inner], trees.gain[inner], trees.n_columns)

    def importances(self, kind: Literal["gain", "split"] = "gain") -> dict[str, float]:
        """What each column is worth, by name: what its splits gained (``"gain"``), or how many there are (``"split"``).

        >>> import numpy as np
        >>> from margin import GradientBoostingRegressor
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> found = GradientBoostingRegressor(n_estimators=10).fit(X, X[:, 1]).importances()
        >>> max(found, key=found.get)
        'x1'
        """
        if kind not in ("gain", "split"):
            raise ParameterError(
                f"{type(self).__name__}.importances(kind={kind!r}): kind must be one of 'gain', 'split'."
            )
        trees = self._fitted("importances").trees_
        of_trees = self._gains() if kind == "gain" else np.bincount(trees.column[~trees.is_leaf], None, trees.n_columns)
        found = np.zeros(self.n_features_in_)
        found[numbers_first(self._columns)] = of_trees
        return dict(zip(self._columns.described().names, found.tolist(), strict=True))

    def shap_values(self, X: TableLike) -> np.ndarray:
        """What each column adds to the scores of each row: exact Shapley values over the trees.

        Rows x columns for one score, else rows x columns x classes. With :meth:`shap_base` they add up to the score
        (``decision_function``; the answer of a regressor, its logarithm under ``loss="poisson"``). What a tree says
        where a column is not known is the mean over its branches, by the second derivatives of the training rows in
        each; the slopes of a linear leaf then say nothing, since they are counted from the mean of its rows.

        >>> import numpy as np
        >>> from margin import GradientBoostingRegressor
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> model = GradientBoostingRegressor(n_estimators=10).fit(X, X[:, 1])
        >>> bool(np.allclose(model.shap_values(X).sum(axis=1) + model.shap_base(), model.predict(X)))
        True
        """
        rows, trees = self._fitted("shap_values")._encoded(X, "shap_values"), self.trees_
        threads, n_scores, order = parallel.n_threads(self.n_jobs), len(trees.base), numbers_first(self._columns)
        by_column = np.zeros((len(rows), trees.n_columns, n_scores))
        for part, some, cells, used in blocks_of(trees, rows):
            found = np.zeros((len(cells), n_scores * some.n_columns))
            _core.gradient.shapley(some.walker, some.cover, cells, rows.codes, found, threads)
            places = order if used is None else used
            by_column[part, places] = found.reshape(len(cells), n_scores, some.n_columns).swapaxes(1, 2)
        return by_column[:, :, 0] if n_scores == 1 else by_column

    def shap_base(self) -> Any:
        """The mean score over the training rows as the trees weigh them, which Shapley values are counted from."""
        trees = self._fitted("shap_base").trees_
        roots = np.repeat(trees.start[:-1], np.diff(trees.start))
        whole = trees.cover[roots]
        share = np.divide(trees.cover, whole, out=np.zeros(len(whole)), where=whole > 0)
        share[(whole <= 0) & trees.is_leaf & (np.arange(len(roots)) == roots)] = 1.0
        said = np.where(trees.is_leaf, trees.threshold, 0.0)
        of_trees = np.add.reduceat(share * said, trees.start[:-1])
        base = trees.base + of_trees.reshape(-1, len(trees.base)).sum(axis=0)
        return float(base[0]) if len(base) == 1 else base
