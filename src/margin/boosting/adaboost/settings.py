"""What the rounds of AdaBoost are told, and what they give."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from margin.boosting.adaboost.votes import Weighed
from margin.params import Rule, no_text

__all__ = ["Learner", "Plan", "Step"]


def _learns(value: Any) -> bool:
    if value is None or isinstance(value, (list, tuple)):
        return value is None or len(value) > 0
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict")


Learner = Annotated[Any, Rule("None, a classifier with fit and predict, or a list of rules", _learns, no_text)]


class Plan(NamedTuple):
    """How rounds are made."""

    algorithm: str
    n_classes: int
    learning_rate: float
    criterion: str
    max_depth: int
    bins: int | None
    n_threads: int
    n_cases: float
    scale_before: float = 0.0


class Step(NamedTuple):
    """What is known after a round."""

    weighed: Weighed
    error: float
    least_margin: float
    margins: np.ndarray
