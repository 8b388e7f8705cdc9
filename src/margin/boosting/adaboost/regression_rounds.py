"""Rounds of AdaBoost.R2: members learnt under weights, how far each is off, and the median of what they answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from margin.base.meta.inner_model import on_tables
from margin.base.meta.members import learn_model, naming
from margin.base.representations.mixed import MixedData
from margin.base.sklearn_classes import clone
from margin.boosting.additive.growing import TreeGrower
from margin.boosting.additive.trees import AdditiveTrees
from margin.data.rows import ready_for
from margin.data.table import Table
from margin.data.weights import weight_arguments
from margin.errors import ParameterError
from margin.random import generator, seed_for
from margin.typing import Encoded

__all__ = [
    "BLOCK",
    "AnyRegressor",
    "HeldNumbers",
    "NumberTrees",
    "RegressionPlan",
    "RegressionRounds",
    "RunningMedian",
    "weighted_median",
]

#: Rows whose answers of all members are sorted at a time.
BLOCK = 4096
#: What a mean loss of 0 is taken for, so that a vote stays finite.
LEAST_LOSS = 1e-10
#: What rows weigh that were not drawn, beside 1 for a draw: a leaf that holds no other answers their mean.
UNDRAWN = 1e-6


class RegressionPlan(NamedTuple):
    """How rounds are made."""

    loss: str
    learning_rate: float
    max_depth: int
    bins: int | None
    n_threads: int
    resample: bool | None
    seed: Any


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


class RunningMedian:
    """The weighted median of each row as ever more members answer; their answers stay sorted.

    >>> median = RunningMedian(2)
    >>> for said, alpha in ([3.0, 5.0], 1.0), ([1.0, 5.0], 1.0), ([2.0, 0.0], 3.0):
    ...     median.add(np.array(said), alpha)
    >>> median.values().tolist()
    [2.0, 0.0]
    """

    def __init__(self, n_rows: int) -> None:
        self.said, self.weight = np.empty((n_rows, 0)), np.empty((n_rows, 0))
        self.alphas: list[float] = []

    def add(self, said: np.ndarray, alpha: float) -> None:
        """What one more member answers, and the weight of that."""
        n_rows, n = self.said.shape
        # Behind those that are equal, as a stable sort would have it.
        is_new = np.arange(n + 1) == (self.said <= said[:, None]).sum(axis=1, keepdims=True)
        for name, new in ("said", said), ("weight", np.full(n_rows, alpha)):
            grown = np.empty((n_rows, n + 1))
            grown[is_new], grown[~is_new] = new, getattr(self, name).ravel()
            setattr(self, name, grown)
        self.alphas.append(alpha)

    def values(self) -> np.ndarray:
        """The median of each row."""
        half = np.array(self.alphas).sum() / 2
        at = (np.cumsum(self.weight, axis=1) >= half * (1 - 1e-12)).argmax(axis=1)
        found: np.ndarray = self.said[np.arange(len(at)), at]
        return found


class NumberTrees:
    """Grows trees on columns that are ranked once."""

    name = "a tree"

    def __init__(self, X: MixedData, y: np.ndarray, plan: RegressionPlan) -> None:
        # From the mean on: squares of numbers far from 0 would have no digits left for differences.
        self.centre = float(y.mean())
        self.target, self.plan = y - self.centre, plan
        self.grower = TreeGrower(X, plan.max_depth, plan.bins, plan.n_threads)

    def learn(self, weight: np.ndarray, number: int) -> tuple[AdditiveTrees, np.ndarray]:
        """A tree for rows that weigh so much in a round, counted from 0, and its answers."""
        if self.plan.resample:
            drawn = _drawn(weight, generator(self.plan.seed, "draws", number))
            weight = np.bincount(drawn, minlength=len(weight)) + UNDRAWN
        tree, said = self.grower.fit(weight, self.target)
        tree.threshold[tree.is_leaf] += self.centre
        return tree, said + self.centre

    def answers(self, tree: AdditiveTrees, X: MixedData) -> np.ndarray:
        """What a tree says of other rows."""
        found: np.ndarray = tree.each(X, self.plan.n_threads)[:, 0]
        return found


class AnyRegressor:
    """Fits a fresh copy of a regressor in each round, with weights or on rows drawn by them."""

    def __init__(self, estimator: Any, X: Encoded, y: np.ndarray, plan: RegressionPlan, who: str) -> None:
        self.model = on_tables(estimator) if isinstance(X, Table) else estimator
        self.X, self.y, self.seed, self.who = X, y, plan.seed, who
        self.name = type(estimator).__name__
        takes = weight_arguments(clone(self.model), np.ones(len(y))) is not None
        self.resample = not takes if plan.resample is None else plan.resample
        if not self.resample and not takes:
            raise ParameterError(
                f"{who}(estimator={estimator!r}, resample=False): {self.name}.fit takes no weights "
                "(resample=True draws rows by them)."
            )

    def learn(self, weight: np.ndarray, number: int) -> tuple[Any, np.ndarray]:
        """A model of rows that weigh so much in a round, counted from 0, and its answers."""
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
            return fitted, self.answers(fitted, self.X)

    def answers(self, model: Any, X: Encoded) -> np.ndarray:
        """What a model says of other rows."""
        return np.asarray(model.predict(ready_for(model, X)), dtype=np.float64)


class RegressionStep(NamedTuple):
    """What is known after a round; ``taken`` says whether its member answers."""

    epsilon: float
    beta: float
    alpha: float
    largest_error: float
    taken: bool
    ends: bool

    def ending(self, number: int) -> str:
        """Why the rounds end with it, or without it."""
        if not self.taken:
            return f"the mean loss of round {number} is no smaller than ½ ({self.epsilon:.3f})"
        return f"the member of round {number} " + ("has no error" if self.epsilon <= 0 else "errs by half")


class RegressionRounds:
    """The weights of the training rows, and the members so far; ``before`` is what earlier ones said, one a row."""

    def __init__(self, learner: Any, y: np.ndarray, weight: np.ndarray, plan: RegressionPlan, before: np.ndarray):
        self.learner, self.y, self.weight, self.plan = learner, y, weight / weight.sum(), plan
        self.n_before = len(before)
        for said in before:
            self.weight = _reweighed(self.weight, _judge(y, said, self.weight, plan.loss), plan.learning_rate)
        self.members: list[Any] = []
        self.alphas: list[float] = []

    def step(self) -> RegressionStep:
        """One more round; where the first member errs by half or more, it answers all the same, and alone."""
        number = self.n_before + len(self.members)
        member, said = self.learner.learn(self.weight, number)
        judged = _judge(self.y, said, self.weight, self.plan.loss)
        is_chance = judged.epsilon >= 0.5
        alpha = 1.0 if is_chance else -self.plan.learning_rate * math.log(judged.beta)
        taken, ends = not is_chance or number == 0, is_chance or judged.epsilon <= 0
        if taken:
            self.members.append(member)
            self.alphas.append(alpha)
        if not ends:
            self.weight = _reweighed(self.weight, judged, self.plan.learning_rate)
        return RegressionStep(judged.epsilon, judged.beta, alpha, judged.largest_error, taken, ends)


class HeldNumbers:
    """Rows that are not learnt from, and the median of all members so far; weights are shares of all such rows."""

    def __init__(self, X: Encoded, y: np.ndarray, weight: np.ndarray) -> None:
        self.X, self.y, self.weight, self.median = X, y, weight, RunningMedian(len(y))

    def hear(self, state: RegressionRounds) -> None:
        """Add what the newest member says."""
        self.median.add(state.learner.answers(state.members[-1], self.X), state.alphas[-1])

    def error(self) -> float:
        """The mean of the magnitudes of errors."""
        return float(self.weight @ np.abs(self.y - self.median.values())) if self.median.alphas else math.inf
