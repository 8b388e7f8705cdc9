"""Words that are dates, in whatever way files write them, as seconds."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Dates", "first_stray", "read_dates", "seconds_of_words"]

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: place for place, name in enumerate(_NAMES, 1)}
_TIME = r"(?:,?[Tt ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?([aApP][mM]|[Zz]|[+-]\d{2}:?\d{2})?)?$"
_YEAR_FIRST = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + _TIME)
_YEAR_LAST = re.compile(r"^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}|\d{2})" + _TIME)
_MONTH_FIRST = re.compile(r"^([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})" + _TIME)
_MONTH_SECOND = re.compile(r"^(\d{1,2})[- ]([A-Za-z]{3,9})\.?[- ](\d{2,4})" + _TIME)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$")
_EPOCH = datetime.datetime(1970, 1, 1)


class Dates(NamedTuple):
    """Dates as seconds since 1970.

    ``clock`` is what the calendar and the clock said where they were written, ``moment`` the same in Greenwich.
    ``day_first`` says whether 3/4 is the third of April, None where nothing is written so; ``told`` whether the words
    themselves say it.
    """

    clock: np.ndarray
    moment: np.ndarray
    day_first: bool | None
    told: bool


def read_dates(words: Sequence[str], day_first: bool | None = None) -> Dates | None:
    """Words that are all dates, or None where some word is none, or days and months contradict each other.

    Which of two numbers is the day, a column says itself: where one is above 12 it is the day, and so is the first of
    two with a full stop behind it. Where it says nothing the first is the month, unless ``day_first`` knows better.

    >>> read_dates(["1.2.1970", "02.01.1970 00:01"]).moment.tolist()
    [2678400.0, 86460.0]
    >>> found = read_dates(["1/31/70", "1/2/70 1:00 pm"])
    >>> found.moment.tolist(), found.told, read_dates(["03/04/2024"]).told
    ([2592000.0, 133200.0], True, False)
    >>> read_dates(["3rd of May"]) is None, read_dates(["2023-02-29"]) is None
    (True, True)
    """
    quick = _iso(words)
    if quick is not None:
        return Dates(quick, quick, day_first, True)
    parts = [_parts(word) for word in words]
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts):
        return None
    open_ = [date for date, _ in found if date[3]]
    first = any(date[1] > 12 for date in open_)
    second = any(date[2] > 12 for date in open_)
    if first and second and day_first is None:
        return None
    chosen = first if day_first is None else day_first
    try:
        clock = np.array([_seconds(date, time, chosen) for date, time in found])
    except ValueError:
        return None
    moment = clock - [_ahead(time[4]) for _, time in found]
    return Dates(clock, moment, chosen if open_ else day_first, not open_ or first != second)


def seconds_of_words(words: Sequence[str]) -> np.ndarray | None:
    """Dates as seconds, or None where some word is no date, or days and months cannot be told apart.

    >>> seconds_of_words(["1/31/70"]).tolist(), seconds_of_words(["03/04/2024"]) is None
    ([2592000.0], True)
    """
    found = read_dates(words)
    return found.moment if found is not None and found.told else None


def first_stray(words: Sequence[str], day_first: bool | None = None) -> int:
    """The place of the first word that is no date.

    >>> first_stray(["2024-01-31", "soon"]), first_stray(["31/1/2024", "1/31/2024"])
    (1, 1)
    """
    found = [read_dates([word], day_first) for word in words]
    if None in found:
        return found.index(None)
    order = [None if each is None or not each.told else each.day_first for each in found]
    return order.index(not next(first for first in order if first is not None))


def _iso(words: Sequence[str]) -> np.ndarray | None:
    """The common way, read at once; None for all others, and where some day is in no calendar."""
    if not words or not all(map(_ISO.match, words)):
        return None
    try:
        return np.array(words, dtype="datetime64[us]").astype(np.int64) / 1e6
    except ValueError:
        return None


Date = tuple[int, int, int, str]


def _parts(word: str) -> tuple[Date, tuple[str | None, ...]] | None:
    """Year, two numbers, and the sign between them where it is open which of them is the month, with the time."""
    if match := _YEAR_FIRST.match(word):
        year, month, day, *time = match.groups()
        return (int(year), int(day), int(month), ""), tuple(time)
    if match := _YEAR_LAST.match(word):
        first, sign, second, year, *time = match.groups()
        return (_full(year), int(first), int(second), sign.strip(".")), tuple(time)
    if match := _MONTH_FIRST.match(word):
        name, day, year, *time = match.groups()
    elif match := _MONTH_SECOND.match(word):
        day, name, year, *time = match.groups()
    else:
        return None
    month_named = _MONTHS.get(name[:3].lower())
    return None if month_named is None else ((_full(year), int(day), month_named, ""), tuple(time))


def _full(year: str) -> int:
    """Two digits are of the last or of this century, as they are in POSIX."""
    return int(year) if len(year) > 2 else int(year) + (1900 if int(year) >= 69 else 2000)


def _seconds(date: Date, time: tuple[str | None, ...], day_first: bool) -> float:
    year, first, second, sign = date
    day, month = (first, second) if day_first or not sign else (second, first)
    hour, minute, whole, part, mark = time
    moment = datetime.datetime(year, month, day, _hour(int(hour or 0), mark), int(minute or 0), int(whole or 0))
    return (moment - _EPOCH).total_seconds() + float(f"0.{part or 0}")


def _hour(hour: int, mark: str | None) -> int:
    if mark is None or mark.lower() not in ("am", "pm"):
        return hour
    return hour % 12 + 12 * (mark.lower() == "pm")


def _ahead(mark: str | None) -> float:
    """Seconds that a zone is ahead of Greenwich."""
    if mark is None or mark[0] not in "+-":
        return 0.0
    digits = mark[1:].replace(":", "")
    return (3600 * int(digits[:2]) + 60 * int(digits[2:])) * (1.0 if mark[0] == "+" else -1.0)
