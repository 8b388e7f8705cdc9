"""From what people have their sequences in to a list of items of one kind.

An item is a text, a tuple of tokens, or an array of steps × numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np

from margin.data.frames.dataframes import is_frame
from margin.data.frames.in_memory import is_records, table_from_memory
from margin.data.missing import is_missing
from margin.data.table import Table
from margin.errors import DataWarning, InputError, InputTypeError, listing, warn

__all__ = ["Items", "SequenceKind", "items_of", "texts_of_column"]

SequenceKind = Literal["texts", "tokens", "numbers"]
_READABLE = "a list of texts, of lists of words or of arrays (steps, numbers), or an array (sequences, steps, numbers)"


class Items(NamedTuple):
    """Items, of which kind they are, and how many numbers a step has (0 for texts and tokens)."""

    values: list[Any]
    kind: SequenceKind
    width: int


def items_of(X: Any, who: str) -> Items:
    """The sequences in X, none of them copied where that need not be."""
    if isinstance(X, str | bytes):
        raise InputTypeError(f"{who}: one text was given; give a list of texts ([text] for a single one).")
    if hasattr(X, "tocsr"):
        raise InputTypeError(f"{who}: a sparse matrix holds no sequences; give {_READABLE}.")
    if not isinstance(X, Table) and (is_frame(X) or is_records(X)):
        X = table_from_memory(X, who)
    if isinstance(X, Table):
        return _of_table(X, who)
    if isinstance(X, np.ndarray) and X.ndim != 1:
        return _of_array(X, who)
    if hasattr(X, "to_list") or hasattr(X, "to_pylist"):  # a column of pandas, polars or pyarrow
        X = X.to_pylist() if hasattr(X, "to_pylist") else X.to_list()
    if isinstance(X, dict | set) or not isinstance(X, Iterable):
        raise InputTypeError(f"{who}: X of type {type(X).__name__} holds no sequences; give {_READABLE}.")
    return _of_list(list(X), who)


def _of_array(X: np.ndarray, who: str) -> Items:
    if X.dtype.kind in "OUST" and X.ndim == 2 and X.shape[1] == 1:
        return _of_list(X[:, 0].tolist(), who)
    if X.dtype.kind == "O" and X.ndim in (2, 3):  # numbers in an array of objects
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"{who}: an array of shape {X.shape} holds what are no numbers; give {_READABLE}."
            ) from None
    if X.dtype.kind not in "fiub" or X.ndim not in (2, 3):
        raise InputError(f"{who}: an array of shape {X.shape} of {X.dtype} holds no sequences; give {_READABLE}.")
    X = X[..., None] if X.ndim == 2 else X
    if not X.shape[2]:
        raise InputError(f"{who}: the steps of an array of shape {X.shape} hold no numbers (0 feature(s)).")
    return Items(list(_floats(X)), "numbers", X.shape[2])


def _floats(X: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused by place
        return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _of_table(table: Table, who: str) -> Items:
    words = [column for column in table.schema if not column.is_numeric]
    texts = [column.name for column in words if column.kind == "text"] or [column.name for column in words]
    if not texts:
        return _of_array(np.column_stack([table.cells(name) for name in table.names]), who)
    if len(texts) > 1:
        raise InputError(
            f"{who}: a table must have one column of texts, and {listing(texts)} are {len(texts)} "
            f"(give the one that is meant: table[[{texts[0]!r}]])."
        )
    return Items(texts_of_column(table, texts[0], who), "texts", 0)


def texts_of_column(table: Table, name: str, who: str) -> list[str]:
    """The texts of a column; what is missing is an empty text."""
    return _without_gaps(table.values(name).tolist(), who)


def _without_gaps(values: list[Any], who: str) -> list[str]:
    missing = [i for i, value in enumerate(values) if value is None or is_missing(value)]
    if missing:
        warn(f"{who}: {len(missing)} texts are missing and read as empty ones: rows {listing(missing)}.", DataWarning)
    gaps = set(missing)
    return ["" if i in gaps else str(value) for i, value in enumerate(values)]


def _of_list(values: list[Any], who: str) -> Items:
    if not values:
        return Items([], "numbers", 0)
    is_text = [isinstance(value, str) for value in values]
    if any(is_text):
        others = [i for i, value in enumerate(values) if not is_text[i] and not (value is None or is_missing(value))]
        if others:
            raise InputTypeError(
                f"{who}: all sequences must be texts where one is, and rows {listing(others)} are not "
                f"({type(values[others[0]]).__name__})."
            )
        return Items(_without_gaps(values, who), "texts", 0)
    if any(isinstance(value, list | tuple) and any(isinstance(each, str) for each in value) for value in values):
        return _of_tokens(values, who)
    arrays = [_steps(value, i, who) for i, value in enumerate(values)]
    held = [(i, len(each.shape) and each.shape[1]) for i, each in enumerate(arrays) if each.shape[1]]
    widths = sorted({width for _, width in held})
    if len(widths) > 1:
        odd = [f"{i} ({width})" for i, width in held if width != held[0][1]]
        raise InputError(
            f"{who}: all steps must hold as many numbers as those of sequence {held[0][0]}, {held[0][1]}; "
            f"those of {listing(odd)} do not."
        )
    width = widths[0] if widths else 1
    return Items([each if each.shape[1] else each.reshape(0, width) for each in arrays], "numbers", width)


def _of_tokens(values: list[Any], who: str) -> Items:
    for i, value in enumerate(values):
        odd = None if isinstance(value, list | tuple) else type(value).__name__
        odd = odd or next((type(each).__name__ for each in value if not isinstance(each, str)), None)
        if odd is not None:
            raise InputTypeError(f"{who}: sequence {i} must be a list of words as the others are, and holds {odd}.")
    return Items([tuple(value) for value in values], "tokens", 0)


def _steps(value: Any, row: int, who: str) -> np.ndarray:
    """One series as an array of steps × numbers."""
    try:
        array = np.asarray(value)
        array = array.astype(np.float64) if array.dtype.kind == "O" else array
    except (TypeError, ValueError):
        raise InputError(f"{who}: sequence {row} is no array of steps × numbers; give {_READABLE}.") from None
    if array.dtype.kind not in "fiub" or array.ndim not in (1, 2):
        what = f"of shape {array.shape} and type {array.dtype}" if array.ndim else f"a single {type(value).__name__}"
        raise InputError(f"{who}: sequence {row} is {what}; give {_READABLE}.")
    if not array.size:
        return np.zeros((0, array.shape[1] if array.ndim == 2 else 0))
    return _floats(array[:, None] if array.ndim == 1 else array)
