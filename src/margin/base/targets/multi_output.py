"""Several targets at once: the columns of y, the labels of each, and answers put side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_memory
from margin.base.targets.labels import array_of, encode_labels
from margin.data.frames.dataframes import is_frame, open_frame
from margin.data.table import Table
from margin.errors import LabelError, unreadable

__all__ = ["answers_of", "encode_outputs", "output_columns", "output_names", "refuse_several", "side_by_side"]


def output_columns(y: Any, who: str) -> list[Any] | None:
    """The columns of a y of several targets; None where there is one, or what is given is no y at all.

    >>> output_columns([[1, "left"], [2, "right"]], "fit")
    [[1, 2], ['left', 'right']]
    >>> output_columns([1, 2], "fit") is output_columns([[1], [2]], "fit") is None
    True
    """
    try:
        return _columns_of(y, who)
    except Exception as error:  # y is any object at all, and may raise where it is only looked at
        raise LabelError(f"{who}: {unreadable('y', y, error)}") from None


def _columns_of(y: Any, who: str) -> list[Any] | None:
    if isinstance(y, (list, tuple)):
        return _columns_of_rows(y)
    if y is None or len(getattr(y, "shape", ())) == 1:
        return None
    if hasattr(y, "tocsr"):
        if y.ndim != 2 or y.shape[1] < 2:
            return None
        check_memory(y.shape[0], y.shape[1], who, "written out with its zeros, y")
        return list(y.toarray().T)
    if isinstance(y, Table):
        columns = [y.values(name) for name in y.names]
    elif is_frame(y):
        columns = list(open_frame(y, who)[0].values())
    elif isinstance(y, np.ndarray):
        columns = list(y.T) if y.ndim == 2 else []
    elif hasattr(y, "__array__") and not hasattr(y, "to_list") and not hasattr(y, "to_pylist"):
        return output_columns(array_of(y, who, "label"), who)
    else:  # a series is one column
        return None
    return columns if len(columns) > 1 else None


def _columns_of_rows(y: Any) -> list[Any] | None:
    """NumPy is not asked: it would make words of the numbers beside words."""
    if not y or not all(isinstance(row, (list, tuple, np.ndarray)) for row in y):
        return None
    widths = {np.size(row) if isinstance(row, np.ndarray) else len(row) for row in y}
    if len(widths) > 1 or widths == {0} or widths == {1}:
        return None
    return [list(column) for column in zip(*y)]


def output_names(y: Any) -> list[str] | None:
    """What the columns of a y of several targets are called; None where they have no names.

    >>> output_names(Table.from_columns({"rainy": [0, 1], "warm": [1, 1]}))
    ['rainy', 'warm']
    """
    if isinstance(y, Table):
        return list(y.names)
    if hasattr(y, "tocsr") or not is_frame(y):
        return None
    return [str(name) for name in getattr(y, "column_names", None) or y.columns]


def refuse_several(columns: list[Any] | None, n_rows: int, model: str, who: str) -> None:
    """Say what a model of one target is wrapped in where there are several: columns of labels, or sets of them."""
    found = "Unknown label type: set" if columns is None else f"bad input shape {n_rows} × {len(columns)}"
    raise LabelError(
        f"{who}: y must be one label per row ({found}); "
        f"for several labels a row use OneVsRest({model}()) or ClassifierChain({model}())."
    )


def encode_outputs(columns: list[Any], n_rows: int, who: str) -> tuple[list[np.ndarray], np.ndarray]:
    """The classes of each target, and a code for each row (rows) and target (columns)."""
    found = [encode_labels(column, n_rows, f"{who}, column {j} of y") for j, column in enumerate(columns)]
    return [classes for classes, _ in found], np.column_stack([codes for _, codes in found])


def answers_of(classes: list[np.ndarray], scores: list[np.ndarray]) -> np.ndarray:
    """The label of the largest score, of each row and target."""
    return side_by_side([labels.take(found.argmax(axis=1)) for labels, found in zip(classes, scores)])


def side_by_side(columns: list[np.ndarray]) -> np.ndarray:
    """Columns of labels as one array, in their own types where these differ in kind.

    >>> side_by_side([np.array([1, 2]), np.array(["left", "right"])])
    array([[1, 'left'],
           [2, 'right']], dtype=object)
    """
    same = len({column.dtype.kind for column in columns}) == 1
    dtype = np.result_type(*columns) if same else np.dtype(object)
    return np.stack([column.astype(dtype) for column in columns], axis=1)
