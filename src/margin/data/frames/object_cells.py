"""Columns of Python objects: what kind of values they hold, and the values as numbers or codes.

A cell's type says its kind, so types are looked at, not cells; and work on cells is done once for each
different value. A column of a million words takes about as long as making a dictionary of them.

Words are read as in files (``data/kind_inference.py``): a word that stands for a missing cell there ("?", "NA", "", …)
stands for one here too. Where a model reads them, a warning counts such cells, since one might be a value to whoever
wrote it.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import reprlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.data.kind_inference import (
    MISSING,
    MISSING_AMONG_NUMBERS,
    Written,
    infer_numbers,
    infer_stripped,
    numbers_in,
    without_marks,
)
from margin.data.missing import MAYBE_MISSING, is_missing, is_missing_type
from margin.data.schema import Column
from margin.data.written.date_columns import dated_column
from margin.errors import DataWarning, InputError, InputTypeError, listing, warn

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "are_dates",
    "are_marks",
    "codes_of_values",
    "column_from_objects",
    "date_column",
    "distinct",
    "for_a_model",
    "kinds_of",
    "numbers_of",
    "numbers_of_levels",
]

DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
MARKS_AMONG_NUMBERS = frozenset((*MISSING, *MISSING_AMONG_NUMBERS))


def for_a_model(name: str, who: str) -> Written:
    """How a model reads a column: a bad cell among numbers is refused."""
    return Written(name, who=who, decimal_comma=None, line_of=lambda row: row, place="row", bad="refuse")


def kinds_of(name: str, values: Sequence[Any], who: str, dates: bool = False) -> set[str]:
    """Which kinds of cells a column holds: number, word, bytes, boolean; missing ones say nothing.

    Dates are refused unless ``dates`` lets them be a kind.
    """
    types = set(map(type, values))
    if dates and any(issubclass(kind, DATES) for kind in types):
        others = {kind for kind in types if not issubclass(kind, DATES)}
        return {"date", *(_kind_of(kind, name, values, who) for kind in others)} - {""}
    kinds = {_kind_of(kind, name, values, who) for kind in types} - {""}
    if not kinds and not dates and any(kind.__name__ == "NaTType" for kind in types):
        raise InputError(f"{who}: column {name!r} holds dates or times, all of them missing; drop it.")
    return kinds


def _kind_of(kind: type, name: str, values: Sequence[Any], who: str) -> str:
    """The kind of the cells of one type, and "" if all of those are missing."""
    if is_missing_type(kind):
        return ""
    if issubclass(kind, MAYBE_MISSING) and all(is_missing(v) for v in values if type(v) is kind):
        return ""
    if issubclass(kind, (bool, np.bool_)):
        return "boolean"
    if issubclass(kind, DATES):
        problem = "is a date or time, which no model here reads; turn it into numbers or drop the column"
    elif issubclass(kind, (numbers.Real, np.integer, np.floating, decimal.Decimal)):
        return "number"
    elif issubclass(kind, str):
        return "word"
    elif issubclass(kind, bytes):
        return "bytes"
    elif issubclass(kind, numbers.Complex):
        problem = "is complex. Complex data not supported; give its parts as columns"
    else:
        row = _first_row(kind, values)
        raise InputTypeError(
            f"{who}: column {name!r}, row {row}: a cell's argument must be a string or a real number, "
            f"not {kind.__name__}."
        )
    row = _first_row(kind, values)
    raise InputError(f"{who}: column {name!r}, row {row}: {reprlib.repr(values[row])} {problem}.")


def _first_row(kind: type, values: Sequence[Any]) -> int:
    return next(row for row, value in enumerate(values) if type(value) is kind and not is_missing(value))


def distinct(values: Sequence[Any]) -> tuple[list[Any], np.ndarray]:
    """The different values in the order they come, and for each cell which of them it holds; -1 is missing.

    >>> distinct(["b", "a", None, "b"])
    (['b', 'a'], array([ 0,  1, -1,  0]))
    """
    if any(value is np.ma.masked for value in values):  # the one missing value that no dictionary takes
        values = [None if value is np.ma.masked else value for value in values]
    places: dict[Any, int] = {}
    found = np.fromiter((places.setdefault(value, len(places)) for value in values), np.intp, len(values))
    different = list(places)
    there = np.array([not is_missing(value) for value in different] + [False], dtype=bool)
    if there[:-1].all():
        return different, found
    moved = np.where(there, np.cumsum(there) - 1, -1)
    return [value for value, kept in zip(different, there) if kept], moved[found]


def column_from_objects(
    name: str, values: Sequence[Any], who: str, about: Written | None = None
) -> tuple[Column, np.ndarray]:
    """A column of Python objects: numbers, words as in files, truth values or bytes.

    Cells of several kinds are refused where a model reads them; elsewhere they count as they are written.
    """
    about = for_a_model(name, who) if about is None else about
    dated = date_column(name, values) if are_dates(values) and about.declared is None else None
    if dated is not None:
        return dated
    kinds = kinds_of(name, values, who, about.bad != "refuse")
    if not kinds:
        return _empty(len(values), about)
    if kinds == {"number"} or ("number" in kinds and about.bad == "refuse"):
        return infer_numbers(numbers_of(name, values, who), about)
    if kinds == {"boolean"}:
        codes = np.array([-1 if is_missing(value) else bool(value) for value in values], dtype=np.int32)
        return Column(name, "nominal", (False, True), "truth values"), codes
    if kinds == {"bytes"}:
        return _as_they_are(name, values)
    if about.bad != "refuse":
        return _from_words([None if is_missing(value) else _written(value) for value in values], about)
    if len(kinds) > 1:
        raise InputError(f"{who}: column {name!r} mixes {' and '.join(sorted(kinds))} values; make it one type.")
    return _from_words([value if isinstance(value, str) else None for value in values], about)


def are_dates(values: Sequence[Any]) -> bool:
    """Whether every cell that is there holds a date, with or without a time of day, and some cell does."""
    types = {kind for kind in set(map(type, values)) if not is_missing_type(kind)}
    dates = {kind for kind in types if issubclass(kind, (datetime.date, np.datetime64))}
    return bool(dates) and all(kind in dates or all(is_missing(v) for v in values if type(v) is kind) for kind in types)


def date_column(name: str, values: Sequence[Any]) -> tuple[Column, np.ndarray] | None:
    """Dates as the words of a file; None where one is in no calendar that files know.

    >>> date_column("day", [datetime.date(2024, 5, 31), None])[0]
    Column(name='day', kind='date', levels=('2024-05-31',), reason='its cells are dates')
    """
    import polars as pl

    different, codes = distinct(values)
    words = [str(v.astype("datetime64[us]") if isinstance(v, np.datetime64) else v) for v in different]
    dated = dated_column(pl.Series(words, dtype=pl.String), name, "its cells are dates")
    return None if dated is None else (dated[0], np.append(dated[1], -1)[codes].astype(np.int32))


def _from_words(values: Sequence[str | None], about: Written) -> tuple[Column, np.ndarray]:
    words = _series(values)
    if words is None:  # half a character, which no file holds
        return _as_they_are(about.name, values)
    present = without_marks(words.to_frame(), about.missing).to_series()
    column, stored = infer_stripped(present, about)
    if present.null_count() == len(present):
        column, stored = _empty(len(present), about)
    if about.bad == "refuse":
        _say_what_is_missing(column, words, present, about)
    return column, stored


def _empty(rows: int, about: Written) -> tuple[Column, np.ndarray]:
    """No cell at all: numbers as in files, but to a model a column that says nothing whatever comes later."""
    if about.bad == "refuse":
        return Column(about.name, "nominal", reason="every cell is missing"), np.full(rows, -1, dtype=np.int32)
    return Column(about.name, "numeric", reason="every cell is missing"), np.full(rows, np.nan)


def _series(values: Sequence[str | None]) -> pl.Series | None:
    import polars as pl

    try:
        return pl.Series("words", [None if value is None else str(value) for value in values], dtype=pl.String)
    except UnicodeEncodeError:
        return None


def _as_they_are(name: str, values: Sequence[Any]) -> tuple[Column, np.ndarray]:
    """Nominal, each different value a level."""
    different, codes = distinct(values)
    plain = bytes if isinstance(different[0], bytes) else str
    order = sorted(range(len(different)), key=different.__getitem__)
    rank = np.full(len(order) + 1, -1, dtype=np.int32)  # the last place serves code -1
    rank[order] = np.arange(len(order))
    levels = tuple(plain(different[i]) for i in order)
    return Column(name, "nominal", levels, f"{len(levels)} different {plain.__name__} values"), rank[codes]


def _say_what_is_missing(column: Column, words: pl.Series, present: pl.Series, about: Written) -> None:
    """Count the cells that hold a mark; among numbers there are more marks than elsewhere."""
    marks = present.is_null() & words.is_not_null()
    if column.is_numeric:
        marks = marks | present.is_in(list(MISSING_AMONG_NUMBERS)).fill_null(False)
    if marks.any():
        held = words.filter(marks).unique(maintain_order=True).to_list()
        _warn_of_missing(about.name, int(marks.sum()), len(words), held, about.who)


def are_marks(levels: Iterable[Any]) -> bool:
    """Whether nothing but marks of missing cells is there; so it is where nothing is there at all."""
    return all(map(_is_mark, levels))


def _is_mark(value: Any) -> bool:
    return isinstance(value, str) and value.strip() in MARKS_AMONG_NUMBERS


def _warn_of_marks(name: str, levels: Sequence[Any], codes: np.ndarray, who: str) -> None:
    """Say how many cells hold a level that stands for a missing cell."""
    marks = np.array([_is_mark(level) for level in levels] + [False])
    count = int(marks[codes].sum())
    if count:
        _warn_of_missing(name, count, len(codes), [levels[code] for code in np.unique(codes) if marks[code]], who)


def _warn_of_missing(name: str, count: int, cells: int, held: Sequence[Any], who: str) -> None:
    warn(
        f"{who}: column {name!r}: {count} of {cells} cells ({listing(held)}) are read as missing "
        "(make them None to say so, or the column categorical if they are values).",
        DataWarning,
    )


def numbers_of(name: str, values: Sequence[Any], who: str) -> np.ndarray:
    """Objects as numbers; a cell that is none is an error that names it."""
    if {float, int, type(None)}.issuperset(map(type, values)):
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:
            pass  # an integer beyond all floats, named below
    kinds_of(name, values, who)
    return numbers_of_levels(name, *distinct(values), who)


def numbers_of_levels(name: str, levels: Sequence[Any], codes: np.ndarray, who: str) -> np.ndarray:
    """Codes into levels as those levels' numbers; levels that no cell holds need not be numbers."""
    found = [np.nan if _is_mark(level) else _as_number(level) for level in levels]
    numbers_and_missing = np.array([np.nan if number is None else number for number in found] + [np.nan])
    bad = np.array([number is None for number in found] + [False])[codes]
    if bad.any():
        styled = _in_their_writing(name, levels, who)
        if styled is not None:
            return styled[codes]
        row = int(bad.argmax())
        value = reprlib.repr(levels[codes[row]])
        raise InputError(
            f"{who}: column {name!r}, row {row}: {value} is not a number that can be used, but the column is numeric "
            "(mend the cell, make it None if it is missing, or make the column categorical)."
        )
    _warn_of_marks(name, levels, codes, who)
    return numbers_and_missing[codes]


def _in_their_writing(name: str, levels: Sequence[Any], who: str) -> np.ndarray | None:
    """The numbers of words that are written with a unit or with thousands set apart, and NaN; None for other words."""
    words = _series(levels) if all(isinstance(level, str) for level in levels) else None
    if words is None:
        return None
    try:
        return np.append(numbers_in(without_marks(words.to_frame()).to_series(), for_a_model(name, who)), np.nan)
    except InputError:
        return None


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def codes_of_values(levels: Sequence[Any], values: Sequence[Any]) -> np.ndarray:
    """The code of each value among levels, -1 where it is none of them, and one -1 more for missing cells.

    A value is found as it is or, failing that, as it is written: 1.0 finds the level "1", and "1" the level 1.

    >>> codes_of_values(["1", "2"], ["2", 1.0, "three"])
    array([ 1,  0, -1, -1], dtype=int32)
    """
    exact = {level: code for code, level in enumerate(levels)}
    codes = [exact.get(value, -1) for value in values]
    if -1 in codes:
        written = {_written(level): code for code, level in enumerate(levels)}
        codes = [written.get(_written(value), -1) if code < 0 else code for code, value in zip(codes, values)]
    return np.array([*codes, -1], dtype=np.int32)


def _written(value: Any) -> str | None:
    if is_missing(value):
        return None
    whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    return str(int(value) if whole else value).strip()
