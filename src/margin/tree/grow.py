"""Growing trees: clean columns in, a :class:`margin.tree.nodes.Tree` out; on bins, thresholds lie only between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.inputs.arrays import dense_from_sparse
from margin.base.representations.mixed import MixedData
from margin.tree.criteria import criteria
from margin.tree.nodes import Tree

__all__ = ["FREE", "MOST_BINS", "Columns", "core_settings", "grow", "why_not_binned"]

#: No column is bound to rise or fall.
FREE = np.empty(0, dtype=np.int8)


class Columns:
    """The columns as the core counts them: numbers first, then coded ones."""

    def __init__(self, X: MixedData) -> None:
        coded = [column for column in X.schema or () if not column.is_numeric]
        self.n_numbers = X.numeric.shape[1]
        self.n_levels = np.array([len(column.levels) for column in coded], dtype=np.int64)
        self.nominal = np.array([column.kind != "ordinal" for column in coded], dtype=np.uint8)


def numbers_of(X: MixedData, who: str = "") -> np.ndarray:
    """The numbers as float32 or float64, row after row."""
    numbers = X.numeric if isinstance(X.numeric, np.ndarray) else dense_from_sparse(X.numeric, who)
    if numbers.dtype not in (np.float32, np.float64):
        numbers = numbers.astype(np.float64)
    return np.ascontiguousarray(numbers)


def codes_of(X: MixedData) -> np.ndarray:
    """The coded columns side by side."""
    return (
        np.ascontiguousarray(np.column_stack(X.codes), dtype=np.int32) if X.codes else np.empty((len(X), 0), np.int32)
    )


def binary_scale(numbers: np.ndarray) -> float:
    """A power of two that brings numbers whose squares would leave the range of a double near 1; else 1."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0 or 1e-30 < largest < 1e30:
        return 1.0
    return float(np.ldexp(1.0, -max(int(np.frexp(largest)[1]), -1000)))


def given_weights(weight: np.ndarray) -> np.ndarray:
    """Weights as the core wants them: none at all where all are 1."""
    return np.empty(0) if (weight == 1).all() else np.ascontiguousarray(weight, dtype=np.float64)


def scaled_back(tree: Tree, weight: float, value: float, power: int) -> Tree:
    """The tree in the units that weights and values came in; ``power`` is that of the unit of values in impurities."""
    if weight == value == 1:
        return tree
    impurity, gain = tree.impurity, tree.gain
    with np.errstate(over="ignore"):  # the variance of numbers near 1e300 is beyond all doubles
        for _ in range(power):
            impurity, gain = impurity / value, gain / value
        return replace(tree, weight=tree.weight / weight, value=tree.value / value, impurity=impurity, gain=gain)


def core_settings(settings: Mapping[str, Any]) -> Any:
    """Settings as the core takes them (``settings.hpp``), choices by their names; what it does not know is an error.

    >>> core_settings({"min_leaf": 3, "nominal": "multiway"}).min_leaf
    3
    """
    found = _core.tree.Settings()
    for name, value in settings.items():
        default = getattr(found, name)
        setattr(found, name, type(default)[value] if isinstance(default, Enum) else value)
    return found


def grow(
    X: MixedData,
    y: np.ndarray,
    weight: np.ndarray,
    criterion: str,
    settings: Mapping[str, Any],
    *,
    n_classes: int | Sequence[int] = 0,
    monotone: np.ndarray = FREE,
    bins: int | None = None,
    n_threads: int = 1,
) -> Tree:
    """A tree for classes 0 … ``n_classes`` - 1 or, under a criterion of values, for numbers.

    Where y has several columns it is one tree for all of them, ``n_classes`` has a number for each, and neither bins
    nor monotone columns are known.

    ``settings`` are those of ``settings.hpp``. With ``bins`` columns with at most so many different numbers have a bin
    for each, and the tree is the same as without (where columns are drawn at random, other ones are). Other columns
    are cut where their bins are about equally full, by a sample of rows if there are more than 32768. Of nominal
    columns with more levels the ``bins`` - 1 most frequent ones have a bin each, and the others share one; neighbouring
    levels of ordinal columns share bins.

    >>> X, ones = MixedData(np.array([[1.0], [2.0], [6.0], [7.0]])), np.ones(4)
    >>> grow(X, np.array([0, 0, 1, 1]), ones, "gini", {}, n_classes=2, bins=255).threshold[0]
    np.float64(4.0)
    >>> grow(X, np.array([0.0, 0.0, 5.0, 5.0]), ones, "squared_error", {}).value.ravel().tolist()
    [2.5, 0.0, 5.0]
    """
    columns, known = Columns(X), criteria()[criterion]
    of_classes = known.target == "classes"
    unit, y_unit = binary_scale(weight), 1.0 if of_classes else binary_scale(y)
    limits = {
        "min_leaf_weight": settings.get("min_leaf_weight", 0.0) * unit,
        **{
            name: math.prod([y_unit] * known.unit_power, start=settings[name])
            for name in ("min_decrease", "min_impurity")
            if name in settings
        },
    }
    targets: Any = np.ascontiguousarray(y, np.int32) if of_classes else np.ascontiguousarray(y, np.float64) * y_unit
    rows = numbers_of(X), codes_of(X), columns.n_levels, columns.nominal, targets, given_weights(weight * unit)
    options = core_settings({**settings, **limits}), monotone
    one_count = n_classes if isinstance(n_classes, int) else sum(n_classes)
    if y.ndim == 2 and of_classes:
        counts = np.array(n_classes, dtype=np.int64)
        arrays = _core.tree.grow_several_classes(*rows, counts, criterion, options[0], n_threads)
    elif y.ndim == 2:
        arrays = _core.tree.grow_several_values(*rows, criterion, options[0], n_threads)
    elif bins is None and of_classes:
        arrays = _core.tree.grow_classes(*rows, one_count, criterion, *options, n_threads)
    elif bins is None:
        arrays = _core.tree.grow_values(*rows, criterion, *options, n_threads)
    elif of_classes:
        arrays = _core.tree.grow_binned_classes(*rows, one_count, criterion, *options, bins, n_threads)
    else:  # the squared error is the only criterion of values on bins
        arrays = _core.tree.grow_binned_values(*rows, *options, bins, n_threads)
    return scaled_back(Tree(**arrays), unit, unit if of_classes else y_unit, known.unit_power)


MOST_BINS = 65535  # a cell takes one byte up to 255 bins, and two beyond

_RULES = {
    "gain_ratio": "gain ratios",
    "average_gain": "the rule of the average gain",
    "charge_cuts": "a charge for thresholds",
    "cuts_from_data": "thresholds among the training numbers",
    "two_branches": "small branches",
    "tenth_per_class": "branches of a tenth of the cases",
    "no_useless_splits": "a gain above 0",
}


def why_not_binned(criterion: str, settings: Mapping[str, Any], has_nominal: bool) -> str:
    """What stands against growing on bins; nothing if nothing does.

    >>> why_not_binned("gini", {"nominal": "multiway"}, has_nominal=True)
    'nominal columns are split into two branches there'
    >>> why_not_binned("gini", {"nominal": "subset"}, has_nominal=True)
    ''
    """
    if criteria()[criterion].medians:
        return f"criterion='{criterion}' is not known there"
    if has_nominal and settings.get("nominal") == "multiway":
        return "nominal columns are split into two branches there"
    if settings.get("numeric", "threshold") != "threshold":
        return "numbers are split at a threshold there"
    if settings.get("missing", "direction") != "direction":
        return "missing cells go one way there"
    if criteria()[criterion].target == "values" and has_nominal and settings.get("charge_levels"):
        return "divisions of levels are free of charge there"
    if settings.get("largest_p", 1.0) < 1:
        return "splits are not tested for chance there"
    return next((f"{what} cannot be asked for there" for rule, what in _RULES.items() if settings.get(rule)), "")
