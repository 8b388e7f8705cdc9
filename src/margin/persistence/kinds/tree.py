"""Trees: their arrays, and whether these fit the columns and classes of the model around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.persistence.kinds.base import MIXED, OUTPUTS, classifier, model
from margin.persistence.objects.arrays import Array, Parts, at_least, finite, known
from margin.persistence.objects.fields import Absent, Field, Flag, Maybe, Object, Whole
from margin.persistence.objects.kind import Kind
from margin.tree.c45 import C45
from margin.tree.decision_stump import DecisionStump
from margin.tree.decision_tree import DecisionTreeClassifier
from margin.tree.discretizer import Discretizer
from margin.tree.id3 import ID3
from margin.tree.node_checks import what_is_unsound
from margin.tree.nodes import Ask, Tree
from margin.tree.pruning.choose import AlphaChoice
from margin.tree.pruning.reduced_error import PruningTrace
from margin.tree.regression_tree import DecisionTreeRegressor

__all__ = ["KINDS"]

#: Words of bits for the subsets of all nodes that the layout for walking can count.
MOST_WORDS = 2**32

TREE: dict[str, Field] = {
    "ask": Array("u1", "n"),
    "column": Array("i4", "n"),
    "threshold": Array("f8", "n", known),
    "missing": Array("i4", "n"),
    "value": Array("f8", "n", "k", finite),
    "cases": Array("i8", "n", at_least(0)),
    "weight": Array("f8", "n", at_least(0), finite),
    "impurity": Array("f8", "n"),
    "gain": Array("f8", "n"),
    "child_start": Array("i8", "n+1"),
    "child": Array("i4", None),
    "detail_start": Array("i8", "n+1"),
    "detail": Array("f8", None),
    "surrogate_start": Array("i8", "n+1"),
    "surrogate_column": Array("i4", "s"),
    "surrogate_threshold": Array("f8", "s", known),
    "surrogate_low": Array("i4", "s"),
    "surrogate_detail_start": Array("i8", "s+1"),
    "surrogate_detail": Array("f8", None),
}


def _sound(tree: Tree) -> str | None:
    wrong = what_is_unsound(tree.arrays())
    return f"its arrays do not fit together: {wrong}" if wrong else None


def _fits_columns(made: Any) -> str | None:
    """Whether the tree asks only what the columns of the model can answer."""
    tree, columns = made.tree_, made._columns
    if columns.text:
        return "a tree reads no free text"
    n_levels = np.array([len(c.levels) for c in columns.schema or () if not c.is_numeric], dtype=np.int64)
    n_numbers = columns.n - len(n_levels)
    inner = np.flatnonzero(tree.ask != Ask.NOTHING)
    for asked in (tree.column[inner], tree.surrogate_column):
        if len(asked) and asked.max() >= columns.n:
            return "its tree asks about a column that there is not"
    levels = _levels_of(tree.column, n_levels, n_numbers)
    if (np.diff(tree.child_start) != levels)[tree.ask == Ask.LEVEL].any():
        return "its tree has other branches than a column has levels"
    is_subset = tree.ask == Ask.SUBSET
    if (_last_codes(tree.detail, tree.detail_start) >= levels)[is_subset].any() or (levels[is_subset] == 0).any():
        return "its tree asks for a level that there is not"
    levels = _levels_of(tree.surrogate_column, n_levels, n_numbers)
    if (_last_codes(tree.surrogate_detail, tree.surrogate_detail_start) >= levels).any():
        return "its tree asks for a level that there is not"
    words = _last_codes(tree.detail, tree.detail_start)[is_subset] // 64 + 1
    return "its tree asks for too many levels" if words.sum() >= MOST_WORDS else None


def _levels_of(column: np.ndarray, n_levels: np.ndarray, n_numbers: int) -> np.ndarray:
    """How many levels the column of each question has; 0 for numbers, and where nothing is asked."""
    found = np.zeros(len(column), dtype=np.int64)
    coded = column >= n_numbers
    found[coded] = n_levels[column[coded] - n_numbers]
    return found


def _last_codes(detail: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The largest code, or cut, of each list; -1 of an empty one."""
    last = np.full(len(start) - 1, -1.0)
    filled = start[1:] > start[:-1]
    last[filled] = detail[start[1:][filled] - 1]
    return last


def _classes_fit(made: Any) -> str | None:
    if isinstance(made.classes_, list) != made.outputs_2d_ or made.n_outputs_ != _n_outputs(made):
        return "it has one target and several, both at once"
    if made.tree_.value.shape[1] != _n_classes(made):
        return "its tree tells other classes apart"
    return "a class has a weight below 0" if (made.tree_.value < 0).any() else _fits_columns(made)


def _n_outputs(made: Any) -> int:
    return len(made.classes_) if made.outputs_2d_ else 1


def _n_classes(made: Any) -> int:
    """Classes of all outputs together."""
    return sum(map(len, made.classes_)) if made.outputs_2d_ else len(made.classes_)


def _settings_fit(made: Any) -> str | None:
    n, factors = _n_classes(made), getattr(made, "_class_factors", made._priors)
    if len(made._priors) != n or len(factors) != n or (made.outputs_2d_ and made._costs is not None):
        return "its classes have other weights"
    return _classes_fit(made)


def _values_fit(made: Any) -> str | None:
    unfit = made.tree_.value.shape[1] != made.n_outputs_
    return "its tree has other values for a node than outputs" if unfit else _fits_columns(made)


def _with_one_target(state: dict[str, Any]) -> dict[str, Any]:
    """Models of version 1 had one target."""
    return {**state, "classes": [0, state["classes"]]}


def _cuts_fit(made: Discretizer) -> str | None:
    columns = made._columns
    if columns.text or len(made.cuts_) != columns.n:
        return "there must be cuts for every column"
    if any(len(cuts) for cuts, c in zip(made.cuts_, columns.schema or ()) if not c.is_numeric):
        return "there are cuts for a column of words"
    return "cuts do not ascend" if any((cuts[1:] < cuts[:-1]).any() for cuts in made.cuts_) else None


def _has_steps(trace: PruningTrace) -> str | None:
    return None if len(trace) else "it has no steps"


def _is_a_step(choice: AlphaChoice) -> str | None:
    return None if choice.chosen < len(choice.alphas) else "the step that was chosen is none of those there are"


ONE_TREE: dict[str, Field] = {"tree_": Object("tree"), "n_outputs_": Whole(1, 1)}
CART: dict[str, Field] = {
    "tree_": Object("tree"),
    "n_outputs_": Whole(1),
    "max_features_": Whole(0),
    "pruning_trace_": Absent(Object("pruning-trace")),
    "pruning_path_": Absent(Object("alpha-choice")),
}
OF_CLASSES: dict[str, Field] = {
    "_costs": Maybe(Array("f8", "k", "k", at_least(0), finite)),
    "_class_factors": Absent(Array("f8", "k", at_least(0), finite)),
    "_priors": Array("f8", "k", at_least(0), finite),
}

KINDS: tuple[Kind, ...] = (
    Kind("tree", Tree, TREE, check=_sound, derived=frozenset({"is_leaf", "parent", "depths", "end", "walker"})),
    Kind(
        "pruning-trace",
        PruningTrace,
        {"node": Array("i8", "n"), "leaves": Array("i8", "n"), "loss": Array("f8", "n")},
        check=_has_steps,
    ),
    Kind(
        "alpha-choice",
        AlphaChoice,
        {
            "alphas": Array("f8", "n"),
            "leaves": Array("i8", "n"),
            "impurities": Array("f8", "n"),
            "losses": Array("f8", "n"),
            "standard_errors": Array("f8", "n"),
            "chosen": Whole(0),
        },
        check=_is_a_step,
    ),
    classifier("id3", ID3, ONE_TREE, sees=MIXED, check=_classes_fit),
    classifier("c45", C45, ONE_TREE, sees=MIXED, check=_classes_fit),
    model(
        "decision-stump",
        DecisionStump,
        {"classes_": OUTPUTS, "outputs_2d_": Absent(Flag()), **CART, **OF_CLASSES},
        sees=MIXED,
        check=_settings_fit,
    ),
    model(
        "decision-tree-classifier",
        DecisionTreeClassifier,
        {"classes_": OUTPUTS, "outputs_2d_": Absent(Flag()), **CART, **OF_CLASSES},
        sees=MIXED,
        check=_settings_fit,
        version=2,
        steps={1: _with_one_target},
    ),
    model("decision-tree-regressor", DecisionTreeRegressor, CART, sees=MIXED, check=_values_fit),
    model(
        "discretizer",
        Discretizer,
        {"cuts_": Parts("f8", known)},
        sees=MIXED,
        check=_cuts_fit,
    ),
)
