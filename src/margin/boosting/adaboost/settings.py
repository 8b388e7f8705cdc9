"""What the rounds of AdaBoost are told, and what they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from margin.boosting.adaboost.votes import Weighed
from margin.boosting.rounds import RoundTable
from margin.params import Rule, no_text

__all__ = ["Learner", "Plan", "Step", "rounds_told"]


def _learns(value: Any) -> bool:
    if value is None or isinstance(value, (list, tuple)):
        return value is None or len(value) > 0
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict")


Learner = Annotated[Any, Rule("None, a classifier with fit and predict, or a list of rules", _learns, no_text)]


class Plan(NamedTuple):
    """How rounds are made; of several labels at once ``n_classes`` is the number of labels, and the algorithm "MH"."""

    algorithm: str
    n_classes: int
    learning_rate: float
    criterion: str
    max_depth: int
    bins: int | None
    n_threads: int
    n_cases: float
    scale_before: float = 0.0

    @property
    def width(self) -> int:
        """How many numbers a vote is."""
        return 1 if self.n_classes == 2 and self.algorithm != "MH" else self.n_classes


class Step(NamedTuple):
    """What is known after a round."""

    weighed: Weighed
    error: float
    least_margin: float
    margins: np.ndarray

    @property
    def taken(self) -> bool:
        """Its rule votes."""
        return True

    @property
    def ends(self) -> bool:
        """Whether there is nothing left to mend."""
        return self.weighed.perfect

    def ending(self, number: int) -> str:
        """Why the rounds end with it."""
        return f"the rule of round {number} has no error"


def rounds_told(before: RoundTable, steps: Sequence[Step], validation: Sequence[float], plan: Plan) -> RoundTable:
    """The rounds so far and those of some steps, in the numbers of ``rounds.FIELDS``."""
    first = float(plan.n_classes - 1) if plan.algorithm == "M2" else 1.0
    bound, exponential = before.numbers[-1, 3:5].tolist() if len(before) else (first, first)
    holds = plan.algorithm != "SAMME.R" or plan.n_classes == 2
    simple = plan.learning_rate == 1 and (plan.n_classes == 2 or plan.algorithm in ("M1", "M2", "MH"))
    numbers = []
    for (weighed, error, least_margin, _), held in zip(steps, validation, strict=True):
        bound = bound * weighed.z if holds else np.nan
        exponential = exponential * float(np.exp(-2 * (0.5 - weighed.epsilon) ** 2)) if simple else np.nan
        found = [weighed.epsilon, weighed.alpha, weighed.z, bound, exponential]
        numbers.append([*found, error, held, least_margin])
    return before.followed_by(numbers, [step.margins for step in steps])
