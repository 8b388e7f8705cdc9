"""Labels as people wrote them, and the small whole numbers that counting needs.

Labels keep their own type everywhere: what goes in as strings comes out as strings. Whole numbers of a modest
range are coded through a table of their range and everything else through one dictionary, so that a million
labels cost milliseconds and are never sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from margin.errors import LabelError, closest, listing

__all__ = ["codes_of", "distinct", "label_array", "position_of", "refuse_missing", "union"]

#: A table of this many entries is always worth it; wider ranges only where there are as many labels.
_SMALL_RANGE = 65_536


def label_array(labels: Any, who: str) -> np.ndarray:
    """Labels as an array of one dimension, ``None`` and other missing values kept for the caller to judge.

    >>> label_array(["yes", "no"], "example")
    array(['yes', 'no'], dtype=object)
    """
    array = np.asarray(labels) if hasattr(labels, "__array__") else _from_iterable(labels, who)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        shape = " × ".join(map(str, array.shape)) or "a single value"
        raise LabelError(f"{who}: there must be one label per row, in one dimension, not {shape}.")
    if array.dtype.kind == "T":
        array = array.astype(object)
    if array.dtype.kind not in "biufUSO":
        raise LabelError(f"{who}: labels must be strings, bytes, numbers or booleans, not {array.dtype}.")
    return _tightened(array, who) if array.dtype == object else array


def _from_iterable(labels: Iterable[Any], who: str) -> np.ndarray:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise LabelError(f"{who}: labels must be a sequence with one label per row, not {labels!r}.")
    # Through object, since NumPy on its own turns [1, "1"] into two equal strings.
    values = list(labels)
    return np.fromiter(values, dtype=object, count=len(values))


def _tightened(array: np.ndarray, who: str) -> np.ndarray:
    """Objects that are all whole numbers or all booleans as such; a mixture of kinds is refused."""
    found = set(map(type, array.tolist()))
    types = {each for each in found if not _is_missing_type(each)}
    if any(each.__hash__ is None for each in types):
        raise LabelError(f"{who}: there must be one label per row, not several in a list.")
    kinds = {_kind(each) for each in types}
    if len(kinds) > 1 and any(issubclass(each, (float, np.floating)) for each in types):
        kinds = {_kind(type(value)) for value in array.tolist() if not _is_missing(value)}  # a float may be a NaN
    if len(kinds) > 1:
        raise LabelError(
            f"{who}: labels must be of one kind, but {' and '.join(sorted(kinds))} stand side by side "
            "(turn them all into strings)."
        )
    whole = kinds == {"numbers"} and all(issubclass(each, (int, np.integer)) for each in types)
    if (whole or kinds == {"booleans"}) and types == found:
        try:
            return array.astype(np.int64 if whole else bool)
        except OverflowError:
            return array  # numbers beyond 64 bits stay what they are
    return array


def _kind(kind: type) -> str:
    if issubclass(kind, (bool, np.bool_)):
        return "booleans"
    if issubclass(kind, (int, float, np.integer, np.floating)):
        return "numbers"
    if issubclass(kind, str):
        return "strings"
    return "bytes" if issubclass(kind, bytes) else f"{kind.__name__} objects"


def _is_missing(value: Any) -> bool:
    if value is None or _is_missing_type(type(value)):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _is_missing_type(kind: type) -> bool:
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")  # of pandas, which need not be there


def refuse_missing(labels: np.ndarray, who: str) -> None:
    """Raise where a label is missing, with the count and the first rows."""
    if labels.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(labels)).tolist()
    elif labels.dtype == object:
        doubtful = {
            kind for kind in set(map(type, labels.tolist())) if _kind(kind) not in ("strings", "bytes", "booleans")
        }
        missing = [row for row, value in enumerate(labels.tolist()) if _is_missing(value)] if doubtful else []
    else:
        return
    if missing:
        raise LabelError(
            f"{who}: {len(missing)} of {len(labels)} labels are missing, first in rows {listing(missing)} "
            "(leave those rows out)."
        )


def distinct(labels: np.ndarray, who: str = "labels") -> np.ndarray:
    """The different labels in ascending order; ``None`` is no label.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    kind = labels.dtype.kind
    if kind == "b":
        return np.array([value for value in (False, True) if (labels == value).any()], dtype=bool)
    if kind in "iu" and len(labels):
        low, width = _range(labels)
        if width <= max(_SMALL_RANGE, len(labels)):
            seen = np.zeros(width, dtype=bool)
            seen[_above(labels, low)] = True
            return np.array([int(low) + step for step in np.flatnonzero(seen).tolist()], dtype=labels.dtype)
    if kind in "iuf":
        return np.unique(labels)
    return _array_of(_sorted(set(labels.tolist()) - {None}, who), labels.dtype)


def _range(labels: np.ndarray) -> tuple[Any, int]:
    low, high = labels.min(), labels.max()
    return low, int(high) - int(low) + 1


def _above(labels: np.ndarray, low: Any) -> np.ndarray:
    """How far each label stands above the lowest, without wrapping around in the narrow types."""
    return labels - low if labels.dtype == np.uint64 else np.subtract(labels, low, dtype=np.int64)


def _sorted(values: Iterable[Any], who: str) -> list[Any]:
    try:
        return sorted(values)
    except TypeError as error:
        raise LabelError(f"{who}: labels must have an order ({error}); turn them into strings.") from None


def _array_of(values: Sequence[Any], dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "O":
        return np.fromiter(values, dtype=object, count=len(values))
    return np.array(values, dtype=dtype)


def union(first: np.ndarray, second: np.ndarray, who: str) -> np.ndarray:
    """All labels of two ascending sets of them, in the type of the first."""
    ours, theirs = first.tolist(), second.tolist()
    known = set(ours)
    new = [label for label in theirs if label not in known]
    if not new:
        return first
    if not ours:
        return second
    mine, other = _kind(type(ours[0])), _kind(type(theirs[0]))
    # A classifier that answers 0 and 1 for False and True is understood; one that answers "0" for 0 is not.
    if mine != other and {mine, other} != {"booleans", "numbers"}:
        raise LabelError(
            f"{who}: labels must be of one kind, but {mine} ({listing(ours, 2)}) and {other} ({listing(theirs, 2)}) "
            "stand side by side."
        )
    merged = _sorted([*ours, *new], who)
    if first.dtype.kind == second.dtype.kind:
        return _array_of(merged, np.promote_types(first.dtype, second.dtype))
    return _tightened(_array_of(merged, np.dtype(object)), who)


def codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The position of each label among ``classes``, or -1 where it is not there.

    >>> codes_of(np.array(["b", "a", "z"]), np.array(["a", "b"])).tolist()
    [1, 0, -1]
    """
    if not len(classes):
        return np.full(len(labels), -1, dtype=np.intp)
    if labels.dtype == bool and classes.dtype == bool:
        labels, classes = labels.view(np.uint8), classes.view(np.uint8)
    if labels.dtype.kind in "iu" and labels.dtype == classes.dtype and len(labels):
        low, width = _range(classes)
        if width <= max(_SMALL_RANGE, len(labels)):
            return _codes_by_table(labels, classes, low, width)
    place = {label: code for code, label in enumerate(classes.tolist())}
    values = labels.tolist()
    try:
        return np.fromiter(map(place.__getitem__, values), dtype=np.intp, count=len(values))
    except KeyError:
        return np.fromiter((place.get(label, -1) for label in values), dtype=np.intp, count=len(values))


def _codes_by_table(labels: np.ndarray, classes: np.ndarray, low: Any, width: int) -> np.ndarray:
    table = np.full(width, -1, dtype=np.intp)
    table[_above(classes, low)] = np.arange(len(classes))
    if labels.min() >= low and labels.max() <= classes.max():
        return table[_above(labels, low)]
    inside = (labels >= low) & (labels <= classes.max())
    codes = np.full(len(labels), -1, dtype=np.intp)
    codes[inside] = table[_above(labels[inside], low)]
    return codes


def position_of(label: Any, classes: np.ndarray, who: str) -> int:
    """Where one label stands among the classes; an unknown one is an error that names the nearest."""
    known = classes.tolist()
    if label not in known:
        raise LabelError(f"{who}: {label!r} is none of the classes {listing(known)}{closest(label, known)}.")
    return known.index(label)
