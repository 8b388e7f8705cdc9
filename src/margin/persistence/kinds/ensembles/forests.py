"""Forests: their arrays, and whether these fit the columns and classes of the model around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from margin.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from margin.ensemble.forest.trees import Trees
from margin.errors import PersistenceError
from margin.persistence.kinds.base import MIXED, OUTPUTS, model, shares
from margin.persistence.objects.arrays import Array, at_least, finite, positive
from margin.persistence.objects.fields import Absent, Field, Flag, Number, Object, Text, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

TREES: dict[str, Field] = {
    "nodes": Array("u8", "n", 2),
    "start": Array("i8", None),
    "words": Array("u8", None),
    "shares": Array("f8", None, None, finite),
    "of_classes": Flag(),
    "n_columns": Whole(1),
    "leaf_weight": Absent(Array("f4", None, positive), default=lambda: np.empty(0, np.float32)),
}


def _sound(trees: Trees) -> str | None:
    """The core looks at every node before it walks down any."""
    if len(trees.start) < 2:
        return "it has no trees"
    if len(trees.leaf_weight) not in (0, int(trees.is_leaf.sum())):
        return "it has other weights than leaves"
    try:
        _ = trees.walker
    except PersistenceError as error:
        return str(error)
    return None


def _fits_columns(made: Any) -> str | None:
    trees, columns = made.trees_, made._columns
    if columns.text:
        return "a forest reads no free text"
    if trees.n_columns != columns.n:
        return "its trees know other columns"
    coded = [column for column in columns.schema or () if not column.is_numeric]
    is_number = np.ones(columns.n, dtype=bool)
    is_number[columns.n - len(coded) :] = False
    if is_number[trees.column[trees.is_subset]].any():
        return "its trees ask for levels of a column of numbers"
    return None


def _classes_fit(made: Any) -> str | None:
    if isinstance(made.classes_, list) != made.outputs_2d_:
        return "it has one target and several, both at once"
    n_classes = sum(map(len, made.classes_)) if made.outputs_2d_ else len(made.classes_)
    if not made.trees_.of_classes or made.trees_.shares.shape[1] != n_classes:
        return "its trees tell other classes apart"
    if made._costs is not None and (made.outputs_2d_ or len(made._costs) != n_classes):
        return "its costs are of other classes"
    return _votes_fit(made, n_classes) or _fits_columns(made)


def _values_fit(made: Any) -> str | None:
    n_rows, width = made.trees_.shares.shape
    if made.trees_.of_classes or (width == 1 and n_rows > 0):
        return "its trees answer classes"
    if width > 1 and "_oob_votes" in vars(made) and "_oob_r2" not in vars(made):
        return "it has votes out of bag and no score of them"
    return _votes_fit(made, width) or _fits_columns(made)


def _votes_fit(made: Any, width: int) -> str | None:
    votes, counts = vars(made).get("_oob_votes"), vars(made).get("_oob_counts")
    if votes is None and counts is None:
        return None
    unfit = votes is None or counts is None or votes.shape != (len(counts), width)
    return "it has other votes out of bag than rows" if unfit else None


FOREST: dict[str, Field] = {
    "trees_": Object("trees"),
    "growth_": Text(),
    "feature_importances_": Array("f8", None, shares),
    "_seed": Absent(Array("u8", 1)),
    "oob_error_": Absent(Array("f8", None)),
    "_oob_votes": Absent(Array("f8", "r", None, finite)),
    "_oob_counts": Absent(Array("i4", "r", at_least(0))),
}

COSTS = Absent(Array("f8", "k", "k", at_least(0), finite))
CLASSES: dict[str, Field] = {"classes_": OUTPUTS, "outputs_2d_": Absent(Flag()), "_costs": COSTS, **FOREST}
VALUES: dict[str, Field] = {**FOREST, "_variance": Absent(Number(0.0)), "_oob_r2": Absent(Number(missing=True))}


def _with_one_target(state: dict[str, Any]) -> dict[str, Any]:
    """Models of version 1 had one target."""
    return {**state, "classes": [0, state["classes"]]}


def _of_classes(name: str, cls: type) -> Kind:
    return model(name, cls, CLASSES, sees=MIXED, check=_classes_fit, version=2, steps={1: _with_one_target})


KINDS: tuple[Kind, ...] = (
    Kind("trees", Trees, TREES, check=_sound, derived=frozenset({"walker"})),
    _of_classes("random-forest-classifier", RandomForestClassifier),
    _of_classes("extra-trees-classifier", ExtraTreesClassifier),
    model("random-forest-regressor", RandomForestRegressor, VALUES, sees=MIXED, check=_values_fit),
    model("extra-trees-regressor", ExtraTreesRegressor, VALUES, sees=MIXED, check=_values_fit),
)
