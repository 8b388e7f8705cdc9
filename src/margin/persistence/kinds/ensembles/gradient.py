"""Gradient boosting: its arrays, and whether these fit the columns and classes of the model around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.boosting.gradient.boosted_trees import BoostedTrees
from margin.boosting.gradient.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import PersistenceError
from margin.persistence.kinds.base import MIXED, classifier, model, shares
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, Field, Object, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

TREES: dict[str, Field] = {
    "nodes": Array("u8", "n", 2),
    "start": Array("i8", None),
    "words": Array("u8", None),
    "gain": Array("f8", "n", finite),
    "cover": Array("f8", "n", finite, at_least(0)),
    "base": Array("f8", None, finite),
    "n_columns": Whole(1),
    "term_nodes": Absent(Array("i8", "t"), lambda: np.empty(0, np.int64)),
    "term_columns": Absent(Array("u4", "t"), lambda: np.empty(0, np.uint32)),
    "term_numbers": Absent(Array("f8", "t", 4, finite), lambda: np.empty((0, 4))),
}


def _sound(trees: BoostedTrees) -> str | None:
    """The core looks at every node before it walks down any."""
    if len(trees.start) < 2 or not len(trees.base):
        return "it has no trees"
    try:
        _ = trees.walker
    except PersistenceError as error:
        return str(error)
    return None


def _fits_columns(made: Any) -> str | None:
    trees, columns = made.trees_, made._columns
    if columns.text:
        return "boosted trees read no free text"
    if trees.n_columns != columns.n:
        return "its trees know other columns"
    coded = [column for column in columns.schema or () if not column.is_numeric]
    is_number = np.ones(columns.n, dtype=bool)
    is_number[columns.n - len(coded) :] = False
    if is_number[trees.column[trees.is_subset]].any():
        return "its trees ask for levels of a column of numbers"
    if not is_number[trees.term_columns].all():
        return "its leaves have slopes of columns that are no numbers"
    return None


def _classes_fit(made: Any) -> str | None:
    n_classes = len(made.classes_)
    if len(made.trees_.base) != (1 if n_classes <= 2 else n_classes):
        return "its trees tell other classes apart"
    return _fits_columns(made)


def _values_fit(made: Any) -> str | None:
    return "its trees have several scores" if len(made.trees_.base) != 1 else _fits_columns(made)


BOOSTING: dict[str, Field] = {
    "trees_": Object("boosted-trees"),
    "validation_loss_": Array("f8", None),
    "feature_importances_": Array("f8", None, shares),
    "_seed": Array("u8", 1),
}
VALUES: dict[str, Field] = {**BOOSTING, "train_loss_": Absent(Array("f8", None))}

KINDS: tuple[Kind, ...] = (
    Kind("boosted-trees", BoostedTrees, TREES, check=_sound, derived=frozenset({"walker", "narrow"})),
    classifier("gradient-boosting-classifier", GradientBoostingClassifier, BOOSTING, sees=MIXED, check=_classes_fit),
    model("gradient-boosting-regressor", GradientBoostingRegressor, VALUES, sees=MIXED, check=_values_fit),
)
