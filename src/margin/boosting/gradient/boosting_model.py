"""What gradient boosting for classes and for numbers have in common: rounds, scores, and what columns are worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Mixed
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosted_trees import ALL, BoostedTrees, joined
from margin.boosting.gradient.rounds import BoostedRows, Grown, run_rounds
from margin.errors import DataError, ParameterError
from margin.random import seed_for
from margin.tree.grow import numbers_of
from margin.tree.settings import count_of, numbers_first, signs_of
from margin.tree.training_rows import Rows, held_out, in_cases, without_excess
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["BoostingModel"]

# Below so many rows one thread is quicker than asking how many there are.
FEW = 64
#: From so many rows on a part of them is held back to say when to stop ("auto").
MANY_ROWS = 10_000
#: Rounds of "auto": without rows held back, and at most with them.
ROUNDS, MOST_ROUNDS = 100, 1000


class BoostingModel(SupervisedEstimator):
    """Trees that add up, ``trees_``.

    Parameters
    ----------
    n_estimators
        Rounds, each a tree for every score. ``"auto"``: 100, or up to 1000 where rows are held back to say when to
        stop.
    learning_rate
        What the value of a leaf is multiplied by: smaller steps need more rounds, and end up better.
    growth
        ``"leaf"`` splits the leaf of the largest gain next, ``"depth"`` all leaves of a level before the next level.
    max_leaf_nodes
        Most leaves of a tree; None for no limit.
    max_depth
        Most questions on a path; None for no limit.
    min_samples_leaf
        Cases that each branch must have, by weight; a share is one of all cases. Where second derivatives differ from
        row to row, the cases of a branch are told from its share of them.
    min_child_weight
        Sum of second derivatives that each branch must have.
    l2
        Added to the sum of second derivatives at a leaf: smaller values where little is known.
    min_gain
        A split must gain more than this, (G_L²/(H_L + l2) + G_R²/(H_R + l2) - G²/(H + l2)) / 2, with G and H the sums
        of first and second derivatives.
    max_bins
        Numbers are grouped into so many bins before. Columns of at most so many different numbers have a bin for each;
        others are cut where bins are about equally full, by a sample of rows if there are more than 32768, each row
        counted once. Of nominal columns with more levels the rarest share one bin.
    nominal_smooth
        Nominal columns of more than four levels are divided in the order of G / (H + nominal_smooth) of their levels;
        levels of fewer cases than this are left with the others.
    nominal_l2
        Added to ``l2`` for such divisions.
    subsample
        Share of the rows that each tree learns from, drawn anew.
    top_rate
        Share of the rows that each tree learns from in any case, those of the largest gradients; ``subsample`` is then
        the share of the rows drawn from the others, which count for all of these. 0 draws all alike.
    max_features
        Share of the columns that each tree may ask about, drawn anew.
    monotonic_cst
        1 where the answer must not fall as a column rises, -1 where it must not rise, 0 where it is free: for all
        columns in order, or by name.
    early_stopping
        Whether some rows are held back, and the rounds up to their smallest loss are kept; ``"auto"`` from 10,000 rows
        on.
    validation_fraction
        Share of the rows that is held back.
    n_iter_no_change
        Boosting stops after so many rounds without a smaller loss of the rows held back.
    tol
        By what share a loss must be smaller to count.
    warm_start
        Whether ``fit`` goes on from the trees that are there, if there are any, until there are ``n_estimators``
        rounds. The rows must be those of the fit before; the model is then the one that would have been grown at once.
        No rows are held back.
    n_jobs
        Threads; None uses all cores. The model does not depend on it.
    random_state
        Decides which rows and columns are drawn, which rows are held back, and how gradients of more than 16384 rows
        are rounded.

    Attributes
    ----------
    trees_
        The trees as plain arrays, a :class:`margin.boosting.BoostedTrees`.
    n_estimators_
        Rounds that were kept.
    validation_loss_
        The mean loss of the rows held back after each round; of no rounds where none were.
    feature_importances_
        How much the splits on each column gained, as shares.
    """

    representation = Mixed(as_given=True)
    n_estimators: Any
    learning_rate: float
    growth: str
    max_leaf_nodes: Any
    max_depth: Any
    min_samples_leaf: Any
    min_child_weight: float
    l2: float
    min_gain: float
    max_bins: int
    nominal_smooth: float
    nominal_l2: float
    subsample: float
    top_rate: float
    max_features: float
    monotonic_cst: Any
    early_stopping: Any
    validation_fraction: float
    n_iter_no_change: int
    tol: float
    warm_start: bool
    random_state: Any
    n_jobs: Any
    trees_: BoostedTrees
    validation_loss_: np.ndarray

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows."""
        if not self.warm_start or "trees_" not in self.__dict__:
            return super().fit(X, y, sample_weight)
        self._earlier = (self.trees_, self._columns.schema, self.__dict__.get("classes_"), self._seed)
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_earlier", None)

    def _boost(
        self,
        X: MixedData,
        y: np.ndarray,
        weight: np.ndarray,
        loss: str,
        base: np.ndarray,
        *,
        stratum: np.ndarray,
        unit: float = 1.0,
        parameter: float = 0.0,
        groups: np.ndarray | None = None,
    ) -> None:
        """Run the rounds; ``base`` are the scores to begin with, and targets have been multiplied by ``unit``."""
        earlier = self._earlier_trees(base / unit)
        self._seed = np.array([seed_for(self.random_state, "boosting")], np.uint64)
        first = 0
        if earlier is not None:
            self._seed, first = self.__dict__["_earlier"][3], earlier.n_rounds
        stops = earlier is None and self._stops_early(len(y))
        rows, watched = Rows(X, y, weight), None
        if stops:
            rows, held = held_out(rows, self.validation_fraction, self.random_state, stratum, groups)
            watched = self._rows(held, base, None, unit) if len(held.y) else None
        n_rounds = self._n_rounds(watched is not None) - first
        if n_rounds > 0:
            grown = run_rounds(
                self._rows(rows, base, earlier, unit),
                watched,
                loss,
                self._settings(rows.weight, unit, parameter),
                base=base,
                first=first,
                n_rounds=n_rounds,
                max_bins=int(self.max_bins),
                patience=int(self.n_iter_no_change),
                tol=float(self.tol),
            )
        else:
            assert earlier is not None
            grown = Grown(earlier, np.empty(0), np.empty(0))
        self._keep(grown, earlier if n_rounds > 0 else None, unit)

    def _keep(self, grown: Grown, earlier: BoostedTrees | None, unit: float) -> None:
        trees = grown.trees.rescaled(unit) if unit != 1 else grown.trees
        self.trees_ = trees if earlier is None else joined([earlier, trees])
        self.validation_loss_ = grown.watched
        found = np.zeros(self.n_features_in_)
        found[numbers_first(self._columns)] = self._gains()
        self.feature_importances_ = found / found.sum() if found.sum() > 0 else found

    def _rows(self, rows: Rows, base: np.ndarray, earlier: BoostedTrees | None, unit: float) -> BoostedRows:
        if earlier is None:
            scores = np.repeat(base[:, None], len(rows.y), axis=1)
        else:
            scores = np.ascontiguousarray(_sums(earlier, rows.X, self._threads(len(rows.y))).T) * unit
        return BoostedRows(rows.X, rows.y, rows.weight, scores)

    def _earlier_trees(self, base: np.ndarray) -> BoostedTrees | None:
        """The trees to go on from; other rows than theirs are refused as far as can be told."""
        if "_earlier" not in self.__dict__:
            return None
        who = type(self).__name__
        trees, schema, classes, _ = self.__dict__["_earlier"]
        known: Any = self.__dict__.get("classes_")
        same = self._columns.schema == schema and trees.n_columns == self.n_features_in_
        if not same or not np.array_equal(known, classes):
            raise DataError(f"{who}: the rows must have the columns and classes that the trees know (fit anew).")
        if not np.array_equal(trees.base, base):
            raise DataError(f"{who}: the targets and weights must be those that the trees grew from (fit anew).")
        if self.n_estimators != "auto" and int(self.n_estimators) < trees.n_rounds:
            raise ParameterError(
                f"{who}(n_estimators={self.n_estimators}): n_estimators must not be below the {trees.n_rounds} rounds "
                "that are there (warm_start=False begins anew)."
            )
        return trees

    def _stops_early(self, n_rows: int) -> bool:
        return n_rows >= MANY_ROWS if self.early_stopping == "auto" else bool(self.early_stopping)

    def _n_rounds(self, stops: bool) -> int:
        if self.n_estimators != "auto":
            return int(self.n_estimators)
        return MOST_ROUNDS if stops else ROUNDS

    def _settings(self, weight: np.ndarray, unit: float, parameter: float) -> dict[str, Any]:
        who = type(self).__name__
        if self.top_rate > 0 and self.top_rate + self.subsample > 1:
            raise ParameterError(
                f"{who}(top_rate={self.top_rate}, subsample={self.subsample}): both shares together must not be "
                "above 1."
            )
        if self.max_leaf_nodes is None and self.max_depth is None and self.growth == "depth":
            most = 2**15
        else:
            most = 2**31 if self.max_leaf_nodes is None else int(self.max_leaf_nodes)
        found = {
            "max_leaves": most,
            "by_depth": self.growth == "depth",
            "learning_rate": float(self.learning_rate),
            "l2": float(self.l2),
            "min_gain": float(self.min_gain) * unit * unit,
            "min_weight": float(self.min_child_weight),
            "min_cases": float(count_of(self.min_samples_leaf, float(weight.sum()))),
            "nominal_l2": float(self.nominal_l2),
            "nominal_smooth": float(self.nominal_smooth),
            "row_share": float(self.subsample),
            "column_share": float(self.max_features),
            "top_share": float(self.top_rate),
            "alpha": parameter,
            "monotone": signs_of(self.monotonic_cst, self._columns, who).tolist(),
            "seed": int(self._seed[0]),
            "n_threads": parallel.n_threads(self.n_jobs),
        }
        if self.max_depth is not None:
            found["max_depth"] = int(self.max_depth)
        return found

    # ---- answers

    @property
    def n_estimators_(self) -> int:
        """Rounds that were kept."""
        return self._fitted("n_estimators_").trees_.n_rounds

    def _raw(self, X: MixedData) -> np.ndarray:
        """The scores of each row: rows x scores."""
        return _sums(self.trees_, X, self._threads(len(X)))

    def _of_numbers(self, X: Encoded) -> np.ndarray | None:
        """The same of rows of clean numbers, on the shortest way; None for any other X."""
        if type(X) is not np.ndarray or "trees_" not in self.__dict__ or not self._is_plain_matrix(X):
            return None
        trees = self.trees_
        found = np.empty((len(X), len(trees.base)))
        usable = trees.walker.of_numbers(X, self._encoder.largest, found, ALL, self._threads(len(X)))
        return found if usable else None

    def _threads(self, n_rows: int) -> int:
        return 1 if n_rows <= FEW else parallel.n_threads(self.n_jobs)

    def apply(self, X: TableLike) -> np.ndarray:
        """The leaf of each row in each tree, counted within the tree."""
        return self._leaves(self._encoded(X, "apply")).astype(np.int64)

    def _leaves(self, rows: MixedData) -> np.ndarray:
        cells = numbers_of(rows)
        found: np.ndarray = self.trees_.walker.leaves(cells, rows.codes, self._threads(len(cells)))
        return found

    def _staged(self, X: TableLike, method: str) -> Iterator[np.ndarray]:
        """The scores after each round: rows x scores."""
        rows, trees = self._encoded(X, method), self.trees_
        leaves = self._leaves(rows) + trees.start[:-1]
        n_scores, said = len(trees.base), trees.threshold
        scores = np.tile(trees.base, (len(leaves), 1))
        for first in range(0, trees.n_trees, n_scores):
            scores = scores + said[leaves[:, first : first + n_scores]]
            yield scores

    # ---- reading

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
        each.

        >>> import numpy as np
        >>> from margin import GradientBoostingRegressor
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> model = GradientBoostingRegressor(n_estimators=10).fit(X, X[:, 1])
        >>> bool(np.allclose(model.shap_values(X).sum(axis=1) + model.shap_base(), model.predict(X)))
        True
        """
        rows, trees = self._fitted("shap_values")._encoded(X, "shap_values"), self.trees_
        cells, n_scores = numbers_of(rows), len(trees.base)
        found = np.zeros((len(cells), n_scores * trees.n_columns))
        threads = parallel.n_threads(self.n_jobs)
        _core.gradient.shapley(trees.walker, trees.cover, cells, rows.codes, found, threads)
        by_column = np.empty((len(cells), trees.n_columns, n_scores))
        order = numbers_first(self._columns)
        by_column[:, order] = found.reshape(len(cells), n_scores, trees.n_columns).swapaxes(1, 2)
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


def _sums(trees: BoostedTrees, X: MixedData, n_threads: int) -> np.ndarray:
    cells = numbers_of(X)
    found = np.empty((len(cells), len(trees.base)))
    trees.walker.sums(cells, X.codes, found, ALL, n_threads)
    return found


def counted(weight: np.ndarray) -> np.ndarray:
    """Weights that count cases, so that sums of derivatives mean the same however weights were scaled."""
    return in_cases(without_excess(weight))
