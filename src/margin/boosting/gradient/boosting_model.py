"""What gradient boosting for classes and for numbers have in common: rounds, scores, and what columns are worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from margin import parallel
from margin.base import Mixed
from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosted_trees import ALL, BoostedTrees, joined
from margin.boosting.gradient.column_worth import ColumnWorth
from margin.boosting.gradient.own_loss import OwnLoss
from margin.boosting.gradient.plan import Plan, folds_asked, plans_for
from margin.boosting.gradient.progress import Told, reporter
from margin.boosting.gradient.rounds import BoostedRows, Grown, Run, chosen
from margin.boosting.gradient.settings import settings_of
from margin.boosting.gradient.sparse_rows import blocks_of, is_wide_and_sparse
from margin.boosting.patience import FOLDS, Patience
from margin.errors import DataError, ParameterError
from margin.random import seed_for
from margin.tree.grow import numbers_of
from margin.tree.settings import numbers_first
from margin.tree.training_rows import Rows, folds, held_out, in_cases, without_excess
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["BoostingModel"]

# Below so many rows one thread is quicker than asking how many there are.
FEW = 64


class BoostingModel(ColumnWorth):
    """Trees that add up, ``trees_``.

    Parameters
    ----------
    n_estimators
        Rounds, each a tree for every score. ``"auto"``: as many as rows that were not learnt from ask for, at most
        1000, or 3000 trees where there are more than six classes (``early_stopping``); 100 where there are no such
        rows.
    learning_rate
        What the value of a leaf is multiplied by: smaller steps need more rounds, and end up better. ``"auto"``: 0.1,
        or 0.05 where folds or rows held back chose it, for at most six classes.
    max_leaf_nodes, min_samples_leaf, l2, subsample, max_features
        ``"auto"`` for a number of rounds that was asked for: 31 leaves of 20 cases, an ``l2`` of 1, all rows and
        columns. Where folds say when to stop they also choose between small trees (8 leaves of 2 cases, ``l2`` 2, steps
        of 0.05, 70 % of the rows and half of the columns each) and larger ones (31 leaves of 5 cases, all rows and
        columns), and symmetric ones (16 leaves of 2 cases, ``l2`` 3, steps of 0.05). Where rows are held back these
        choose between trees of 31 leaves of 70 % of the columns (steps of 0.05) and symmetric ones (64 leaves, ``l2``
        3), or there are 100,000 rows and trees have 63 leaves and 70 % of the columns.
    growth
        ``"auto"`` is ``"leaf"``, or what folds or rows held back choose. ``"leaf"`` splits the leaf of the largest gain
        next, ``"depth"`` all leaves of a level before the next level, ``"symmetric"`` all leaves of a level by the same
        question, the one that they gain most by together. In symmetric trees a branch may have fewer cases than
        ``min_samples_leaf``: its node then counts as not divided.
    max_leaf_nodes
        Most leaves of a tree; None for no limit. Symmetric trees have as many levels as fit.
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
    linear_leaves
        Leaves answer by a straight line of the columns of numbers asked about on the way to them (at most ten, each
        slope held back by ``l2`` in units of the column's deviation there). Cells beyond those of the leaf count as the
        last of these, missing ones as their mean.
    max_bins
        Numbers are grouped into so many bins before, at most 65535; more than 255 need two bytes a cell. ``"auto"`` is
        255, or 64 where folds say when to stop and there are 500 rows. Columns of at most so many different numbers
        have a bin for each;
        others are cut where bins are about equally full, by a sample of rows if there are more than 32768, each row
        counted once. Levels of nominal columns that are more are put in the order of the mean target of their rows
        and grouped into bins (a training row stands where the rows of its level in four of five folds put it, its own
        left out); of several classes the rarest levels share one bin. Nominal columns never have more than 255.
    nominal_smooth
        Nominal columns of more than four levels are divided in the order of G / (H + nominal_smooth) of their levels;
        levels of fewer cases than this are left with the others.
    nominal_l2
        Added to ``l2`` for such divisions.
    subsample
        Share of the rows that each tree learns from, drawn anew.
    sampling
        ``"chance"`` draws all rows alike, ``"size"`` rows of larger derivatives more often, which then count less
        (minimal variance sampling).
    top_rate
        Share of the rows that each tree learns from in any case, those of the largest gradients; ``subsample`` is then
        the share of the rows drawn from the others, which count for all of these. 0 draws all alike.
    drop_rate
        Above 0 boosting drops out (DART): each round is grown as if so large a share of the rounds before it were not
        there (one at least), and then shares what it says with them. Takes time that grows with the square of the
        rounds.
    max_features
        Share of the columns that each tree may ask about, drawn anew.
    monotonic_cst
        1 where the answer must not fall as a column rises, -1 where it must not rise, 0 where it is free: for all
        columns in order, or by name.
    interaction_cst
        Sets of columns, by name or number, that may stand on one path of a tree; columns that no set names are one more
        set. ``"none"`` lets every column stand alone, ``"pairwise"`` any two meet.
    early_stopping
        True holds some rows back and keeps the rounds up to their smallest loss. ``"folds"`` leaves out each fifth of
        the rows in turn (two of them for more than six classes), takes the number of rounds of the smallest loss over
        all of these, and learns from all rows.
        ``"auto"``: where ``n_estimators`` is ``"auto"`` too folds below 10,000 rows, rows held back from there on; a
        number of rounds that was asked for is made.
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
        Decides which rows and columns are drawn, and which rows are held back or left out.

    Attributes
    ----------
    trees_
        The trees as plain arrays, a :class:`margin.boosting.BoostedTrees`.
    n_estimators_
        Rounds that were kept.
    validation_loss_
        The mean loss after each round of the rows held back or left out; of no rounds where none were.
    feature_importances_
        How much the splits on each column gained, as shares.
    """

    representation = Mixed(as_given=True)
    n_estimators: Any
    learning_rate: Any
    growth: str
    max_leaf_nodes: Any
    max_depth: Any
    min_samples_leaf: Any
    min_child_weight: float
    l2: Any
    min_gain: float
    linear_leaves: bool
    max_bins: Any
    nominal_smooth: float
    nominal_l2: float
    subsample: Any
    top_rate: float
    max_features: Any
    sampling: str
    drop_rate: float
    monotonic_cst: Any
    interaction_cst: Any
    early_stopping: Any
    validation_fraction: float
    n_iter_no_change: int
    tol: float
    warm_start: bool
    random_state: Any
    n_jobs: Any
    trees_: BoostedTrees
    validation_loss_: np.ndarray

    def fit(
        self,
        X: TableLike,
        y: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        *,
        progress: Any = False,
    ) -> Self:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows.

        With ``progress=True`` a line on standard error shows the rounds and the loss of rows that are not learnt from;
        a function is called with a :class:`margin.boosting.BoostingProgress` for each round instead.
        """
        with reporter(progress, type(self).__name__) as self._told:
            if self.warm_start and "trees_" in self.__dict__:
                self._earlier = (self.trees_, self._columns.schema, self.__dict__.get("classes_"), self._seed)
            try:
                return super().fit(X, y, sample_weight)
            finally:
                self.__dict__.pop("_earlier", None)
                self.__dict__.pop("_told", None)

    def _boost(
        self,
        X: MixedData,
        y: np.ndarray,
        weight: np.ndarray,
        loss: str | OwnLoss,
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
        if earlier is not None:
            self._seed = self.__dict__["_earlier"][3]
        told: Told | None = self.__dict__.get("_told")
        sparse = is_wide_and_sparse(X)
        if sparse and self.linear_leaves:
            raise ParameterError(f"{type(self).__name__}(linear_leaves=True): rows must not be sparse (X.toarray()).")
        free = self.monotonic_cst is None and not sparse  # of what symmetric trees do not know
        plans = plans_for(self, len(y), len(base), going_on=earlier is not None, symmetric=free)
        patience = Patience(int(self.n_iter_no_change), float(self.tol))
        whole = Rows(X, y, weight)

        def run(plan: Plan, rows: Rows, watched: Rows | None = None) -> Run:
            begin = self._rows(rows, base, earlier, unit)
            held = None if watched is None else self._rows(watched, base, None, unit)
            settings = settings_of(self, plan, rows.weight, seed=int(self._seed[0]), unit=unit, parameter=parameter)
            first = 0 if earlier is None else earlier.n_rounds
            return Run(begin, held, loss, settings, base=base, max_bins=plan.max_bins, first=first)

        plan, curve = plans[0], None
        if plan.stop == "folds":
            parts = [each for each in folds(whole, FOLDS, self.random_state, stratum, groups) if _both(*each)]
            plan, curve = chosen(plans, parts[: folds_asked(len(base))], run, patience, told)
        n_rounds = plan.n_estimators - (0 if earlier is None else earlier.n_rounds)
        if plan.stop == "part":
            rows, watched = held_out(whole, self.validation_fraction, self.random_state, stratum, groups)
            ways = plans if len(watched.y) else plans[:1]
            tried = (
                run(way, rows, watched if len(watched.y) else None).until(n_rounds, patience, told) for way in ways
            )
            made = min(tried, key=lambda each: each.watched.min(initial=np.inf))
        elif n_rounds > 0:
            made = run(plan, whole).until(n_rounds, patience, told)
        else:
            assert earlier is not None
            made, earlier, unit = Grown(earlier, np.empty(0), np.empty(0)), None, 1.0
        self._keep(made, earlier, unit)
        if curve is not None:
            self.validation_loss_ = curve

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
        if self.drop_rate > 0:
            raise ParameterError(
                f"{who}(warm_start=True, drop_rate={self.drop_rate}): rounds drop none of earlier fits."
            )
        if not np.array_equal(trees.base, base):
            raise DataError(f"{who}: the targets and weights must be those that the trees grew from (fit anew).")
        if self.n_estimators != "auto" and int(self.n_estimators) < trees.n_rounds:
            raise ParameterError(
                f"{who}(n_estimators={self.n_estimators}): n_estimators must not be below the {trees.n_rounds} rounds "
                "that are there (warm_start=False begins anew)."
            )
        return trees

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
        threads = self._threads(len(rows))
        return np.concatenate(
            [trees.walker.leaves(cells, rows.codes, threads) for _, trees, cells, _ in blocks_of(self.trees_, rows)]
        )

    def _staged(self, X: TableLike, method: str) -> Iterator[np.ndarray]:
        """The scores after each round: rows x scores."""
        rows, trees = self._encoded(X, method), self.trees_
        leaves = self._leaves(rows) + trees.start[:-1]
        n_scores, said = len(trees.base), trees.threshold
        scores, cells = np.tile(trees.base, (len(leaves), 1)), numbers_of(rows) if trees.is_linear else said
        for first in range(0, trees.n_trees, n_scores):
            scores = scores + said[leaves[:, first : first + n_scores]]
            for t in range(first, first + n_scores if trees.is_linear else first):
                scores[:, t - first] += trees.slopes_say(t, leaves[:, t], cells)
            yield scores


def _both(rows: Rows, watched: Rows) -> bool:
    return len(rows.y) > 0 and len(watched.y) > 0


def _sums(trees: BoostedTrees, X: MixedData, n_threads: int) -> np.ndarray:
    found = np.empty((len(X), len(trees.base)))
    for part, some, cells, _ in blocks_of(trees, X):
        some.walker.sums(cells, X.codes, found[part], ALL, n_threads)
    return found


def counted(weight: np.ndarray) -> np.ndarray:
    """Weights that count cases, so that sums of derivatives mean the same however weights were scaled."""
    return in_cases(without_excess(weight))
