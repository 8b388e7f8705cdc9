"""Additive models: the trees of each score, and how loss and error went from round to round.

Letters: ``m`` rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.boosting.additive.gentle import GentleBoostClassifier
from margin.boosting.additive.logit import LogitBoostClassifier
from margin.boosting.additive.trees import AdditiveTrees
from margin.errors import PersistenceError
from margin.persistence.kinds.base import MIXED, classifier
from margin.persistence.objects.arrays import Array, at_least
from margin.persistence.objects.fields import Absent, Field, Object, TupleOf, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]


def _sound(trees: AdditiveTrees) -> str | None:
    """The core looks at every node before it walks down any."""
    if len(trees.start) < 2:
        return "there are no trees"
    try:
        _ = trees.walker
    except PersistenceError as error:
        return str(error)
    return None if np.isfinite(trees.threshold[trees.is_leaf]).all() else "a leaf adds no number"


def _fits(made: Any) -> str | None:
    columns, n_rounds = made._columns, len(made.loss_)
    if columns.text:
        return "additive trees read no free text"
    if len(made.trees_) != made._n_sums or len(made.error_) != n_rounds:
        return "there must be trees for each score"
    if "validation_loss_" in vars(made) and len(made.validation_loss_) != n_rounds:
        return "there must be a loss for each round"
    coded = [column for column in columns.schema or () if not column.is_numeric]
    for trees in made.trees_:
        if trees.n_trees != n_rounds or trees.n_columns != columns.n:
            return "its trees know other columns or rounds"
        if (trees.column[trees.is_subset] < columns.n - len(coded)).any():
            return "its trees ask for levels of a column of numbers"
    return None


ROUNDS: dict[str, Field] = {
    "trees_": TupleOf(Object("additive-trees")),
    "loss_": Array("f8", "m", at_least(0)),
    "error_": Array("f8", "m", at_least(0)),
    "validation_loss_": Absent(Array("f8", "m", at_least(0))),
    "_seed": Absent(Whole(0, 2**64 - 1)),
}

KINDS: tuple[Kind, ...] = (
    Kind(
        "additive-trees",
        AdditiveTrees,
        {
            "nodes": Array("u8", "n", 2),
            "start": Array("i8", None),
            "words": Array("u8", None),
            "n_columns": Whole(1),
        },
        check=_sound,
        derived=frozenset({"walker"}),
    ),
    classifier("gentleboost-classifier", GentleBoostClassifier, ROUNDS, sees=MIXED, check=_fits),
    classifier("logitboost-classifier", LogitBoostClassifier, ROUNDS, sees=MIXED, check=_fits),
)
