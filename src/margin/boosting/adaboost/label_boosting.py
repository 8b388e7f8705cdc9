"""AdaBoost.MH: several labels at once, every rule saying yes or no of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from margin import parallel
from margin.base import Classifier
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.base.softmax import softmax
from margin.boosting.adaboost.booster import AdaBooster
from margin.boosting.adaboost.label_rounds import HeldLabels, LabelRounds
from margin.boosting.adaboost.settings import Plan, rounds_told
from margin.boosting.adaboost.tree_rounds import constant_tree
from margin.boosting.rounds import Round, RoundTable
from margin.boosting.tree_sum import TreeSum
from margin.data.weights import count_repeats
from margin.errors import ConvergenceWarning, warn
from margin.params import Count, Flag, Jobs, Positive, Seed, Share
from margin.typing import Encoded, TableLike

__all__ = ["AdaBoostMHClassifier"]


class AdaBoostMHClassifier(AdaBooster, Classifier):
    r"""AdaBoost for several labels a row: weights are those of pairs of a row and a label.

    A rule says of every label whether a row has it, :math:`h(x, l) = \pm 1`. With shares :math:`D(i, l)` of pairs and
    :math:`Y(i, l) = \pm 1` for what is true, its error is :math:`\varepsilon = \frac12(1 - \sum D\,Y\,h)`, its vote
    :math:`\alpha = \frac12 \ln\frac{1-\varepsilon}{\varepsilon}`, and shares become :math:`D\, e^{-\alpha Y h}/Z`. The
    share of pairs that are wrong in the end (the Hamming loss) is at most :math:`\prod Z`. One stump asks one
    question for all labels together, and answers each of them; O(rows x columns x labels) a round.

    y may hold sets of labels, several columns of labels, or one. A target of two classes is one label, a target of more
    is one for each class, and the class with most votes is answered. Rows held back are judged by the share of their
    pairs that are wrong.

    Parameters
    ----------
    max_depth
        Depth of the trees, at most 7; 1 are stumps.
    random_state
        Decides which rows are held back.

    Attributes
    ----------
    rounds_
        What each round was, as of ``AdaBoostClassifier``; errors and margins are those of pairs of a row and a label.

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
    trees_: TreeSum
    _rounds: RoundTable

    def __init__(
        self,
        *,
        n_estimators: Count = 50,
        learning_rate: Positive = 1.0,
        max_depth: Count = 1,
        max_bins: Count | None = None,
        early_stopping: Flag | Literal["out_of_fold"] = False,
        validation_fraction: Share = 0.1,
        n_iter_no_change: Count = 10,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- Learning.

    def _class_lists(self) -> list[np.ndarray]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _n_rounds(self) -> int:
        return len(self._rounds)

    def _stratum(self, y: np.ndarray) -> np.ndarray:
        """Of one target its classes."""
        if self.outputs_2d_:
            return np.zeros(len(y))
        return y[:, 0] if y.shape[1] == 1 else y.argmax(axis=1)

    def _boost(self, X: Encoded, y: np.ndarray, rows: TrainingRows, goes_on: bool) -> None:
        given = rows.weights()
        truth = _sides(y.reshape(len(y), -1), [len(labels) for labels in self._class_lists()])
        weight, n_labels = given / given.sum(), truth.shape[1]
        self._rounds, self.ended_ = RoundTable.none_yet(), "there is one class"
        if not n_labels:
            self.trees_ = constant_tree(np.zeros(1), self._columns.n)
            return
        n_cases = (float(given.sum()) if count_repeats(given) else float(len(given))) * n_labels
        depth, threads = int(self.max_depth), parallel.n_threads(self.n_jobs)
        plan = Plan("MH", n_labels, float(self.learning_rate), "either_way", depth, self._bins(), threads, n_cases)
        state, ran = self._learn_rounds(X, truth, given, plan, 0)
        self.ended_, n = ran.ended, ran.n_kept
        self._rounds = rounds_told(self._rounds, ran.steps[:n], ran.validation[:n], plan)
        if ran.steps:
            self.trees_ = state.first(n)
            return
        likely = np.clip(weight @ (truth > 0), 1e-12, 1 - 1e-12)
        self.trees_ = constant_tree(np.log(likely / (1 - likely)) / 2, state.n_columns)
        if state.n_varying:
            warn(
                f"{type(self).__name__}.fit: a tree is no better than chance in round 1, and nothing can be boosted; "
                "labels are answered by their shares (other columns may help, or max_depth=2).",
                ConvergenceWarning,
            )

    def _state(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Plan, goes_on: bool) -> LabelRounds:
        return LabelRounds(X, y, weight, plan)

    def _unlearnt(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Plan, goes_on: bool) -> HeldLabels:
        return HeldLabels(X, y, weight, np.zeros((len(y), plan.width)))

    # ---- Answers.

    @property
    def rounds_(self) -> list[Round]:
        """What each round was."""
        return list(self._fitted("rounds_")._rounds)

    def _sums(self, X: Encoded) -> np.ndarray:
        return self.trees_.sums(X, self._threads(len(X)))

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
        for sums in self.trees_.staged(encoded, self._threads(len(encoded))):
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


def _shares(scores: np.ndarray) -> np.ndarray:
    """Probabilities of classes: of two 1/(1 + exp(-2f)), of more these of each against the rest over their sum."""
    if scores.shape[1] == 1:
        return np.ones_like(scores)
    return softmax(scores if scores.shape[1] == 2 else -np.logaddexp(0.0, -2.0 * scores))
