"""Words that are dates, in whatever way files write them, as seconds: an audit asks which row came first."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np

__all__ = ["seconds_of_words"]

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: place for place, name in enumerate(_NAMES, 1)}
_TIME = r"(?:,?[Tt ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s?([aApP][mM]|[Zz]|[+-]\d{2}:?\d{2})?)?$"
_YEAR_FIRST = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + _TIME)
_YEAR_LAST = re.compile(r"^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}|\d{2})" + _TIME)
_MONTH_FIRST = re.compile(r"^([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})" + _TIME)
_MONTH_SECOND = re.compile(r"^(\d{1,2})[- ]([A-Za-z]{3,9})\.?[- ](\d{2,4})" + _TIME)


def seconds_of_words(words: Sequence[str]) -> np.ndarray | None:
    """Dates as seconds, or None where some word is no date, or days and months cannot be told apart.

    Which of two numbers is the day, a column says itself: where one is above 12 it is the day, and so is the first of
    two with a full stop behind it.

    >>> seconds_of_words(["1.2.1970", "02.01.1970 00:01"]).tolist()
    [2678400.0, 86460.0]
    >>> seconds_of_words(["1/31/70", "1/2/70 1:00 pm"]).tolist()
    [2592000.0, 133200.0]
    >>> seconds_of_words(["3rd of May"]) is None, seconds_of_words(["03/04/2024"]) is None
    (True, True)
    """
    parts = [_parts(word) for word in words]
    if not parts or any(part is None for part in parts):
        return None
    found = [part for part in parts if part is not None]
    open_ = [date for date, _ in found if date[3]]
    day_first = all(date[3] == "." for date in open_) or any(date[1] > 12 for date in open_)
    month_first = any(date[2] > 12 for date in open_)
    if open_ and day_first == month_first:  # neither is known, or they contradict each other
        return None
    try:
        return np.array([_seconds(date, time, day_first) for date, time in found])
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
        return (_full(year), int(first), int(second), sign), tuple(time)
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
    hour, minute, second_, mark = time
    moment = datetime.datetime(year, month, day, _hour(int(hour or 0), mark), int(minute or 0), int(second_ or 0))
    return (moment - datetime.datetime(1970, 1, 1)).total_seconds() - _ahead(mark)


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
