"""Growing trees: clean columns in, a :class:`margin.tree.nodes.Tree` out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.inputs import dense_from_sparse
from margin.base.mixed import MixedData
from margin.tree.nodes import Tree

__all__ = ["Columns", "grow_classes", "grow_values"]


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


def grow_classes(
    X: MixedData,
    y: np.ndarray,
    weight: np.ndarray,
    n_classes: int,
    criterion: str,
    settings: Mapping[str, Any],
    monotone: np.ndarray,
    n_threads: int,
) -> Tree:
    """A tree for classes 0 … ``n_classes`` - 1; ``settings`` are those of ``settings.hpp``."""
    columns, scale = Columns(X), binary_scale(weight)
    tree = Tree(
        **_core.tree.grow_classes(
            numbers_of(X),
            codes_of(X),
            columns.n_levels,
            columns.nominal,
            np.ascontiguousarray(y, dtype=np.int32),
            given_weights(weight * scale),
            n_classes,
            criterion,
            {**settings, "min_leaf_weight": settings.get("min_leaf_weight", 0.0) * scale},
            monotone,
            n_threads,
        )
    )
    return scaled_back(tree, scale, scale, 0)


def grow_values(
    X: MixedData,
    y: np.ndarray,
    weight: np.ndarray,
    criterion: str,
    settings: Mapping[str, Any],
    monotone: np.ndarray,
    n_threads: int,
) -> Tree:
    """A tree for numbers; ``settings`` are those of ``settings.hpp``."""
    columns, scale, y_scale = Columns(X), binary_scale(weight), binary_scale(y)
    power = 1 if criterion == "absolute_error" else 2
    limits = {
        "min_leaf_weight": settings.get("min_leaf_weight", 0.0) * scale,
        "min_decrease": math.prod([y_scale] * power, start=settings.get("min_decrease", 0.0)),
    }
    tree = Tree(
        **_core.tree.grow_values(
            numbers_of(X),
            codes_of(X),
            columns.n_levels,
            columns.nominal,
            np.ascontiguousarray(y, dtype=np.float64) * y_scale,
            given_weights(weight * scale),
            criterion,
            {**settings, **limits},
            monotone,
            n_threads,
        )
    )
    return scaled_back(tree, scale, y_scale, power)
