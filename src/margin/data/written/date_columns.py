"""Columns of dates: their levels are the words as they were written, checked once to be dates in one order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from margin.data.level_codes import codes_of_all
from margin.data.schema import Column
from margin.data.written.dates import read_dates

if TYPE_CHECKING:
    import polars as pl

__all__ = ["dated_column", "look_like_dates"]

_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})"
    rf"|{_MONTH} \d{{1,2}}(st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}[- ]{_MONTH}[- ]\d{{2,4}}"
)
_DATE = rf"^({_DAY})(,?[T ]\d{{1,2}}:\d{{2}}(:\d{{2}}([.,]\d+)?)?\s?([aApP][mM]|Z|[+-]\d{{2}}:?\d{{2}})?)?$"
_LOOKS_LIKE_DATE = re.compile(_DATE)


def dated_column(words: pl.Series, name: str, reason: str) -> tuple[Column, np.ndarray] | None:
    """The column that words make if all of them are dates, else None; null is a missing cell.

    >>> import polars as pl
    >>> dated_column(pl.Series(["1/2/2024", None]), "day", "dates")[0].reason
    'dates, the month taken to stand before the day'
    """
    levels, codes = codes_of_all(words)
    found = read_dates(levels)
    if found is None and levels:
        return None
    open_ = found is not None and not found.told
    return Column(name, "date", levels, reason + ", the month taken to stand before the day" * open_), codes


def look_like_dates(words: pl.Series) -> bool:
    """Whether every word has the form of a date; which of them are in a calendar is another question.

    >>> import polars as pl
    >>> look_like_dates(pl.Series(["31.12.2024", "May 5, 2024 10:00"])), look_like_dates(pl.Series(["soon"]))
    (True, False)
    """
    return bool(len(words) and _LOOKS_LIKE_DATE.match(words[0]) and words.str.contains(_DATE).all())
