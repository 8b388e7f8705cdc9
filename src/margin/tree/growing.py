"""Growing trees: clean columns in, a :class:`margin.tree.nodes.Tree` out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.inputs import dense_from_sparse
from margin.base.mixed import MixedData
from margin.tree.nodes import Tree

__all__ = ["Columns", "grow_classes"]


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
    columns = Columns(X)
    arrays = _core.tree.grow_classes(
        numbers_of(X),
        codes_of(X),
        columns.n_levels,
        columns.nominal,
        y,
        weight,
        n_classes,
        criterion,
        dict(settings),
        monotone,
        n_threads,
    )
    return Tree(**arrays)
