"""AdaBoost.R2: boosting of numbers, answered by a weighted median."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np

from margin import parallel, params
from margin.base import AsGiven, Mixed, Regressor
from margin.base.meta.inner_model import on_tables
from margin.base.meta.members import learn_model, naming
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all
from margin.base.sklearn_classes import clone
from margin.boosting.additive.growing import TreeGrower
from margin.boosting.additive.trees import AdditiveTrees, joined
from margin.boosting.tree_sum import MOST_DEPTH
from margin.data.rows import ready_for
from margin.data.table import Table
from margin.data.weights import weight_arguments
from margin.errors import ConvergenceWarning, ParameterError, warn
from margin.params import Count, Flag, Jobs, Positive, Rule, Seed, no_text
from margin.random import generator, seed_for
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["AdaBoostRegressor", "RegressionRound"]

#: Rows whose answers of all members are sorted at a time.
BLOCK = 4096
#: What a mean loss of 0 is taken for, so that a vote stays finite.
LEAST_LOSS = 1e-10
#: What rows weigh that were not drawn, beside 1 for a draw: a leaf that holds no other answers their mean.
UNDRAWN = 1e-6


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
    """

    number: int
    epsilon: float
    beta: float
    alpha: float
    largest_error: float

    def __str__(self) -> str:
        return (
            f"round {self.number}: mean loss {self.epsilon:.3f}, β {self.beta:.3f}, α {self.alpha:.3f}; "
            f"largest error {self.largest_error:.4g}"
        )


@dataclass(frozen=True)
class _Judged:
    """What comes of the answers of a member."""

    epsilon: float
    largest_error: float
    losses: np.ndarray

    @property
    def beta(self) -> float:
        held = min(max(self.epsilon, LEAST_LOSS), 1 - LEAST_LOSS)
        return held / (1 - held)


def _judge(y: np.ndarray, said: np.ndarray, weight: np.ndarray, loss: str) -> _Judged:
    away = np.abs(y - said)
    largest = float(away.max())
    losses = away / (largest or 1.0)
    if loss == "square":
        losses = losses**2
    elif loss == "exponential":
        losses = 1.0 - np.exp(-losses)
    return _Judged(float(weight @ losses), largest, losses)


def _reweighed(weight: np.ndarray, judged: _Judged, rate: float) -> np.ndarray:
    # Never 0: what vanishes could not come back.
    found: np.ndarray = np.maximum(weight * judged.beta ** ((1.0 - judged.losses) * rate), 1e-290)
    return found / found.sum()


def _drawn(weight: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """As many rows as there are, drawn by their weights."""
    at = np.searchsorted(np.cumsum(weight), draw.random(len(weight)) * weight.sum())
    return np.minimum(at, len(weight) - 1)


def weighted_median(said: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Of each row the smallest answer that has, with those below it, half of the weight.

    >>> weighted_median(np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 0.0]]), np.array([1.0, 1.0, 3.0])).tolist()
    [2.0, 0.0]
    """
    found = np.empty(len(said))
    half = alpha.sum() / 2
    for begin in range(0, len(said), BLOCK):
        part = said[begin : begin + BLOCK]
        order = np.argsort(part, axis=1, kind="stable")
        at = (np.cumsum(alpha[order], axis=1) >= half * (1 - 1e-12)).argmax(axis=1)
        rows = np.arange(len(part))
        found[begin : begin + BLOCK] = part[rows, order[rows, at]]
    return found


def _learns(value: Any) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


Learner = Annotated[Any, Rule("None or a regressor with fit and predict", _learns, no_text)]


class AdaBoostRegressor(Regressor):
    r"""AdaBoost.R2: regressors learnt under weights that grow where predecessors were far off; their weighted median.

    The loss of a row is its error as a share of the largest one, L, its square, or :math:`1 - e^{-L}`. With the
    weighted mean :math:`\varepsilon` of the losses and :math:`\beta = \varepsilon/(1-\varepsilon)` a member's answer
    weighs :math:`\ln 1/\beta` and weights are multiplied by :math:`\beta^{1 - L}`; rounds end where
    :math:`\varepsilon \ge \frac12`. One row that is far off makes all other losses small: where targets have outliers,
    other models are better.

    Parameters
    ----------
    estimator
        None is a tree of ``max_depth`` on columns as they are. Else any regressor, of margin or scikit-learn.
    n_estimators
        Rounds, at most.
    learning_rate
        Multiplies what answers weigh, and the exponents of weights.
    loss
        ``"linear"``, ``"square"`` or ``"exponential"``.
    max_depth
        Depth of the trees where there is no ``estimator``, at most 7.
    max_bins
        At most so many bins for a column of numbers; None for every threshold between two numbers.
    resample
        Whether members learn from rows drawn by their weights, as in the paper, which makes them differ more and often
        errs a little less; None draws only where an ``estimator`` takes no weights, and needs no chance else.
    warm_start
        Whether ``fit`` keeps the rounds that are there and adds those that are lacking to ``n_estimators``.
    n_jobs
        Threads; None uses all cores. The model does not depend on it.
    random_state
        Decides which rows are drawn.

    Attributes
    ----------
    rounds_
        What each round was: mean loss, beta, weight in the median, largest error.
    ended_
        Why there is no further round.

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
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def representation(self) -> Any:
        """Columns as they are for trees, and rows as they were given for other learners."""
        return Mixed() if self.estimator is None else AsGiven(surveyed=True)

    # ---- Learning.

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with targets y; with ``warm_start`` rounds that are there stay, and more are added."""
        if not (self.warm_start and self.__sklearn_is_fitted__()):
            return super().fit(X, y, sample_weight)
        who = type(self).__name__
        with further_or_not_at_all(self):
            params.check(self)
            if int(self.n_estimators) < len(self._record):
                raise ParameterError(
                    f"{who}(n_estimators={self.n_estimators}, warm_start=True): n_estimators must be at least the "
                    f"{len(self._record)} rounds that are there (warm_start=False learns anew)."
                )
            data, targets, rows = self._read_rows(X, y, sample_weight, f"{who}.fit", self._columns)
            self._boost(data, targets, rows, self._said_by_each(data).T)
        return self

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        if self.estimator is None and int(self.max_depth) > MOST_DEPTH:
            raise ParameterError(
                f"{type(self).__name__}(max_depth={self.max_depth}): max_depth must be at most {MOST_DEPTH} "
                "(estimator=DecisionTreeRegressor(max_depth=…) grows deeper trees)."
            )
        self._record = np.empty((0, 4))
        self._boost(X, y, rows, np.empty((0, len(y))))

    def _boost(self, X: Encoded, y: np.ndarray, rows: TrainingRows, before: np.ndarray) -> None:
        weight = rows.weights() / rows.weights().sum()
        rate, loss = float(self.learning_rate), str(self.loss)
        for said in before:
            weight = _reweighed(weight, _judge(y, said, weight, loss), rate)
        members, record = [], [self._record]
        learn = self._learner(X, y)
        self.ended_ = "as many rounds as asked for"
        for number in range(len(before), int(self.n_estimators)):
            member, said = learn(weight, number)
            judged = _judge(y, said, weight, loss)
            perfect, chance = judged.epsilon <= 0, judged.epsilon >= 0.5
            if chance and number:
                self.ended_ = f"the mean loss of round {number + 1} is no smaller than ½ ({judged.epsilon:.3f})"
                break
            alpha = 1.0 if chance else -rate * math.log(judged.beta)
            members.append(member)
            record.append(np.array([[judged.epsilon, judged.beta, alpha, judged.largest_error]]))
            if perfect or chance:
                self.ended_ = f"the member of round {number + 1} " + ("has no error" if perfect else "errs by half")
                if chance:
                    self._warn_of_chance(judged.epsilon)
                break
            weight = _reweighed(weight, judged, rate)
        self._record = np.vstack(record)
        self._keep(members)

    def _warn_of_chance(self, epsilon: float) -> None:
        name = "a tree" if self.estimator is None else type(self.estimator).__name__
        warn(
            f"{type(self).__name__}.fit: {name} has a mean loss of {epsilon:.3f} of the largest error in round 1, no "
            "better than ½, and answers alone (a stronger learner may help, or loss='square').",
            ConvergenceWarning,
        )

    def _keep(self, members: list[Any]) -> None:
        if self.estimator is None:
            old = [self.trees_] if "trees_" in self.__dict__ else []
            self.trees_ = joined([*old, *members])
        else:
            self.members_ = [*self.__dict__.get("members_", ()), *members]

    def _learner(self, X: Encoded, y: np.ndarray) -> Any:
        """What learns a member under weights, given the number of the round, and gives its answers too."""
        if self.estimator is not None:
            return _Learner(self, X, y)
        centre = float(y.mean())
        bins = None if self.max_bins is None else max(2, min(int(self.max_bins), 65535))
        grower = TreeGrower(X, int(self.max_depth), bins, parallel.n_threads(self.n_jobs))

        def learn(weight: np.ndarray, number: int) -> tuple[AdditiveTrees, np.ndarray]:
            if self.resample:
                times = np.bincount(_drawn(weight, generator(self.random_state, "draws", number)), minlength=len(y))
                weight = times + UNDRAWN
            # From the mean on: squares of numbers far from 0 would have no digits left for differences.
            tree, said = grower.fit(weight, y - centre)
            tree.threshold[tree.is_leaf] += centre
            return tree, said + centre

        return learn

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
        for n in range(1, said.shape[1] + 1):
            yield weighted_median(said[:, :n], self._record[:n, 2])

    @property
    def rounds_(self) -> list[RegressionRound]:
        """What each round was."""
        record = self._fitted("rounds_")._record.tolist()
        return [RegressionRound(number, *row) for number, row in enumerate(record, 1)]

    def _models(self) -> list[Any]:
        """The fitted models inside."""
        return list(self.__dict__.get("members_", ()))


class _Learner:
    """Fits a fresh copy of a regressor in each round, with weights or on rows drawn by them."""

    def __init__(self, booster: AdaBoostRegressor, X: Encoded, y: np.ndarray) -> None:
        self.model = on_tables(booster.estimator) if isinstance(X, Table) else booster.estimator
        self.X, self.y, self.seed, self.who = X, y, booster.random_state, type(booster).__name__
        self.name = type(booster.estimator).__name__
        takes = weight_arguments(clone(self.model), np.ones(len(y))) is not None
        self.resample = not takes if booster.resample is None else booster.resample
        if not self.resample and not takes:
            raise ParameterError(
                f"{self.who}(estimator={booster.estimator!r}, resample=False): {self.name}.fit takes no weights "
                "(resample=True draws rows by them)."
            )

    def __call__(self, weight: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
        model = clone(self.model)
        named = model.get_params(deep=True) if hasattr(model, "get_params") else {}
        seed = seed_for(self.seed, "round", number, bits=32)
        if seeds := {name: seed for name in named if name == "random_state" or name.endswith("__random_state")}:
            model.set_params(**seeds)
        X, y, given = self.X, self.y, None
        if self.resample:
            chosen = _drawn(weight, generator(self.seed, "draws", number))
            X, y = X[chosen], y[chosen]
        else:
            given = weight * len(y)
        with naming(self.who, f"round {number + 1}, {self.name},", "estimator"):
            fitted = learn_model(model, X, y, given, self.who)
            return fitted, np.asarray(fitted.predict(ready_for(fitted, self.X)), dtype=np.float64)
