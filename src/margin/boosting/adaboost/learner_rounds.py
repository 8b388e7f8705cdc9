"""Rounds of any learner: a fresh copy learns under the weights of each round, or from rows drawn by them."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.inner_model import last_step, on_tables
from margin.base.meta.members import learn_member, naming
from margin.base.sklearn_classes import clone
from margin.boosting.adaboost.rules import RuleBook
from margin.boosting.adaboost.settings import Plan, Step
from margin.boosting.adaboost.votes import ExactWeights, Weighed, discrete, exponents, factors_of, real
from margin.boosting.rounds import CELLS
from margin.data.table import Table
from margin.data.weights import weight_arguments
from margin.errors import ConvergenceWarning, ParameterError, warn
from margin.random import generator, seed_for
from margin.typing import Encoded

__all__ = ["LearnerRounds", "standing", "votes_of"]

WHO = "AdaBoostClassifier"
#: Times that rows are drawn anew before a learner that makes no errors is believed.
TRIES = 5


def votes_of(member: Any, alpha: float, X: Encoded, plan: Plan) -> np.ndarray:
    """What a member's vote adds: one number of two classes, above 0 for the second, else one for each class."""
    if plan.algorithm == "SAMME.R":
        # A learner that is sure of what it says has no more than log 1000 of a vote.
        return real(member.probabilities(X, plan.n_classes), plan.learning_rate, 1000)
    if plan.algorithm == "M2":
        plausible = member.probabilities(X, plan.n_classes)
        return np.asarray(alpha * (plausible[:, 1:] - plausible[:, :1] if plan.n_classes == 2 else plausible))
    said = member.answers(X)
    if plan.n_classes == 2:
        return np.where(said == 1, alpha, -alpha)[:, None]
    return alpha * np.eye(plan.n_classes)[said]


def standing(votes: np.ndarray, y: np.ndarray, weight: np.ndarray, scale: float) -> tuple[float, float, np.ndarray]:
    """The share of wrong answers, the least margin and the distribution of margins (``class_rounds.hpp``)."""
    if votes.shape[1] == 1:
        margin = np.where(y == 1, votes[:, 0], -votes[:, 0])
        wrong = (votes[:, 0] > 0) != (y == 1)
    else:
        others = votes.copy()
        others[np.arange(len(y)), y] = -np.inf
        margin = votes[np.arange(len(y)), y] - others.max(axis=1)
        wrong = votes.argmax(axis=1) != y
    margin = margin / (scale or 1.0)
    cells = np.clip((margin + 1) * (CELLS / 2), 0, CELLS - 1).astype(np.intp)
    return float(weight[wrong].sum()), float(margin.min()), np.bincount(cells, weight, CELLS)


class LearnerRounds:
    """The state of the training rows, and the members so far."""

    def __init__(
        self,
        X: Encoded,
        y: np.ndarray,
        weight: np.ndarray,
        plan: Plan,
        learner: Any,
        resample: bool | None,
        seed: Any,
        before: list[tuple[Any, float]],
    ) -> None:
        self.X, self.y, self.raw, self.plan = X, y, weight, plan
        self.given = weight / weight.sum()
        self.is_book = isinstance(learner, RuleBook)
        self.learner = on_tables(learner) if isinstance(X, Table) and not self.is_book else learner
        takes = self.is_book or weight_arguments(clone(self.learner), weight) is not None
        self.resample = not takes if resample is None else resample
        if not self.resample and not takes:
            raise ParameterError(
                f"{WHO}(estimator={learner!r}, resample=False): {type(last_step(learner)).__name__}.fit takes no "
                "weights (resample=True draws rows by them)."
            )
        self.seed = seed
        self.members: list[Any] = []
        self.alphas: list[float] = []
        self.n_before = len(before)
        self.votes = np.zeros((len(y), 1 if plan.n_classes == 2 else plan.n_classes))
        for member, alpha in before:
            self.votes += votes_of(member, alpha, X, plan)
        self.weights = ExactWeights(weight)
        if before:
            self.weights.follow(factors_of(self.votes, y, plan.algorithm))
        self.scale = plan.scale_before
        self.last_said: np.ndarray | None = None
        self.last_plausible: np.ndarray | None = None

    @property
    def name(self) -> str:
        """What the learner is called."""
        return "a rule" if self.is_book else type(last_step(self.learner)).__name__

    def step(self) -> Step | Weighed:
        """One more round; what is known of a rule that is no better than chance, which is not taken."""
        plan, number = self.plan, self.n_before + len(self.members)
        member = self._learn(number, self.resample, 0)
        weighed, said = self._weighed(member)
        attempt = 0
        while weighed.perfect and not self.is_book and attempt < TRIES:
            # Learnt by heart, the weights would never change: another part of the rows makes another rule.
            attempt += 1
            member = self._learn(number, True, attempt)
            weighed, said = self._weighed(member)
        if weighed.chance:
            self._hears_nothing(said, self.last_said)
            return weighed
        votes = votes_of(member, weighed.alpha, self.X, plan)
        # Where rules vote with probabilities, learning the same again does not show in their error.
        plausible = votes if plan.algorithm == "SAMME.R" else votes / weighed.alpha
        if plan.algorithm in ("SAMME.R", "M2") and self._hears_nothing(plausible, self.last_plausible):
            return weighed._replace(chance=True)
        self.last_said, self.last_plausible = said, plausible
        weighed = self._reweigh(votes, weighed)
        self.votes += votes
        self.scale += abs(weighed.alpha)
        self.members.append(member)
        self.alphas.append(weighed.alpha)
        return Step(weighed, *standing(self.votes, self.y, self.given, self.scale))

    def _learn(self, number: int, resample: bool, attempt: int) -> Any:
        if self.is_book:
            return self.learner.best(self.weights.weight, self.y)
        model = clone(self.learner)
        named = model.get_params(deep=True) if hasattr(model, "get_params") else {}
        seed = seed_for(self.seed, "round", number, attempt, bits=32)
        seeds = {name: seed for name in named if name == "random_state" or name.endswith("__random_state")}
        if seeds:
            model.set_params(**seeds)
        X, y, weight = self.X, self.y, self.weights.weight
        chosen, drawn = np.arange(len(y)), None
        if resample:
            draws = generator(self.seed, "draws", number, attempt).random(len(y))
            chosen = np.minimum(np.searchsorted(np.cumsum(weight), draws * self.weights.total), len(y) - 1)
        else:
            drawn = weight
        with naming(WHO, f"round {number + 1}, {self.name},", "estimator"):
            return learn_member(model, X[chosen] if resample else X, y[chosen], drawn, WHO)

    def _reweigh(self, votes: np.ndarray, weighed: Weighed) -> Weighed:
        """The weights of the next round; what is known of the rule, with its Z."""
        algorithm = self.plan.algorithm
        if algorithm == "SAMME.R":
            factor = np.exp(-exponents(votes, self.y, algorithm))
            weighed = weighed._replace(z=float(self.weights.shares @ factor), alpha=float(np.abs(votes).max()))
        self.weights.follow(factors_of(votes, self.y, algorithm))
        return weighed

    def _weighed(self, member: Any) -> tuple[Weighed, np.ndarray]:
        plan, said = self.plan, member.answers(self.X)
        epsilon = float(self.weights.weight[said != self.y].sum() / self.weights.total)
        if (said == self.y).all():
            epsilon = 0.0  # whatever rounding says
        # Rules that vote with probabilities are of use up to the error of guessing, as in SAMME.
        algorithm = "SAMME" if plan.algorithm == "SAMME.R" else plan.algorithm
        return discrete(epsilon, plan.n_classes, algorithm, plan.learning_rate, plan.n_cases), said

    def _hears_nothing(self, said: np.ndarray, before: np.ndarray | None) -> bool:
        """Whether it says what it said in the round before, though weights have changed; then that is warned of."""
        if before is None or self.is_book or self.resample or not np.array_equal(said, before):
            return False
        warn(
            f"{WHO}.fit: {self.name} learnt the same in round {self.n_before + len(self.members) + 1} as in the "
            "round before, as if it ignored its weights; no further round is taken (resample=True draws rows by "
            "their weights instead).",
            ConvergenceWarning,
        )
        return True

    def newest_votes(self, X: Encoded) -> np.ndarray:
        """What the member of the last round says."""
        return votes_of(self.members[-1], self.alphas[-1], X, self.plan)
