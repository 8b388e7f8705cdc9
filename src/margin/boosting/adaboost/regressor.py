"""AdaBoost.R2: boosting of numbers, answered by a weighted median."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from margin import parallel
from margin.base import Regressor
from margin.base.representations.representation import TrainingRows
from margin.boosting.adaboost.booster import AdaBooster
from margin.boosting.adaboost.regression_rounds import (
    BLOCK,
    AnyRegressor,
    HeldNumbers,
    NumberTrees,
    RegressionPlan,
    RegressionRounds,
    RunningMedian,
    weighted_median,
)
from margin.boosting.additive.trees import AdditiveTrees, joined
from margin.data.rows import ready_for
from margin.errors import ConvergenceWarning, warn
from margin.params import Count, Flag, Jobs, Positive, Rule, Seed, Share, no_text
from margin.typing import Encoded, TableLike

__all__ = ["AdaBoostRegressor", "RegressionRound"]


@dataclass(frozen=True)
class RegressionRound:
    """One round.

    Attributes
    ----------
    number
        Counted from 1.
    epsilon
        The mean loss of its member under the weights of the round, a loss being at most 1.
    beta, alpha
        ε/(1 - ε), and what its answer weighs in the median: minus the logarithm of beta, times the learning rate.
    largest_error
        What errors are divided by before they become losses.
    validation_error
        The mean magnitude of the errors of all members so far on the rows held back; NaN without such.
    """

    number: int
    epsilon: float
    beta: float
    alpha: float
    largest_error: float
    validation_error: float = math.nan

    def __str__(self) -> str:
        held = "" if math.isnan(self.validation_error) else f", {self.validation_error:.4g} on those held back"
        return (
            f"round {self.number}: mean loss {self.epsilon:.3f}, β {self.beta:.3f}, α {self.alpha:.3f}; "
            f"largest error {self.largest_error:.4g}{held}"
        )


def _learns(value: Any) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


Learner = Annotated[Any, Rule("None or a regressor with fit and predict", _learns, no_text)]


class AdaBoostRegressor(AdaBooster, Regressor):
    r"""AdaBoost.R2: regressors learnt under weights that grow where predecessors were far off; their weighted median.

    The loss of a row is its error as a share of the largest one, L, its square, or :math:`1 - e^{-L}`. With the
    weighted mean :math:`\varepsilon` of the losses and :math:`\beta = \varepsilon/(1-\varepsilon)` a member's answer
    weighs :math:`\ln 1/\beta` and weights are multiplied by :math:`\beta^{1 - L}`; rounds end where
    :math:`\varepsilon \ge \frac12`. One row that is far off makes all other losses small: where targets have outliers,
    other models are better. Rows held back are judged by the mean magnitude of their errors.

    Parameters
    ----------
    estimator
        None is a tree of ``max_depth`` on columns as they are. Else any regressor, of margin or scikit-learn.
    learning_rate
        Multiplies what answers weigh, and the exponents of weights.
    loss
        ``"linear"``, ``"square"`` or ``"exponential"``.
    resample
        Whether members learn from rows drawn by their weights, as in the paper, which makes them differ more and often
        errs a little less; None draws only where an ``estimator`` takes no weights, and needs no chance else.

    Attributes
    ----------
    rounds_
        What each round was: mean loss, beta, weight in the median, largest error.

    References
    ----------
    Drucker (1997), "Improving regressors using boosting techniques".

    Examples
    --------
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = AdaBoostRegressor(n_estimators=30).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.8)
    True
    """

    trees_: AdditiveTrees
    members_: list[Any]
    _deeper = " (estimator=DecisionTreeRegressor(max_depth=…) grows deeper trees)"

    def __init__(
        self,
        estimator: Learner = None,
        *,
        n_estimators: Count = 50,
        learning_rate: Positive = 1.0,
        loss: Literal["linear", "square", "exponential"] = "linear",
        max_depth: Count = 3,
        max_bins: Count | None = None,
        resample: Flag | None = None,
        early_stopping: Flag | Literal["out_of_fold"] = False,
        validation_fraction: Share = 0.1,
        n_iter_no_change: Count = 10,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.resample = resample
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- Learning.

    def _n_rounds(self) -> int:
        return len(self._record)

    def _stratum(self, y: np.ndarray) -> np.ndarray:
        return np.zeros(len(y))

    def _boost(self, X: Encoded, y: np.ndarray, rows: TrainingRows, goes_on: bool) -> None:
        if not goes_on:
            self._record = np.empty((0, 4))
        plan = RegressionPlan(
            str(self.loss),
            float(self.learning_rate),
            int(self.max_depth),
            self._bins(),
            parallel.n_threads(self.n_jobs),
            self.resample,
            self.random_state,
        )
        state, ran = self._learn_rounds(X, y, rows.weights(), plan, len(self._record))
        self.ended_ = ran.ended
        if ran.steps and ran.steps[0].epsilon >= 0.5:
            self._warn_of_chance(state.learner.name, ran.steps[0].epsilon)
        self._keep(state.members[: ran.n_kept], [step[:4] for step in ran.steps], ran.validation)

    def _state(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: RegressionPlan, goes_on: bool) -> Any:
        before = self._said_by_each(X).T if goes_on else np.empty((0, len(y)))
        if self.estimator is None:
            return RegressionRounds(NumberTrees(X, y, plan), y, weight, plan, before)
        learner = AnyRegressor(self.estimator, X, y, plan, type(self).__name__)
        return RegressionRounds(learner, y, weight, plan, before)

    def _unlearnt(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: RegressionPlan, goes_on: bool) -> Any:
        held = HeldNumbers(X, y, weight)
        for said, alpha in zip(self._said_by_each(X).T if goes_on else (), self._record[:, 2].tolist()):
            held.median.add(said, alpha)
        return held

    def _warn_of_chance(self, name: str, epsilon: float) -> None:
        warn(
            f"{type(self).__name__}.fit: {name} has a mean loss of {epsilon:.3f} of the largest error in round 1, no "
            "better than ½, and answers alone (a stronger learner may help, or loss='square').",
            ConvergenceWarning,
        )

    def _keep(self, members: list[Any], numbers: list[Any], validation: list[float]) -> None:
        """What was there, and the first of the new rounds."""
        n, n_before = len(members), len(self._record)
        if not n:
            return
        if self.estimator is None:
            self.trees_ = joined([*([self.trees_] if n_before else []), *members])
        else:
            self.members_ = [*(self.members_ if n_before else []), *members]
        self._validation = np.append(self._held_errors(), validation[:n])
        self._record = np.vstack([self._record, numbers[:n]])

    def _held_errors(self) -> np.ndarray:
        """The errors on rows held back after each round that is there; files of before there were any have none."""
        known: np.ndarray = self.__dict__.get("_validation", np.full(len(self._record), np.nan))
        return known

    # ---- Answers.

    def _said_by_each(self, X: Encoded) -> np.ndarray:
        """What each member answers: rows x members."""
        if "trees_" in self.__dict__:
            return self.trees_.each(X, 1 if len(X) <= BLOCK else parallel.n_threads(self.n_jobs))
        return np.column_stack([np.asarray(each.predict(ready_for(each, X)), np.float64) for each in self.members_])

    def _values(self, X: Encoded) -> np.ndarray:
        return weighted_median(self._said_by_each(X), self._record[:, 2]) if len(self._record) else np.zeros(len(X))

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        said = self._said_by_each(self._encoded(X, "staged_predict"))
        median = RunningMedian(len(said))
        for answers, alpha in zip(said.T, self._record[:, 2].tolist(), strict=True):
            median.add(answers, alpha)
            yield median.values()

    @property
    def rounds_(self) -> list[RegressionRound]:
        """What each round was."""
        record, held = self._fitted("rounds_")._record.tolist(), self._held_errors().tolist()
        return [
            RegressionRound(number, epsilon, beta, alpha, largest, error)
            for number, ((epsilon, beta, alpha, largest), error) in enumerate(zip(record, held, strict=True), 1)
        ]

    def _models(self) -> list[Any]:
        """The fitted models inside."""
        return list(self.__dict__.get("members_", ()))
