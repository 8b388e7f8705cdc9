"""What AdaBoost of classes, of labels and of numbers share: how rows are read, going on, and when to stop."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from margin import parallel, params
from margin.base import AsGiven, Mixed
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all
from margin.boosting.adaboost.stopping import Ran, held_back, rounds_out_of_fold, run, which_fold
from margin.boosting.patience import FOLDS, Patience
from margin.boosting.tree_sum import MOST_DEPTH
from margin.errors import ParameterError
from margin.random import generator
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["AdaBooster"]

#: Up to so many rows one thread answers.
FEW = 2000


class AdaBooster(SupervisedEstimator):
    """Rounds of weak learners under weights that follow from the rounds before.

    Parameters
    ----------
    n_estimators
        Rounds, at most.
    learning_rate
        Multiplies every vote.
    max_depth
        Depth of the trees where there is no ``estimator``, at most 7.
    max_bins
        At most so many bins for a column of numbers; None for every threshold between two numbers.
    early_stopping
        Whether rows are held back, and rounds behind the best on them forgotten. With ``"out_of_fold"`` each of five
        folds is held back in turn, which says how many rounds are best, and these are learnt from all rows.
    validation_fraction
        The share that is held back; nothing out of fold.
    n_iter_no_change
        Rounds without a better error on rows held back that end the training.
    warm_start
        Whether ``fit`` keeps the rounds that are there and adds those that are lacking to ``n_estimators``.
    n_jobs
        Threads; None uses all cores. The model does not depend on it.
    random_state
        Decides which rows are drawn and held back.

    Attributes
    ----------
    ended_
        Why there is no further round, and which one was the best where rows are held back.
    """

    estimator: Any = None
    n_estimators: Any
    learning_rate: Any
    max_depth: Any
    max_bins: Any
    early_stopping: Any
    validation_fraction: Any
    n_iter_no_change: Any
    warm_start: Any = False
    n_jobs: Any
    random_state: Any
    ended_: str
    #: What to do for deeper trees.
    _deeper = ""

    @property
    def representation(self) -> Any:
        """Columns as they are for trees, and rows as they were given for other learners."""
        return Mixed() if self.estimator is None else AsGiven(surveyed=True)

    # ---- What each of them says.

    @abstractmethod
    def _n_rounds(self) -> int:
        """How many rounds there are."""

    @abstractmethod
    def _boost(self, X: Encoded, y: np.ndarray, rows: TrainingRows, goes_on: bool) -> None:
        """Learn all rounds, or those that are lacking."""

    @abstractmethod
    def _state(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Any, goes_on: bool) -> Any:
        """What makes rounds of these rows."""

    @abstractmethod
    def _unlearnt(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Any, goes_on: bool) -> Any:
        """Rows that are not learnt from, and what the rounds that are there say of them."""

    def _stratum(self, y: np.ndarray) -> np.ndarray:
        """Of what rows held back have their share each."""
        return y

    # ---- What is the same.

    def fit(self, X: TableLike, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with targets y; with ``warm_start`` rounds that are there stay, and more are added."""
        if not (self.warm_start and self.__sklearn_is_fitted__()):
            return super().fit(X, y, sample_weight)
        who, known = type(self).__name__, self.__dict__.get("classes_")
        with further_or_not_at_all(self):
            params.check(self)
            if int(self.n_estimators) < self._n_rounds():
                raise ParameterError(
                    f"{who}(n_estimators={self.n_estimators}, warm_start=True): n_estimators must be at least the "
                    f"{self._n_rounds()} rounds that are there (warm_start=False learns anew)."
                )
            self._refuse_other_rounds()
            data, targets, rows = self._read_rows(X, y, sample_weight, f"{who}.fit", self._columns)
            if known is not None and not np.array_equal(known, self.__dict__["classes_"]):
                raise ParameterError(f"{who}.fit: y must have the classes of the rounds that are there, and no other.")
            self._boost(data, targets, rows, True)
        return self

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self._check_depth()
        self._boost(X, y, rows, False)

    def _check_depth(self) -> None:
        if self.estimator is None and int(self.max_depth) > MOST_DEPTH:
            raise ParameterError(
                f"{type(self).__name__}(max_depth={self.max_depth}): max_depth must be at most {MOST_DEPTH}"
                f"{self._deeper}."
            )

    def _refuse_other_rounds(self) -> None:
        """Further rounds must be of the kind of those that are there."""
        self._check_depth()
        if (self.estimator is None) != ("trees_" in self.__dict__):
            there = "members of an estimator" if self.estimator is None else "trees that were grown without one"
            raise ParameterError(
                f"{type(self).__name__}(estimator={self.estimator!r}, warm_start=True): the rounds that are there are "
                f"{there}, and further ones must be too (warm_start=False learns anew)."
            )

    def _bins(self) -> int | None:
        return None if self.max_bins is None else max(2, min(int(self.max_bins), 65535))

    def _threads(self, n_rows: int) -> int:
        """Threads for answers."""
        return 1 if n_rows <= FEW else parallel.n_threads(self.n_jobs)

    def _learn_rounds(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Any, n_before: int) -> tuple[Any, Ran]:
        """What made the rounds, and what they were; rows that are not learnt from say when to stop, if asked to."""
        n_rounds, patience, who = int(self.n_estimators), Patience(int(self.n_iter_no_change)), type(self).__name__
        goes_on, errors = n_before > 0, None
        if self.early_stopping == "out_of_fold":
            if goes_on:
                raise ParameterError(
                    f"{who}(early_stopping='out_of_fold', warm_start=True): folds tell how many rounds are best from "
                    "the first one on (warm_start=False learns anew)."
                )
            fold = which_fold(self._stratum(y), generator(self.random_state, "folds"), who)
            parts = [self._parted(fold == k, X, y, weight, plan, False) for k in range(FOLDS)]
            errors = rounds_out_of_fold(parts, n_rounds, patience)
        elif self.early_stopping:
            draw = generator(self.random_state, "held back")
            held = held_back(self._stratum(y), float(self.validation_fraction), draw, who)
            state, rest = self._parted(held, X, y, weight, plan, goes_on)
            rest.weight = rest.weight / rest.weight.sum()
            return state, run(state, n_before, n_rounds, rest, None, patience)
        state = self._state(X, y, weight, plan, goes_on)
        return state, run(state, n_before, n_rounds, None, errors, patience)

    def _parted(
        self, held: np.ndarray, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Any, goes_on: bool
    ) -> tuple[Any, Any]:
        """Rounds without some rows, and these rows."""
        take = X.take if hasattr(X, "numeric") else X.__getitem__
        state = self._state(take(np.flatnonzero(~held)), y[~held], weight[~held], plan, goes_on)
        share = weight[held] / weight.sum()
        return state, self._unlearnt(take(np.flatnonzero(held)), y[held], share, plan, goes_on)
