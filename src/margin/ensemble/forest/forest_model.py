"""What all forests have in common: how they grow, what they say, and what is known of rows out of bag."""

from __future__ import annotations

import math
import numbers
from typing import Any, Self

import numpy as np

from margin import parallel
from margin.base import Mixed
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.mixed import MixedData
from margin.ensemble.forest.continuing import NOTHING, Earlier
from margin.ensemble.forest.growing import ForestRows, ForestVotes, Grown, choose_bins, whole_repeats
from margin.ensemble.forest.importances import ImportanceKind, Importances, permutation_importances
from margin.ensemble.forest.progress import ForestProgress, reporter
from margin.ensemble.forest.proximities import out_of_bag_proximities, proximities
from margin.ensemble.forest.rows_again import rows_again
from margin.ensemble.forest.several import one_target
from margin.ensemble.forest.stopping import BATCH, KEPT_BATCH, MOST_TREES, is_flat
from margin.ensemble.forest.trees import Trees, joined
from margin.errors import InputError, MarginWarning, ParameterError, warn
from margin.evaluation.intervals.interval import check_confidence
from margin.params import is_whole
from margin.random import seed_for
from margin.tree.grow import numbers_of
from margin.tree.settings import count_of, features_of, numbers_first, signs_of
from margin.tree.training_rows import without_excess
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

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
        and takes 255 bins beyond. ``growth_`` says which, and why. Where a column has more different numbers than
        bins, these are cut where the rows lie, each row counted once: whole-number weights then no longer give the
        forest of repeated rows to the bit.
    warm_start
        Whether ``fit`` goes on from the trees that are there, if there are any, until there are ``n_estimators``. The
        rows must be those of the fit before; the forest is then the one that would have been grown at once.
    at_interrupt
        What Ctrl-C does while trees grow: ``"raise"`` puts the model back as it was, ``"keep"`` keeps the trees that
        are done, with a warning that says how many (Ctrl-C before the first of them raises).
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
    warm_start: bool
    at_interrupt: str
    random_state: Any
    trees_: Trees
    n_outputs_: int
    several_outputs = True
    _random_splits = False

    def fit(
        self, X: TableLike, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None, *,
        progress: Any = False,
    ) -> Self:  # fmt: skip
        """Learn from rows X with targets y; whole-number weights stand for repeated rows.

        With ``progress=True`` a line on standard error shows the trees and their error out of bag; a function is called
        with a :class:`margin.ensemble.ForestProgress` for every few trees instead.
        """
        with reporter(progress, type(self).__name__) as self._told:
            try:
                if not self.warm_start or "trees_" not in self.__dict__:
                    return super().fit(X, y, sample_weight)
                return self._fit_further(X, y, sample_weight)
            finally:
                self.__dict__.pop("_told", None)

    def _fit_further(self, X: TableLike, y: Any, sample_weight: WeightsLike | None) -> Self:
        self._earlier = Earlier.of(self)
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_earlier", None)

    def grow(self, n: int, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Self:
        """Grow ``n`` more trees, from the rows that the forest was fitted on.

        The rows are not kept, and must be given again. The forest is the one that so many trees at once would have
        been, and ``n_estimators`` says how many there are.

        >>> from margin.data import catalog
        >>> from margin import RandomForestClassifier
        >>> X, y = catalog.load("iris").target("class")
        >>> RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y).grow(30, X, y).trees_.n_trees
        50
        """
        if not is_whole(n) or n < 1:
            raise ParameterError(f"{type(self).__name__}.grow(n={n!r}): n must be a whole number of at least 1.")
        before = self._fitted("grow").n_estimators
        self.n_estimators = self.trees_.n_trees + int(n)
        try:
            return self._fit_further(X, y, sample_weight)
        except BaseException:
            self.n_estimators = before
            raise

    def _grow(
        self,
        X: MixedData,
        y: np.ndarray,
        weight: np.ndarray,
        criterion: str,
        *,
        n_classes: tuple[int, ...] = (),
        factors: np.ndarray | None = None,
        balanced: bool = False,
    ) -> None:
        """Grow the trees; each row weighs ``factors`` times as much."""
        who = type(self).__name__
        weight = without_excess(weight)
        ends = whole_repeats(weight)
        relative = np.ones(len(y)) if len(ends) else weight
        bins, self.growth_ = self._choose_bins(len(y))
        rows = ForestRows(
            X,
            y,
            relative if factors is None else relative * factors,
            ends,
            n_classes,
            bins,
            parallel.n_threads(self.n_jobs),
            balanced,
            self._random_splits,
        )
        asked = bool(self.oob_score and self.bootstrap)
        earlier = self.__dict__.get("_earlier", NOTHING)
        earlier.check(self, len(y), asked)
        votes = ForestVotes.none_yet(len(y), rows.width if asked else 0, weight)
        earlier.add_to(votes, rows.unit)
        draws = self._n_draws(rows.total)
        self._seed = earlier.seed if len(earlier.seed) else np.array([seed_for(self.random_state, "forest")], np.uint64)
        how = {
            "settings": self._settings(rows, draws),
            "seed": int(self._seed[0]),
            "n_draws": draws if self.bootstrap else 0,
            "votes": votes,
            "monotone": signs_of(self.monotonic_cst, self._columns, who),
        }
        parts = self._parts(rows, criterion, how, asked, earlier)
        self.trees_ = joined([*earlier.trees, *(part.trees for part in parts)])
        self._keep(np.vstack([np.empty((0, rows.n_columns)), *(part.decrease for part in parts)]), earlier)
        if asked:
            self.oob_error_ = np.concatenate([earlier.error, *(part.error for part in parts)])
            self._oob_votes = votes.sums if rows.unit == 1 else votes.sums / rows.unit
            self._oob_counts = votes.counts[:, 0]

    def _choose_bins(self, n_rows: int) -> tuple[int | None, str]:
        if self._random_splits:
            return None, "one threshold for each column looked at, drawn at random"
        return choose_bins(self.max_bins, n_rows)

    def _parts(
        self, rows: ForestRows, criterion: str, how: dict[str, Any], asked: bool, earlier: Earlier
    ) -> list[Grown]:
        """The trees that are still to be grown, some at a time where someone may want to stop in between."""
        auto = self.n_estimators == "auto"
        if auto and not asked:
            raise ParameterError(
                f"{type(self).__name__}(n_estimators='auto'): rows must be drawn and asked out of bag "
                "(bootstrap=True, oob_score=True), or there is no error to look at."
            )
        last = MOST_TREES if auto else int(self.n_estimators)
        told = self.__dict__.get("_told")
        few = told is not None or self.at_interrupt == "keep"
        at_once = BATCH if auto else max(KEPT_BATCH, rows.n_threads) if few else last
        parts: list[Grown] = []
        n = earlier.n_trees
        while n < last and not (auto and is_flat([earlier.error, *(part.error for part in parts)], how["votes"], rows)):
            before = how["votes"].copy() if self.at_interrupt == "keep" else None
            try:
                parts.append(rows.grow(criterion, trees=range(n, min(n + at_once, last)), **how))
            except KeyboardInterrupt:
                if before is None or n == 0:
                    raise
                how["votes"].put_back(before)
                kept = f"{n:,} of {last:,} trees are kept (at_interrupt='keep')"
                warn(f"{type(self).__name__}.fit: interrupted; {kept}.", MarginWarning)
                break
            n = min(n + at_once, last)
            if told is not None:
                told(ForestProgress(n, last, float(parts[-1].error[-1]) if asked else None))
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
            "random_splits": self._random_splits,
        }
        if self.max_depth is not None:
            found["max_depth"] = int(self.max_depth)
        varying = max(rows.table.n_varying, 1)
        if (looked_at := features_of(self.max_features, varying)) < varying:
            found["max_features"] = looked_at
        return found

    def _keep(self, decrease: np.ndarray, earlier: Earlier) -> None:
        """Importances in the order of the table, the mean over the trees that asked anything."""
        total = decrease.sum(axis=1)
        shares = decrease[total > 0] / total[total > 0, None]
        found = np.zeros(self.n_features_in_)
        found[numbers_first(self._columns)] = shares.sum(axis=0)
        found += earlier.importances
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

    # ---- reading, from the training rows given once more

    def _targets_again(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        """The targets as the trees know them: codes of classes, or numbers."""
        raise TypeError(f"{type(self).__name__} must say how its targets are read: def _targets_again(self, …).")

    def importances(
        self,
        X: TableLike | None = None,
        y: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        *,
        kind: ImportanceKind = "permutation",
        confidence: float = 0.95,
        above: float = 0.2,
    ) -> Importances:
        """What each column is worth to the forest.

        ``"impurity"`` are ``feature_importances_``, and need no rows. ``"permutation"`` is by how much the error of the
        trees grows, of each over the rows that it did not draw, when the column is permuted among these: a column
        without use has about 0, however many values it has. Of two columns that say the same both look worth
        something. ``"conditional"`` permutes only among rows that answer the first questions of the tree about columns
        associated with this one (by more than ``above``, see :func:`margin.ensemble.forest.importances.associations`)
        alike: what is left is what the column says beyond them. X and y are the rows of ``fit``, which are not kept.

        >>> import numpy as np
        >>> from margin import RandomForestRegressor
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> found = RandomForestRegressor(random_state=0).fit(X, X[:, 1]).importances(X, X[:, 1])
        >>> found.ranked()[0][0], bool(found.low[1] > 0)
        ('x1', True)
        """
        names = self._fitted("importances")._columns.described().names
        check_confidence(f"{type(self).__name__}.importances", confidence)
        if kind not in ("impurity", "permutation", "conditional"):
            raise ParameterError(
                f"{type(self).__name__}.importances(kind={kind!r}): kind must be one of 'impurity', 'permutation', "
                "'conditional'."
            )
        if kind == "impurity":
            unknown = np.full(len(names), np.nan)
            return Importances(kind, tuple(names), self.feature_importances_, unknown, unknown, confidence)
        if X is None or y is None:
            raise InputError(f"{type(self).__name__}.importances(kind={kind!r}): X and y must be the rows of fit.")
        one_target(self, f"importances(kind={kind!r})")
        rows = rows_again(self, X, y, sample_weight, "importances")
        order = numbers_first(self._columns)
        return permutation_importances(self, rows, kind, confidence, above, names, order)

    def proximities(self, X: TableLike, Y: TableLike | None = None) -> np.ndarray:
        """The share of the trees in which each row of X ends in the same leaf as each of Y (of X itself if None).

        Of n rows they are n² numbers. Training rows share leaves with themselves more often than new ones would:
        :meth:`proximities_out_of_bag`.
        """
        leaves = self.apply(X)
        return proximities(leaves, leaves if Y is None else self.apply(Y))

    def proximities_out_of_bag(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None
    ) -> np.ndarray:
        """The proximities among the training rows, over the trees that drew neither of two; NaN where all drew one."""
        rows = rows_again(self._fitted("proximities_out_of_bag"), X, y, sample_weight, "proximities_out_of_bag")
        return out_of_bag_proximities(self.apply(X)[rows.kept], rows.drawn().T == 0)
