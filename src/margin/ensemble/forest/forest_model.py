"""What all forests have in common: how they grow, what they say, and what is known of rows out of bag."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from margin import parallel
from margin.base import Mixed
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.mixed import MixedData
from margin.ensemble.forest.growing import ForestRows, ForestVotes, Grown, choose_bins, whole_repeats
from margin.ensemble.forest.stopping import BATCH, MOST_TREES, is_flat
from margin.ensemble.forest.trees import Trees, joined
from margin.errors import ParameterError
from margin.random import seed_for
from margin.tree.grow import numbers_of
from margin.tree.settings import count_of, features_of, numbers_first, signs_of
from margin.tree.training_rows import without_excess
from margin.typing import Encoded, TableLike

__all__ = ["ForestModel"]

# Below so many rows one thread is quicker than asking how many there are.
FEW = 64


class ForestModel(SupervisedEstimator):
    """Trees that answer together, ``trees_``.

    Parameters
    ----------
    n_estimators
        Trees. ``"auto"`` grows until the error out of bag is flat: until its mean over the last 25 trees differs from
        that over the 25 before by less than a tenth of its standard error; 100 trees at least, 1000 at most.
    max_depth
        Most questions on a path; None for no limit.
    min_samples_split
        Cases a node must have to be split; a share is one of all draws. A row drawn twice is two cases.
    min_samples_leaf
        Cases that each branch must have; a share is one of all draws.
    min_weight_fraction_leaf
        Share of all weight that each branch must have.
    max_features
        Columns that a node looks at, drawn anew in each: a count, a share, ``"sqrt"``, ``"log2"``; None for all.
        Columns that do not vary are not counted, and where no drawn column has a split, further ones are drawn.
    min_impurity_decrease
        A split must lower the impurity by this much, counted by the node's share of all weight.
    bootstrap
        Whether each tree learns from rows drawn with replacement; else from all of them.
    max_samples
        Draws for each tree: a count, or a share of the rows; None for as many as there are rows.
    oob_score
        Whether the error out of bag is followed while the forest grows; only where rows are drawn.
    monotonic_cst
        1 where the answer must not fall as a column rises, -1 where it must not rise, 0 where it is free: for all
        columns in order, or by name.
    nominal
        What becomes of words: ``"subset"`` (two branches, the best division of the levels), ``"one_vs_rest"``.
    max_bins
        Numbers are grouped into so many bins before; None looks at all of them; ``"auto"`` does so up to 10,000 rows,
        and takes 255 bins beyond. ``growth_`` says which, and why.
    n_jobs
        Threads; None uses all cores. The forest does not depend on it.
    random_state
        Decides which rows and columns are drawn.

    Attributes
    ----------
    trees_
        The trees as plain arrays, a :class:`margin.ensemble.Trees`.
    growth_
        How thresholds were looked for, and why.
    feature_importances_
        How much the splits on each column lowered the impurity, as shares, the mean over the trees. Columns with many
        different values come out too high: there is more to choose from among them.
    oob_error_
        The error out of bag after each tree: of each row only the trees are asked that did not draw it.
    """

    representation = Mixed(as_given=True)
    n_estimators: Any
    max_depth: Any
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: float
    max_features: Any
    min_impurity_decrease: float
    bootstrap: bool
    max_samples: Any
    oob_score: bool
    monotonic_cst: Any
    nominal: str
    max_bins: Any
    n_jobs: Any
    random_state: Any
    trees_: Trees

    def _grow(
        self,
        X: MixedData,
        y: np.ndarray,
        weight: np.ndarray,
        criterion: str,
        *,
        factors: np.ndarray | None = None,
        balanced: bool = False,
    ) -> None:
        """Grow the trees; rows of class k weigh ``factors[k]`` times as much."""
        who = type(self).__name__
        weight = without_excess(weight)
        ends = whole_repeats(weight)
        relative = np.ones(len(y)) if len(ends) else weight
        bins, self.growth_ = choose_bins(self.max_bins, len(y))
        rows = ForestRows(
            X,
            y,
            relative if factors is None else relative * factors[y],
            ends,
            0 if factors is None else len(factors),
            bins,
            parallel.n_threads(self.n_jobs),
            balanced,
        )
        asked = bool(self.oob_score and self.bootstrap)
        votes = ForestVotes.none_yet(len(y), max(rows.n_classes, 1) if asked else 0, weight)
        draws = self._n_draws(rows.total)
        how = {
            "settings": self._settings(rows, draws),
            "seed": seed_for(self.random_state, "forest"),
            "n_draws": draws if self.bootstrap else 0,
            "votes": votes,
            "monotone": signs_of(self.monotonic_cst, self._columns, who),
        }
        parts = self._parts(rows, criterion, how, asked)
        self.trees_ = joined([part.trees for part in parts])
        self._keep(np.vstack([part.decrease for part in parts]))
        if asked:
            self.oob_error_ = np.concatenate([part.error for part in parts])
            self._oob_votes = votes.sums if rows.unit == 1 else votes.sums / rows.unit
            self._oob_counts = votes.counts[:, 0]

    def _parts(self, rows: ForestRows, criterion: str, how: dict[str, Any], asked: bool) -> list[Grown]:
        if self.n_estimators != "auto":
            return [rows.grow(criterion, trees=range(int(self.n_estimators)), **how)]
        if not asked:
            raise ParameterError(
                f"{type(self).__name__}(n_estimators='auto'): rows must be drawn and asked out of bag "
                "(bootstrap=True, oob_score=True), or there is no error to look at."
            )
        parts: list[Grown] = []
        while not is_flat([part.error for part in parts], how["votes"], rows):
            n = BATCH * len(parts)
            parts.append(rows.grow(criterion, trees=range(n, min(n + BATCH, MOST_TREES)), **how))
        return parts

    def _n_draws(self, total: int) -> int:
        """How many rows each tree draws."""
        if self.max_samples is None or not self.bootstrap:
            return total
        if isinstance(self.max_samples, numbers.Integral):
            return min(int(self.max_samples), total)
        return max(1, round(float(self.max_samples) * total))

    def _settings(self, rows: ForestRows, draws: int) -> dict[str, Any]:
        weight = float(rows.weight.mean()) * draws if len(rows.weight) else float(draws)
        found: dict[str, Any] = {
            "min_split": max(2, count_of(self.min_samples_split, draws)),
            "min_leaf": max(1, count_of(self.min_samples_leaf, draws)),
            "min_leaf_weight": float(self.min_weight_fraction_leaf) * weight,
            "min_decrease": math.prod([rows.unit] * 2, start=float(self.min_impurity_decrease)),
            "nominal": self.nominal,
        }
        if self.max_depth is not None:
            found["max_depth"] = int(self.max_depth)
        varying = max(rows.table.n_varying, 1)
        if (looked_at := features_of(self.max_features, varying)) < varying:
            found["max_features"] = looked_at
        return found

    def _keep(self, decrease: np.ndarray) -> None:
        """Importances in the order of the table, the mean over the trees that asked anything."""
        total = decrease.sum(axis=1, keepdims=True)
        shares = np.divide(decrease, total, out=np.zeros_like(decrease), where=total > 0)
        mean = shares[total[:, 0] > 0].mean(axis=0) if (total > 0).any() else np.zeros(self.n_features_in_)
        found = np.zeros(self.n_features_in_)
        found[numbers_first(self._columns)] = mean
        self.feature_importances_ = found / found.sum() if found.sum() > 0 else found

    # ---- answers

    def _said(self, X: MixedData) -> np.ndarray:
        """The mean of what the trees say of each row."""
        trees = self.trees_
        cells = numbers_of(X)
        found = np.empty((len(cells), trees.shares.shape[1]))
        trees.walker.means(cells, X.codes, found, self._threads(len(cells)))
        return found

    def _of_numbers(self, X: Encoded) -> np.ndarray | None:
        """The same of rows of clean numbers, on the shortest way; None for any other X."""
        if type(X) is not np.ndarray or "trees_" not in self.__dict__ or not self._is_plain_matrix(X):
            return None
        trees = self.trees_
        found = np.empty((len(X), trees.shares.shape[1]))
        return found if trees.walker.of_numbers(X, self._encoder.largest, found, self._threads(len(X))) else None

    def _threads(self, n_rows: int) -> int:
        return 1 if n_rows <= FEW else parallel.n_threads(self.n_jobs)

    def apply(self, X: TableLike) -> np.ndarray:
        """The leaf of each row in each tree, counted within the tree."""
        rows = self._encoded(X, "apply")
        cells = numbers_of(rows)
        return self.trees_.walker.leaves(cells, rows.codes, self._threads(len(cells))).astype(np.int64)

    def _votes_of(self, X: TableLike, method: str) -> np.ndarray:
        """What each tree says of each row: rows x trees x classes, or x 1."""
        rows = self._encoded(X, method)
        cells = numbers_of(rows)
        leaves = self.trees_.walker.leaves(cells, rows.codes, self._threads(len(cells)))
        return self.trees_.answers(leaves + self.trees_.start[:-1])
