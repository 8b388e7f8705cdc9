"""AdaBoost.MH: several labels at once, every rule saying yes or no of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Classifier, Mixed
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.base.softmax import softmax
from margin.boosting.adaboost.tree_rounds import constant_tree
from margin.boosting.adaboost.votes import discrete, exactly_none
from margin.boosting.rounds import CELLS, Round, RoundTable
from margin.boosting.tree_sum import MOST_DEPTH, TreeSum, ranked
from margin.data.weights import count_repeats
from margin.errors import ConvergenceWarning, ParameterError, warn
from margin.params import Count, Jobs, Positive
from margin.typing import Encoded, TableLike

__all__ = ["AdaBoostMHClassifier"]

#: Up to so many rows one thread answers.
FEW = 2000


class AdaBoostMHClassifier(Classifier):
    r"""AdaBoost for several labels a row: weights are those of pairs of a row and a label.

    A rule says of every label whether a row has it, :math:`h(x, l) = \pm 1`. With shares :math:`D(i, l)` of pairs and
    :math:`Y(i, l) = \pm 1` for what is true, its error is :math:`\varepsilon = \frac12(1 - \sum D\,Y\,h)`, its vote
    :math:`\alpha = \frac12 \ln\frac{1-\varepsilon}{\varepsilon}`, and shares become :math:`D\, e^{-\alpha Y h}/Z`. The
    share of pairs that are wrong in the end (the Hamming loss) is at most :math:`\prod Z`. One stump asks one
    question for all labels together, and answers each of them; O(rows x columns x labels) a round.

    y may hold sets of labels, several columns of labels, or one. A target of two classes is one label, a target of more
    is one for each class, and the class with most votes is answered.

    Parameters
    ----------
    n_estimators
        Rounds, at most.
    learning_rate
        Multiplies every vote.
    max_depth
        Depth of the trees, at most 7; 1 are stumps.
    max_bins
        At most so many bins for a column of numbers; None for every threshold between two numbers.
    n_jobs
        Threads; None uses all cores. The model does not depend on it.

    Attributes
    ----------
    rounds_
        What each round was, as of ``AdaBoostClassifier``; errors and margins are those of pairs of a row and a label.
    ended_
        Why there is no further round.

    References
    ----------
    Schapire, Singer (1999), "Improved boosting algorithms using confidence-rated predictions", sections 6 to 8.

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]] * 3
    >>> y = [{"wind"}, {"rain"}, {"rain", "wind"}, set()] * 3
    >>> model = AdaBoostMHClassifier(n_estimators=10).fit(X, y)
    >>> sorted(model.predict([[0.9, 1.1]])[0])
    ['rain', 'wind']
    """

    several_outputs = True
    representation = Mixed()
    trees_: TreeSum

    def __init__(
        self,
        *,
        n_estimators: Count = 50,
        learning_rate: Positive = 1.0,
        max_depth: Count = 1,
        max_bins: Count | None = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.n_jobs = n_jobs

    # ---- Learning.

    def _class_lists(self) -> list[np.ndarray]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        if int(self.max_depth) > MOST_DEPTH:
            raise ParameterError(
                f"{type(self).__name__}(max_depth={self.max_depth}): max_depth must be at most {MOST_DEPTH}."
            )
        given = rows.weights()
        truth = _sides(y.reshape(len(y), -1), [len(labels) for labels in self._class_lists()])
        weight = given / given.sum()
        n_columns = int(X.numeric.shape[1]) + len(X.codes)
        self._rounds, self.ended_ = RoundTable.none_yet(), "there is one class"
        if not truth.shape[1]:
            self.trees_ = constant_tree(np.zeros(1), n_columns)
            return
        n_cases = (float(given.sum()) if count_repeats(given) else float(len(given))) * truth.shape[1]
        trees = list(self._learn(X, truth, weight, n_cases))
        if trees:
            self.trees_ = TreeSum.of([tree for tree, _ in trees], [votes for _, votes in trees], n_columns)
            return
        likely = np.clip(weight @ (truth > 0), 1e-12, 1 - 1e-12)
        self.trees_ = constant_tree(np.log(likely / (1 - likely)) / 2, n_columns)
        if self.ended_ != "no column varies":
            warn(
                f"{type(self).__name__}.fit: a tree is no better than chance in round 1, and nothing can be boosted; "
                "labels are answered by their shares (other columns may help, or max_depth=2).",
                ConvergenceWarning,
            )

    def _learn(
        self, X: MixedData, truth: np.ndarray, weight: np.ndarray, n_cases: float
    ) -> Iterator[tuple[Any, np.ndarray]]:
        """The tree of each round and what its leaves vote; the record grows with them."""
        n_threads = parallel.n_threads(self.n_jobs)
        table = ranked(X, n_threads, None if self.max_bins is None else max(2, min(int(self.max_bins), 65535)))
        first = np.repeat(weight[:, None] / truth.shape[1], truth.shape[1], axis=1)
        shares, sums, scale, bound, exponential = first, np.zeros_like(truth), 0.0, 1.0, 1.0
        self.ended_ = "as many rounds as asked for" if table.n_varying else "no column varies"
        for number in range(1, int(self.n_estimators) + 1 if table.n_varying else 1):
            gains = np.ascontiguousarray(shares * truth)
            tree = _core.boosting.grow_labels(table, gains, "either_way", int(self.max_depth), n_threads)
            epsilon = exactly_none(0.5 * (1.0 - float(np.abs(tree["sums"]).sum())))
            weighed = discrete(epsilon, 2, "SAMME", float(self.learning_rate), n_cases)
            if weighed.chance:
                self.ended_ = f"no rule of round {number} is better than chance (ε = {epsilon:.3f})"
                return
            votes = np.where(tree["sums"] > 0, weighed.alpha, -weighed.alpha)
            added = votes[tree["leaf"]]
            shares = shares * np.exp(-truth * added)
            z = float(shares.sum())
            shares = shares / z
            sums, scale = sums + added, scale + weighed.alpha
            bound, exponential = bound * z, exponential * float(np.exp(-2 * (0.5 - epsilon) ** 2))
            error, least, margins = _standing(sums, truth, first, scale)
            simple = exponential if self.learning_rate == 1 else np.nan
            numbers = [epsilon, weighed.alpha, z, bound, simple, error, np.nan, least]
            self._rounds = self._rounds.followed_by([numbers], [margins])
            yield tree, votes
            if weighed.perfect:
                self.ended_ = f"the rule of round {number} has no error"
                return

    # ---- Answers.

    @property
    def rounds_(self) -> list[Round]:
        """What each round was."""
        return list(self._fitted("rounds_")._rounds)

    def _sums(self, X: Encoded) -> np.ndarray:
        return self.trees_.sums(X, 1 if len(X) <= FEW else parallel.n_threads(self.n_jobs))

    def _scores(self, X: Encoded) -> Any:
        return self._by_class(self._sums(X))

    def _by_class(self, sums: np.ndarray) -> Any:
        """A column for each class of each target."""
        found, at = [], 0
        for labels in self._class_lists():
            n = _n_sides(len(labels))
            part, at = sums[:, at : at + n], at + n
            found.append(np.ones((len(sums), 1)) if n == 0 else np.hstack([-part, part]) if n == 1 else part)
        return found if self.outputs_2d_ else found[0]

    def _proba(self, scores: Any) -> Any:
        return [_shares(each) for each in scores] if isinstance(scores, list) else _shares(scores)

    def votes(self, X: TableLike) -> np.ndarray:
        """The votes for each label, above 0 where a row has it: the second class of two, each class of more."""
        return self._sums(self._encoded(X, "votes"))

    @available_if(lambda self: not self.__dict__.get("outputs_2d_", False))
    def decision_function(self, X: TableLike) -> np.ndarray:
        """Of one target: the votes for each class, of two classes one number, above 0 for the second."""
        scores = self._scores(self._encoded(X, "decision_function"))
        return np.asarray(scores[:, 1] if scores.shape[1] == 2 else scores)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        encoded = self._encoded(X, "staged_predict")
        for sums in self.trees_.staged(encoded, 1 if len(encoded) <= FEW else parallel.n_threads(self.n_jobs)):
            yield self._in_form(self._answers(encoded, self._by_class(sums)))


def _n_sides(n_classes: int) -> int:
    return n_classes if n_classes > 2 else n_classes - 1


def _sides(codes: np.ndarray, n_classes: list[int]) -> np.ndarray:
    """1 where a row has a label and -1 where not: the second class of two, each class of more."""
    columns = [
        np.where(column == k, 1.0, -1.0)
        for column, n in zip(codes.T, n_classes, strict=True)
        for k in ([1] if n == 2 else range(_n_sides(n)))
    ]
    return np.column_stack(columns) if columns else np.empty((len(codes), 0))


def _standing(sums: np.ndarray, truth: np.ndarray, weight: np.ndarray, scale: float) -> tuple[float, float, np.ndarray]:
    """The share of pairs that are wrong, the least margin and the distribution of margins."""
    margin = truth * sums / (scale or 1.0)
    cells = np.clip((margin + 1) * (CELLS / 2), 0, CELLS - 1).astype(np.intp)
    wrong = (sums > 0) != (truth > 0)
    return float(weight[wrong].sum()), float(margin.min()), np.bincount(cells.ravel(), weight.ravel(), CELLS)


def _shares(scores: np.ndarray) -> np.ndarray:
    """Probabilities of classes: of two 1/(1 + exp(-2f)), of more these of each against the rest over their sum."""
    if scores.shape[1] == 1:
        return np.ones_like(scores)
    return softmax(scores if scores.shape[1] == 2 else -np.logaddexp(0.0, -2.0 * scores))
