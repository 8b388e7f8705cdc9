"""What "auto" stands for: step, rounds, trees and shares by the number of rows, and what says when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from margin.boosting.patience import FOLDS

__all__ = ["Plan", "folds_asked", "plans_for"]

#: From so many rows on a part of them is held back to say when to stop; below, folds of the rows say it.
MANY_ROWS = 10_000
#: Rounds where nothing says when to stop, and at most where something does.
ROUNDS, MOST_ROUNDS = 100, 1000
#: A round has a tree for each score. Of more scores than that there are so many trees at most, but never fewer rounds
#: than 200, and fewer folds: a thousand rows of eleven classes would take most of a minute.
MANY_SCORES, MOST_TREES, LEAST_ROUNDS, FEWER_FOLDS = 6, 3000, 200, 2

Stop = Literal["no", "folds", "part"]


@dataclass(frozen=True)
class Plan:
    """How a model is fitted to some rows; fields are the parameters of the model once "auto" is settled.

    ``stop`` is what says when to stop: nothing, the rows of each fold in turn, or a part that is held back.
    """

    n_estimators: int = ROUNDS
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    min_samples_leaf: Any = 20
    l2: float = 1.0
    subsample: float = 1.0
    max_features: float = 1.0
    stop: Stop = "no"
    growth: str = "leaf"
    max_bins: int = 255


#: Few rows are learnt in three ways, and folds choose: many small trees of part of the rows and columns each, which
#: noise does not lead astray; larger ones of all rows, for targets that follow from the columns without chance; and
#: trees that ask one question for each level, for targets that hang on the same few columns together everywhere.
FEW_ROWS = (
    Plan(MOST_ROUNDS, 0.05, 8, 2, 2.0, 0.7, 0.5, "folds"),
    Plan(MOST_ROUNDS, 0.1, 31, 5, 1.0, 1.0, 1.0, "folds"),
    Plan(MOST_ROUNDS, 0.05, 16, 2, 3.0, 1.0, 1.0, "folds", "symmetric"),
)
#: More rows: a part of the columns makes trees differ, and costs less. The rows held back choose.
MORE_ROWS = (
    Plan(MOST_ROUNDS, 0.05, 31, 20, 1.0, 1.0, 0.7, "part"),
    Plan(MOST_ROUNDS, 0.1, 64, 20, 3.0, 1.0, 1.0, "part", "symmetric"),
)
#: Very many rows bear larger trees, and one way to learn them is enough.
VERY_MANY_ROWS = 100_000
VERY_MANY = (Plan(MOST_ROUNDS, 0.1, 63, 20, 1.0, 1.0, 0.7, "part"),)
#: Few rows of many classes have few rounds: longer steps, and larger trees.
MANY_CLASSES = (Plan(MOST_ROUNDS, 0.2, 16, 2, 2.0, 0.7, 0.5, "folds"), FEW_ROWS[1])
#: A node of few rows fills few bins, and looking at all of them is most of its time. Columns of fewer rows than these
#: have hardly more numbers than that.
FEW_BINS, ROWS_OF_FEW_BINS = 64, 500
SETTLED = (
    "max_bins",
    "learning_rate",
    "max_leaf_nodes",
    "min_samples_leaf",
    "l2",
    "subsample",
    "max_features",
    "growth",
)


def folds_asked(n_scores: int) -> int:
    """Of the folds, how many say when to stop."""
    return FOLDS if n_scores <= MANY_SCORES else FEWER_FOLDS


def plans_for(
    model: Any, n_rows: int, n_scores: int = 1, *, going_on: bool = False, symmetric: bool = True
) -> tuple[Plan, ...]:
    """What the parameters of a model mean for so many rows: one plan, or several to choose from.

    A model that goes on from earlier trees never stops early, and one that was asked for a number of rounds makes it.
    ``symmetric`` says whether trees of one question for each level come into question where nobody asked for them.
    """
    stop = "no" if going_on else _stop(model, n_rows)
    plans: tuple[Plan, ...] = (Plan(stop=stop),)
    if model.n_estimators == "auto" and stop != "no":
        plans = FEW_ROWS if stop == "folds" else MORE_ROWS if n_rows < VERY_MANY_ROWS else VERY_MANY
        if n_scores > MANY_SCORES:
            most = max(LEAST_ROUNDS, MOST_TREES // n_scores)
            plans = MANY_CLASSES if stop == "folds" else VERY_MANY
            plans = tuple(replace(plan, n_estimators=most) for plan in plans)
        plans = _of_growth(plans, model.growth, symmetric)
        if stop == "folds" and n_rows >= ROWS_OF_FEW_BINS:
            plans = tuple(replace(plan, max_bins=FEW_BINS) for plan in plans)
    given = {name: value for name in SETTLED if (value := getattr(model, name)) != "auto"}
    if model.n_estimators != "auto":
        given["n_estimators"] = int(model.n_estimators)
    if model.top_rate > 0 and "subsample" not in given:
        given["subsample"] = min(0.1, 1 - model.top_rate)
    return tuple(dict.fromkeys(replace(plan, **given) for plan in plans))


def _of_growth(plans: tuple[Plan, ...], asked: str, symmetric: bool) -> tuple[Plan, ...]:
    """Those that grow as asked for; where none does the others, which then grow like that."""
    kept = tuple(plan for plan in plans if (plan.growth == "symmetric") == (asked == "symmetric"))
    if asked == "auto":
        kept = tuple(plan for plan in plans if symmetric or plan.growth != "symmetric")
    return kept or plans


def _stop(model: Any, n_rows: int) -> Stop:
    asked = model.early_stopping
    if asked == "auto" and model.n_estimators != "auto":
        return "no"
    if asked == "folds" or (asked == "auto" and n_rows < MANY_ROWS):
        return "folds" if n_rows >= 2 * FOLDS else "no"
    return "part" if asked else "no"
