"""What additive models share: rounds of shallow trees, early stopping, going on, and answers after each round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np

from margin import parallel
from margin.base import Classifier, Mixed
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.boosting.additive.growing import TreeGrower
from margin.boosting.additive.losses import LossCurves, exponential_loss, log_loss
from margin.boosting.additive.rounds import AdditiveRound
from margin.boosting.additive.steps import Part, Step
from margin.boosting.additive.trees import AdditiveTrees, joined
from margin.boosting.tree_sum import MOST_DEPTH
from margin.data.schema import Schema
from margin.data.weights import check_weights
from margin.errors import ConvergenceWarning, DataError, LabelError, ParameterError, warn
from margin.params import Rule, is_number
from margin.random import seed_for
from margin.tree.settings import Bins, numbers_first
from margin.tree.training_rows import Rows, held_out, without_excess
from margin.tree.tree_model import codes_among
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["AdditiveClassifier", "AutoBins", "Shrinkage"]

Shrinkage = Annotated[
    float, Rule("a number above 0 and up to 1", lambda value: is_number(value) and 0 < value <= 1, float)
]
AutoBins = Bins | Literal["auto"]
#: Below so many rows one thread is quicker than asking how many there are.
FEW = 2048


class AdditiveClassifier(Classifier):
    """Scores that are sums of shallow trees, each fitted to what the sum so far gets wrong.

    Missing cells and words are taken as they are. Of equally good questions the first column wins, then the smallest
    threshold, so that nothing but the rows held back depends on chance. One round is O(n d) for stumps.

    Parameters
    ----------
    n_estimators
        Rounds. One adds a tree for two classes, and a tree for each class otherwise.
    learning_rate
        What the answers of trees are multiplied by before they are added: less needs more rounds, and often errs less.
    max_depth
        Most questions in a row, at most 7: 1 are stumps, whose sum has no interactions between columns.
    max_bins
        Numbers are grouped into so many bins before; None looks at all of them; ``"auto"`` does so up to 10,000 rows,
        and takes 255 bins beyond.
    n_iter_no_change
        Rows are held back, and fitting ends when so many rounds in turn have not lowered their loss by ``tol``; the
        model then keeps the rounds up to the best. None learns from all rows, and does all rounds.
    validation_fraction
        The share of each class that is held back.
    tol
        What counts as lower.
    warm_start
        Whether ``fit`` keeps the rounds that are there and adds those that are lacking to ``n_estimators``. The rows
        must be those of the fit before; the model is then the one of as many rounds at once.
    n_jobs
        Threads; None uses all cores. The model does not depend on it.
    random_state
        Decides which rows are held back.

    Attributes
    ----------
    trees_
        What is added to each score, an :class:`margin.boosting.AdditiveTrees` for each: one for two classes.
    loss_, error_
        Mean loss and share of errors after each round, on the rows learnt from.
    validation_loss_
        Mean loss after each round on the rows held back, if there are any.
    """

    representation = Mixed(as_given=True)
    n_estimators: Any
    learning_rate: float
    max_depth: Any
    max_bins: Any
    n_iter_no_change: Any
    validation_fraction: float
    tol: float
    warm_start: bool
    n_jobs: Any
    random_state: Any
    trees_: tuple[AdditiveTrees, ...]

    # ---- What each of them says.

    def _step(self, part: Part, n_threads: int) -> Step:
        """Weights and targets of the next trees, mean loss and share of errors of the sums so far."""
        raise TypeError(f"{type(self).__name__} must say what its trees are fitted to.")

    def _factor(self) -> float:
        """What the answers of trees are multiplied by before shrinkage."""
        return 1.0

    def _from_sums(self, sums: np.ndarray) -> np.ndarray:
        """The score of each class from the sums of the trees."""
        return np.hstack([-sums, sums]) if sums.shape[1] == 1 else sums

    # ---- Learning.

    @property
    def _n_sums(self) -> int:
        n = len(self.classes_)
        return n if n > 2 else n - 1

    def fit(self, X: TableLike, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with labels y; whole-number weights stand for repeated rows."""
        if not self.warm_start or "trees_" not in self.__dict__:
            return super().fit(X, y, sample_weight)
        self._earlier = self.__dict__.copy()
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_earlier", None)

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        if int(self.max_depth) > MOST_DEPTH:
            raise ParameterError(
                f"{type(self).__name__}(max_depth={self.max_depth}): max_depth must be at most {MOST_DEPTH} "
                "(GradientBoostingClassifier grows deeper trees)."
            )
        earlier = self.__dict__.get("_earlier", {})
        self._check_earlier(earlier)
        if self.n_iter_no_change is not None:
            self._seed = earlier.get("_seed", seed_for(self.random_state, "boosting"))
        self._run(self._parts(Rows(X, y, without_excess(rows.weights()))), earlier)

    def _parts(self, rows: Rows) -> list[Rows]:
        """The rows to learn from, and those held back if there are any."""
        if self.n_iter_no_change is None:
            return [rows]
        learnt, held = held_out(rows, float(self.validation_fraction), self._seed, rows.y)
        return [learnt, held] if len(held.y) else [learnt]

    def _run(self, given: list[Rows], earlier: dict[str, Any]) -> None:
        before = earlier.get("trees_", ())
        n_threads = self._threads(len(given[0].y))
        parts = [Part(*each, np.zeros((len(each.y), self._n_sums))) for each in given]
        for column, trees in enumerate(before):
            for part in parts:
                for added in trees.each(part.X, n_threads).T:  # tree by tree, as they were added
                    part.sums[:, column] += added
        curves = [earlier.get(name, np.empty(0)).tolist() for name in ("loss_", "error_", "validation_loss_")]
        rounds = [list(trees) for trees in self._rounds(parts, curves, n_threads)]
        # Of the rounds after the best one nothing is kept.
        n = len(curves[0]) if len(parts) == 1 or not curves[2] else 1 + int(np.argmin(curves[2]))
        made = [[*before[j : j + 1], *(each[j] for each in rounds)] for j in range(self._n_sums)]
        self.trees_ = tuple(joined(each).first_trees(n) for each in made)
        self.loss_, self.error_ = np.array(curves[0][:n]), np.array(curves[1][:n])
        if len(parts) > 1:
            self.validation_loss_ = np.array(curves[2][:n])

    def _rounds(self, parts: list[Part], curves: list[list[float]], n_threads: int) -> Iterator[list[AdditiveTrees]]:
        """The trees of one round after another; the curves grow with them."""
        if not self._n_sums:
            return
        grower = TreeGrower(parts[0].X, int(self.max_depth), self.max_bins, n_threads)
        factor = float(self.learning_rate) * self._factor()
        learnt = parts[0]
        step = self._step(learnt, n_threads)
        while len(curves[0]) < int(self.n_estimators) and not self._is_flat(curves[2]):
            trees = []
            for j, (weight, target) in enumerate(zip(step.weight, step.target, strict=True)):
                tree, said = grower.fit(weight, target, factor)
                learnt.sums[:, j] += said
                trees.append(tree)
            if not curves[0] and grower.table.n_varying and all(len(tree.nodes) == 1 for tree in trees):
                self._warn_of_chance()
            for part in parts[1:]:
                part.add(trees, n_threads)
            step = self._step(learnt, n_threads)
            curves[0].append(step.loss)
            curves[1].append(step.error)
            curves[2] += [self._step(part, n_threads).loss for part in parts[1:]]
            yield trees

    def _warn_of_chance(self) -> None:
        warn(
            f"{type(self).__name__}.fit: no tree is better than chance in round 1, and there is nothing to boost; "
            "classes are answered by their shares (other columns may help, or max_depth=2, if two say something "
            "together).",
            ConvergenceWarning,
        )

    def _is_flat(self, held: list[float]) -> bool:
        """Whether the last rounds have not lowered the loss of the rows held back."""
        if self.n_iter_no_change is None or len(held) <= int(self.n_iter_no_change):
            return False
        last = int(self.n_iter_no_change)
        return min(held[-last:]) > min(held[:-last]) - float(self.tol)

    def _check_earlier(self, earlier: dict[str, Any]) -> None:
        if not earlier:
            return
        who, n = type(self).__name__, len(earlier["loss_"])
        if int(self.n_estimators) < n:
            raise ParameterError(
                f"{who}(n_estimators={self.n_estimators}): n_estimators must not be below the {n} rounds that are "
                "there (warm_start=False begins anew)."
            )
        same = earlier["_columns"].schema == self._columns.schema and earlier["n_features_in_"] == self.n_features_in_
        if not same or not np.array_equal(earlier["classes_"], self.classes_):
            raise DataError(f"{who}: the rows must have the columns and classes that the trees know (fit anew).")
        if ("validation_loss_" in earlier) != (self.n_iter_no_change is not None):
            raise ParameterError(
                f"{who}(n_iter_no_change={self.n_iter_no_change}): rows must be held back as they were for the rounds "
                "that are there (warm_start=False begins anew)."
            )

    # ---- Answers.

    def _threads(self, n_rows: int) -> int:
        return 1 if n_rows <= FEW else parallel.n_threads(self.n_jobs)

    def _sums(self, X: MixedData) -> np.ndarray:
        found = np.empty((len(X), len(self.trees_)))
        for column, trees in enumerate(self.trees_):
            found[:, column] = trees.total(X, self._threads(len(X)))
        return found

    def _scores(self, X: Encoded) -> np.ndarray:
        return self._from_sums(self._sums(X)) if self.trees_ else np.zeros((len(X), 1))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The score of each class (columns as in ``classes_``); with two classes that of the second alone, half its log
        odds."""
        scores = self._scores(self._encoded(X, "decision_function"))
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def _staged(self, X: TableLike, method: str) -> Iterator[np.ndarray]:
        """The scores of all classes after each round."""
        rows = self._encoded(X, method)
        added = [trees.each(rows, self._threads(len(rows))) for trees in self.trees_]
        sums = np.zeros((len(rows), len(self.trees_)))
        for number in range(len(self.loss_)):
            for column, each in enumerate(added):
                sums[:, column] += each[:, number]
            yield self._from_sums(sums)

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``decision_function`` gives after each round."""
        for scores in self._staged(X, "staged_decision_function"):
            yield scores[:, 1].copy() if scores.shape[1] == 2 else scores.copy()

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``predict`` gives after each round."""
        for scores in self._staged(X, "staged_predict"):
            yield self.classes_.take(scores.argmax(axis=1))

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """What ``predict_proba`` gives after each round."""
        for scores in self._staged(X, "staged_predict_proba"):
            yield self._proba(scores)

    def contributions(self, X: TableLike) -> np.ndarray:
        """What each round adds to each score, for each row: rows x rounds x scores (one score for two classes).

        Their sum over the rounds is what ``decision_function`` is made of.
        """
        rows = self._encoded(X, "contributions")
        added = [trees.each(rows, self._threads(len(rows))) for trees in self.trees_]
        return np.stack(added, axis=2) if added else np.empty((len(rows), 0, 0))

    # ---- Reading.

    def _tree_columns(self) -> Schema:
        """The columns in the order of the trees, numbers first."""
        described = list(self._columns.described())
        return Schema(described[place] for place in numbers_first(self._columns))

    @property
    def rounds_(self) -> tuple[AdditiveRound, ...]:
        """A record of each round: its rules in words, and loss and error after it."""
        self._fitted("rounds_")
        columns = self._tree_columns()
        held = vars(self).get("validation_loss_", np.full(len(self.loss_), math.nan))
        return tuple(
            AdditiveRound(
                number + 1,
                tuple(trees.rule(number, columns) for trees in self.trees_),
                float(self.loss_[number]),
                float(self.error_[number]),
                float(held[number]),
            )
            for number in range(len(self.loss_))
        )

    def loss_curves(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> LossCurves:
        """Exponential loss, log loss and error of the same sums after each round, on rows whose labels are known.

        Both losses are lowest at half the log odds of each row; the exponential one grows faster for rows on the wrong
        side, and so cares more for labels that are wrong.
        """
        who = f"{type(self).__name__}.loss_curves"
        scores = list(self._staged(X, "loss_curves"))
        n = len(self._encoded(X, "loss_curves"))
        given = check_weights(sample_weight, n, who)
        weight = np.ones(n) if given is None else given
        codes = codes_among(y, n, self.classes_, who)
        if (codes < 0).any():
            raise LabelError(f"{who}: y must have the classes of fit, and no other.")
        one = [each[:, 1:] if each.shape[1] == 2 else each for each in scores]
        return LossCurves(
            np.array([exponential_loss(each, codes, weight) for each in one]),
            np.array([log_loss(self._log_proba(each), codes, weight) for each in scores]),
            np.array([float(np.average(each.argmax(axis=1) != codes, weights=weight)) for each in scores]),
        )
