"""Targets: the distinct labels in their own type, and each row's label as a code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.data.labels import coded
from margin.data.missing import is_missing
from margin.data.table import Table
from margin.errors import LabelError, listing, unreadable, warn
from margin.typing import LabelsLike

__all__ = ["array_of", "encode_labels", "missing_message", "named_classes", "one_dimension"]


def encode_labels(y: LabelsLike, n_rows: int, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The sorted distinct labels, and a code for each row.

    Labels keep their type: integers, strings, booleans and bytes come back as they came in.
    """
    labels = one_dimension(y, who)
    if len(labels) != n_rows:
        raise LabelError(f"{who}: y must have one label per row, but has {len(labels)} labels for {n_rows} rows.")
    if labels.dtype.kind == "O":
        labels = _from_objects(labels, who)
    if labels.dtype.kind == "f":
        _check_floats(labels, who)
    if labels.dtype.kind in "cmMV":
        raise LabelError(f"{who}: Unknown label type: {labels.dtype}; labels must be words, whole numbers or booleans.")
    return coded(labels, who)


def named_classes(classes: Any, who: str) -> np.ndarray:
    """The labels that are named for all rows to come (``partial_fit``), in order and each once."""
    labels = None if isinstance(classes, (str, bytes)) or not hasattr(classes, "__iter__") else list(classes)
    if not labels or any(isinstance(label, (list, tuple, np.ndarray)) for label in labels):
        raise LabelError(f"{who}(classes={classes!r}): classes must be a list of all labels to come, or None.")
    return encode_labels(classes if hasattr(classes, "dtype") else labels, len(labels), who)[0]


def one_dimension(y: LabelsLike, who: str, what: str = "label") -> np.ndarray:
    """Targets as an array of one dimension; ``what`` a target is, for messages."""
    if y is None:
        raise LabelError(f"{who}: requires y to be passed, but the target y is None; give one {what} per row.")
    if hasattr(y, "tocsr"):
        raise LabelError(
            f"{who}: y must be a plain list of {what}s, not a sparse matrix; several {what}s a row need one model each."
        )
    labels = array_of(y, who, what)
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        message = f"A column-vector y was passed when a 1d array was expected; {who} reads it as y.ravel()."
        warn(message, DataConversionWarning)
        labels = labels.reshape(-1)
    if labels.ndim != 1:
        shape = " × ".join(map(str, labels.shape)) or "a single value"
        raise LabelError(f"{who}: y must be one {what} per row (bad input shape {shape}).")
    if labels.dtype.kind == "V":
        raise LabelError(f"{who}: Unknown {what} type: {labels.dtype}.")
    return labels if labels.dtype.isnative else labels.astype(labels.dtype.newbyteorder("="))


def array_of(y: Any, who: str, what: str) -> np.ndarray:
    """Targets as an array of whatever shape that keeps each as it is."""
    if np.ma.is_masked(y):
        raise LabelError(missing_message(np.flatnonzero(np.ma.getmaskarray(y)).tolist(), who, what))
    if isinstance(y, np.ndarray):
        return np.asarray(y.astype(object) if y.dtype.kind == "T" else y)
    if isinstance(y, Table) or hasattr(y, "column_names"):
        raise LabelError(f"{who}: y must be one {what} per row, not a table; give one of its columns.")
    if hasattr(y, "to_list") or hasattr(y, "to_pylist"):  # a series of pandas, polars or pyarrow
        dtype = getattr(y, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
            return np.asarray(y)
        y = y.to_pylist() if hasattr(y, "to_pylist") else y.to_list()
    if isinstance(y, (list, tuple)) and not any(isinstance(value, (list, tuple, np.ndarray)) for value in y[:1]):
        # NumPy would turn [1, "1"] into two equal strings: keep the objects where their types differ.
        # And it would round integers beyond 2**63 to floats.
        # And it would cut off NUL characters at the end of words.
        types = set(map(type, y))
        if len(types) <= 1 and types != {int} and not _ends_in_nul(y, types):
            return np.asarray(y)
        array = np.empty(len(y), dtype=object)
        array[:] = y
        return array
    try:
        return np.asarray(y)
    except ValueError:
        raise LabelError(f"{who}: y must be one {what} per row, but its rows are of different lengths.") from None
    except Exception as error:
        raise LabelError(f"{who}: {unreadable('y', y, error)}") from None


def _ends_in_nul(labels: Sequence[Any], types: set[type]) -> bool:
    if all(issubclass(kind, str) for kind in types):
        return "\0" in "".join(labels) and any(label.endswith("\0") for label in labels)
    return all(issubclass(kind, bytes) for kind in types) and any(label.endswith(b"\0") for label in labels)


def _kind(value: object) -> str:
    if is_missing(value):
        return "missing"
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    if isinstance(value, (int, np.integer)):
        return "whole number"
    if isinstance(value, (float, np.floating)):
        return "number"
    if isinstance(value, str):
        return "word"
    return "bytes" if isinstance(value, bytes) else type(value).__name__


def _from_objects(labels: np.ndarray, who: str) -> np.ndarray:
    """Objects of one type as they are; mixed and missing labels are refused.

    Only one value of each type needs a look, except where a type has missing values among its values.
    """
    values = labels.tolist()
    examples = {type(value): value for value in values}
    if any(issubclass(kind, float) or is_missing(value) for kind, value in examples.items()):
        missing = [row for row, value in enumerate(values) if is_missing(value)]
        if missing:
            raise LabelError(missing_message(missing, who))
    kinds = {_kind(value) for value in examples.values()}
    if kinds == {"whole number", "number"}:
        kinds = {"number"}
    if len(kinds) > 1:
        raise LabelError(f"{who}: labels must be of one type, but y mixes {' and '.join(sorted(kinds))} labels.")
    if kinds <= {"whole number", "number", "boolean"}:
        return _as_numbers(values, who)
    if not kinds <= {"word", "bytes"}:
        raise LabelError(f"{who}: Unknown label type: {kinds.pop()}; labels must be words, whole numbers or booleans.")
    return labels


def _as_numbers(values: list[Any], who: str) -> np.ndarray:
    """An array that tells all the numbers apart; where NumPy has none, the objects themselves."""
    array = np.asarray(values)
    floats = [isinstance(value, (float, np.floating)) for value in values]
    if array.dtype.kind in "iubO" or all(floats):
        return array
    if not any(floats):  # NumPy makes floats of -1 and 2**63 together
        array = np.empty(len(values), dtype=object)
        array[:] = values
    elif len(set(array.tolist())) < len(set(values)):
        raise LabelError(f"{who}: y mixes whole numbers beyond 2**53 with floats, which round them; make it one type.")
    return array


def _check_floats(labels: np.ndarray, who: str) -> None:
    missing = np.flatnonzero(np.isnan(labels))
    if missing.size:
        raise LabelError(missing_message(missing.tolist(), who))
    if np.isinf(labels).any():
        row = int(np.flatnonzero(np.isinf(labels))[0])
        raise LabelError(f"{who}: y holds infinity in row {row}. Input contains infinity, which is not a label.")
    if (labels != np.floor(labels)).any():
        example = float(labels[labels != np.floor(labels)][0])
        raise LabelError(
            f"{who}: Unknown label type: continuous. y holds quantities such as {example:g}; "
            "a classifier needs classes (bin the quantity, or use a regressor)."
        )


def missing_message(rows: list[int], who: str, what: str = "label") -> str:
    """The refusal of missing targets, with their count and the first rows."""
    shown = listing(rows)
    return (
        f"{who}: y must have a {what} in every row, but {len(rows)} are missing (Input contains NaN), "
        f"first in rows {shown}; leave those rows out."
    )
