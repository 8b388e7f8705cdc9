"""Labels as people wrote them, and the small whole numbers that counting needs.

Labels keep their own type everywhere: what goes in as strings comes out as strings. Whole numbers of a modest
range are counted and coded where they lie, through a table of their range, words of a fixed width through a table of
their hashes, and everything else through one dictionary, so that ten million labels are never sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import margin._core as _core
from margin.data.missing import is_missing, is_missing_type
from margin.errors import LabelError, closest, listing, unreadable
from margin.parallel import n_threads

__all__ = [
    "coded",
    "codes_of",
    "distinct",
    "groups_of",
    "label_array",
    "numbered",
    "position_of",
    "refuse_missing",
    "union",
    "whole_numbers",
]

#: Bits of the hashes of words; words of more bytes are looked up one by one, and so are fewer than this.
_HASH_BITS, _LONGEST_WORD, _FEW_WORDS = 16, 256, 200
_MULTIPLIER = 0x9E3779B97F4A7C15
#: A table of this many entries is always worth it; wider ranges only where there are as many labels.
_SMALL_RANGE = 65_536


def label_array(labels: Any, who: str) -> np.ndarray:
    """Labels as an array of one dimension, ``None`` and other missing values kept for the caller to judge.

    >>> label_array(["yes", "no"], "example")
    array(['yes', 'no'], dtype=object)
    """
    try:
        array = np.asarray(labels) if hasattr(labels, "__array__") else _from_iterable(labels, who)
    except Exception as error:
        raise LabelError(f"{who}: {unreadable('the labels', labels, error)}") from None
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
    types = {each for each in found if not is_missing_type(each)}
    if any(each.__hash__ is None for each in types):
        raise LabelError(f"{who}: there must be one label per row, not several in a list.")
    kinds = {_kind(each) for each in types}
    if len(kinds) > 1 and any(issubclass(each, (float, np.floating)) for each in types):
        kinds = {_kind(type(value)) for value in array.tolist() if not is_missing(value)}  # a float may be a NaN
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


def refuse_missing(labels: np.ndarray, who: str) -> None:
    """Raise where a label is missing, with the count and the first rows."""
    if labels.dtype.kind == "f":
        # One NaN makes the sum NaN, and so do infinities of both signs: only then is it worth a closer look.
        with np.errstate(invalid="ignore", over="ignore"):
            doubtful_sum = bool(np.isnan(labels.sum()))
        missing = np.flatnonzero(np.isnan(labels)).tolist() if doubtful_sum else []
    elif labels.dtype == object:
        doubtful = {
            kind for kind in set(map(type, labels.tolist())) if _kind(kind) not in ("strings", "bytes", "booleans")
        }
        missing = [row for row, value in enumerate(labels.tolist()) if is_missing(value)] if doubtful else []
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
    whole = whole_numbers(labels)
    tally = None if whole is None else _core.metrics.tally(whole, _table_size(labels), False, n_threads())
    if tally is not None:
        low, counts, _ = tally
        return places_as_labels(low, np.flatnonzero(counts), labels.dtype)
    if labels.dtype.kind in "iuf":
        return np.unique(labels)
    hashed = _hashed_words(labels)
    some = labels if hashed is None else labels[hashed[1]]
    return _array_of(_sorted(set(some.tolist()) - {None}, who), labels.dtype)


def coded(labels: np.ndarray, who: str = "labels") -> tuple[np.ndarray, np.ndarray]:
    """The different labels in ascending order, and the position of each label among them.

    >>> classes, codes = coded(np.array(["b", "a", "b"]))
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    hashed = _hashed_words(labels)
    if hashed is None:
        classes = distinct(labels, who)
        return classes, codes_of(labels, classes)
    group, first = hashed
    classes = distinct(labels[first], who)
    return classes, codes_of(labels[first], classes)[group]


def numbered(labels: np.ndarray) -> np.ndarray:
    """A number for each label, in order of first appearance: the same whatever the labels are called.

    >>> numbered(np.array(["b", "a", "b"])).tolist()
    [0, 1, 0]
    """
    return groups_of(labels)[0].astype(np.intp, copy=False)


def groups_of(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number for each label, in order of first appearance, in single bytes where there are few; and their counts.

    >>> groups, counts = groups_of(np.array(["b", "a", "b"]))
    >>> groups, counts.tolist()
    (array([0, 1, 0], dtype=uint8), [2, 1])
    """
    whole = whole_numbers(labels)
    tally = None if whole is None else _core.metrics.tally(whole, _table_size(labels), True, n_threads())
    if whole is None or tally is None:
        whole = codes_of(labels, distinct(labels))
        tally = _core.metrics.tally(whole, max(len(whole), 1), True, n_threads())
    low, counts, first = tally
    places = np.flatnonzero(counts)
    places = places[np.argsort(first[places])]
    codes = np.empty(len(labels), dtype=np.uint8 if len(places) <= 256 else np.int64)
    return _codes_by_table(whole, places, low, len(counts), codes), counts[places]


def whole_numbers(labels: np.ndarray) -> np.ndarray | None:
    """Labels that are whole numbers, booleans or floats without a fraction, as they can be counted; else ``None``.

    >>> whole_numbers(np.array([1.0, 2.0])), whole_numbers(np.array([0.5]))
    (array([1, 2]), None)
    """
    kind = labels.dtype.kind
    if kind == "f":
        with np.errstate(invalid="ignore"):
            whole = labels.astype(np.int64)
        return whole if np.array_equal(whole, labels) else None
    return np.require(labels, labels.dtype.newbyteorder("="), ["C", "A"]) if kind in "biu" else None


def places_as_labels(low: int, places: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The labels that stand so far above the lowest, in their own type."""
    return np.array([low + place for place in places.tolist()], dtype=dtype)


def _table_size(labels: np.ndarray) -> int:
    return max(_SMALL_RANGE, min(len(labels), 2**31))


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
    if labels.dtype.kind in "biuf" and labels.dtype == classes.dtype and len(labels):
        whole, known = whole_numbers(labels), whole_numbers(classes)
        if whole is not None and known is not None:
            low, high = int(known.min()), int(known.max())
            if high - low < _table_size(labels):
                places = np.subtract(known, low, dtype=object).astype(np.intp)
                return _codes_by_table(whole, places, low, high - low + 1, np.empty(len(labels), dtype=np.int64))
    if labels.dtype.kind in "iu" and labels.dtype == classes.dtype:
        return _codes_by_search(labels, classes)
    place = {label: code for code, label in enumerate(classes.tolist())}
    hashed = _hashed_words(labels)
    if hashed is not None:
        group, first = hashed
        return np.array([place.get(label, -1) for label in labels[first].tolist()], dtype=np.intp)[group]
    values = labels.tolist()
    try:
        return np.fromiter(map(place.__getitem__, values), dtype=np.intp, count=len(values))
    except KeyError:
        return np.fromiter((place.get(label, -1) for label in values), dtype=np.intp, count=len(values))


def _hashed_words(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """A number for each of many words of a fixed width, the same for equal ones, and a row of each number.

    None where labels are no such words, or where two different ones have one hash each time.

    >>> group, row = _hashed_words(np.array(["no", "yes", "no"] * 100))
    >>> group[:3].tolist() in ([0, 1, 0], [1, 0, 1]), len(row)
    (True, 2)
    """
    width = labels.dtype.itemsize
    if labels.dtype.kind not in "US" or width % 4 or not 0 < width <= _LONGEST_WORD or len(labels) < _FEW_WORDS:
        return None
    cells: np.ndarray = np.ascontiguousarray(labels).view(np.uint64 if width % 8 == 0 else np.uint32)
    cells = cells.reshape(len(labels), -1)
    for seed in range(3):
        # A sum of products of words and odd numbers: its upper bits hang on every bit.
        factors = [(_MULTIPLIER * (2 * (7 * j + seed) + 1) | 1) % 2**64 for j in range(cells.shape[1])]
        sums = np.zeros(len(labels), dtype=np.uint64)
        for column, factor in zip(cells.T, factors):
            sums += column * np.uint64(factor)
        sums ^= sums >> np.uint64(32)
        slot = (sums * np.uint64(_MULTIPLIER) >> np.uint64(64 - _HASH_BITS)).astype(np.intp)
        row = np.full(2**_HASH_BITS, -1)
        row[slot] = np.arange(len(labels))
        if np.array_equal(cells[row[slot]], cells):
            used = np.flatnonzero(row >= 0)
            number = np.empty(2**_HASH_BITS, dtype=np.intp)
            number[used] = np.arange(len(used))
            return number[slot], row[used]
    return None


def _codes_by_search(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Positions of whole numbers that lie too far apart for a table."""
    order = np.argsort(classes, kind="stable")
    at = order[np.minimum(np.searchsorted(classes, labels, sorter=order), len(classes) - 1)]
    return np.where(classes[at] == labels, at, -1)


def _codes_by_table(labels: np.ndarray, places: np.ndarray, low: int, width: int, codes: np.ndarray) -> np.ndarray:
    """The position of each label among those that stand at ``places`` above the lowest, -1 for all others."""
    code_at = np.full(width, -1, dtype=np.int64)
    code_at[places] = np.arange(len(places))
    _core.metrics.encode(labels, low, code_at, codes, n_threads())
    return codes


def position_of(label: object, classes: np.ndarray, who: str) -> int:
    """Where one label stands among the classes; an unknown one is an error that names the nearest."""
    known = classes.tolist()
    if label not in known:
        raise LabelError(f"{who}: {label!r} is none of the classes {listing(known)}{closest(label, known)}.")
    return known.index(label)
